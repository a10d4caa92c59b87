// SPDX-License-Identifier: MIT
//! text.rs - converts texts, lists and times between Rust and C.

use std::ffi::{CStr, CString, OsStr};
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::sys;

/// Copies a text for C.  A text for C must not have a NUL.
pub(crate) fn c(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::invalid("a text has a NUL"))
}

pub(crate) fn opt(text: Option<&str>) -> Result<Option<CString>> {
    text.map(c).transpose()
}

pub(crate) fn path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::invalid("a path has a NUL"))
}

pub(crate) fn opt_path(given: Option<&Path>) -> Result<Option<CString>> {
    given.map(path).transpose()
}

pub(crate) fn opt_ptr(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(ptr::null(), |t| t.as_ptr())
}

/// Returns the pointer and the length of a text that may be missing.
pub(crate) fn parts(bytes: Option<&[u8]>) -> (*const c_char, usize) {
    bytes.map_or((ptr::null(), 0), |b| (b.as_ptr().cast(), b.len()))
}

/// Returns a time limit in milliseconds, rounded up.  Without a limit, returns -1.
pub(crate) fn ms(limit: Option<Duration>) -> i64 {
    limit.map_or(-1, |d| {
        let whole = i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        let has_rest = d.subsec_nanos() % 1_000_000 != 0;
        whole.saturating_add(i64::from(has_rest))
    })
}

/// Returns a text of the library that ends with a NUL.
///
/// # Safety
///
/// `p` is NULL, or a text that lives for `'a`.
pub(crate) unsafe fn ended<'a>(p: *const c_char) -> Option<&'a str> {
    if p.is_null() {
        return None;
    }
    Some(utf8(CStr::from_ptr(p).to_bytes()))
}

/// Returns a text of the library with a length.
///
/// # Safety
///
/// `p` is NULL, or a text of `len` bytes that lives for `'a`.
pub(crate) unsafe fn sized<'a>(p: *const c_char, len: usize) -> Option<&'a str> {
    if p.is_null() {
        return None;
    }
    Some(utf8(std::slice::from_raw_parts(p.cast(), len)))
}

/// Returns the name of a file, which need not be UTF-8.
///
/// # Safety
///
/// `p` is NULL, or a name that lives for `'a`.
pub(crate) unsafe fn ended_path<'a>(p: *const c_char) -> Option<&'a Path> {
    if p.is_null() {
        return None;
    }
    Some(Path::new(OsStr::from_bytes(CStr::from_ptr(p).to_bytes())))
}

/// The library promises that each text is UTF-8 (`<mcphost/types.h>`).
unsafe fn utf8(bytes: &[u8]) -> &str {
    debug_assert!(std::str::from_utf8(bytes).is_ok());
    std::str::from_utf8_unchecked(bytes)
}

/// Returns a copy of a text of the library, and frees the text of the library.
///
/// # Safety
///
/// `p` is NULL, or a text of `len` bytes that the library has made.
pub(crate) unsafe fn take(p: *mut c_char, len: usize) -> String {
    let text = sized(p, len).unwrap_or("").to_owned();
    sys::mcphost_free(p.cast());
    text
}

/// An array of texts that ends with NULL.
pub(crate) struct List {
    pointers: Vec<*const c_char>,
    _texts: Vec<CString>,
}

impl List {
    pub(crate) fn new(texts: Option<&[&str]>) -> Result<List> {
        let texts = match texts {
            Some(texts) => texts,
            None => return Ok(List { pointers: Vec::new(), _texts: Vec::new() }),
        };
        let texts = texts.iter().map(|t| c(t)).collect::<Result<Vec<_>>>()?;
        let mut pointers: Vec<_> = texts.iter().map(|t| t.as_ptr()).collect();
        pointers.push(ptr::null());
        Ok(List { pointers, _texts: texts })
    }

    /// Returns the array, or NULL if there is no list.
    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        if self.pointers.is_empty() {
            return ptr::null();
        }
        self.pointers.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.pointers.len().saturating_sub(1)
    }
}
