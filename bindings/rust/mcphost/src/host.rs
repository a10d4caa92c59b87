// SPDX-License-Identifier: MIT
//! host.rs - hosts, and their methods that take closures, descriptors and futures.

use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::io::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::process;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, ThreadId};

use crate::callback;
use crate::error::{self, Result};
use crate::panics;
use crate::sys;
use crate::text;
use crate::{BeforeCall, CallHandle, ErrorCode, Event, LogLevel, Request};

/// A host: it owns servers, views, dialogs and calls.
///
/// A clone is another reference to the same host.  [`Host::downgrade`] makes a reference
/// that does not keep the host alive.
#[derive(Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

/// A reference that does not keep its host alive, and that closures may own.
/// [`Host::downgrade`] makes this reference.
///
/// [`WeakHost::upgrade`] fails after the last [`Host`] was dropped.
///
/// ```
/// use mcphost::{EventKind, Host};
///
/// # fn main() -> mcphost::Result<()> {
/// let host = Host::new()?;
/// let weak = host.downgrade();
/// host.set_event(move |event| {
///     if let (EventKind::SERVER, Some(host)) = (event.kind(), weak.upgrade()) {
///         let _ = host.reload();
///     }
/// })?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct WeakHost {
    inner: Weak<Inner>,
}

/// The reference that the clones of a host share.
struct Inner {
    raw: NonNull<sys::mcphost>,
    /// The first panic on the library's thread.
    kept: Arc<panics::Kept>,
    /// The id of the process in which `panics::remember()` was called for the host, or 0.
    remembered_in: AtomicU32,
}

// SAFETY: any thread may use a host.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        // Do not call `panics::forget()` in a forked child, because another thread may
        // have held the lock of `panics` at the fork.
        if *self.remembered_in.get_mut() == process::id() {
            panics::forget(&self.kept);
        }
        // SAFETY: this value has a reference.
        unsafe {
            sys::mcphost_unref(self.raw.as_ptr());
        }
    }
}

impl Host {
    /// Takes over a reference that a function has stored.
    ///
    /// # Safety
    ///
    /// `raw` is a host, and the caller has a reference that this value takes over.
    pub(crate) unsafe fn owned(raw: *mut sys::mcphost) -> Host {
        match NonNull::new(raw) {
            Some(raw) => Host {
                inner: Arc::new(Inner { raw, kept: Arc::default(), remembered_in: 0.into() }),
            },
            None => panic!("the library has stored no handle"),
        }
    }

    /// Returns the handle for functions of `mcphost-sys`.  The handle is valid as long as
    /// this value lives.
    pub fn as_ptr(&self) -> *mut sys::mcphost {
        self.inner.raw.as_ptr()
    }

    /// Gives a reference to the caller.  The caller drops the reference with
    /// `mcphost_unref()`.
    pub fn into_raw(self) -> *mut sys::mcphost {
        // SAFETY: the host lives.
        unsafe { sys::mcphost_ref(self.as_ptr()) }
    }

    /// Takes over a reference, for example the result of `into_raw()`.
    ///
    /// [`WeakHost`]s and kept panics belong to the value that is made here and to its
    /// clones.
    ///
    /// # Safety
    ///
    /// `raw` is a host and not NULL.  The caller has a reference that this value takes
    /// over.
    pub unsafe fn from_raw(raw: *mut sys::mcphost) -> Host {
        Host::owned(raw)
    }

    /// Makes a reference that does not keep the host alive.
    ///
    /// The host owns its closures.  A closure that owns a `Host` keeps the host, and with
    /// it the servers, for ever.  Let the closure own a `WeakHost` instead.
    pub fn downgrade(&self) -> WeakHost {
        WeakHost { inner: Arc::downgrade(&self.inner) }
    }

    /// Runs `f`, which drives the host.  If a closure has panicked, resumes the panic.
    pub(crate) fn driving<R>(&self, f: impl FnOnce() -> R) -> R {
        panics::driving_host(&self.inner.kept, f)
    }

    /// Lets a thread of the library dispatch.
    ///
    /// The closures of the host then run on that thread.  All signals are blocked on the
    /// thread.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::STATE`]: the thread runs already, or a driver is declared
    /// - [`ErrorCode::LIMIT`]: the library cannot make a thread
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`]
    ///
    /// In C: `mcphost_thread_start()`.
    pub fn thread_start(&self) -> Result<()> {
        let inner = &self.inner;
        let here = process::id();
        let order = Ordering::SeqCst;
        if inner.remembered_in.compare_exchange(0, here, order, order).is_ok() {
            // SAFETY: the host lives until `inner` is dropped, which forgets the host.
            unsafe { panics::remember(inner.raw, &inner.kept) };
        }
        // SAFETY: the host lives.
        error::check(unsafe { sys::mcphost_thread_start(self.as_ptr()) })
    }
}

impl PartialEq for Host {
    /// Two values are equal if they refer to the same host.
    fn eq(&self, other: &Host) -> bool {
        self.inner.raw == other.inner.raw
    }
}

impl Eq for Host {}

impl Hash for Host {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.raw.hash(state);
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").field(&self.inner.raw).finish()
    }
}

impl WeakHost {
    /// Returns the host, or `None` if its last [`Host`] was dropped.
    ///
    /// If all other [`Host`]s are dropped in the meantime, the drop of the returned value
    /// ends the host.
    pub fn upgrade(&self) -> Option<Host> {
        self.inner.upgrade().map(|inner| Host { inner })
    }
}

impl fmt::Debug for WeakHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakHost")
    }
}

/// A line of the log.
#[derive(Clone, Copy, Debug)]
pub struct LogLine<'a> {
    /// The level of the line.
    pub level: LogLevel,
    /// The part of the library that wrote the line, such as `"pool"`.
    pub room: &'a str,
    /// The id of the server that the line is about.
    pub server: Option<&'a str>,
    /// The line, without a line break.
    pub text: &'a str,
}

unsafe extern "C" fn on_event<F: Fn(&Event)>(event: *const sys::mcphost_event, arg: *mut c_void) {
    let f = &*arg.cast::<F>();
    panics::guard((), || {
        if let Some(event) = Event::borrowed(event as *mut _) {
            f(&event);
        }
    });
}

unsafe extern "C" fn on_log<F: Fn(&LogLine<'_>)>(
    level: c_int,
    room: *const c_char,
    server: *const c_char,
    line: *const c_char,
    arg: *mut c_void,
) {
    let f = &*arg.cast::<F>();
    panics::guard((), || {
        f(&LogLine {
            level: LogLevel(level),
            room: text::ended(room).unwrap_or(""),
            server: text::ended(server),
            text: text::ended(line).unwrap_or(""),
        })
    });
}

unsafe extern "C" fn on_before_call<F>(call: *mut sys::mcphost_call, arg: *mut c_void) -> c_int
where
    F: Fn(&CallHandle) -> Result<BeforeCall>,
{
    let f = &*arg.cast::<F>();
    panics::guard(ErrorCode::DENIED.0, || match CallHandle::borrowed(call).map(|c| f(&c)) {
        Some(Ok(decision)) => decision.0,
        Some(Err(error)) => error.code_below_zero(),
        None => ErrorCode::DENIED.0,
    })
}

unsafe extern "C" fn on_trace_context<F>(call: *mut sys::mcphost_call, arg: *mut c_void)
where
    F: Fn(&CallHandle),
{
    let f = &*arg.cast::<F>();
    panics::guard((), || {
        if let Some(call) = CallHandle::borrowed(call) {
            f(&call);
        }
    });
}

pub(crate) unsafe extern "C" fn on_sample<F>(request: *mut sys::mcphost_request, arg: *mut c_void)
where
    F: Fn(&Request),
{
    let f = &*arg.cast::<F>();
    panics::guard((), || {
        if let Some(request) = Request::borrowed(request) {
            f(&request);
        }
    });
}

/// Wakes the thread in [`Host::block_on`].
///
/// A call may keep the waker after `block_on` has returned.  Therefore the waker must not
/// keep the host alive.
struct HostWaker {
    host: WeakHost,
    thread: ThreadId,
    is_woken: AtomicBool,
    /// The thread waits for the host, or is about to begin to wait.
    is_waiting: AtomicBool,
}

impl Wake for HostWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_woken.swap(true, Ordering::SeqCst) {
            return;
        }
        // Do not end a wait of this thread: the wait runs the closure that wakes the
        // future, and returns when the closure has returned.
        if thread::current().id() == self.thread {
            return;
        }
        if self.is_waiting.load(Ordering::SeqCst) {
            if let Some(host) = self.host.upgrade() {
                // Ignore the error: only a forked child gets an error, and a forked child
                // has no waits.
                let _ = host.wake();
            }
        }
    }
}

impl Host {
    /// Makes a host that follows the configuration file of a workspace,
    /// `DIR/.minds/mcp.yaml`.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::new`] and [`Host::load_workspace`].
    ///
    /// ```
    /// let dir = std::env::temp_dir();
    /// let host = mcphost::Host::workspace(&dir)?;
    /// host.wait_ready(None)?;
    /// # Ok::<(), mcphost::Error>(())
    /// ```
    pub fn workspace(dir: impl AsRef<std::path::Path>) -> Result<Host> {
        let host = Host::new()?;
        host.load_workspace(dir, None)?;
        Ok(host)
    }

    /// Returns the descriptor to poll for input.  Call [`Host::dispatch`] when the
    /// descriptor is readable.  The descriptor is the same for the whole life of the
    /// host.  Do not read, write or close the descriptor.  `AsFd` and `AsRawFd` return
    /// it, too.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::FORKED`]
    ///
    /// In C: `mcphost_get_fd()`.
    pub fn fd(&self) -> Result<RawFd> {
        // SAFETY: the host lives.
        let fd = unsafe { sys::mcphost_get_fd(self.as_ptr()) };
        error::check(fd)?;
        Ok(fd)
    }

    /// Dispatches until the host has nothing left to do at once, and returns true.  Returns
    /// false if the host is closed and has nothing left to deliver.
    ///
    /// An edge-triggered loop needs this function.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::dispatch`].
    pub fn dispatch_all(&self) -> Result<bool> {
        loop {
            match self.dispatch() {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                Err(e) if e.code() == ErrorCode::CLOSED => return Ok(false),
                Err(e) => return Err(e),
            }
        }
    }

    /// Ends the host in good order: closes it, and dispatches until everything has ended.
    ///
    /// If another thread dispatches, for example the thread of [`Host::thread_start`] or
    /// of a loop, this function sleeps until that thread has ended the host.  A thread
    /// that dispatches must continue until [`Host::dispatch`] fails with
    /// [`ErrorCode::CLOSED`].  Therefore call this function first, and then join the
    /// thread.  [`Host::thread_stop`] may come before or after this function.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::close`] and [`Host::wait`], except [`ErrorCode::CLOSED`] and
    /// [`ErrorCode::WOKEN`].  In a closure of the host, this function closes the host and
    /// fails with [`ErrorCode::BUSY`], because the closure cannot wait.
    pub fn shutdown(&self) -> Result<()> {
        self.close()?;
        loop {
            match self.wait(None) {
                Ok(_) => {}
                Err(e) if e.code() == ErrorCode::CLOSED => return Ok(()),
                Err(e) if e.code() == ErrorCode::WOKEN => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Runs a future on this thread, and drives the host until the future is ready.
    ///
    /// A program without an executor awaits its calls this way.  If another thread drives
    /// the host, for example the thread of [`Host::thread_start`], this function sleeps
    /// until the future is woken.
    ///
    /// If another thread wakes the future while this thread waits, the waker calls
    /// [`Host::wake`].  Then the waits of other threads on this host end with
    /// [`ErrorCode::WOKEN`], too.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::wait`], except [`ErrorCode::WOKEN`].  [`ErrorCode::BUSY`]
    /// means that a closure of the host runs this function.
    ///
    /// ```
    /// use mcphost::{Host, Provider, Feature, Dialog};
    ///
    /// # fn main() -> mcphost::Result<()> {
    /// let host = Host::new()?;
    /// let provider = Provider::new(&host.default_source(), "app")?;
    /// let tool = r#"{"name":"hello","inputSchema":{"type":"object"}}"#;
    /// provider.add(Feature::TOOL, tool, |call| call.answer_text("hello", false))?;
    /// provider.start()?;
    /// host.wait_ready(None)?;
    /// let dialog = Dialog::new(&host.default_view(), "me", None)?;
    /// let text = host.block_on(async {
    ///     let result = dialog.call("hello", None)?.start()?.await?;
    ///     Ok::<String, mcphost::Error>(result.text())
    /// })??;
    /// assert_eq!(text, "hello");
    /// # Ok(())
    /// # }
    /// ```
    pub fn block_on<F: Future>(&self, future: F) -> Result<F::Output> {
        let waker = Arc::new(HostWaker {
            host: self.downgrade(),
            thread: thread::current().id(),
            is_woken: AtomicBool::new(true),
            is_waiting: AtomicBool::new(false),
        });
        let mut future = Box::pin(future);
        let context_waker = Waker::from(waker.clone());
        let mut context = Context::from_waker(&context_waker);
        loop {
            if waker.is_woken.swap(false, Ordering::SeqCst) {
                if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                    return Ok(value);
                }
                continue;
            }
            waker.is_waiting.store(true, Ordering::SeqCst);
            let waited =
                if waker.is_woken.load(Ordering::SeqCst) { Ok(true) } else { self.wait(None) };
            waker.is_waiting.store(false, Ordering::SeqCst);
            match waited {
                Ok(_) => {}
                Err(e) if e.code() == ErrorCode::WOKEN => {}
                Err(e) => {
                    if !waker.is_woken.load(Ordering::SeqCst) {
                        return Err(e);
                    }
                }
            }
        }
    }

    /// Sets the function that receives the events of the host.
    ///
    /// The function runs on the thread that dispatches, with no lock of the library held.
    /// It may call the library, except the functions that dispatch.  A clone of the event
    /// may be kept and sent to another thread.  Without a function, the host reports no
    /// events.
    ///
    /// Requests of servers, such as forms, come as events only if
    /// [`Setting::REQUESTS`](crate::Setting::REQUESTS) has their kind.
    ///
    /// A closure that owns a `Host` keeps the host for ever.  Let it own a [`WeakHost`]
    /// instead.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_set_event()`.
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use mcphost::{EventKind, Host};
    ///
    /// # fn main() -> mcphost::Result<()> {
    /// let host = Host::new()?;
    /// let (sender, events) = mpsc::channel();
    /// let sender = std::sync::Mutex::new(sender);
    /// host.set_event(move |event| drop(sender.lock().unwrap().send(event.clone())))?;
    /// host.shutdown()?;
    /// assert!(events.try_iter().any(|event| event.kind() == EventKind::CLOSED));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_event<F: Fn(&Event) + Send + Sync + 'static>(&self, f: F) -> Result<()> {
        let arg = callback::arg(f);
        // SAFETY: the library owns `arg` and frees it.
        error::check(unsafe {
            sys::mcphost_set_event(
                self.as_ptr(),
                Some(on_event::<F>),
                arg,
                Some(callback::free::<F>),
            )
        })
    }

    /// Removes the function that receives the events.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::set_event`].
    pub fn clear_event(&self) -> Result<()> {
        // SAFETY: the host lives.
        error::check(unsafe { sys::mcphost_set_event(self.as_ptr(), None, ptr::null_mut(), None) })
    }

    /// Sets the function that receives the lines of the log, up to a level.
    ///
    /// The function runs on each thread that uses the host, perhaps on several at once.  It
    /// must not call functions of the host, except getters, and it must not wait.  A closure
    /// that owns a `Host` keeps the host for ever.  Let it own a [`WeakHost`] instead.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_set_log()`.
    pub fn set_log<F>(&self, level: LogLevel, f: F) -> Result<()>
    where
        F: Fn(&LogLine<'_>) + Send + Sync + 'static,
    {
        let (fn_, free) = (on_log::<F>, callback::free::<F>);
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_set_log(self.as_ptr(), level.0, Some(fn_), callback::arg(f), Some(free))
        })
    }

    /// Removes the function that receives the lines of the log.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::set_log`].
    pub fn clear_log(&self) -> Result<()> {
        let level = LogLevel::NONE.0;
        // SAFETY: the host lives.
        error::check(unsafe {
            sys::mcphost_set_log(self.as_ptr(), level, None, ptr::null_mut(), None)
        })
    }

    /// Sets the function that decides whether a call of a tool may be carried out.
    ///
    /// The function returns [`BeforeCall::GO`] to allow the call.  It returns
    /// [`BeforeCall::LATER`] if the application decides later, with
    /// [`CallHandle::allow`] or [`CallHandle::refuse`].  If it returns an error, the
    /// call ends with the code of the error.  If it panics, the call ends with
    /// [`ErrorCode::DENIED`].  A closure that owns a `Host` keeps the host for ever.
    /// Let it own a [`WeakHost`] instead.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::set_event`].
    ///
    /// In C: `mcphost_set_before_call()`.
    pub fn set_before_call<F>(&self, f: F) -> Result<()>
    where
        F: Fn(&CallHandle) -> Result<BeforeCall> + Send + Sync + 'static,
    {
        let (fn_, free) = (on_before_call::<F>, callback::free::<F>);
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_set_before_call(self.as_ptr(), Some(fn_), callback::arg(f), Some(free))
        })
    }

    /// Sets the function that may give a call its trace context
    /// ([`CallHandle::set_trace_context`]) before the call is sent.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::set_event`].
    ///
    /// In C: `mcphost_set_trace_context()`.
    pub fn set_trace_context<F>(&self, f: F) -> Result<()>
    where
        F: Fn(&CallHandle) + Send + Sync + 'static,
    {
        let (fn_, free) = (on_trace_context::<F>, callback::free::<F>);
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_set_trace_context(self.as_ptr(), Some(fn_), callback::arg(f), Some(free))
        })
    }

    /// Sets the function that answers all sampling requests.
    ///
    /// The function answers with [`Request::respond`] or [`Request::reject`], at once, or
    /// later through a clone of the request.  If the last clone is dropped without an
    /// answer, the request is rejected.  A closure that owns a `Host` keeps the host for
    /// ever.  Let it own a [`WeakHost`] instead.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::STATE`]: the host was loaded while
    ///   [`Setting::REQUESTS`](crate::Setting::REQUESTS) did not allow sampling
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_set_sampler()`.
    pub fn set_sampler<F: Fn(&Request) + Send + Sync + 'static>(&self, f: F) -> Result<()> {
        let (fn_, free) = (on_sample::<F>, callback::free::<F>);
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_set_sampler(self.as_ptr(), Some(fn_), callback::arg(f), Some(free))
        })
    }

    /// Removes the function of [`Host::set_sampler`]: sampling requests are events again.
    ///
    /// # Errors
    ///
    /// The errors of [`Host::set_sampler`].
    pub fn clear_sampler(&self) -> Result<()> {
        // SAFETY: the host lives.
        error::check(unsafe {
            sys::mcphost_set_sampler(self.as_ptr(), None, ptr::null_mut(), None)
        })
    }

    /// Replaces the environment that servers inherit by texts `NAME=value`.  `None` means
    /// the environment of the process.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: a text does not have the form `NAME=value`
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_set_environment()`.
    pub fn set_environment(&self, environment: Option<&[&str]>) -> Result<()> {
        let list = text::List::new(environment)?;
        // SAFETY: the list ends with NULL and lives until the function has returned.
        error::check(unsafe { sys::mcphost_set_environment(self.as_ptr(), list.as_ptr()) })
    }

    /// Decides which variables a model may change with the tools of `mcp_admin`.
    ///
    /// A model may change each variable that the entry of a server names, unless
    /// `refused` has the variable.  A model may also change every variable of `allowed`,
    /// even if `refused` has the variable.  An entry of a list is a name.  `*` at the
    /// beginning or at the end of a name matches any text.  Case does not matter.  `None`
    /// for `refused` means the library's list, and `None` for `allowed` means no
    /// variable.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: an entry is not the pattern of a name
    /// - [`ErrorCode::LIMIT`]: a list has more than 4096 entries
    /// - [`ErrorCode::STATE`]: the host is loaded already
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_set_admin_env()`.
    pub fn set_admin_env(&self, refused: Option<&[&str]>, allowed: Option<&[&str]>) -> Result<()> {
        let (refused, allowed) = (text::List::new(refused)?, text::List::new(allowed)?);
        // SAFETY: the lists end with NULL and live until the function has returned.
        error::check(unsafe {
            sys::mcphost_set_admin_env(self.as_ptr(), refused.as_ptr(), allowed.as_ptr())
        })
    }

    /// Gives the host the verdicts of an earlier run.  A verdict says which era of the
    /// protocol a server speaks.
    ///
    /// `json` is the text of [`Host::verdicts`] with the same salt.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: `json` is not JSON, or the salt is shorter than 16 bytes
    /// - [`ErrorCode::STATE`]: the host is loaded already
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_set_verdicts()`.
    pub fn set_verdicts(&self, salt: &[u8], json: &str) -> Result<()> {
        // SAFETY: salt and text live until the function has returned.
        error::check(unsafe {
            sys::mcphost_set_verdicts(
                self.as_ptr(),
                salt.as_ptr().cast(),
                salt.len(),
                json.as_ptr().cast(),
                json.len(),
            )
        })
    }

    /// Returns the verdicts, as JSON.  A verdict says which era of the protocol a server
    /// speaks.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the salt is shorter than 16 bytes
    /// - [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_get_verdicts()`.
    pub fn verdicts(&self, salt: &[u8]) -> Result<String> {
        let (mut json, mut len) = (ptr::null_mut(), 0);
        // SAFETY: the salt lives until the function has returned.
        error::check(unsafe {
            sys::mcphost_get_verdicts(
                self.as_ptr(),
                salt.as_ptr().cast(),
                salt.len(),
                &mut json,
                &mut len,
            )
        })?;
        // SAFETY: the function has stored a text that belongs to the caller.
        Ok(unsafe { text::take(json, len) })
    }
}

impl AsRawFd for Host {
    /// Returns the descriptor to poll, or -1 in a forked child.
    fn as_raw_fd(&self) -> RawFd {
        self.fd().unwrap_or(-1)
    }
}

impl AsFd for Host {
    /// Returns the descriptor to poll.
    ///
    /// # Panics
    ///
    /// Panics in a forked child, because its host has no descriptor.
    fn as_fd(&self) -> BorrowedFd<'_> {
        let fd = self.fd().expect("a host in a forked child has no descriptor");
        // SAFETY: the descriptor is open as long as the host lives.
        unsafe { BorrowedFd::borrow_raw(fd) }
    }
}
