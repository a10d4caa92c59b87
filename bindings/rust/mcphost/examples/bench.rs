// SPDX-License-Identifier: MIT
//! Measures calls of a server over stdio.
//!
//!     bench GUARD CALLS IN-FLIGHT WAY TOOL PROGRAM [ARGUMENT...]
//!
//! WAY is `run` (blocking), `beside` (blocking, while the thread of the library dispatches),
//! `start` (futures that `block_on` awaits), or `raw` (the same calls over `mcphost-sys`, as
//! a program in C makes them).  The output is the p50 of a call in microseconds, and the
//! calls a second.

use std::collections::VecDeque;
use std::ffi::{CStr, CString};
use std::os::raw::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use mcphost::{sys, Config, Dialog, Host, Result};

const ARGUMENTS: &str = "{}";

unsafe extern "C" fn count(_call: *mut sys::mcphost_call, arg: *mut c_void) {
    (*arg.cast::<AtomicUsize>()).fetch_add(1, Relaxed);
}

/// Makes a call as a program in C does.
fn raw_call(dialog: &Dialog, tool: &CStr, done: &AtomicUsize) {
    let arg = done as *const AtomicUsize as *mut c_void;
    let mut call = ptr::null_mut();
    // SAFETY: the counter lives until the last call has ended.
    unsafe {
        let r = sys::mcphost_call_new(
            dialog.as_ptr(),
            tool.as_ptr(),
            ARGUMENTS.as_ptr().cast(),
            ARGUMENTS.len(),
            &mut call,
            ptr::null_mut(),
        );
        assert_eq!(r, 0);
        assert_eq!(sys::mcphost_call_start(call, Some(count), arg, None), 0);
        sys::mcphost_call_unref(call);
    }
}

fn run_raw(host: &Host, dialog: &Dialog, tool: &str, n: usize, width: usize) -> Vec<f64> {
    let tool = CString::new(tool).expect("a name");
    let done = AtomicUsize::new(0);
    let mut started = 0;
    let mut times = Vec::with_capacity(n);
    let mut begun = Instant::now();
    while done.load(Relaxed) < n {
        while started < n && started - done.load(Relaxed) < width {
            begun = Instant::now();
            raw_call(dialog, &tool, &done);
            started += 1;
        }
        let before = done.load(Relaxed);
        // SAFETY: the host lives.
        unsafe { sys::mcphost_wait(host.as_ptr(), -1) };
        if done.load(Relaxed) != before {
            times.push(begun.elapsed().as_secs_f64());
        }
    }
    times
}

fn run_blocking(dialog: &Dialog, tool: &str, n: usize) -> Result<Vec<f64>> {
    (0..n)
        .map(|_| {
            let begun = Instant::now();
            dialog.call(tool, Some(ARGUMENTS))?.run()?;
            Ok(begun.elapsed().as_secs_f64())
        })
        .collect()
}

async fn run_futures(dialog: &Dialog, tool: &str, n: usize, width: usize) -> Result<Vec<f64>> {
    let mut calls = VecDeque::new();
    let mut times = Vec::with_capacity(n);
    for i in 0..n + width {
        if calls.len() == width || i >= n {
            if let Some((begun, call)) = calls.pop_front() {
                let call: mcphost::Call = call;
                call.await?;
                times.push(Instant::elapsed(&begun).as_secs_f64());
            }
        }
        if i < n {
            calls.push_back((Instant::now(), dialog.call(tool, Some(ARGUMENTS))?.start()?));
        }
    }
    Ok(times)
}

fn measure(args: &[String]) -> Result<()> {
    let number = |i: usize| args[i].parse::<usize>().expect("a number");
    let (n, width, way, tool) = (number(2), number(3), args[4].as_str(), args[5].as_str());
    let argv: Vec<&str> = args[6..].iter().map(String::as_str).collect();
    let host = Host::new()?;
    host.set_guard_path(&args[1])?;
    host.load(&Config::new_stdio("bench", &argv, None, None)?)?;
    host.wait_ready(None)?;
    let dialog = Dialog::new(&host.default_view(), "bench", None)?;
    if way == "beside" {
        host.thread_start()?;
    }
    run_blocking(&dialog, tool, 100)?;
    let begun = Instant::now();
    let mut times = match way {
        "raw" => run_raw(&host, &dialog, tool, n, width),
        "run" | "beside" => run_blocking(&dialog, tool, n)?,
        _ => host.block_on(run_futures(&dialog, tool, n, width))??,
    };
    let rate = n as f64 / begun.elapsed().as_secs_f64();
    times.sort_by(f64::total_cmp);
    println!("{way} {width}: p50 {:.1} us, {rate:.0}/s", times[times.len() / 2] * 1e6);
    host.shutdown()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.len() < 7 {
        eprintln!("usage: bench GUARD CALLS IN-FLIGHT WAY TOOL PROGRAM [ARGUMENT...]");
        std::process::exit(1);
    }
    if let Err(error) = measure(&args) {
        eprintln!("bench: {error:?}");
        std::process::exit(1);
    }
}
