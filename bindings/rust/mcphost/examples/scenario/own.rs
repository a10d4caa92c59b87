// SPDX-License-Identifier: MIT
//! Commands that make tools and servers of the application.

use std::thread;
use std::time::Duration;

use mcphost::{Feature, Provider, ProviderCall, Result, Serve};

use crate::{named, Command, Outcome, Scenario, Stop};

/// The provider of the scenarios.
struct Tools;

/// Reports each step in a separate turn of the dispatcher, because the dispatcher sends
/// only the latest report of a turn.
fn answer_steps(call: &ProviderCall) -> Result<()> {
    for (i, step) in ["one", "two", "three"].iter().enumerate() {
        call.report(i as f64 + 1.0, Some(3.0), Some(step))?;
        thread::sleep(Duration::from_millis(100));
    }
    call.answer_text("done", false)
}

fn answer_later(call: &ProviderCall) -> Result<()> {
    thread::sleep(Duration::from_millis(20));
    call.answer_text("later", false)
}

/// Answers on a new thread.
fn on_thread(call: &ProviderCall, answer: fn(&ProviderCall) -> Result<()>) -> Result<()> {
    let call = call.clone();
    thread::spawn(move || answer(&call));
    Ok(())
}

fn answer_prompt(call: &ProviderCall) -> Result<()> {
    let name = call.arguments().split("\"name\":\"").nth(1).unwrap_or("\"");
    let name = name.split('"').next().unwrap_or("");
    call.answer(&format!(
        "{{\"messages\":[{{\"role\":\"user\",\"content\":{{\"type\":\"text\",\
         \"text\":\"hello {name}\"}}}}]}}"
    ))
}

impl Serve for Tools {
    fn features(&self) -> Vec<(Feature, String)> {
        let tool = |name: &str| {
            let definition =
                format!("{{\"name\":\"{name}\",\"inputSchema\":{{\"type\":\"object\"}}}}");
            (Feature::TOOL, definition)
        };
        let mut features: Vec<_> =
            ["echo", "fail", "refuse", "later", "steps"].iter().map(|name| tool(name)).collect();
        features.push((Feature::RESOURCE, r#"{"uri":"mem:note","name":"note"}"#.into()));
        features.push((
            Feature::PROMPT,
            r#"{"name":"hello","arguments":[{"name":"name","required":true}]}"#.into(),
        ));
        features
    }

    fn call(&self, call: &ProviderCall) -> Result<()> {
        match call.name() {
            "echo" => call.answer_text(call.arguments(), false),
            "fail" => call.answer_text("failed", true),
            "refuse" => call.fail(-32000, "refused", None),
            "later" => on_thread(call, answer_later),
            "steps" => on_thread(call, answer_steps),
            "mem:note" => call.answer_text("a note", false),
            _ => answer_prompt(call),
        }
    }
}

impl Scenario {
    fn add_builtin(&self, c: &Command) {
        let text = c.word(3).to_owned();
        let schema = r#"{"type":"object"}"#;
        let added = self.host.default_view().add_builtin(
            c.word(1),
            c.word(2),
            None,
            schema,
            move |call, _| call.answer(&text, false),
        );
        if let Err(error) = added {
            self.say_error("builtin", &error);
        }
    }

    fn start_provider(&mut self, id: &str) {
        match Provider::serve(&self.host.default_source(), id, Tools) {
            Ok(provider) => drop(self.providers.insert(id.to_owned(), provider)),
            Err(error) => self.say_error("provider", &error),
        }
    }

    fn stop_provider(&mut self, id: &str) -> Outcome {
        if let Err(error) = named(&self.providers, id)?.close() {
            self.say_code("stop-provider", &error);
        }
        self.providers.remove(id);
        Ok(())
    }

    pub fn run_own(&mut self, c: &Command) -> std::result::Result<bool, Stop> {
        match c.name() {
            "builtin" => self.add_builtin(c),
            "provider" => self.start_provider(c.word(1)),
            "stop-provider" => self.stop_provider(c.word(1))?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}
