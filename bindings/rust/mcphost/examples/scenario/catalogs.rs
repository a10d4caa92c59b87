// SPDX-License-Identifier: MIT
//! Commands that show the offers and the states of servers, and commands about values.

use mcphost::{Catalog, ErrorCode, Profile, Projection, Schema, SchemaFlag, Shape};

use crate::{named, value, Command, Outcome, Scenario, Stop};

impl Scenario {
    /// Returns the catalog of a dialog or of the default view.
    fn catalog(&self, dialog: Option<&str>) -> Result<Catalog, Stop> {
        Ok(match dialog {
            Some(name) => named(&self.dialogs, name)?.catalog()?,
            None => self.host.default_view().catalog()?,
        })
    }

    fn say_names(&self, what: &str, names: impl Iterator<Item = String>) {
        let line: String = names.map(|name| format!(" {name}")).collect();
        self.say(&format!("{what}:{line}"));
    }

    fn show_tools(&self, catalog: &Catalog) {
        self.say_names("tools", catalog.tools().map(|tool| tool.name().to_owned()));
    }

    fn show_tool(&self, name: &str) -> Outcome {
        match self.catalog(None)?.find_tool(name) {
            None => self.say("tool: none"),
            Some(tool) => self.say(&format!(
                "tool: {} {} {} {}",
                tool.server_id().unwrap_or("-"),
                tool.toolset(),
                tool.original_name(),
                tool.description().unwrap_or("-")
            )),
        }
        Ok(())
    }

    fn show_offers(&self, what: &str) -> Outcome {
        let catalog = self.catalog(None)?;
        match what {
            "resources" => {
                self.say_names(what, catalog.resources().map(|r| r.uri().to_owned()));
            }
            "templates" => {
                let all = catalog.resource_templates();
                self.say_names(what, all.map(|t| t.uri_template().to_owned()));
            }
            _ => self.say_names(what, catalog.prompts().map(|p| p.name().to_owned())),
        }
        Ok(())
    }

    fn show_problems(&self) -> Outcome {
        let mut problems: Vec<_> = self.host.problems()?.iter().collect();
        problems.sort_by(|a, b| a.id().cmp(b.id()));
        for problem in &problems {
            self.say(&format!("{} {}", problem.severity(), problem.id()));
        }
        self.say(&format!("problems: {}", problems.len()));
        Ok(())
    }

    fn show_projection(&self, c: &Command) -> Outcome {
        let (shape, profile) = (value::<Shape>(c.word(1))?, value::<Profile>(c.word(2))?);
        match Projection::new(&self.catalog(None)?, shape, profile, 0) {
            Ok(projection) => self.say(&format!("projection: {}", projection.json())),
            Err(error) => self.say_error("projection", &error),
        }
        Ok(())
    }

    fn check_schema(&self, json: &str, checked: &str) -> mcphost::Result<()> {
        let mut schema = Schema::new()?;
        schema.compile(json)?;
        let report = schema.validate(checked, SchemaFlag::NONE)?;
        let line = match report.errors().next() {
            None => "schema: valid".to_owned(),
            Some(finding) => format!(
                "schema: invalid {} {}",
                finding.instance_path().unwrap_or(""),
                finding.keyword().unwrap_or("")
            ),
        };
        self.say(&line);
        Ok(())
    }

    fn run_value(&self, c: &Command) -> bool {
        match c.name() {
            "schema" => {
                if let Err(error) = self.check_schema(c.word(1), c.word(2)) {
                    self.say_error("schema", &error);
                }
            }
            "expand" => match mcphost::template_expand(c.word(1), Some(c.word(2))) {
                Ok(uri) => self.say(&format!("expand: {uri}")),
                Err(error) => self.say_error("expand", &error),
            },
            "match" => match mcphost::template_match(c.word(1), c.word(2)) {
                Ok(values) => self.say(&format!("match: {values}")),
                Err(error) if error.code() == ErrorCode::NOTFOUND => self.say("match: none"),
                Err(error) => self.say_error("match", &error),
            },
            "credential" => {
                let header = Some(c.word(3)).filter(|&header| header != "-");
                let set = self.host.set_credential(Some(c.word(1)), None, c.word(2), header);
                if let Err(error) = set {
                    self.say_error("credential", &error);
                }
            }
            "version" => {
                let is_same = mcphost::version_number() == mcphost::HEADER_VERSION_NUMBER;
                self.say(&format!("version: {}", if is_same { "same" } else { "other" }));
            }
            _ => return false,
        }
        true
    }

    pub fn run_catalogs(&mut self, c: &Command) -> Result<bool, Stop> {
        match c.name() {
            "tools" => self.show_tools(&self.catalog(c.get(1))?),
            "turn-tools" => self.show_tools(&named(&self.turns, c.word(1))?.catalog()?),
            "tool" => self.show_tool(c.word(1))?,
            "until" => {
                self.wait_until(|s| Ok(s.catalog(None)?.find_tool(c.word(1)).is_some()))?;
            }
            "until-not" => {
                self.wait_until(|s| Ok(s.catalog(None)?.find_tool(c.word(1)).is_none()))?;
            }
            "servers" => {
                for server in self.host.status()?.servers() {
                    self.say(&format!("{} {}", server.id().unwrap_or("-"), server.state()));
                }
            }
            "problems" => self.show_problems()?,
            what @ ("resources" | "templates" | "prompts") => self.show_offers(what)?,
            "projection" => self.show_projection(c)?,
            _ => return Ok(self.run_value(c)),
        }
        Ok(true)
    }
}
