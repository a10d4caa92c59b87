// SPDX-License-Identifier: MIT
//! The next function that drives a host resumes a panic of the host's library thread.

mod support;

use std::ffi::CStr;
use std::os::raw::{c_char, c_int};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::channel;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use mcphost::{CallHandle, Config, Host, LogLevel, LogLine};
use support::Rig;

struct Bomb;

impl Bomb {
    fn touch(&self) {}
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in a drop");
    }
}

#[test]
fn a_panic_of_another_thread_is_not_lost() {
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    let dialog = rig.dialog();
    let (sender, ended) = channel();
    dialog
        .call("echo", None)
        .unwrap()
        .start_with(move |_| {
            sender.send(()).unwrap();
            panic!("on the library's thread")
        })
        .unwrap();
    ended.recv().unwrap();
    let payload = catch_unwind(AssertUnwindSafe(|| rig.host.thread_stop())).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"on the library's thread"));
    assert_eq!(dialog.call("echo", None).unwrap().run().unwrap().text(), "{}");

    let bomb = Bomb;
    rig.host.set_log(LogLevel::ERROR, move |_| bomb.touch()).unwrap();
    rig.host.clear_log().unwrap();
    assert_eq!(panic_of_wait(&rig.host), "in a drop");
}

/// Returns the message of the panic that a wait resumes.
fn panic_of_wait(host: &Host) -> &'static str {
    let wait = || host.wait(Some(Duration::from_millis(0)));
    let payload = catch_unwind(AssertUnwindSafe(wait)).unwrap_err();
    *payload.downcast::<&'static str>().unwrap()
}

/// Makes a call whose completion runs on the thread of the library.
fn complete_on_the_thread(rig: &Rig, completion: impl FnOnce(&CallHandle) + Send + 'static) {
    rig.host.thread_start().unwrap();
    let call = rig.dialog().call("echo", None).unwrap().start_with(completion).unwrap();
    call.wait(None).unwrap();
}

const PR_SET_NAME: c_int = 15;

extern "C" {
    fn prctl(option: c_int, ...) -> c_int;
}

#[test]
fn a_panic_of_a_thread_that_was_renamed_is_not_lost() {
    let rig = Rig::new();
    complete_on_the_thread(&rig, |_| {
        let name = CStr::from_bytes_with_nul(b"renamed\0").unwrap();
        // SAFETY: the name is a text of less than 16 bytes.
        unsafe { prctl(PR_SET_NAME, name.as_ptr() as *const c_char) };
        panic!("after a new name");
    });
    let payload = catch_unwind(AssertUnwindSafe(|| rig.host.thread_stop())).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"after a new name"));
}

/// A new thread inherits the name of the thread that starts it.  Therefore the name of a
/// thread does not show that the library has started the thread.
#[test]
fn a_panic_of_a_thread_that_a_closure_started_goes_on_from_that_thread() {
    let rig = Rig::new();
    let (sender, threads) = channel();
    complete_on_the_thread(&rig, move |_| {
        let thread = thread::spawn(|| {
            let other = Host::new().unwrap();
            let bomb = Bomb;
            other.set_log(LogLevel::ERROR, move |_| bomb.touch()).unwrap();
            other.clear_log().unwrap();
            panic_of_wait(&other)
        });
        sender.send(thread).unwrap();
    });
    assert_eq!(threads.recv().unwrap().join().unwrap(), "in a drop");
    rig.host.thread_stop().unwrap();
}

/// The thread of the library also writes lines of the log between two dispatches.
#[test]
fn a_panic_in_a_log_function_on_the_thread_of_the_library_is_not_lost() {
    let host = Host::new().unwrap();
    let weak = host.downgrade();
    let (sender, lines) = channel();
    let sender = Mutex::new(sender);
    let log = move |_: &LogLine<'_>| {
        if weak.upgrade().map_or(false, |host| host.thread_is_current()) {
            sender.lock().unwrap().send(()).unwrap();
            panic!("in a log function");
        }
    };
    host.set_log(LogLevel::TRACE, log).unwrap();
    host.thread_start().unwrap();
    let text = b"version: 1\nservers:\n  a: {transport: stdio, command: /nowhere/server}\n";
    let config = Config::load_memory(Some(text), Some("mcp.yaml"), None).unwrap();
    host.load(&config).unwrap();
    // Restart the server until the thread of the library writes a line of the log,
    // because the thread of the test may have written all lines so far.
    while lines.recv_timeout(Duration::from_millis(50)).is_err() {
        host.restart_server("a").unwrap();
    }
    let payload = catch_unwind(AssertUnwindSafe(|| host.thread_stop())).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"in a log function"));
}
