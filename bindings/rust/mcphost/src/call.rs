// SPDX-License-Identifier: MIT
//! call.rs - calls: set up, started, awaited.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::os::raw::{c_char, c_void};
use std::pin::Pin;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::callback::{self, Once};
use crate::error::{self, Error, Result};
use crate::panics;
use crate::sys;
use crate::text;
use crate::{CallHandle, CallResult, Dialog, ErrorCode, Request};

/// A report of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The progress so far, in a measure that the server chooses.
    pub progress: f64,
    /// The total in the same measure, or `None` if the server gave no total.
    pub total: Option<f64>,
    /// The text with which the server describes its progress.
    pub message: Option<&'a str>,
}

/// A call that is not started yet.
///
/// Methods of [`Dialog`] make this value, for example [`Dialog::call`] and
/// [`Dialog::read`].  A `CallSetup` that is dropped never starts.
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # fn make(dialog: &mcphost::Dialog) -> mcphost::Result<()> {
/// dialog.call("echo", None)?; // never starts
/// # Ok(())
/// # }
/// ```
#[must_use = "a call does nothing until it is started"]
pub struct CallSetup {
    call: CallHandle,
    dialog: Dialog,
}

unsafe extern "C" fn on_progress<F: Fn(Progress<'_>)>(
    _call: *mut sys::mcphost_call,
    progress: f64,
    total: f64,
    message: *const c_char,
    message_len: usize,
    arg: *mut c_void,
) {
    let f = &*arg.cast::<F>();
    panics::guard((), || {
        f(Progress {
            progress,
            total: Some(total).filter(|t| !t.is_nan()),
            message: text::sized(message, message_len),
        })
    });
}

unsafe extern "C" fn on_done<F: FnOnce(&CallHandle)>(
    call: *mut sys::mcphost_call,
    arg: *mut c_void,
) {
    let once = &*arg.cast::<Once<(F, Dialog)>>();
    panics::guard((), || {
        if let (Some((f, _dialog)), Some(call)) = (once.take(), CallHandle::borrowed(call)) {
            f(&call);
        }
    });
}

impl CallSetup {
    pub(crate) unsafe fn owned(raw: *mut sys::mcphost_call, dialog: &Dialog) -> CallSetup {
        CallSetup { call: CallHandle::owned(raw), dialog: dialog.clone() }
    }

    /// Limits the time of the call.  `None` means no limit.
    ///
    /// `limit` counts from the start of the call, or from [`CallHandle::allow`] if the
    /// call waited for approval.  If `reset_on_progress` is true, each report of progress
    /// restarts this time.  `max` limits the whole call.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]
    ///
    /// In C: `mcphost_call_set_timeout()`.
    pub fn set_timeout(
        &mut self,
        limit: Option<Duration>,
        reset_on_progress: bool,
        max: Option<Duration>,
    ) -> Result<()> {
        // SAFETY: no other thread sets the call up.
        error::check(unsafe {
            sys::mcphost_call_set_timeout(
                self.call.as_ptr(),
                text::ms(limit),
                i32::from(reset_on_progress),
                text::ms(max),
            )
        })
    }

    /// Asks the server for reports of progress.  `f` runs for each report, on the thread
    /// that dispatches, before the call ends.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_call_set_progress()`.
    ///
    /// ```
    /// # use mcphost::{Dialog, Feature, Host, Provider};
    /// # fn main() -> mcphost::Result<()> {
    /// # let host = Host::new()?;
    /// # let provider = Provider::new(&host.default_source(), "app")?;
    /// # let tool = r#"{"name":"steps","inputSchema":{"type":"object"}}"#;
    /// # provider.add(Feature::TOOL, tool, |call| {
    /// #     call.report(1.0, Some(2.0), Some("half"))?;
    /// #     call.answer_text("done", false)
    /// # })?;
    /// # provider.start()?;
    /// # host.wait_ready(None)?;
    /// # let dialog = Dialog::new(&host.default_view(), "me", None)?;
    /// let mut call = dialog.call("steps", Some("{}"))?;
    /// call.set_progress(|p| println!("{} of {:?}", p.progress, p.total))?;
    /// let result = call.run()?;
    /// assert_eq!(result.text(), "done");
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_progress<F>(&mut self, f: F) -> Result<()>
    where
        F: Fn(Progress<'_>) + Send + Sync + 'static,
    {
        let (fn_, free) = (on_progress::<F>, callback::free::<F>);
        // SAFETY: no other thread sets the call up.  The library frees the argument.
        error::check(unsafe {
            sys::mcphost_call_set_progress(
                self.call.as_ptr(),
                Some(fn_),
                callback::arg(f),
                Some(free),
            )
        })
    }

    /// Asks the server for reports of progress, as events
    /// ([`EventKind::PROGRESS`](crate::EventKind::PROGRESS)).
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::NOMEM`]
    pub fn set_progress_events(&mut self) -> Result<()> {
        // SAFETY: no other thread sets the call up.
        error::check(unsafe {
            sys::mcphost_call_set_progress(self.call.as_ptr(), None, ptr::null_mut(), None)
        })
    }

    /// States that the application makes the call to answer a sampling request.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the request is not for sampling, or is from another host
    ///
    /// In C: `mcphost_call_set_request()`.
    pub fn set_request(&mut self, request: &Request) -> Result<()> {
        // SAFETY: no other thread sets the call up.
        error::check(unsafe { sys::mcphost_call_set_request(self.call.as_ptr(), request.as_ptr()) })
    }

    /// Sets members of the request's `_meta`, a JSON object.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the text is not a JSON object, or has a member that
    ///   belongs to the protocol
    /// - [`ErrorCode::LIMIT`]: the object is nested deeper than 512 levels
    /// - [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_call_set_meta()`.
    pub fn set_meta(&mut self, json: &str) -> Result<()> {
        let mut err = error::Slot::new();
        // SAFETY: no other thread sets the call up.
        let r = unsafe {
            sys::mcphost_call_set_meta(
                self.call.as_ptr(),
                json.as_ptr().cast(),
                json.len(),
                err.out(),
            )
        };
        error::check_with(r, err)
    }

    /// Asks the server to run the call as a task, and to keep the task for a time.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the time is shorter than a millisecond
    ///
    /// In C: `mcphost_call_set_task()`.
    pub fn set_task(&mut self, ttl: Duration) -> Result<()> {
        let ttl = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
        // SAFETY: no other thread sets the call up.
        error::check(unsafe { sys::mcphost_call_set_task(self.call.as_ptr(), ttl) })
    }

    /// Returns the handle of the call, for the getters of the call.
    pub fn handle(&self) -> &CallHandle {
        &self.call
    }

    /// Starts the call.
    ///
    /// The [`Call`] is a future, which any executor may poll.  [`Call::wait`] blocks
    /// until the call has ended.  Dropping the [`Call`] cancels the call.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`]
    ///
    /// In C: `mcphost_call_start()`.
    pub fn start(self) -> Result<Call> {
        let state = Arc::new(State::default());
        let arg = callback::arg(Notice(state.clone()));
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_call_start(
                self.call.as_ptr(),
                Some(on_notice),
                arg,
                Some(callback::free::<Notice>),
            )
        })?;
        Ok(Call { call: self.call, dialog: self.dialog, state, is_detached: false })
    }

    /// Starts the call.  When the call has ended, `f` runs on the thread that dispatches.
    ///
    /// The call continues if the handle is dropped.  The call holds its dialog until the
    /// call has ended.
    ///
    /// # Errors
    ///
    /// The errors of [`CallSetup::start`].
    pub fn start_with<F>(self, f: F) -> Result<CallHandle>
    where
        F: FnOnce(&CallHandle) + Send + 'static,
    {
        let arg = callback::arg(Once::new((f, self.dialog)));
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_call_start(
                self.call.as_ptr(),
                Some(on_done::<F>),
                arg,
                Some(callback::free::<Once<(F, Dialog)>>),
            )
        })?;
        Ok(self.call)
    }

    /// Starts the call and blocks until the call has ended.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::BUSY`]: a callback runs this method
    /// - [`ErrorCode::WOKEN`]: [`Host::wake`](crate::Host::wake) ended the wait
    /// - other errors of [`CallSetup::start`] and [`Call::wait`]
    /// - the error with which the call ended
    ///
    /// If the wait fails, the call is cancelled.
    pub fn run(self) -> Result<CallResult> {
        // SAFETY: the call lives.
        error::check(unsafe {
            sys::mcphost_call_start(self.call.as_ptr(), None, ptr::null_mut(), None)
        })?;
        let call = Call {
            call: self.call,
            dialog: self.dialog,
            state: Arc::new(State::default()),
            is_detached: false,
        };
        while !call.wait(None)? {}
        call.result()
    }
}

impl fmt::Debug for CallSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallSetup").field(&self.call).finish()
    }
}

/// The state that the future shares with the argument of the library's callback.
#[derive(Default)]
struct State(Mutex<Stage>);

#[derive(Default)]
struct Stage {
    waker: Option<Waker>,
    /// The call has ended, or the library has dropped the argument of its callback.
    is_over: bool,
    /// The dialog of a detached call.  The call holds the dialog until the call has
    /// ended.
    dialog: Option<Dialog>,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Drops the waker without the lock, because the drop may run any code.
    fn forget_waker(&self) {
        let waker = self.lock().waker.take();
        drop(waker);
    }

    fn end(&self) {
        let (waker, dialog) = {
            let mut stage = self.lock();
            stage.is_over = true;
            (stage.waker.take(), stage.dialog.take())
        };
        drop(dialog);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The argument of the library's callback.  If the host ends before the call, the library
/// drops this value, and the drop ends the future.
struct Notice(Arc<State>);

impl Drop for Notice {
    fn drop(&mut self) {
        self.0.end();
    }
}

unsafe extern "C" fn on_notice(_call: *mut sys::mcphost_call, arg: *mut c_void) {
    let notice = &*arg.cast::<Notice>();
    panics::guard((), || notice.0.end());
}

/// A call that was started: a future of its result.
///
/// The host must be driven for the call to end: by a loop that calls
/// [`Host::dispatch`](crate::Host::dispatch), by
/// [`Host::thread_start`](crate::Host::thread_start), by
/// [`Host::block_on`](crate::Host::block_on), or by a wait.
///
/// Dropping the call cancels the call.  [`Call::detach`] lets the call continue.  This
/// value holds the dialog.  Therefore the dialog stays open at least until this value is
/// dropped.  [`CallHandle`] has more methods.
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # fn start(dialog: &mcphost::Dialog) -> mcphost::Result<()> {
/// dialog.call("echo", None)?.start()?; // cancels at once
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping a call cancels it: await it, wait for it, or detach it"]
pub struct Call {
    call: CallHandle,
    dialog: Dialog,
    state: Arc<State>,
    is_detached: bool,
}

impl Call {
    /// Dispatches until the call has ended, or sleeps while another thread dispatches.
    /// Returns false if the time has passed.  `None` means no limit.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::BUSY`]: a callback runs this method
    /// - [`ErrorCode::CLOSED`]: the host ended before the call ended
    /// - [`ErrorCode::WOKEN`]: [`Host::wake`](crate::Host::wake) ended the wait
    /// - [`ErrorCode::FORKED`], [`ErrorCode::IO`]
    ///
    /// In C: `mcphost_call_wait()`.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        self.call.wait(timeout)
    }

    /// Returns how the call ended, or `None` if it has not ended.
    ///
    /// A failure that the tool itself reports is a result ([`CallResult::is_error`]), not
    /// an error.
    ///
    /// In C: `mcphost_call_get_result()` and `mcphost_call_get_error()`.
    pub fn outcome(&self) -> Option<Result<CallResult>> {
        self.call.outcome()
    }

    /// Returns the result of a call that has ended.
    fn result(&self) -> Result<CallResult> {
        self.outcome().unwrap_or_else(|| Err(Error::from_code(ErrorCode::CLOSED)))
    }

    /// Lets the call continue without this value.  The dialog stays open until the call
    /// has ended.
    pub fn detach(mut self) -> CallHandle {
        self.is_detached = true;
        let dialog = self.dialog.clone();
        {
            let mut stage = self.state.lock();
            if !stage.is_over {
                stage.dialog = Some(dialog);
            }
        }
        self.call.clone()
    }
}

impl Deref for Call {
    type Target = CallHandle;

    fn deref(&self) -> &CallHandle {
        &self.call
    }
}

impl Future for Call {
    type Output = Result<CallResult>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Clone and drop wakers without the lock, because a clone or a drop may run any
        // code.
        let is_kept =
            |w: &Option<Waker>| w.as_ref().map_or(false, |w| w.will_wake(context.waker()));
        if is_kept(&self.state.lock().waker) {
            return Poll::Pending;
        }
        let mut waker = Some(context.waker().clone());
        let is_over = {
            let mut stage = self.state.lock();
            if !stage.is_over {
                std::mem::swap(&mut stage.waker, &mut waker);
            }
            stage.is_over
        };
        drop(waker);
        if is_over {
            Poll::Ready(self.result())
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.state.forget_waker();
        if !self.is_detached && !self.call.is_done() {
            // Ignore the error of a call that has ended, or whose host has ended.
            let _ = self.call.cancel();
        }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("call", &self.call).field("done", &self.is_done()).finish()
    }
}

unsafe extern "C" fn on_cancelled<F: FnOnce(&CallHandle)>(
    call: *mut sys::mcphost_call,
    arg: *mut c_void,
) {
    let once = &*arg.cast::<Once<F>>();
    panics::guard((), || {
        if let (Some(f), Some(call)) = (once.take(), CallHandle::borrowed(call)) {
            f(&call);
        }
    });
}

impl CallHandle {
    /// Dispatches until the call has ended, as [`Call::wait`] does.
    ///
    /// # Errors
    ///
    /// The errors of [`Call::wait`], and [`ErrorCode::STATE`]: the call has not been
    /// started.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        let ms = text::ms(timeout);
        // SAFETY: the call lives.
        let r = panics::driving(|| unsafe { sys::mcphost_call_wait(self.as_ptr(), ms) });
        error::check(r)?;
        Ok(r != 0)
    }

    /// Returns how the call ended, or `None` if it has not ended.
    ///
    /// In C: `mcphost_call_get_result()` and `mcphost_call_get_error()`.
    pub fn outcome(&self) -> Option<Result<CallResult>> {
        // SAFETY: the call lives, and so do its result and its error.
        let result = unsafe { CallResult::borrowed(sys::mcphost_call_get_result(self.as_ptr())) };
        if let Some(result) = result {
            return Some(Ok(result));
        }
        // SAFETY: as above.
        unsafe { Error::borrowed(sys::mcphost_call_get_error(self.as_ptr())) }.map(Err)
    }

    /// Reports the progress of a call of a built-in tool.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: a number is not finite, or the message has a NUL
    /// - [`ErrorCode::STATE`]: the call is not a call of a built-in tool, or is over
    /// - [`ErrorCode::LIMIT`]: the message is longer than 64 KiB
    /// - [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_call_report_progress()`.
    pub fn report_progress(
        &self,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<()> {
        let (message, len) = text::parts(message.map(str::as_bytes));
        let total = total.unwrap_or(f64::NAN);
        // SAFETY: the message lives until the function has returned.
        error::check(unsafe {
            sys::mcphost_call_report_progress(self.as_ptr(), progress, total, message, len)
        })
    }

    /// Sets a function that runs once if the call of a built-in tool ends early, before
    /// the tool has answered the call.  The call ends early if it is cancelled, if its
    /// time is over, or if its dialog or host is closed.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::STATE`]: the call is not a call of a built-in tool, or is over
    /// - [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_call_set_cancelled()`.
    pub fn set_cancelled<F>(&self, f: F) -> Result<()>
    where
        F: FnOnce(&CallHandle) + Send + 'static,
    {
        let (fn_, free) = (on_cancelled::<F>, callback::free::<Once<F>>);
        let arg = callback::arg(Once::new(f));
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_call_set_cancelled(self.as_ptr(), fn_, arg, Some(free))
        })
    }
}
