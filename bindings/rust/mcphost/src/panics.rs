// SPDX-License-Identifier: MIT
//! panics.rs - panics of callbacks, which must not pass through the library.
//!
//! C calls a callback, and a panic must not pass through C.  Therefore `guard` catches
//! the panic of a callback.  If `driving` or `driving_host` made the call into C, this
//! function resumes the panic when the call has returned.  If other code made the call,
//! the next `driving` or `driving_host` on the same thread resumes the panic.  A panic on
//! the thread of [`Host::thread_start`] is kept with its host.  The next method of this
//! host that uses `driving_host` resumes this panic.
//!
//! A callback does not say which host runs it.  Therefore this file has a list of the
//! hosts whose thread was started, and asks each host whether the callback runs on its
//! thread.
//!
//! [`Host::thread_start`]: crate::Host::thread_start

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use crate::sys;

pub(crate) type Payload = Box<dyn Any + Send + 'static>;

thread_local! {
    /// The number of calls of `driving` and `driving_host` that run on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The number of callbacks that run on this thread.
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

// ---- the threads of hosts

/// A host whose thread may run, and the place for the first panic of this thread.
struct Started {
    host: NonNull<sys::mcphost>,
    kept: Arc<Kept>,
}

// SAFETY: any thread may use a host.
unsafe impl Send for Started {}

static STARTED: Mutex<Vec<Started>> = Mutex::new(Vec::new());

fn started() -> MutexGuard<'static, Vec<Started>> {
    STARTED.lock().unwrap_or_else(|e| e.into_inner())
}

/// Keeps later panics of the thread of `host` in `kept`.
///
/// # Safety
///
/// The host lives until the call of `forget(kept)`.
pub(crate) unsafe fn remember(host: NonNull<sys::mcphost>, kept: &Arc<Kept>) {
    started().push(Started { host, kept: kept.clone() });
}

pub(crate) fn forget(kept: &Arc<Kept>) {
    started().retain(|s| !Arc::ptr_eq(&s.kept, kept));
}

/// Returns the place for panics of this thread, if this thread is the thread of a host.
fn kept_of_this_thread() -> Option<Arc<Kept>> {
    // SAFETY: the host lives, because this thread has the lock, and `forget` waits for
    // the lock.
    let is_current = |s: &&Started| unsafe { sys::mcphost_thread_is_current(s.host.as_ptr()) } != 0;
    started().iter().find(is_current).map(|s| s.kept.clone())
}

// ---- callbacks

fn keep(payload: Payload) {
    let is_driving = DEPTH.try_with(|d| d.get() > 0).unwrap_or(false);
    // Only the first panic is kept.
    let rest = match if is_driving { None } else { kept_of_this_thread() } {
        Some(kept) => keep_first(&mut kept.lock(), payload),
        None => {
            let mut payload = Some(payload);
            // CAUGHT may have been destroyed, because the thread is ending.
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
    // Destructors of thread-local values may run callbacks after the counter was
    // destroyed.
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
fn is_in_callback() -> bool {
    CALLBACKS.try_with(|n| n.get() > 0).unwrap_or(false)
}

/// Runs `f`, which calls into C.  Then resumes the panic of a callback, if there was a
/// panic.
pub(crate) fn driving<R>(f: impl FnOnce() -> R) -> R {
    drive(None, f)
}

/// Runs `f`, which drives a host.  Then resumes the panic of a callback, or the panic
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
