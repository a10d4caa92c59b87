// SPDX-License-Identifier: MIT
//! A process that uses a host forks, or exits.

mod support;

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs, process};

use mcphost::{Config, Dialog, ErrorCode, Host};
use support::Rig;

const SIGKILL: i32 = 9;

extern "C" {
    fn fork() -> i32;
    fn raise(signal: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
    fn _exit(status: i32) -> !;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
}

fn forks() -> usize {
    env::var("FORKS").map_or(20, |n| n.parse().unwrap())
}

/// Forks.  Waits until the child has run `is_right`, which must return true.
///
/// The child kills itself, because it frees no memory, and a normal end would be reported
/// as a leak.
fn fork_and_wait(is_right: impl FnOnce() -> bool) {
    // SAFETY: the child calls only functions that a forked child may call, and ends.
    let pid = unsafe { fork() };
    if pid == 0 {
        // SAFETY: the alarm ends a child that hangs.  Any other child ends itself here.
        unsafe {
            alarm(30);
            if is_right() {
                raise(SIGKILL);
            }
            _exit(1)
        }
    }
    let mut status = -1;
    // SAFETY: `pid` is our child.
    assert_eq!(unsafe { waitpid(pid, &mut status, 0) }, pid);
    assert_eq!(status, SIGKILL);
}

#[test]
fn a_forked_child_drops_its_host_and_frees_no_closure() {
    for _ in 0..forks() {
        let rig = Rig::new();
        let call = rig.dialog().call("keep", None).unwrap().start().unwrap();
        rig.wait_kept(1);
        fork_and_wait(|| {
            let code = rig.host.dispatch().unwrap_err().code();
            let (living, counter) = (rig.counter.living(), rig.counter.clone());
            drop((call, rig));
            code == ErrorCode::FORKED && counter.living() == living
        });
    }
}

/// Makes calls, and starts and ends the threads of other hosts, until `is_over` is
/// true.
fn work(dialog: &Dialog, is_over: &AtomicBool) {
    while !is_over.load(Ordering::SeqCst) {
        assert_eq!(dialog.call("echo", None).unwrap().run().unwrap().text(), "{}");
        let other = Host::new().unwrap();
        other.thread_start().unwrap();
    }
}

/// Ends the work, also if the test panics.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_child_that_is_forked_beside_threads_drops_its_host() {
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    let dialogs = ["a", "b"].map(|id| Dialog::new(&rig.host.default_view(), id, None).unwrap());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for dialog in &dialogs {
            scope.spawn(|| work(dialog, &is_over));
        }
        let _end = End(&is_over);
        for _ in 0..forks() {
            let host = &rig.host;
            fork_and_wait(|| {
                let code = host.dispatch().unwrap_err().code();
                // SAFETY: the child has no other threads, and does not use the original
                // any more.
                drop(unsafe { std::ptr::read(host) });
                code == ErrorCode::FORKED
            });
        }
    });
}

/// Returns true if a process has this argument.
fn has_process(argument: &str) -> bool {
    let is_in = |line: Vec<u8>| line.split(|c| *c == 0).any(|a| a == argument.as_bytes());
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read(entry.unwrap().path().join("cmdline")).ok())
        .any(is_in)
}

fn wait_process(argument: &str, is_expected: bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while has_process(argument) != is_expected {
        assert!(Instant::now() < end, "process {argument}: expected {is_expected}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// `a_process_exits_with_a_live_host` runs this function in another process.
#[test]
#[ignore]
fn exit_with_a_live_host() {
    let argument = env::var("MCPHOST_TEST_SERVER").unwrap();
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    let _call = rig.dialog().call("keep", None).unwrap().start().unwrap();
    let other = Host::new().unwrap();
    other.thread_start().unwrap();
    other.load(&Config::new_stdio("a", &["sleep", &argument], None, None).unwrap()).unwrap();
    wait_process(&argument, true);
    process::exit(7);
}

#[test]
fn a_process_exits_with_a_live_host() {
    let argument = format!("86399.{}", process::id());
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "exit_with_a_live_host", "--ignored", "--nocapture"])
        .env("MCPHOST_TEST_SERVER", &argument)
        .status();
    assert_eq!(status.unwrap().code(), Some(7));
    wait_process(&argument, false);
}
