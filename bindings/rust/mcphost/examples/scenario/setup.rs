// SPDX-License-Identifier: MIT
//! Commands that configure the host.

use mcphost::{Config, Setting};

use crate::{stop, value, Command, Outcome, Scenario, Stop};

impl Scenario {
    pub fn write_file(&self, name: &str, text: &str) -> Outcome {
        std::fs::write(self.dir.join(name), text)
            .map_err(|e| Stop(format!("cannot write {name}: {e}")))
    }

    fn save(&self) -> Outcome {
        // Ignore the error of a directory that exists.
        let _ = std::fs::create_dir(self.dir.join(".minds"));
        self.write_file(".minds/mcp.yaml", &self.yaml)
    }

    fn declare_server(&mut self, c: &Command) -> Outcome {
        let name = format!("{}.script", c.word(1));
        self.write_file(&name, &c.text)?;
        let (server, dir) = (&self.server, self.dir.display());
        let keys = format!(
            "    transport: stdio\n    command: \"{server}\"\n    args: [\"{dir}/{name}\"]\n"
        );
        self.declare(c, &keys);
        Ok(())
    }

    /// Adds the entry of a server with the keys that its kind needs.
    pub fn declare(&mut self, c: &Command, keys: &str) {
        let id = c.word(1);
        if self.is_whole {
            self.yaml.clear();
        }
        self.is_whole = false;
        if self.yaml.is_empty() {
            self.yaml.push_str("version: 1\nservers:\n");
        }
        self.yaml.push_str(&format!("  {id}:\n{keys}"));
        for key in c.rest(2) {
            self.yaml.push_str(&format!("    {key}\n"));
        }
        if !c.rest(2).iter().any(|key| key.starts_with("transform:")) {
            self.yaml.push_str(&format!("    transform: [{{prefix: \"{id}_\"}}]\n"));
        }
    }

    fn check(&self) -> Outcome {
        self.save()?;
        let config = match Config::load_workspace(&self.dir) {
            Ok(config) => config,
            Err(error) => {
                self.say_error("check", &error);
                return Ok(());
            }
        };
        for d in config.diagnostics() {
            let message = d.message().unwrap_or("");
            self.say(&format!("{} {}:{} {message}", d.severity()?, d.line(), d.column()));
        }
        self.say(&format!("check: {} servers", config.count_servers()));
        Ok(())
    }

    fn load(&self) -> Outcome {
        self.save()?;
        match self.host.load_workspace(&self.dir, None) {
            Ok(()) => self.wait_ready("load"),
            Err(error) => {
                self.say_error("load", &error);
                Ok(())
            }
        }
    }

    /// Waits until the servers are ready if the command `what` has succeeded.  Otherwise
    /// prints the error.
    fn after_order(&self, what: &str, result: mcphost::Result<()>) -> Outcome {
        match result {
            Ok(()) => self.wait_ready(what),
            Err(error) => {
                self.say_code(what, &error);
                Ok(())
            }
        }
    }

    fn follow_mcpservers(&self, name: &str) -> Outcome {
        let file = self.dir.join(name);
        match self.host.default_source().follow_mcpservers(&self.dir, Some(&file)) {
            Ok(()) => self.wait_ready("mcpservers"),
            Err(error) => {
                self.say_error("mcpservers", &error);
                Ok(())
            }
        }
    }

    fn set_option(&self, c: &Command) -> Outcome {
        let number = c.word(2).parse().or_else(|_| stop("not a number"))?;
        if let Err(error) = self.host.set_option(value::<Setting>(c.word(1))?, number) {
            self.say_code("option", &error);
        }
        Ok(())
    }

    pub fn run_setup(&mut self, c: &Command) -> Result<bool, Stop> {
        match c.name() {
            "server" => self.declare_server(c)?,
            "yaml" => {
                self.yaml = c.text.clone();
                self.is_whole = true;
            }
            "file" => self.write_file(c.word(1), &c.text)?,
            "forget" => self.yaml.clear(),
            "check" => self.check()?,
            "option" => self.set_option(c)?,
            "load" => self.load()?,
            "edit" => {
                self.save()?;
                self.after_order("edit", self.host.reload())?;
            }
            "mcpservers" => self.follow_mcpservers(c.word(1))?,
            "restart" => self.after_order("restart", self.host.restart_server(c.word(1)))?,
            what @ ("enable" | "disable") => {
                let order = self.host.set_server_enabled(c.word(1), what == "enable");
                self.after_order(what, order)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
