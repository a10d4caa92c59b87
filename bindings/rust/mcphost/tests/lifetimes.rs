// SPDX-License-Identifier: MIT
//! Handles, closures and futures end in any order.

mod support;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use mcphost::{
    Builtins, Call, Config, Dialog, ErrorCode, EventKind, Feature, Grant, Host, Provider, Setting,
    Turn, View,
};
use support::{tool, Counter, Rig};

/// Counts how often a future was woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll(call: &mut Call, wakes: &Arc<Wakes>) -> Poll<mcphost::Result<mcphost::CallResult>> {
    let waker = Waker::from(wakes.clone());
    Pin::new(call).poll(&mut Context::from_waker(&waker))
}

#[test]
fn handles_and_results_outlive_their_host() {
    let rig = Rig::new();
    let (dialog, view) = (rig.dialog(), rig.host.default_view());
    let catalog = dialog.catalog().unwrap();
    let tool = catalog.find_tool("echo").unwrap();
    let setup = dialog.call_tool(&tool, None).unwrap();
    let result = dialog.call("echo", Some("{\"a\":1}")).unwrap().run().unwrap();
    let status = rig.host.status().unwrap();
    let counter = rig.counter.clone();
    drop(rig);
    assert_eq!(counter.living(), 0);
    assert_eq!(result.text(), "{\"a\":1}");
    drop(catalog);
    assert_eq!(tool.name(), "echo");
    assert_eq!(status.servers().next().unwrap().id(), Some("app"));
    let error = setup.start().unwrap_err();
    assert_eq!(error.code(), ErrorCode::CLOSED);
    let error = Dialog::new(&view, "late", None).unwrap_err();
    assert_eq!(error.code(), ErrorCode::CLOSED);
}

#[test]
fn an_item_lives_as_long_as_its_result() {
    let rig = Rig::new();
    let result = rig.dialog().call("echo", None).unwrap().run().unwrap();
    let text = {
        let item = result.items().next().unwrap();
        item.text()
    };
    assert_eq!(text, Some("{}"));
}

#[test]
fn a_call_holds_its_dialog() {
    let rig = Rig::new();
    let call = rig.dialog().call("keep", None).unwrap().start().unwrap();
    rig.wait_kept(1);
    assert_eq!(call.dialog_id(), "me");
    rig.kept.lock().unwrap().pop().unwrap().answer_text("late", false).unwrap();
    assert!(call.wait(None).unwrap());
    assert_eq!(call.outcome().unwrap().unwrap().text(), "late");
}

#[test]
fn a_dropped_future_cancels_its_call() {
    let rig = Rig::new();
    let dialog = rig.dialog();
    let call = dialog.call("keep", None).unwrap().start().unwrap();
    rig.wait_kept(1);
    let handle = (*call).clone();
    drop(call);
    assert!(handle.wait(None).unwrap());
    assert_eq!(handle.outcome().unwrap().unwrap_err().code(), ErrorCode::CANCELLED);
    let kept = rig.kept.lock().unwrap().pop().unwrap();
    rig.wait_until(|| kept.is_cancelled());
}

#[test]
fn a_detached_call_goes_on() {
    let rig = Rig::new();
    let handle = rig.dialog().call("keep", None).unwrap().start().unwrap().detach();
    rig.wait_kept(1);
    rig.kept.lock().unwrap().pop().unwrap().answer_text("done", false).unwrap();
    assert!(handle.wait(None).unwrap());
    assert_eq!(handle.outcome().unwrap().unwrap().text(), "done");
}

#[test]
fn two_thousand_of_three_thousand_calls_are_cancelled() {
    let rig = Rig::new();
    rig.host.wait(Some(Duration::from_millis(0))).unwrap();
    let dialog = rig.dialog();
    let counter = Counter::default();
    let mut calls: Vec<_> = (0..3000)
        .map(|_| {
            let mut setup = dialog.call("keep", None).unwrap();
            let token = counter.token();
            setup.set_progress(move |_| token.touch()).unwrap();
            setup.start().unwrap()
        })
        .collect();
    rig.wait_kept(3000);
    let mut i = 0;
    calls.retain(|_| {
        i += 1;
        i % 3 == 0
    });
    assert_eq!(calls.len(), 1000);
    for call in rig.kept.lock().unwrap().drain(..) {
        // Ignore the error: two of three calls are over, and refuse the answer.
        let _ = call.answer_text("kept", false);
    }
    for call in &calls {
        assert!(call.wait(None).unwrap());
        assert_eq!(call.outcome().unwrap().unwrap().text(), "kept");
    }
    drop(calls);
    rig.wait_until(|| counter.living() == 0);
}

#[test]
fn a_future_is_woken_once_and_by_its_last_waker() {
    let rig = Rig::new();
    let mut call = rig.dialog().call("keep", None).unwrap().start().unwrap();
    let (first, last) = (Arc::new(Wakes::default()), Arc::new(Wakes::default()));
    assert!(poll(&mut call, &first).is_pending());
    assert!(poll(&mut call, &last).is_pending());
    rig.wait_kept(1);
    rig.kept.lock().unwrap().pop().unwrap().answer_text("now", false).unwrap();
    rig.wait_until(|| last.0.load(Ordering::SeqCst) != 0);
    match poll(&mut call, &last) {
        Poll::Ready(result) => assert_eq!(result.unwrap().text(), "now"),
        Poll::Pending => panic!("the call has ended"),
    }
    assert_eq!(first.0.load(Ordering::SeqCst), 0);
    assert_eq!(last.0.load(Ordering::SeqCst), 1);
}

#[test]
fn the_end_of_the_host_ends_its_futures() {
    let rig = Rig::new();
    let mut call = rig.dialog().call("keep", None).unwrap().start().unwrap();
    let wakes = Arc::new(Wakes::default());
    assert!(poll(&mut call, &wakes).is_pending());
    drop(rig);
    assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
    match poll(&mut call, &wakes) {
        Poll::Ready(result) => {
            let code = result.unwrap_err().code();
            assert!(code == ErrorCode::CLOSED || code == ErrorCode::CANCELLED, "{code}");
        }
        Poll::Pending => panic!("the host has ended"),
    }
}

/// A waker that owns a host, as the waker of an executor can.
struct Owner(Host);

impl Wake for Owner {
    fn wake(self: Arc<Self>) {
        let _ = self.0.status();
    }
}

/// A future that polls a call once and is then ready.
struct PollOnce<'a>(&'a mut Call);

impl Future for PollOnce<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        assert!(Pin::new(&mut *self.0).poll(context).is_pending());
        Poll::Ready(())
    }
}

/// Returns a call whose waker owns the last [`Host`], and the counter of living closures.
fn call_that_keeps_its_host() -> (Call, Counter) {
    let rig = Rig::new();
    let counter = rig.counter.clone();
    let mut call = rig.dialog().call("keep", None).unwrap().start().unwrap();
    let owner = Waker::from(Arc::new(Owner(rig.host.clone())));
    assert!(Pin::new(&mut call).poll(&mut Context::from_waker(&owner)).is_pending());
    drop((owner, rig));
    assert_ne!(counter.living(), 0);
    (call, counter)
}

#[test]
fn a_waker_that_owns_the_last_host_ends_it_when_it_is_replaced() {
    let (mut call, counter) = call_that_keeps_its_host();
    let wakes = Arc::new(Wakes::default());
    let _ = poll(&mut call, &wakes);
    assert_eq!(counter.living(), 0);
    assert!(poll(&mut call, &wakes).is_ready());
}

#[test]
fn a_waker_that_owns_the_last_host_ends_it_when_the_call_is_dropped() {
    let (call, counter) = call_that_keeps_its_host();
    drop(call);
    assert_eq!(counter.living(), 0);
}

#[test]
fn a_dropped_or_detached_call_drops_its_waker() {
    let rig = Rig::new();
    let dialog = rig.dialog();
    let wakes = Arc::new(Wakes::default());
    let start = || dialog.call("keep", None).unwrap().start().unwrap();
    let (mut dropped, mut detached) = (start(), start());
    assert!(poll(&mut dropped, &wakes).is_pending());
    assert!(poll(&mut detached, &wakes).is_pending());
    assert_eq!(Arc::strong_count(&wakes), 3);
    drop(dropped);
    assert_eq!(Arc::strong_count(&wakes), 2);
    let _handle = detached.detach();
    assert_eq!(Arc::strong_count(&wakes), 1);
}

#[test]
fn a_call_that_block_on_has_polled_does_not_keep_the_host() {
    let rig = Rig::new();
    let counter = rig.counter.clone();
    let mut call = rig.dialog().call("keep", None).unwrap().start().unwrap();
    rig.host.block_on(PollOnce(&mut call)).unwrap();
    drop(rig);
    assert_eq!(counter.living(), 0);
    assert!(poll(&mut call, &Arc::new(Wakes::default())).is_ready());
}

#[test]
fn a_closure_that_owns_a_weak_host_does_not_keep_the_host() {
    let counter = Counter::default();
    let host = Host::new().unwrap();
    let (weak, token) = (host.downgrade(), counter.token());
    host.set_event(move |_| {
        token.touch();
        assert!(weak.upgrade().map_or(true, |host| host.status().is_ok()));
    })
    .unwrap();
    let weak = host.downgrade();
    assert_eq!(weak.upgrade().unwrap(), host);
    drop(host);
    assert!(weak.upgrade().is_none());
    assert_eq!(counter.living(), 0);
}

#[test]
fn a_host_survives_into_raw_and_from_raw() {
    let host = Host::new().unwrap();
    let raw = host.clone().into_raw();
    drop(host);
    // SAFETY: `into_raw` has returned this reference.
    let host = unsafe { Host::from_raw(raw) };
    host.shutdown().unwrap();
}

#[test]
fn block_on_awaits_many_calls() {
    let rig = Rig::new();
    let dialog = rig.dialog();
    let sum = rig.host.block_on(async {
        let calls: Vec<_> = (0..100)
            .map(|i| dialog.call("echo", Some(&format!("{{\"n\":{i}}}"))).unwrap().start().unwrap())
            .collect();
        let mut sum = 0;
        for call in calls {
            sum += call.await.unwrap().text().len();
        }
        sum
    });
    assert_eq!(sum.unwrap(), 10 * 7 + 90 * 8);
}

#[test]
fn closures_are_freed_when_they_are_refused() {
    let rig = Rig::new();
    let counter = Counter::default();
    let token = counter.token();
    let error = rig
        .provider
        .add(Feature::TOOL, "no json", move |_| {
            token.touch();
            Ok(())
        })
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::INVALID);
    let token = counter.token();
    let added = rig.host.default_view().add_builtin("own", "echo", None, "{", move |_, _| {
        token.touch();
        Ok(())
    });
    assert_eq!(added.unwrap_err().code(), ErrorCode::INVALID);
    assert_eq!(counter.living(), 0);
}

#[test]
fn replaced_and_unused_closures_are_freed_with_the_host() {
    let host = Host::new().unwrap();
    let counter = Counter::default();
    for _ in 0..3 {
        let token = counter.token();
        host.set_event(move |_| token.touch()).unwrap();
        let token = counter.token();
        host.set_log(mcphost::LogLevel::ERROR, move |_| token.touch()).unwrap();
        let token = counter.token();
        host.set_before_call(move |_| {
            token.touch();
            Ok(mcphost::BeforeCall::GO)
        })
        .unwrap();
    }
    let provider = Provider::new(&host.default_source(), "unused").unwrap();
    let token = counter.token();
    provider
        .add(Feature::TOOL, &tool("unused"), move |_| {
            token.touch();
            Ok(())
        })
        .unwrap();
    drop(provider);
    drop(host);
    assert_eq!(counter.living(), 0);
}

#[test]
fn events_outlive_their_function_and_their_host() {
    let host = Host::new().unwrap();
    let (sender, events) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    host.set_event(move |event| sender.lock().unwrap().send(event.clone()).unwrap()).unwrap();
    let text = b"version: 1\nservers:\n  a: {transport: stdio, command: /nowhere/server}\n";
    let config = Config::load_memory(Some(text), Some("mcp.yaml"), None).unwrap();
    host.set_option(Setting::GUARD, 0).unwrap_or(());
    host.load(&config).unwrap();
    host.wait_ready(None).unwrap();
    host.shutdown().unwrap();
    drop(host);
    let events: Vec<_> = events.try_iter().collect();
    assert_eq!(events.last().unwrap().kind(), EventKind::CLOSED);
    let failed = events.iter().find_map(|e| e.error().filter(|_| e.kind() == EventKind::SERVER));
    assert_eq!(failed.unwrap().server_id(), Some("a"));
}

#[test]
fn views_and_turns_end_in_any_order() {
    let rig = Rig::new();
    let mut grant = Grant::new().unwrap();
    grant.add_tool("echo").unwrap();
    let view = View::new(&rig.host, "narrow", &grant).unwrap();
    assert_eq!(grant.add_tool("keep").unwrap_err().code(), ErrorCode::STATE);
    drop(grant);
    let dialog = Dialog::new(&view, "narrow one", None).unwrap();
    let turn = Turn::new(&dialog).unwrap();
    drop(view);
    drop(dialog);
    let catalog = turn.catalog().unwrap();
    drop(turn);
    assert_eq!(catalog.tools().map(|t| t.name().to_owned()).collect::<Vec<_>>(), ["echo"]);
}

#[test]
fn a_view_keeps_the_closures_of_a_dropped_block_of_builtins() {
    let host = Host::new().unwrap();
    let counter = Counter::default();
    let mut block = Builtins::new("me").unwrap();
    let token = counter.token();
    block
        .add_tool(&tool("own"), move |call, arguments| {
            token.touch();
            call.answer(arguments, false)
        })
        .unwrap();
    block.add_toolset("mine", None, &["own"]).unwrap();
    let view = host.default_view();
    view.set_builtins(&block).unwrap();
    drop(block);
    let dialog = Dialog::new(&view, "me", None).unwrap();
    assert_eq!(dialog.call("own", None).unwrap().run().unwrap().text(), "{}");
    assert_eq!(counter.living(), 1);
    drop((dialog, view, host));
    assert_eq!(counter.living(), 0);
}

#[test]
fn texts_with_nul_are_refused() {
    let host = Host::new().unwrap();
    let error = host.set_guard_path("/a\0b").unwrap_err();
    assert_eq!(error.code(), ErrorCode::INVALID);
    assert!(host.default_view().catalog().unwrap().find_tool("a\0b").is_none());
}
