// SPDX-License-Identifier: MIT
//! Runs one scenario (doc/scenarios.md) over the Rust interface.
//!
//!     scenario SERVER GUARD FILE
//!
//! SERVER is the scripted server, GUARD is mcphost-guard.

mod calls;
mod catalogs;
mod dialogs;
mod logins;
mod own;
mod script;
mod setup;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use mcphost::{
    Call, Dialog, Enumerator, Error, ErrorCode, Event, EventKind, Host, Provider, Rejection,
    Request, RequestKind, Setting, Subscription, Turn, View,
};
use script::{Command, Script};

const WAIT: Duration = Duration::from_secs(20);

/// The reason for which the runner ends with status 1.
#[derive(Debug)]
pub struct Stop(String);

type Outcome = Result<(), Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop(error.to_string())
    }
}

fn stop<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop(why.into()))
}

/// The answer to all requests of a kind.
pub enum Answer {
    Respond(String),
    Reject(Rejection),
}

/// The state that the closures of the host share with the commands.
#[derive(Default)]
struct Shared {
    answers: HashMap<RequestKind, Answer>,
    /// The requests since the last command `requests`.
    requests: Vec<String>,
    /// The updates of each subscription.
    updates: HashMap<Subscription, u64>,
    /// Lines that a closure of the host has queued for the output.
    lines: Vec<String>,
    /// The path of the scripted server.
    server: String,
    /// The action of the user at later logins.
    login: String,
    /// The servers that the command `web` has started, and the browsers.
    programs: Vec<Child>,
}

/// A call, and its reports of progress.
struct Running {
    call: Call,
    reports: Arc<Mutex<Vec<String>>>,
}

struct Scenario {
    server: String,
    guard: String,
    dir: PathBuf,
    /// Paths and addresses, each with the name that replaces it in the output.
    names: Vec<(String, String)>,
    host: Host,
    shared: Arc<Mutex<Shared>>,
    yaml: String,
    /// True if the command `yaml` has set `yaml`.
    is_whole: bool,
    dialogs: HashMap<String, Dialog>,
    views: HashMap<String, View>,
    calls: HashMap<String, Running>,
    turns: HashMap<String, Turn>,
    subscriptions: HashMap<String, Subscription>,
    providers: HashMap<String, Provider>,
}

/// Finds the value with this name.
fn named<'a, T>(things: &'a HashMap<String, T>, name: &str) -> Result<&'a T, Stop> {
    things.get(name).ok_or_else(|| Stop(format!("there is no {name}")))
}

/// Returns the constant of a name.
fn value<T: Enumerator>(name: &str) -> Result<T, Stop> {
    T::find(name).or_else(|_| stop(format!("there is no value {name}")))
}

fn handle_request(request: &Request, shared: &mut Shared) {
    let message = request.message().unwrap_or("-");
    shared.requests.push(format!("{} {} {message}", request.kind(), request.server_id()));
    let done = match shared.answers.get(&request.kind()) {
        None => request.reject(Rejection::DECLINE, None),
        Some(Answer::Reject(how)) => request.reject(*how, None),
        Some(Answer::Respond(json)) => request.respond(Some(json)),
    };
    if let Err(error) = done {
        shared.lines.push(error_line("answer", &error, true));
        // Ignore the error of a request that is over.
        let _ = request.reject(Rejection::CANCEL, None);
    }
}

fn on_event(event: &Event, shared: &Mutex<Shared>) {
    let mut shared = shared.lock().unwrap();
    if let Some(request) = event.request().filter(|_| event.kind() == EventKind::REQUEST) {
        match (request.login(), event.state()) {
            (Some(login), 1) => logins::handle_login(login, &mut shared),
            (Some(login), _) => logins::note_end(event, login, &mut shared),
            (None, 1) => handle_request(&request, &mut shared),
            (None, _) => {}
        }
    }
    if event.kind() == EventKind::UPDATED {
        if let Some(subscription) = event.subscription() {
            *shared.updates.entry(subscription).or_insert(0) += event.count();
        }
    }
}

/// Returns "WHAT: error CODE MESSAGE", without the message if there is no error object.
fn error_line(what: &str, error: &Error, has_object: bool) -> String {
    // Leave out the message of a timeout, because the message has a measured time.
    if has_object && error.code() != ErrorCode::TIMEOUT {
        return format!("{what}: error {} {}", error.code(), error.message());
    }
    format!("{what}: error {}", error.code())
}

fn make_host(guard: &str, shared: &Arc<Mutex<Shared>>) -> Result<Host, Stop> {
    let host = Host::new()?;
    let asked = RequestKind::FORM
        | RequestKind::URL
        | RequestKind::SAMPLING
        | RequestKind::ROOTS
        | RequestKind::AUTHORIZE;
    host.set_guard_path(guard)?;
    host.set_option(Setting::REQUESTS, i64::from(asked.0))?;
    host.set_option(Setting::ADMIN_TOOLS, 0)?;
    let seen = shared.clone();
    host.set_event(move |event| on_event(event, &seen))?;
    Ok(host)
}

impl Scenario {
    fn new(server: &str, guard: &str) -> Result<Scenario, Stop> {
        let dir = make_dir()?;
        let shared =
            Shared { server: server.to_owned(), login: "decline".to_owned(), ..Shared::default() };
        let shared = Arc::new(Mutex::new(shared));
        let host = make_host(guard, &shared)?;
        let names = vec![
            (dir.to_string_lossy().into_owned(), "@DIR@".to_owned()),
            (server.to_owned(), "@SERVER@".to_owned()),
        ];
        Ok(Scenario {
            server: server.to_owned(),
            guard: guard.to_owned(),
            dir,
            names,
            host,
            shared,
            yaml: String::new(),
            is_whole: false,
            dialogs: HashMap::new(),
            views: HashMap::new(),
            calls: HashMap::new(),
            turns: HashMap::new(),
            subscriptions: HashMap::new(),
            providers: HashMap::new(),
        })
    }

    /// Drops the handles of the commands, ends the host, and makes another host.
    fn new_host(&mut self) -> Outcome {
        self.dialogs.clear();
        self.views.clear();
        self.calls.clear();
        self.turns.clear();
        self.subscriptions.clear();
        self.providers.clear();
        self.host.shutdown()?;
        self.host = make_host(&self.guard, &self.shared)?;
        Ok(())
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap()
    }

    fn dir(&self) -> &str {
        self.dir.to_str().unwrap_or("")
    }

    /// Prints a line, with names in place of the paths and addresses.
    fn say(&self, line: &str) {
        let named = self
            .names
            .iter()
            .fold(line.to_owned(), |line, (what, name)| line.replace(what.as_str(), name));
        println!("{named}");
    }

    fn say_error(&self, what: &str, error: &Error) {
        self.say(&error_line(what, error, true));
    }

    /// Prints the error of a function that gives no error object.
    fn say_code(&self, what: &str, error: &Error) {
        self.say(&error_line(what, error, false));
    }

    /// Prints "WHAT: OUTCOME", or the error.
    fn say_outcome(&self, what: &str, outcome: &str, result: mcphost::Result<()>) {
        match result {
            Ok(()) => self.say(&format!("{what}: {outcome}")),
            Err(error) => self.say_code(what, &error),
        }
    }

    /// Dispatches until `is_over` returns true.  Stops the scenario if this takes longer
    /// than `WAIT`.
    fn wait_until(&self, is_over: impl Fn(&Scenario) -> Result<bool, Stop>) -> Outcome {
        let end = Instant::now() + WAIT;
        while !is_over(self)? {
            if Instant::now() > end {
                self.say("error timeout");
                return stop("a wait took too long");
            }
            self.host.wait(Some(Duration::from_millis(100)))?;
            self.say_lines();
        }
        Ok(())
    }

    fn say_lines(&self) {
        let lines = std::mem::take(&mut self.shared().lines);
        lines.iter().for_each(|line| self.say(line));
    }

    fn wait_ready(&self, what: &str) -> Outcome {
        match self.host.wait_ready(Some(WAIT)) {
            Ok(false) => {
                self.say("error timeout");
                stop("the servers did not become ready")
            }
            Ok(true) => {
                self.say(&format!("{what}: ready"));
                Ok(())
            }
            Err(error) => {
                self.say_code(what, &error);
                Ok(())
            }
        }
    }

    fn run(&mut self, c: &Command) -> Outcome {
        let known = self.run_setup(c)?
            || self.run_catalogs(c)?
            || self.run_dialogs(c)?
            || self.run_calls(c)?
            || self.run_own(c)?
            || self.run_logins(c)?;
        self.say_lines();
        if known {
            Ok(())
        } else {
            stop(format!("unknown command: {}", c.name()))
        }
    }
}

/// Makes an empty directory.
fn make_dir() -> Result<PathBuf, Stop> {
    for i in 0..1000 {
        let path = format!("/tmp/scenario.{}.{i}", std::process::id());
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(PathBuf::from(path)),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return stop(format!("cannot make a directory: {e}")),
        }
    }
    stop("cannot make a directory")
}

fn run_file(scenario: &mut Scenario, file: &Path) -> Outcome {
    let mut script = Script::open(file).map_err(|e| Stop(format!("cannot read: {e}")))?;
    while let Some(command) = script.next(scenario.dir(), &scenario.server) {
        scenario.run(&command)?;
    }
    Ok(())
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.len() != 4 {
        eprintln!("usage: scenario SERVER GUARD FILE");
        std::process::exit(1);
    }
    let outcome = Scenario::new(&args[1], &args[2]).and_then(|mut scenario| {
        let outcome = run_file(&mut scenario, Path::new(&args[3]));
        let dir = scenario.dir.clone();
        let programs = std::mem::take(&mut scenario.shared().programs);
        drop(scenario);
        for mut program in programs {
            drop(program.stdin.take()); // this ends a server
            let _ = program.wait();
        }
        // Remove the directory with all files, because the servers may have made files in
        // it.
        let _ = std::fs::remove_dir_all(dir);
        outcome
    });
    if let Err(Stop(why)) = outcome {
        eprintln!("{why}");
        std::process::exit(1);
    }
}
