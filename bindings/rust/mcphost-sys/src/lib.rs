// SPDX-License-Identifier: MIT
//! The C interface of libmcphost, a library that hosts servers of the Model Context Protocol.
//!
//! This crate has the functions, constants, handles and callbacks of the headers in
//! `<mcphost/*.h>`, and nothing else.  The manual pages in section 3 describe the
//! functions.  The crate `mcphost` is the safe interface.
//!
//! The build script finds the library with `pkg-config`.  With `MCPHOST_LIB_DIR` in the
//! environment, the script takes the library in that directory.  With `MCPHOST_STATIC=1`
//! as well, the script takes the static library.
#![no_std]
#![allow(non_camel_case_types)]

extern crate std;

#[rustfmt::skip]
mod sys;

pub use sys::*;
