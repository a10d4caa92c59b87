// SPDX-License-Identifier: MIT
//! callback.rs - closures as arguments of callbacks.
//!
//! The library owns the argument of a callback until it runs the free function, also if
//! the function that takes the callback fails.  So each closure is a box that the free
//! function drops.

use std::os::raw::c_void;
use std::sync::Mutex;

use crate::panics;

/// Makes the argument of a callback, which `free::<T>` drops.
pub(crate) fn arg<T: Send + 'static>(value: T) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}

/// Drops the argument of a callback.
///
/// # Safety
///
/// `arg` is from `arg::<T>()`, and nothing uses it any more.
pub(crate) unsafe extern "C" fn free<T>(arg: *mut c_void) {
    panics::guard((), || drop(Box::from_raw(arg.cast::<T>())));
}

/// A closure that runs once.
pub(crate) struct Once<F>(Mutex<Option<F>>);

impl<F> Once<F> {
    pub(crate) fn new(f: F) -> Once<F> {
        Once(Mutex::new(Some(f)))
    }

    pub(crate) fn take(&self) -> Option<F> {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).take()
    }
}
