// SPDX-License-Identifier: MIT
//! error.rs - errors of the library.

use std::fmt;
use std::os::raw::c_int;
use std::path::Path;
use std::ptr::{self, NonNull};

use crate::sys;
use crate::text;
use crate::ErrorCode;

/// The result of most functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error: a code, a message in English, and further fields that can be missing.
///
/// ```
/// use mcphost::{Config, Error, ErrorCode};
///
/// let error = Config::load_file("/nowhere/mcp.yaml\0", None).unwrap_err();
/// assert_eq!(error.code(), ErrorCode::INVALID);
/// let error: Box<dyn std::error::Error + Send + Sync> = error.into();
/// assert!(error.downcast_ref::<Error>().is_some());
/// ```
#[derive(Clone)]
pub struct Error {
    repr: Repr,
    /// The application has made the error, with a message of its own.
    is_own: bool,
}

#[derive(Clone)]
enum Repr {
    /// A function that has no error object returned this code.
    Code(ErrorCode),
    /// This crate, not the library, has refused the call, with this message.
    Text(ErrorCode, &'static str),
    Object(Object),
}

/// A reference to an error object.
struct Object(NonNull<sys::mcphost_error>);

// SAFETY: an error object never changes, and any thread may use it.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Clone for Object {
    fn clone(&self) -> Object {
        // SAFETY: this value has a reference, so the object lives.
        unsafe {
            sys::mcphost_error_ref(self.0.as_ptr());
        }
        Object(self.0)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: this value has a reference.
        unsafe {
            sys::mcphost_error_unref(self.0.as_ptr());
        }
    }
}

/// The place in which a function of the library stores an error object.
pub(crate) struct Slot(*mut sys::mcphost_error);

impl Slot {
    pub(crate) fn new() -> Slot {
        Slot(ptr::null_mut())
    }

    pub(crate) fn out(&mut self) -> *mut *mut sys::mcphost_error {
        &mut self.0
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: the slot has a reference or NULL.
        unsafe {
            sys::mcphost_error_unref(self.0);
        }
    }
}

/// Makes an error of a negative code.
pub(crate) fn check(r: c_int) -> Result<()> {
    if r < 0 {
        return Err(Error::from_code(ErrorCode(r)));
    }
    Ok(())
}

/// Makes an error of a negative code and of the object that the function has stored.
pub(crate) fn check_with(r: c_int, mut slot: Slot) -> Result<()> {
    if r >= 0 {
        return Ok(());
    }
    Err(match NonNull::new(std::mem::replace(&mut slot.0, ptr::null_mut())) {
        Some(raw) => Error { repr: Repr::Object(Object(raw)), is_own: false },
        None => Error::from_code(ErrorCode(r)),
    })
}

impl Error {
    /// Makes an error with a message of the application.
    ///
    /// If the setup of a provider fails with this error, the status of the server has the
    /// message.  If a tool of the application fails with this error, the model gets the
    /// message.  A code that is not below 0 becomes [`ErrorCode::INVALID`].  A blank
    /// replaces each control character of the message.
    ///
    /// In C: `mcphost_error_new()`.
    ///
    /// ```
    /// use mcphost::{Error, ErrorCode};
    ///
    /// let error = Error::new(ErrorCode::CONFIG, "no key is set");
    /// assert_eq!(error.to_string(), "no key is set");
    /// ```
    pub fn new(code: ErrorCode, message: &str) -> Error {
        let code = if code.0 < 0 { code } else { ErrorCode::INVALID };
        let message = match text::c(&message.replace('\0', " ")) {
            Ok(message) => message,
            Err(error) => return error,
        };
        let mut slot = Slot::new();
        // SAFETY: the message lives until the function has returned.
        let r = unsafe { sys::mcphost_error_new(code.0, message.as_ptr(), slot.out()) };
        let error = check_with(r, slot).err().unwrap_or_else(|| Error::from_code(code));
        let is_own = matches!(error.repr, Repr::Object(_));
        Error { is_own, ..error }
    }

    /// Makes an error of a code, with the message of the code.
    pub fn from_code(code: ErrorCode) -> Error {
        Error { repr: Repr::Code(code), is_own: false }
    }

    pub(crate) fn invalid(why: &'static str) -> Error {
        Error { repr: Repr::Text(ErrorCode::INVALID, why), is_own: false }
    }

    /// Takes a reference to an error object.
    ///
    /// # Safety
    ///
    /// `raw` is NULL or an error object.
    pub(crate) unsafe fn borrowed(raw: *mut sys::mcphost_error) -> Option<Error> {
        NonNull::new(raw).map(|raw| {
            sys::mcphost_error_ref(raw.as_ptr());
            Error { repr: Repr::Object(Object(raw)), is_own: false }
        })
    }

    /// Stores a reference to the object for C.  Returns the code.
    ///
    /// # Safety
    ///
    /// `reterr` is NULL, or points to the place in which a function of the library may
    /// store an error.
    pub(crate) unsafe fn store(&self, reterr: *mut *mut sys::mcphost_error) -> c_int {
        match &self.repr {
            Repr::Object(object) if !reterr.is_null() => {
                *reterr = object.clone().into_raw();
            }
            Repr::Text(code, why) if !reterr.is_null() => {
                if let Repr::Object(object) = Error::new(*code, why).repr {
                    *reterr = object.into_raw();
                }
            }
            _ => {}
        }
        self.code_below_zero()
    }

    /// Returns the code for a callback that fails.
    pub(crate) fn code_below_zero(&self) -> c_int {
        match self.code().0 {
            code if code < 0 => code,
            _ => ErrorCode::INVALID.0,
        }
    }

    /// Returns the message if the application, and not the library, created the error.
    pub(crate) fn own_message(&self) -> Option<&str> {
        Some(self.message()).filter(|_| self.is_own)
    }

    fn object(&self) -> *const sys::mcphost_error {
        match &self.repr {
            Repr::Object(object) => object.0.as_ptr(),
            _ => ptr::null(),
        }
    }

    /// Returns the code.
    pub fn code(&self) -> ErrorCode {
        match &self.repr {
            Repr::Code(code) | Repr::Text(code, _) => *code,
            // SAFETY: this value has a reference to the object.
            Repr::Object(o) => ErrorCode(unsafe { sys::mcphost_error_get_code(o.0.as_ptr()) }),
        }
    }

    /// Returns the message, one line in English.
    pub fn message(&self) -> &str {
        match &self.repr {
            Repr::Code(code) => code.message(),
            Repr::Text(_, why) => why,
            // SAFETY: the text lives as long as the object.
            Repr::Object(o) => unsafe {
                text::ended(sys::mcphost_error_get_message(o.0.as_ptr())).unwrap_or("")
            },
        }
    }

    /// Returns the id of the server that the error is about.
    pub fn server_id(&self) -> Option<&str> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the text lives as long as the object.
        unsafe { text::ended(sys::mcphost_error_get_server_id(object)) }
    }

    /// Returns the id of the server's source, or `None` for the default source.
    pub fn source_id(&self) -> Option<&str> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the text lives as long as the object.
        unsafe { text::ended(sys::mcphost_error_get_source_id(object)) }
    }

    /// Returns the errno of the system call that failed, or `None`.
    pub fn errno(&self) -> Option<i32> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the object lives.
        Some(unsafe { sys::mcphost_error_get_errno(object) }).filter(|&n| n != 0)
    }

    /// Returns the code of the JSON-RPC error, if the code is [`ErrorCode::RPC`].
    pub fn rpc_code(&self) -> Option<i64> {
        let object = self.object();
        if object.is_null() || self.code() != ErrorCode::RPC {
            return None;
        }
        // SAFETY: the object lives.
        Some(unsafe { sys::mcphost_error_get_rpc_code(object) })
    }

    /// Returns the data of the JSON-RPC error, a JSON value.
    pub fn rpc_data(&self) -> Option<&str> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        let mut len = 0;
        // SAFETY: the text lives as long as the object.
        unsafe { text::sized(sys::mcphost_error_get_rpc_data(object, &mut len), len) }
    }

    /// Returns the file with the configuration error.
    pub fn file(&self) -> Option<&Path> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the name lives as long as the object.
        unsafe { text::ended_path(sys::mcphost_error_get_file(object)) }
    }

    /// Returns the line of the configuration error, counted from 1.
    pub fn line(&self) -> Option<u32> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the object lives.
        let line = unsafe { sys::mcphost_error_get_line(object) };
        u32::try_from(line).ok().filter(|&n| n != 0)
    }

    /// Returns the column of the configuration error, counted from 1.
    pub fn column(&self) -> Option<u32> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the object lives.
        let column = unsafe { sys::mcphost_error_get_column(object) };
        u32::try_from(column).ok().filter(|&n| n != 0)
    }

    /// Returns the last lines that the server wrote to stderr before the failure.
    pub fn stderr_tail(&self) -> Option<&str> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the text lives as long as the object.
        unsafe { text::ended(sys::mcphost_error_get_stderr_tail(object)) }
    }

    /// Returns the status of the HTTP answer that caused the error.
    pub fn http_status(&self) -> Option<u16> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the object lives.
        let status = unsafe { sys::mcphost_error_get_http_status(object) };
        u16::try_from(status).ok().filter(|&n| n != 0)
    }

    /// Returns the value of Retry-After in the HTTP answer, as [`Retry::judge`] takes it.
    ///
    /// [`Retry::judge`]: crate::Retry::judge
    pub fn retry_after(&self) -> Option<&str> {
        let object = self.object();
        if object.is_null() {
            return None;
        }
        // SAFETY: the text lives as long as the object.
        unsafe { text::ended(sys::mcphost_error_get_retry_after(object)) }
    }

    /// Writes the error as a JSON object.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::NOMEM`]
    /// - [`ErrorCode::LIMIT`]: the text would be longer than 256 MiB
    pub fn to_json(&self) -> Result<String> {
        if self.object().is_null() {
            return Error::new(self.code(), self.message()).object_json();
        }
        self.object_json()
    }

    fn object_json(&self) -> Result<String> {
        let (mut json, mut len) = (ptr::null_mut(), 0);
        // SAFETY: the object lives, or the function refuses NULL.
        let r = unsafe { sys::mcphost_error_make_json(self.object(), &mut json, &mut len) };
        check(r)?;
        // SAFETY: the function has stored a text that belongs to the caller.
        Ok(unsafe { text::take(json, len) })
    }
}

impl Object {
    fn into_raw(self) -> *mut sys::mcphost_error {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Error");
        out.field("code", &self.code()).field("message", &self.message());
        if let Some(server) = self.server_id() {
            out.field("server_id", &server);
        }
        if let Some(source) = self.source_id() {
            out.field("source_id", &source);
        }
        if let Some(errno) = self.errno() {
            out.field("errno", &errno);
        }
        if let Some(code) = self.rpc_code() {
            out.field("rpc_code", &code).field("rpc_data", &self.rpc_data());
        }
        if let Some(file) = self.file() {
            out.field("file", &file).field("line", &self.line()).field("column", &self.column());
        }
        if let Some(status) = self.http_status() {
            out.field("http_status", &status).field("retry_after", &self.retry_after());
        }
        if let Some(tail) = self.stderr_tail() {
            out.field("stderr_tail", &tail);
        }
        out.finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.message())
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> std::io::Error {
        use std::io::ErrorKind;

        let kind = match error.code() {
            ErrorCode::INVALID => ErrorKind::InvalidInput,
            ErrorCode::NOTFOUND => ErrorKind::NotFound,
            ErrorCode::EXISTS => ErrorKind::AlreadyExists,
            ErrorCode::NOMEM => ErrorKind::OutOfMemory,
            ErrorCode::TIMEOUT => ErrorKind::TimedOut,
            ErrorCode::WOKEN => ErrorKind::Interrupted,
            ErrorCode::PROTOCOL => ErrorKind::InvalidData,
            ErrorCode::DENIED => ErrorKind::PermissionDenied,
            _ => ErrorKind::Other,
        };
        std::io::Error::new(kind, error)
    }
}
