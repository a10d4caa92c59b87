// SPDX-License-Identifier: MIT
//! enums.rs - the names of constants.

use std::fmt;

use crate::error::{self, Result};
use crate::sys;
use crate::text;
use crate::ErrorCode;

/// An enumeration of the library.
///
/// Its constants have names, which never change.  A value may have any number, because a
/// later version of the library may have more constants.
///
/// ```
/// use mcphost::{Enumerator, EventKind};
///
/// assert_eq!(EventKind::PROGRESS.name(), Some("progress"));
/// assert_eq!("progress".parse::<EventKind>().unwrap(), EventKind::PROGRESS);
/// assert!(EventKind::all().any(|kind| kind == EventKind::CLOSED));
/// ```
pub trait Enumerator: Copy {
    /// The number of the enumeration, one of `MCPHOST_ENUM_*`.
    const WHICH: i32;

    /// Returns the number of the constant.
    fn value(self) -> i32;

    /// Returns the constant of a number.
    fn from_value(value: i32) -> Self;

    /// Returns the name of the constant, or `None` if the library does not know the
    /// constant.
    ///
    /// In C: `mcphost_enum_get_name()`.
    fn name(self) -> Option<&'static str> {
        // SAFETY: the names are literals of the library.
        unsafe { text::ended(sys::mcphost_enum_get_name(Self::WHICH, self.value())) }
    }

    /// Returns the constant of a name.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::NOTFOUND`]: the enumeration has no constant of this name
    /// - [`ErrorCode::INVALID`]: the name has a NUL
    ///
    /// In C: `mcphost_enum_find_value()`.
    fn find(name: &str) -> Result<Self> {
        let name = text::c(name)?;
        let mut value = 0;
        // SAFETY: the name lives until the function has returned.
        let r = unsafe { sys::mcphost_enum_find_value(Self::WHICH, name.as_ptr(), &mut value) };
        error::check(r)?;
        Ok(Self::from_value(value))
    }

    /// Returns all constants that the library knows.
    ///
    /// In C: `mcphost_enum_count_values()` and `mcphost_enum_get_value()`.
    fn all() -> Box<dyn Iterator<Item = Self>> {
        // SAFETY: the function takes numbers only.
        let n = unsafe { sys::mcphost_enum_count_values(Self::WHICH) };
        Box::new((0..n).filter_map(|i| {
            let mut value = 0;
            // SAFETY: `value` lives until the function has returned.
            let r = unsafe { sys::mcphost_enum_get_value(Self::WHICH, i, &mut value) };
            (r == 0).then(|| Self::from_value(value))
        }))
    }
}

impl ErrorCode {
    /// Returns the meaning of the code, as a phrase in English.
    ///
    /// In C: `mcphost_strerror()`.
    pub fn message(self) -> &'static str {
        // SAFETY: the texts are literals of the library.
        unsafe { text::ended(sys::mcphost_strerror(self.0)).unwrap_or("unknown error") }
    }
}

pub(crate) fn debug<T: Enumerator>(it: T, kind: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match it.name() {
        Some(name) => write!(f, "{kind}::{}", name.to_ascii_uppercase()),
        None => write!(f, "{kind}({})", it.value()),
    }
}

pub(crate) fn display<T: Enumerator>(it: T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match it.name() {
        Some(name) => f.pad(name),
        None => fmt::Display::fmt(&it.value(), f),
    }
}
