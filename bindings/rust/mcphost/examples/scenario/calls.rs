// SPDX-License-Identifier: MIT
//! Commands that make calls and show their outcome.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcphost::{CallSetup, ContentItem, Progress};

use crate::{named, stop, Command, Outcome, Running, Scenario, Stop, WAIT};

const TEXT_MAX: usize = 200;

/// Writes a number in the form that scenarios print.
fn number(n: f64) -> String {
    if n.is_nan() {
        "nan".into()
    } else {
        n.to_string()
    }
}

fn report(p: Progress<'_>) -> String {
    let total = number(p.total.unwrap_or(f64::NAN));
    format!("{}/{total} {}", number(p.progress), p.message.unwrap_or("-"))
}

/// Cuts a text at its first NUL and after `TEXT_MAX` bytes.
fn shortened(text: &str) -> String {
    let shown = text.split('\0').next().unwrap_or("");
    let cut = &shown.as_bytes()[..shown.len().min(TEXT_MAX)];
    let dots = if text.len() > TEXT_MAX { "..." } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(cut))
}

impl Scenario {
    fn make_call(&self, c: &Command) -> Result<mcphost::Result<CallSetup>, Stop> {
        let dialog = named(&self.dialogs, c.word(2))?;
        Ok(match c.name() {
            "call" => dialog.call(c.word(3), c.get(4)),
            "read" => dialog.read(c.word(3), c.word(4)),
            "prompt" => dialog.prompt(c.word(3), c.get(4)),
            _ => dialog.complete_prompt(c.word(3), c.word(4), c.word(5), None),
        })
    }

    fn start_call(&mut self, c: &Command) -> Outcome {
        let mut setup = match self.make_call(c)? {
            Ok(setup) => setup,
            Err(error) => {
                self.say_error(c.name(), &error);
                return Ok(());
            }
        };
        if c.name() == "call" && c.get(5).is_some() {
            setup.set_timeout(Some(Duration::from_millis(c.number(5)?)), false, None)?;
        }
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = reports.clone();
        setup.set_progress(move |p| seen.lock().unwrap().push(report(p)))?;
        match setup.start() {
            Ok(call) => drop(self.calls.insert(c.word(1).into(), Running { call, reports })),
            Err(error) => self.say_code(c.name(), &error),
        }
        Ok(())
    }

    fn show_item(&self, item: &ContentItem<'_>) {
        let line = match item.text() {
            Some(text) => shortened(text),
            None => item.mime_type().unwrap_or("-").to_owned(),
        };
        self.say(&format!("{} {line}", item.kind()));
    }

    fn end_call(&mut self, name: &str) -> Outcome {
        let running = match self.calls.remove(name) {
            Some(running) => running,
            None => return stop(format!("there is no {name}")),
        };
        if !running.call.wait(Some(WAIT))? {
            self.say("error timeout");
            return stop("the call did not end");
        }
        let what = format!("end {name}");
        match running.call.outcome() {
            None => return stop("the call has no outcome"),
            Some(Err(error)) => self.say_error(&what, &error),
            Some(Ok(result)) => {
                let outcome = if result.is_error() { "failed" } else { "ok" };
                self.say(&format!("{what}: {outcome}"));
                result.items().for_each(|item| self.show_item(&item));
                result.values().for_each(|value| self.say(&format!("value {value}")));
            }
        }
        Ok(())
    }

    fn show_reports(&self, name: &str, n: usize) -> Outcome {
        let reports = &named(&self.calls, name)?.reports;
        self.wait_until(|_| Ok(reports.lock().unwrap().len() >= n))?;
        reports.lock().unwrap().iter().take(n).for_each(|report| self.say(report));
        Ok(())
    }

    pub fn run_calls(&mut self, c: &Command) -> Result<bool, Stop> {
        match c.name() {
            "call" | "read" | "prompt" | "complete" => self.start_call(c)?,
            "end" => self.end_call(c.word(1))?,
            "cancel" => {
                let cancelled = named(&self.calls, c.word(1))?.call.cancel();
                self.say_outcome("cancel", "ok", cancelled);
            }
            "reported" => self.show_reports(c.word(1), c.number(2)? as usize)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}
