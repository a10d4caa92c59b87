// SPDX-License-Identifier: MIT
//! Many threads use one host.  A loop, a thread of the library, or waits drive the host.

mod support;

use std::future::Future;
use std::os::unix::io::AsRawFd;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use mcphost::{Call, CallHandle, Dialog, ErrorCode, Event, Host};
use support::Rig;

fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn handles_are_send_and_sync() {
    is_send_and_sync::<Host>();
    is_send_and_sync::<Dialog>();
    is_send_and_sync::<Call>();
    is_send_and_sync::<CallHandle>();
    is_send_and_sync::<Event>();
    is_send_and_sync::<mcphost::Error>();
}

/// Wakes a thread that is parked.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// An executor that drives no host.
fn run<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Parked(thread::current())));
    let mut future = Box::pin(future);
    loop {
        match Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Makes `n` calls on each of four threads.
fn call_from_threads(rig: &Rig, n: usize, call: fn(&Dialog, usize) -> String) {
    thread::scope(|scope| {
        for t in 0..4 {
            let host = &rig.host;
            scope.spawn(move || {
                let dialog =
                    Dialog::new(&host.default_view(), &format!("dialog {t}"), None).unwrap();
                for i in 0..n {
                    assert_eq!(call(&dialog, i), format!("{{\"i\":{i}}}"));
                }
            });
        }
    });
}

fn blocking(dialog: &Dialog, i: usize) -> String {
    dialog.call("echo", Some(&format!("{{\"i\":{i}}}"))).unwrap().run().unwrap().text()
}

fn awaiting(dialog: &Dialog, i: usize) -> String {
    let call = dialog.call("echo", Some(&format!("{{\"i\":{i}}}"))).unwrap().start().unwrap();
    run(call).unwrap().text()
}

#[test]
fn threads_that_wait_drive_the_host_for_each_other() {
    call_from_threads(&Rig::new(), 200, blocking);
}

#[test]
fn the_thread_of_the_library_drives_blocking_calls() {
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    call_from_threads(&rig, 200, blocking);
    rig.host.thread_stop().unwrap();
}

#[test]
fn the_thread_of_the_library_drives_futures() {
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    call_from_threads(&rig, 200, awaiting);
}

#[repr(C)]
struct PollFd {
    fd: i32,
    events: i16,
    revents: i16,
}

extern "C" {
    fn poll(fds: *mut PollFd, n: std::os::raw::c_ulong, timeout: i32) -> i32;
}

#[test]
fn a_loop_drives_futures_of_other_threads() {
    let rig = Rig::new();
    let is_over = AtomicBool::new(false);
    rig.host.set_driven(true).unwrap();
    thread::scope(|scope| {
        let (host, is_over) = (&rig.host, &is_over);
        scope.spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                host.dispatch_all().unwrap();
                let mut fd = PollFd { fd: host.as_raw_fd(), events: 1, revents: 0 };
                // SAFETY: the array has one element.
                unsafe { poll(&mut fd, 1, 100) };
            }
        });
        call_from_threads(&rig, 100, awaiting);
        call_from_threads(&rig, 100, blocking);
        is_over.store(true, Ordering::SeqCst);
        host.wake().unwrap();
    });
}

#[test]
fn block_on_runs_beside_the_thread_of_the_library() {
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    let dialog = rig.dialog();
    for _ in 0..100 {
        let call = dialog.call("echo", None).unwrap().start().unwrap();
        assert_eq!(rig.host.block_on(call).unwrap().unwrap().text(), "{}");
    }
}

#[test]
fn wake_ends_a_wait() {
    let rig = Rig::new();
    let call = rig.dialog().call("keep", None).unwrap().start().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(20));
            rig.host.wake().unwrap();
        });
        assert_eq!(call.wait(None).unwrap_err().code(), ErrorCode::WOKEN);
    });
    assert!(!call.wait(Some(Duration::from_millis(1))).unwrap());
}

#[test]
fn a_dispatch_or_a_wait_in_a_closure_is_busy() {
    let rig = Rig::new();
    let host = rig.host.clone();
    let (sender, codes) = std::sync::mpsc::channel();
    let call = rig
        .dialog()
        .call("echo", None)
        .unwrap()
        .start_with(move |call| {
            sender.send(host.dispatch().unwrap_err().code()).unwrap();
            sender.send(host.wait(None).unwrap_err().code()).unwrap();
            assert!(call.wait(Some(Duration::from_millis(0))).is_ok() || call.is_done());
        })
        .unwrap();
    call.wait(None).unwrap();
    assert_eq!(codes.recv(), Ok(ErrorCode::BUSY));
    assert_eq!(codes.recv(), Ok(ErrorCode::BUSY));
}

#[test]
fn calls_are_made_and_dropped_on_all_threads_while_the_host_closes() {
    for _ in 0..10 {
        let rig = Rig::new();
        rig.host.thread_start().unwrap();
        let made = AtomicUsize::new(0);
        thread::scope(|scope| {
            for t in 0..4 {
                let (host, made) = (&rig.host, &made);
                scope.spawn(move || {
                    let id = format!("dialog {t}");
                    let dialog = match Dialog::new(&host.default_view(), &id, None) {
                        Ok(dialog) => dialog,
                        Err(error) => return assert_eq!(error.code(), ErrorCode::CLOSED),
                    };
                    while let Ok(Ok(call)) = dialog.call("keep", None).map(|c| c.start()) {
                        made.fetch_add(1, Ordering::SeqCst);
                        drop(call);
                    }
                });
            }
            let end = Instant::now() + Duration::from_secs(20);
            while made.load(Ordering::SeqCst) < 50 && Instant::now() < end {
                thread::yield_now();
            }
            rig.host.close().unwrap();
        });
        assert!(made.load(Ordering::SeqCst) >= 50);
        assert_eq!(rig.host.thread_stop().map_err(|e| e.code()).err(), None);
        rig.host.shutdown().unwrap();
    }
}

#[test]
fn shutdown_waits_while_the_thread_of_the_library_runs() {
    for _ in 0..20 {
        let rig = Rig::new();
        rig.host.thread_start().unwrap();
        let call = rig.dialog().call("keep", None).unwrap().start().unwrap();
        rig.host.shutdown().unwrap();
        assert!(call.is_done());
        assert_eq!(rig.host.dispatch().unwrap_err().code(), ErrorCode::CLOSED);
        rig.host.thread_stop().unwrap();
        drop(call);
    }
}

#[test]
fn shutdown_waits_while_another_thread_waits() {
    for _ in 0..20 {
        let rig = Rig::new();
        thread::scope(|scope| {
            scope.spawn(|| while rig.host.wait(None).is_ok() {});
            rig.host.shutdown().unwrap();
        });
    }
}

#[test]
fn shutdown_in_a_closure_is_busy() {
    let rig = Rig::new();
    let host = rig.host.clone();
    let (sender, codes) = std::sync::mpsc::channel();
    let call = rig.dialog().call("echo", None).unwrap();
    let handle = call
        .start_with(move |_| sender.send(host.shutdown().unwrap_err().code()).unwrap())
        .unwrap();
    handle.wait(None).unwrap();
    assert_eq!(codes.recv(), Ok(ErrorCode::BUSY));
}

#[test]
fn thread_stop_on_the_thread_itself_is_busy() {
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    let host = rig.host.downgrade();
    let (sender, codes) = std::sync::mpsc::channel();
    let stop = move |_: &CallHandle| {
        let host = host.upgrade().unwrap();
        assert!(host.thread_is_current());
        sender.send(host.thread_stop().unwrap_err().code()).unwrap();
    };
    rig.dialog().call("echo", None).unwrap().start_with(stop).unwrap();
    assert_eq!(codes.recv(), Ok(ErrorCode::BUSY));
    assert!(!rig.host.thread_is_current());
    rig.host.thread_stop().unwrap();
}

#[test]
fn the_last_host_may_be_dropped_on_its_thread() {
    for _ in 0..20 {
        let rig = Rig::new();
        let counter = rig.counter.clone();
        rig.host.thread_start().unwrap();
        let (give, take) = std::sync::mpsc::channel::<Rig>();
        let (sender, ended) = std::sync::mpsc::channel();
        let end = move |_: &CallHandle| {
            drop(take.recv().unwrap());
            sender.send(()).unwrap();
        };
        let call = rig.dialog().call("echo", None).unwrap().start_with(end).unwrap();
        give.send(rig).unwrap();
        ended.recv().unwrap();
        // The host ends when its thread has returned from the closure.
        let limit = Instant::now() + Duration::from_secs(20);
        while counter.living() != 0 && Instant::now() < limit {
            thread::yield_now();
        }
        assert_eq!(counter.living(), 0);
        drop(call);
    }
}

#[test]
fn shutdown_waits_while_a_loop_of_another_thread_runs() {
    let rig = Rig::new();
    let (sender, driver) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        let host = &rig.host;
        scope.spawn(move || {
            // This thread becomes the driver.  The waits of other threads then do not
            // dispatch.
            sender.send(host.set_driven(true)).unwrap();
            while host.dispatch_all().unwrap() {
                let mut fd = PollFd { fd: host.as_raw_fd(), events: 1, revents: 0 };
                // SAFETY: the array has one element.
                unsafe { poll(&mut fd, 1, 100) };
            }
        });
        driver.recv().unwrap().unwrap();
        host.shutdown().unwrap();
    });
}
