// SPDX-License-Identifier: MIT
//! Commands about logins: servers that want tokens, and the actions of the user.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Program, Stdio};

use mcphost::{Event, LoginRequest, TokenStore};

use crate::{stop, value, Command, Outcome, Scenario, Shared, Stop};

/// Returns the path of a program that is beside the scripted server.
fn beside(server: &str, name: &str) -> PathBuf {
    Path::new(server).with_file_name(name)
}

fn start(program: &mut Program) -> Result<Child, Stop> {
    program.spawn().or_else(|e| stop(format!("cannot start {program:?}: {e}")))
}

/// Reads a line with a URL, and returns its scheme, host and port.
fn read_origin(from: &mut impl BufRead) -> Result<String, Stop> {
    let mut line = String::new();
    match from.read_line(&mut line) {
        Ok(n) if n > 0 => Ok(line.trim().split('/').take(3).collect::<Vec<_>>().join("/")),
        _ => stop("the web server did not start"),
    }
}

fn redirect_of(server: &str, url: &str) -> Result<String, Stop> {
    let browser = beside(server, "browser_main");
    match Program::new(browser).args([url, "print"]).stderr(Stdio::inherit()).output() {
        Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(e) => stop(format!("there is no browser: {e}")),
    }
}

/// Carries out the action of the user that the last command `login` has set.
fn log_in(login: LoginRequest<'_>, shared: &mut Shared) -> Outcome {
    let mut browse = |url: &str, how: &str| {
        let browser = beside(&shared.server, "browser_main");
        shared.programs.push(start(Program::new(browser).args([url, how]))?);
        Ok(())
    };
    let device = |what: &str| {
        let page = login.verification_uri().unwrap_or("");
        format!("{page}/{what}?user_code={}", login.user_code().unwrap_or(""))
    };
    match shared.login.as_str() {
        "browse" => browse(login.url(), "login"),
        "deny" => browse(login.url(), "deny"),
        "approve" => browse(&device("approve"), "login"),
        "refuse" => browse(&device("deny"), "login"),
        "paste" => Ok(login.paste(&redirect_of(&shared.server, login.url())?)?),
        "wait" => Ok(()),
        _ => Ok(login.decline(None)?),
    }
}

pub(crate) fn handle_login(login: LoginRequest<'_>, shared: &mut Shared) {
    let scopes: Vec<_> = login.scopes().collect();
    shared.requests.push(format!(
        "authorize {} {} {} {} {}",
        login.server_id(),
        login.flow(),
        login.issuer(),
        if scopes.is_empty() { "-".into() } else { scopes.join(" ") },
        login.account().unwrap_or("-")
    ));
    if let Err(Stop(why)) = log_in(login, shared) {
        shared.lines.push(format!("login: {why}"));
    }
}

pub(crate) fn note_end(event: &Event, login: LoginRequest<'_>, shared: &mut Shared) {
    let text = event.text().unwrap_or("-");
    shared.requests.push(format!("over {} {text}", login.server_id()));
}

impl Scenario {
    fn declare_web(&mut self, c: &Command) -> Outcome {
        let id = c.word(1);
        let name = format!("{id}.script");
        self.write_file(&name, &format!("auth on\n{}", c.text))?;
        let mut web = start(
            Program::new(beside(&self.server, "fakehttp"))
                .arg(self.dir.join(&name))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped()),
        )?;
        let mut lines = match web.stdout.take() {
            Some(stdout) => BufReader::new(stdout),
            None => return stop("the web server has no output"),
        };
        self.shared().programs.push(web);
        let origin = read_origin(&mut lines)?;
        self.names.push((origin.clone(), format!("@{id}@")));
        self.names.push((read_origin(&mut lines)?, format!("@{id}.issuer@")));
        self.declare(c, &format!("    transport: streamable_http\n    url: \"{origin}/mcp\"\n"));
        Ok(())
    }

    fn show_logins(&self) -> Outcome {
        let logins = self.host.logins()?;
        let mut rows: Vec<_> = logins
            .iter()
            .map(|row| {
                format!(
                    "{} {} {} {} {} {}",
                    row.server_id().unwrap_or("-"),
                    row.issuer().unwrap_or(""),
                    row.resource().unwrap_or(""),
                    row.account().filter(|account| !account.is_empty()).unwrap_or("-"),
                    row.state(),
                    row.scope().unwrap_or("")
                )
            })
            .collect();
        rows.sort();
        rows.iter().for_each(|row| self.say(row));
        self.say(&format!("logins: {}", rows.len()));
        Ok(())
    }

    fn show_why(&self, id: &str) -> Outcome {
        let status = self.host.status()?;
        let found = status.servers().find(|server| server.id() == Some(id));
        match found.and_then(|server| server.error()) {
            Some(error) => self.say_error("why", &error),
            None => self.say("why: none"),
        }
        Ok(())
    }

    pub fn run_logins(&mut self, c: &Command) -> Result<bool, Stop> {
        match c.name() {
            "web" => self.declare_web(c)?,
            "login" => self.shared().login = c.word(1).to_owned(),
            "logins" => self.show_logins()?,
            "logout" => match self.host.log_out(c.word(1)) {
                Ok(()) => self.say("logout: ok"),
                Err(error) => self.say_error("logout", &error),
            },
            "tokens" => {
                let store = value::<TokenStore>(c.word(1))?;
                if let Err(error) = self.host.set_token_store(store.0, c.get(2)) {
                    self.say_error("tokens", &error);
                }
            }
            "why" => self.show_why(c.word(1))?,
            "new-host" => self.new_host()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}
