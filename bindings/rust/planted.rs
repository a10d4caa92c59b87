// SPDX-License-Identifier: MIT
//! planted.rs - mistakes that the sanitizers must find.
//!
//! `planted NAME` makes one of the mistakes.  asan.sh demands that the program fails, so
//! a build in which the sanitizers are missing cannot pass.

use std::os::raw::{c_char, c_int};
use std::{env, process, ptr, thread};

#[repr(C)]
struct Transform([u8; 0]);

extern "C" {
    fn mcphost_transform_new(ret_transform: *mut *mut Transform) -> c_int;
    fn mcphost_transform_unref(transform: *mut Transform) -> *mut Transform;
    fn mcphost_transform_add_prefix(
        transform: *mut Transform,
        prefix: *const c_char,
    ) -> c_int;
}

fn new_transform() -> *mut Transform {
    let mut transform = ptr::null_mut();
    assert_eq!(unsafe { mcphost_transform_new(&mut transform) }, 0);
    transform
}

/// The library reads a handle that the library has freed.
fn handle_used_after_unref() {
    let transform = new_transform();
    unsafe {
        mcphost_transform_unref(transform);
        mcphost_transform_add_prefix(transform, b"a\0".as_ptr().cast());
    }
}

/// Rust reads a box that Rust has freed, such as the argument of a callback.
fn closure_used_after_free() {
    let arg = Box::into_raw(Box::new(1_u64));
    unsafe {
        drop(Box::from_raw(arg));
        println!("{}", ptr::read_volatile(arg));
    }
}

fn handle_lost() {
    new_transform();
}

fn closure_lost() {
    Box::into_raw(Box::new(1_u64));
}

fn main() {
    let name = env::args().nth(1).unwrap_or_default();
    let mistake = match name.as_str() {
        "handle-used-after-unref" => handle_used_after_unref,
        "closure-used-after-free" => closure_used_after_free,
        "handle-lost" => handle_lost,
        "closure-lost" => closure_lost,
        _ => process::exit(2),
    };
    // Run the mistake on a thread that ends, so that no pointer to the lost memory stays
    // on a stack.
    thread::spawn(mistake).join().unwrap();
}
