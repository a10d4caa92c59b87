// SPDX-License-Identifier: MIT
//! The function that drove the host resumes the panic of a closure.

mod support;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

use mcphost::{Dialog, ErrorCode, Feature, Host, Provider, Schema};
use support::{tool, Counter, Rig};

/// Runs `f`, which must panic.  Returns the message of the panic.
fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("there was no panic"),
        Err(payload) => match payload.downcast::<&str>() {
            Ok(text) => (*text).to_owned(),
            Err(payload) => *payload.downcast::<String>().unwrap(),
        },
    }
}

#[test]
fn a_panic_in_an_event_goes_on_from_the_wait() {
    let host = Host::new().unwrap();
    let is_first = AtomicBool::new(true);
    host.set_event(move |_| {
        if is_first.swap(false, Ordering::SeqCst) {
            panic!("in an event");
        }
    })
    .unwrap();
    host.close().unwrap();
    assert_eq!(panic_of(|| host.shutdown()), "in an event");
    assert!(host.shutdown().is_ok());
}

#[test]
fn a_panic_in_a_provider_fails_the_call() {
    let rig = Rig::new();
    rig.provider.add(Feature::TOOL, &tool("bad"), |_| panic!("in a provider")).unwrap();
    let dialog = rig.dialog();
    rig.wait_tool("bad");
    let call = dialog.call("bad", None).unwrap().start().unwrap();
    assert_eq!(panic_of(|| call.wait(None)), "in a provider");
    assert!(call.wait(None).unwrap());
    assert!(call.outcome().unwrap().is_err());
    assert_eq!(dialog.call("echo", None).unwrap().run().unwrap().text(), "{}");
}

#[test]
fn a_panic_in_a_builtin_goes_on_from_block_on() {
    let host = Host::new().unwrap();
    let view = host.default_view();
    view.add_builtin("own", "bad", None, "{}", |_, _| panic!("in a builtin")).unwrap();
    let dialog = mcphost::Dialog::new(&view, "me", None).unwrap();
    let call = dialog.call("bad", None).unwrap().start().unwrap();
    assert_eq!(panic_of(|| host.block_on(call)), "in a builtin");
}

#[test]
fn a_panic_in_a_decision_denies_the_call() {
    let rig = Rig::new();
    rig.host.set_before_call(|_| panic!("in a decision")).unwrap();
    let call = rig.dialog().call("echo", None).unwrap().start().unwrap();
    assert_eq!(panic_of(|| call.wait(None)), "in a decision");
    assert!(call.wait(None).unwrap());
    assert_eq!(call.outcome().unwrap().unwrap_err().code(), ErrorCode::DENIED);
}

#[test]
fn a_panic_in_a_completion_leaves_the_outcome() {
    let rig = Rig::new();
    let counter = Counter::default();
    let token = counter.token();
    let handle = rig
        .dialog()
        .call("echo", None)
        .unwrap()
        .start_with(move |_| {
            token.touch();
            panic!("in a completion")
        })
        .unwrap();
    assert_eq!(panic_of(|| handle.wait(None)), "in a completion");
    assert_eq!(handle.outcome().unwrap().unwrap().text(), "{}");
    assert_eq!(counter.living(), 0);
}

#[test]
fn a_panic_in_a_setup_makes_the_server_unavailable() {
    let host = Host::new().unwrap();
    let provider = Provider::new(&host.default_source(), "app").unwrap();
    provider.set_life(|_| panic!("in a setup"), |_| ()).unwrap();
    provider.start().unwrap();
    assert_eq!(panic_of(|| host.wait_ready(None)), "in a setup");
    assert!(host.wait_ready(None).unwrap());
    let status = host.status().unwrap();
    assert_eq!(status.servers().next().unwrap().state(), mcphost::ServerState::UNAVAILABLE);
}

#[test]
fn a_panic_in_a_document_goes_on_from_compile() {
    let mut schema = Schema::new().unwrap();
    schema.set_documents(|_, _| panic!("in a document")).unwrap();
    let text = r#"{"$ref":"http://example.com/a"}"#;
    assert_eq!(panic_of(|| schema.compile(text)), "in a document");
}

#[test]
fn one_of_two_panics_goes_on_from_the_waits() {
    let rig = Rig::new();
    let dialog = rig.dialog();
    let calls: Vec<_> = (0..2)
        .map(|i| {
            dialog.call("echo", None).unwrap().start_with(move |_| panic!("panic {i}")).unwrap()
        })
        .collect();
    let first = panic_of(|| calls[0].wait(None).and_then(|_| calls[1].wait(None)));
    assert!(first.starts_with("panic "), "{first}");
}

/// Returns a host that has kept the panic of a tool, which ran on the library's thread.
fn host_that_kept(message: &'static str) -> Host {
    let host = Host::new().unwrap();
    let view = host.default_view();
    view.add_builtin("own", "bad", None, "{}", move |_, _| panic!("{message}")).unwrap();
    host.thread_start().unwrap();
    let call = Dialog::new(&view, "me", None).unwrap().call("bad", None).unwrap().start().unwrap();
    while !call.is_done() {
        std::thread::yield_now();
    }
    host
}

#[test]
fn a_panic_of_the_thread_of_a_host_goes_on_from_no_other_host() {
    let (first, second) = (host_that_kept("of the first"), host_that_kept("of the second"));
    let other = Host::new().unwrap();
    assert_eq!(first.thread_start().unwrap_err().code(), ErrorCode::STATE);
    other.dispatch().unwrap();
    other.shutdown().unwrap();
    assert_eq!(panic_of(|| second.thread_stop()), "of the second");
    second.shutdown().unwrap();
    assert_eq!(panic_of(|| first.shutdown()), "of the first");
    first.shutdown().unwrap();
}

#[test]
fn a_kept_panic_does_not_abort_while_the_thread_unwinds() {
    struct Agent(Host);

    impl Drop for Agent {
        fn drop(&mut self) {
            self.0.shutdown().unwrap();
        }
    }

    let agent = Agent(host_that_kept("in a tool"));
    let host = agent.0.clone();
    let unwinding = move || {
        let _agent = agent;
        panic!("an unrelated one");
    };
    assert_eq!(panic_of(unwinding), "an unrelated one");
    assert_eq!(panic_of(|| host.thread_stop()), "in a tool");
}

#[test]
fn a_panic_of_a_thread_that_was_started_again_goes_on() {
    let host = host_that_kept("the first time");
    assert_eq!(panic_of(|| host.thread_stop()), "the first time");
    host.thread_start().unwrap();
    // This start fails, and the thread continues to run.
    assert_eq!(host.thread_start().unwrap_err().code(), ErrorCode::STATE);
    let dialog = Dialog::new(&host.default_view(), "again", None).unwrap();
    let call = dialog.call("bad", None).unwrap().start().unwrap();
    while !call.is_done() {
        std::thread::yield_now();
    }
    assert_eq!(panic_of(|| host.shutdown()), "the first time");
}
