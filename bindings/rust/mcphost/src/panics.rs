// SPDX-License-Identifier: MIT
//! panics.rs - panics of callbacks, which must not pass through the library.
//!
//! A callback runs inside a call into C, so its panic is caught where C called it.  The
//! panic goes on when that call into C has returned, on the same thread.  A panic on the
//! thread of [`Host::thread_start`] is kept with its host.  The next method of this host
//! that dispatches goes on with it.
//!
//! A callback does not say which host runs it.  So the thread of the library gets a name
//! that stands for its host.
//!
//! [`Host::thread_start`]: crate::Host::thread_start

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::os::raw::{c_int, c_ulong};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;

pub(crate) type Payload = Box<dyn Any + Send + 'static>;

thread_local! {
    /// How many calls of `driving` are under way on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// How many callbacks are under way on this thread.
    static CALLBACKS: Cell<usize> = const { Cell::new(0) };
    static CAUGHT: RefCell<Option<Payload>> = const { RefCell::new(None) };
}

/// The first panic on the library's thread of one host.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Option<Payload>>);

impl Kept {
    fn lock(&self) -> MutexGuard<'_, Option<Payload>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let payload = self.lock().take();
        discard(payload);
    }
}

/// Drops a payload.  The drop may panic again, and that panic is lost.
fn discard(payload: Option<Payload>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}

// ---- the names of the library's threads

/// The size of a thread's name on Linux, with its NUL.
const NAME_SIZE: usize = 16;
const PR_SET_NAME: c_int = 15;
const PR_GET_NAME: c_int = 16;

extern "C" {
    fn prctl(option: c_int, ...) -> c_int;
}

struct Names {
    last: u32,
    hosts: Vec<(ThreadName, Weak<Kept>)>,
}

static NAMES: Mutex<Names> = Mutex::new(Names { last: 0, hosts: Vec::new() });

type ThreadName = [u8; NAME_SIZE];

fn names() -> MutexGuard<'static, Names> {
    NAMES.lock().unwrap_or_else(|e| e.into_inner())
}

fn thread_name() -> ThreadName {
    let mut name = [0; NAME_SIZE];
    // SAFETY: the function stores at most 16 bytes.
    unsafe {
        prctl(PR_GET_NAME, name.as_mut_ptr() as c_ulong);
    }
    name
}

fn set_thread_name(name: &ThreadName) {
    // SAFETY: the name ends with a NUL.
    unsafe {
        prctl(PR_SET_NAME, name.as_ptr() as c_ulong);
    }
}

/// Gives this thread its own name back.
struct OwnName(ThreadName);

impl Drop for OwnName {
    fn drop(&mut self) {
        set_thread_name(&self.0);
    }
}

/// Runs `f`, which starts the library's thread of a host, or returns a negative code.  A new
/// thread takes the name of the thread that starts it.
pub(crate) fn starting(kept: &Arc<Kept>, f: impl FnOnce() -> c_int) -> c_int {
    let name = {
        let mut names = names();
        names.hosts.retain(|(_, kept)| kept.strong_count() != 0);
        names.last = names.last.wrapping_add(1) & 0xfff_ffff;
        let mut name = [0; NAME_SIZE];
        let text = format!("mcphost-{:x}", names.last);
        name[..text.len()].copy_from_slice(text.as_bytes());
        names.hosts.push((name, Arc::downgrade(kept)));
        name
    };
    let own = OwnName(thread_name());
    set_thread_name(&name);
    let r = f();
    drop(own);
    // The host has one thread: the new one, or else the one that it had.
    let is_of_host = |k: &Weak<Kept>| ptr::eq(k.as_ptr(), Arc::as_ptr(kept));
    names().hosts.retain(|(n, k)| !is_of_host(k) || (*n == name) == (r >= 0));
    r
}

/// Returns where panics of this thread are kept, if it is the library's thread of a host.
fn kept_of_this_thread() -> Option<Arc<Kept>> {
    let name = thread_name();
    let names = names();
    names.hosts.iter().find(|(n, _)| *n == name).and_then(|(_, kept)| kept.upgrade())
}

// ---- callbacks

fn keep(payload: Payload) {
    let is_driving = DEPTH.try_with(|d| d.get() > 0).unwrap_or(false);
    // Only the first panic is kept.
    let rest = match if is_driving { None } else { kept_of_this_thread() } {
        Some(kept) => keep_first(&mut kept.lock(), payload),
        None => {
            let mut payload = Some(payload);
            // The place is gone while a thread ends.
            let _ = CAUGHT.try_with(|c| {
                payload = payload.take().and_then(|p| keep_first(&mut c.borrow_mut(), p));
            });
            payload
        }
    };
    discard(rest);
}

fn keep_first(slot: &mut Option<Payload>, payload: Payload) -> Option<Payload> {
    if slot.is_some() {
        return Some(payload);
    }
    *slot = Some(payload);
    None
}

/// Runs a callback.  If it panics, keeps the panic and returns `instead`.
pub(crate) fn guard<R>(instead: R, f: impl FnOnce() -> R) -> R {
    // Destructors of thread-local values may run callbacks when the counter is gone.
    let _ = CALLBACKS.try_with(|n| n.set(n.get() + 1));
    let outcome = catch_unwind(AssertUnwindSafe(f));
    let _ = CALLBACKS.try_with(|n| n.set(n.get() - 1));
    match outcome {
        Ok(value) => value,
        Err(payload) => {
            keep(payload);
            instead
        }
    }
}

/// Returns true if this thread runs a callback.
pub(crate) fn is_in_callback() -> bool {
    CALLBACKS.try_with(|n| n.get() > 0).unwrap_or(false)
}

/// Runs `f`, which calls into C, and goes on with the panic of a callback.
pub(crate) fn driving<R>(f: impl FnOnce() -> R) -> R {
    drive(None, f)
}

/// Runs `f`, which drives a host.  Goes on with the panic of a callback, or with the panic
/// that was kept for this host.
pub(crate) fn driving_host<R>(kept: &Kept, f: impl FnOnce() -> R) -> R {
    drive(Some(kept), f)
}

fn drive<R>(kept: Option<&Kept>, f: impl FnOnce() -> R) -> R {
    DEPTH.with(|d| d.set(d.get() + 1));
    let value = f();
    DEPTH.with(|d| d.set(d.get() - 1));
    // A second panic while this thread unwinds would abort the process.
    if thread::panicking() {
        return value;
    }
    let mut caught = CAUGHT.try_with(|c| c.borrow_mut().take()).unwrap_or(None);
    if caught.is_none() && DEPTH.with(|d| d.get()) == 0 && !is_in_callback() {
        caught = kept.and_then(|k| k.lock().take());
    }
    if let Some(payload) = caught {
        resume_unwind(payload);
    }
    value
}
