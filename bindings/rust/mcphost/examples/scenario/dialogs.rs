// SPDX-License-Identifier: MIT
//! Commands about dialogs: views, leases, turns, subscriptions and requests.

use mcphost::{Dialog, Grant, RequestKind, Turn, View};

use crate::{named, value, Answer, Command, Outcome, Scenario, Stop};

/// Returns the names of a list, which commas separate.  The list `-` has no names.
fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter(move |_| list != "-")
}

impl Scenario {
    fn open_dialog(&mut self, name: &str, view: Option<&str>) -> Outcome {
        let view = match view {
            Some(view) => named(&self.views, view)?.clone(),
            None => self.host.default_view(),
        };
        match Dialog::new(&view, name, None) {
            Ok(dialog) => drop(self.dialogs.insert(name.to_owned(), dialog)),
            Err(error) => self.say_error("dialog", &error),
        }
        Ok(())
    }

    fn make_view(&mut self, c: &Command) -> Outcome {
        let mut grant = Grant::new()?;
        for name in names(c.word(2)) {
            if let Err(error) = grant.add_toolset(name) {
                self.say_code("grant", &error);
            }
        }
        for name in names(c.word(3)) {
            if let Err(error) = grant.add_tool(name) {
                self.say_code("grant", &error);
            }
        }
        match View::new(&self.host, c.word(1), &grant) {
            Ok(view) => drop(self.views.insert(c.word(1).to_owned(), view)),
            Err(error) => self.say_error("grant", &error),
        }
        Ok(())
    }

    fn show_lease(&self, c: &Command) -> Outcome {
        let what = c.name();
        match named(&self.dialogs, c.word(1))?.lease(c.word(2)) {
            Err(error) => self.say_code(what, &error),
            Ok(lease) if what == "release" => self.say_outcome(what, "ok", lease.release()),
            Ok(lease) => self.say(&format!("lease: {}", lease.scope())),
        }
        Ok(())
    }

    fn subscribe(&mut self, c: &Command) -> Outcome {
        match named(&self.dialogs, c.word(2))?.subscribe(c.word(3), c.word(4)) {
            Ok(subscription) => {
                self.subscriptions.insert(c.word(1).to_owned(), subscription);
            }
            Err(error) => self.say_error("subscribe", &error),
        }
        Ok(())
    }

    fn show_updates(&self, name: &str, wanted: u64) -> Outcome {
        let subscription = named(&self.subscriptions, name)?;
        let count = |s: &Scenario| s.shared().updates.get(subscription).copied().unwrap_or(0);
        self.wait_until(|s| Ok(count(s) >= wanted))?;
        self.say(&format!("updated: {}", count(self)));
        Ok(())
    }

    fn set_answer(&self, c: &Command) -> Outcome {
        let kind = value::<RequestKind>(c.word(1))?;
        let answer = match c.word(2) {
            "respond" => Answer::Respond(c.word(3).to_owned()),
            _ => Answer::Reject(value(c.word(3))?),
        };
        self.shared().answers.insert(kind, answer);
        Ok(())
    }

    fn end_turn(&mut self, name: &str) -> Outcome {
        if let Err(error) = named(&self.turns, name)?.end() {
            self.say_code("end-turn", &error);
        }
        self.turns.remove(name);
        Ok(())
    }

    pub fn run_dialogs(&mut self, c: &Command) -> Result<bool, Stop> {
        match c.name() {
            "dialog" => self.open_dialog(c.word(1), c.get(2))?,
            "close" => {
                let closed = named(&self.dialogs, c.word(1))?.close();
                self.say_outcome("close", "ok", closed);
                self.dialogs.remove(c.word(1));
            }
            "grant" => self.make_view(c)?,
            "lease" | "release" => self.show_lease(c)?,
            "turn" => match Turn::new(named(&self.dialogs, c.word(2))?) {
                Ok(turn) => drop(self.turns.insert(c.word(1).to_owned(), turn)),
                Err(error) => self.say_code("turn", &error),
            },
            "end-turn" => self.end_turn(c.word(1))?,
            "subscribe" => self.subscribe(c)?,
            "unsubscribe" => {
                if let Err(error) = named(&self.subscriptions, c.word(1))?.end() {
                    self.say_code("unsubscribe", &error);
                }
                self.subscriptions.remove(c.word(1));
            }
            "updated" => self.show_updates(c.word(1), c.number(2)?)?,
            "answer" => self.set_answer(c)?,
            "requests" => {
                let requests = std::mem::take(&mut self.shared().requests);
                requests.iter().for_each(|request| self.say(request));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
