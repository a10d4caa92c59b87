// SPDX-License-Identifier: MIT
//! panics.rs - panics of callbacks, which must not pass through the library.
//!
//! A callback runs inside a call into C, so its panic is caught where C called it.  The
//! panic goes on when that call into C has returned, on the same thread.  If no call of
//! this crate is to go on with the panic, as on the thread of [`Host::thread_start`], the
//! next call that drives a host goes on with it.
//!
//! [`Host::thread_start`]: crate::Host::thread_start

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Mutex;

type Payload = Box<dyn Any + Send + 'static>;

thread_local! {
    /// How many calls of `driving` are under way on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// How many callbacks are under way on this thread.
    static CALLBACKS: Cell<usize> = const { Cell::new(0) };
    static CAUGHT: RefCell<Option<Payload>> = const { RefCell::new(None) };
}

/// The first panic of a callback on a thread that does not go on with it.
static ELSEWHERE: Mutex<Option<Payload>> = Mutex::new(None);

fn elsewhere() -> std::sync::MutexGuard<'static, Option<Payload>> {
    ELSEWHERE.lock().unwrap_or_else(|e| e.into_inner())
}

fn keep(payload: Payload) {
    let here = DEPTH.try_with(|d| d.get() > 0).unwrap_or(false);
    // Only the first panic is kept.  Dropping the payload of another may panic again.
    let rest = if here {
        CAUGHT.with(|c| keep_first(&mut c.borrow_mut(), payload))
    } else {
        keep_first(&mut elsewhere(), payload)
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(rest))) {
        std::mem::forget(payload);
    }
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
    DEPTH.with(|d| d.set(d.get() + 1));
    let value = f();
    DEPTH.with(|d| d.set(d.get() - 1));
    let mut caught = CAUGHT.with(|c| c.borrow_mut().take());
    if caught.is_none() && DEPTH.with(|d| d.get()) == 0 {
        caught = elsewhere().take();
    }
    if let Some(payload) = caught {
        resume_unwind(payload);
    }
    value
}
