// SPDX-License-Identifier: MIT
//! provider.rs - the application's own tools, resources and prompts.

use std::os::raw::{c_char, c_int, c_void};
use std::sync::Arc;

use crate::callback::{self, Once};
use crate::error::{self, Error, Result};
use crate::host::on_sample;
use crate::panics;
use crate::sys;
use crate::text;
use crate::{
    Builtins, CallHandle, ErrorCode, Feature, Provider, ProviderCall, Request, RequestKind, Source,
    View,
};

/// The code of a call that fails because its function has panicked.
const PANICKED: c_int = sys::MCPHOST_E_STATE;

/// A server inside the process, implemented by a single value.
///
/// [`Provider::serve`] adds its features and starts it.
///
/// ```
/// use mcphost::{Dialog, Feature, Host, Provider, ProviderCall, Result, Serve};
///
/// struct Clock;
///
/// impl Serve for Clock {
///     fn features(&self) -> Vec<(Feature, String)> {
///         let tool = r#"{"name":"now","inputSchema":{"type":"object"}}"#;
///         vec![(Feature::TOOL, tool.into())]
///     }
///
///     fn call(&self, call: &ProviderCall) -> Result<()> {
///         call.answer_text("noon", false)
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let host = Host::new()?;
/// let _provider = Provider::serve(&host.default_source(), "clock", Clock)?;
/// host.wait_ready(None)?;
/// let dialog = Dialog::new(&host.default_view(), "me", None)?;
/// assert_eq!(dialog.call("now", None)?.run()?.text(), "noon");
/// # Ok(())
/// # }
/// ```
pub trait Serve: Send + Sync + 'static {
    /// Returns the kind and the definition of each feature, as [`Provider::add`] takes
    /// them.
    fn features(&self) -> Vec<(Feature, String)>;

    /// Carries out a request: a call of a tool, a read of a resource, or a prompt.
    ///
    /// Answer `call` at once, or later through a clone of `call`.
    ///
    /// # Errors
    ///
    /// Any error.  The message of an error of [`Error::new`] becomes the answer: the result
    /// of a tool that has failed, or a JSON-RPC error for a resource or a prompt.  Any other
    /// error fails the call with its code alone.
    fn call(&self, call: &ProviderCall) -> Result<()>;

    /// Returns the prompts and templates whose arguments [`Serve::complete`] completes:
    /// for each, the kind, and the name or the URI template.
    fn completed(&self) -> Vec<(Feature, String)> {
        Vec::new()
    }

    /// Completes an argument of a prompt, or a variable of a template.
    ///
    /// # Errors
    ///
    /// Any error.
    fn complete(&self, call: &ProviderCall) -> Result<()> {
        call.answer(r#"{"completion":{"values":[]}}"#)
    }

    /// Sets the provider up, before it gets a request.
    ///
    /// # Errors
    ///
    /// Any error.  The status of the server shows the error.
    fn setup(&self, _provider: &Provider) -> Result<()> {
        Ok(())
    }

    /// Tears the provider down, after the last request.
    fn teardown(&self, _provider: &Provider) {}
}

unsafe extern "C" fn on_provide<F>(call: *mut sys::mcphost_provider_call, arg: *mut c_void) -> c_int
where
    F: Fn(&ProviderCall) -> Result<()>,
{
    let f = &*arg.cast::<F>();
    panics::guard(PANICKED, || {
        let call = match ProviderCall::borrowed(call) {
            Some(call) => call,
            None => return 0,
        };
        match f(&call) {
            Err(error) if fail_with_own(&call, &error) => 0,
            Err(error) => error.code_below_zero(),
            Ok(()) => 0,
        }
    })
}

/// The JSON-RPC code of an error that the provider has created.
const INTERNAL_ERROR: i64 = -32603;

/// Fails a call with the error's message if the application created the [`Error`].  The
/// message becomes the result of a tool, or the JSON-RPC error of another feature.
/// Returns true if the call was answered.
fn fail_with_own(call: &ProviderCall, error: &Error) -> bool {
    error.own_message().map_or(false, |text| {
        let answered = if call.feature() == Feature::TOOL {
            call.answer_text(text, true)
        } else {
            call.fail(INTERNAL_ERROR, text, None)
        };
        answered.is_ok()
    })
}

/// Answers with the error's message if the application created the [`Error`].  Returns true
/// if the call was answered.
fn answer_own(call: &CallHandle, error: &Error) -> bool {
    error.own_message().map_or(false, |text| call.answer(text, true).is_ok())
}

unsafe extern "C" fn on_builtin<F>(
    call: *mut sys::mcphost_call,
    arguments: *const c_char,
    arguments_len: usize,
    arg: *mut c_void,
) -> c_int
where
    F: Fn(&CallHandle, &str) -> Result<()>,
{
    let f = &*arg.cast::<F>();
    panics::guard(PANICKED, || {
        let arguments = text::sized(arguments, arguments_len).unwrap_or("{}");
        let call = match CallHandle::borrowed(call) {
            Some(call) => call,
            None => return 0,
        };
        match f(&call, arguments) {
            Err(error) if answer_own(&call, &error) => 0,
            Err(error) => error.code_below_zero(),
            Ok(()) => 0,
        }
    })
}

struct Life<S, T> {
    setup: S,
    teardown: T,
}

unsafe extern "C" fn on_setup<S, T>(
    provider: *mut sys::mcphost_provider,
    arg: *mut c_void,
    reterr: *mut *mut sys::mcphost_error,
) -> c_int
where
    S: Fn(&Provider) -> Result<()>,
{
    let life = &*arg.cast::<Life<S, T>>();
    panics::guard(PANICKED, || match Provider::borrowed(provider).map(|p| (life.setup)(&p)) {
        Some(Err(error)) => error.store(reterr),
        _ => 0,
    })
}

unsafe extern "C" fn on_teardown<S, T>(provider: *mut sys::mcphost_provider, arg: *mut c_void)
where
    T: Fn(&Provider),
{
    let life = &*arg.cast::<Life<S, T>>();
    panics::guard((), || {
        if let Some(provider) = Provider::borrowed(provider) {
            (life.teardown)(&provider);
        }
    });
}

unsafe extern "C" fn on_answered<F>(
    call: *mut sys::mcphost_provider_call,
    code: c_int,
    json: *const c_char,
    len: usize,
    error: *const sys::mcphost_error,
    arg: *mut c_void,
) where
    F: FnOnce(&ProviderCall, Result<&str>),
{
    let once = &*arg.cast::<Once<F>>();
    panics::guard((), || {
        let answer = match text::sized(json, len) {
            Some(json) if code >= 0 => Ok(json),
            _ => Err(Error::borrowed(error as *mut _)
                .unwrap_or_else(|| Error::from_code(ErrorCode(code)))),
        };
        if let (Some(f), Some(call)) = (once.take(), ProviderCall::borrowed(call)) {
            f(&call, answer);
        }
    });
}

unsafe extern "C" fn on_unwanted<F>(call: *mut sys::mcphost_provider_call, arg: *mut c_void)
where
    F: FnOnce(&ProviderCall),
{
    let once = &*arg.cast::<Once<F>>();
    panics::guard((), || {
        if let (Some(f), Some(call)) = (once.take(), ProviderCall::borrowed(call)) {
            f(&call);
        }
    });
}

impl Provider {
    /// Makes a provider from a value, adds the features of the value, and starts the
    /// provider.
    ///
    /// # Errors
    ///
    /// The errors of [`Provider::new`], [`Provider::add`] and [`Provider::start`].
    pub fn serve(source: &Source, id: &str, service: impl Serve) -> Result<Provider> {
        let provider = Provider::new(source, id)?;
        let service = Arc::new(service);
        for (feature, definition) in service.features() {
            let carried_out_by = service.clone();
            provider.add(feature, &definition, move |call| carried_out_by.call(call))?;
        }
        for (feature, name) in service.completed() {
            let completed_by = service.clone();
            provider.set_completion(feature, &name, move |call| completed_by.complete(call))?;
        }
        let torn_down = service.clone();
        provider.set_life(move |p| service.setup(p), move |p| torn_down.teardown(p))?;
        provider.start()?;
        Ok(provider)
    }

    /// Adds a tool, a resource, a resource template or a prompt.  `definition` is the
    /// JSON object with which a server lists this feature.
    ///
    /// `f` carries out the requests, on the thread that dispatches.  It answers the call
    /// at once, or later through a clone of the call.  [`Serve::call`] describes the
    /// effect of an error.  If `f` panics, the call fails.  A call holds `f`.  If `f`
    /// keeps clones of calls in a list of its own, empty the list: otherwise `f` and
    /// these calls are never freed.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the definition is wrong, and the error says where
    /// - [`ErrorCode::LIMIT`]: the definition is too large, or the provider has 100,000
    ///   features
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_provider_add()`.
    pub fn add<F>(&self, feature: Feature, definition: &str, f: F) -> Result<()>
    where
        F: Fn(&ProviderCall) -> Result<()> + Send + Sync + 'static,
    {
        let mut err = error::Slot::new();
        // SAFETY: the library owns the argument and frees it.
        let r = unsafe {
            sys::mcphost_provider_add(
                self.as_ptr(),
                feature.0,
                definition.as_ptr().cast(),
                definition.len(),
                on_provide::<F>,
                callback::arg(f),
                Some(callback::free::<F>),
                err.out(),
            )
        };
        error::check_with(r, err)
    }

    /// Sets the function that completes the arguments of a prompt
    /// ([`Feature::PROMPT`]), or the variables of a template ([`Feature::TEMPLATE`]).
    ///
    /// The function answers with a whole result, such as
    /// `{"completion":{"values":["one"]}}`.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`], [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`],
    ///   [`ErrorCode::NOMEM`]
    /// - [`ErrorCode::NOTFOUND`]: the provider has no prompt or template of this name
    ///
    /// In C: `mcphost_provider_set_completion()`.
    pub fn set_completion<F>(&self, feature: Feature, name: &str, f: F) -> Result<()>
    where
        F: Fn(&ProviderCall) -> Result<()> + Send + Sync + 'static,
    {
        let name = text::c(name)?;
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_provider_set_completion(
                self.as_ptr(),
                feature.0,
                name.as_ptr(),
                on_provide::<F>,
                callback::arg(f),
                Some(callback::free::<F>),
            )
        })
    }

    /// Sets the functions that begin and end the provider.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::STATE`]: the provider has been started or closed, or belongs to a
    ///   plugin
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_provider_set_life()`.
    pub fn set_life<S, T>(&self, setup: S, teardown: T) -> Result<()>
    where
        S: Fn(&Provider) -> Result<()> + Send + Sync + 'static,
        T: Fn(&Provider) + Send + Sync + 'static,
    {
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_provider_set_life(
                self.as_ptr(),
                Some(on_setup::<S, T>),
                Some(on_teardown::<S, T>),
                callback::arg(Life { setup, teardown }),
                Some(callback::free::<Life<S, T>>),
            )
        })
    }

    /// Sets the function that answers the sampling requests of a host, for a plugin of
    /// the kind [`PluginKind::SAMPLING`](crate::PluginKind::SAMPLING).
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the provider does not belong to a plugin of this kind
    /// - [`ErrorCode::EXISTS`]: the host already has a sampler
    /// - [`ErrorCode::STATE`]: servers know that the host answers no sampling requests
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_provider_set_sampler()`.
    pub fn set_sampler<F: Fn(&Request) + Send + Sync + 'static>(&self, f: F) -> Result<()> {
        let mut err = error::Slot::new();
        // SAFETY: the library owns the argument and frees it.
        let r = unsafe {
            sys::mcphost_provider_set_sampler(
                self.as_ptr(),
                on_sample::<F>,
                callback::arg(f),
                Some(callback::free::<F>),
                err.out(),
            )
        };
        error::check_with(r, err)
    }
}

impl ProviderCall {
    /// Asks the client side a question during the call.  The client side is the
    /// application, or the MCP client for which the host makes the call.
    ///
    /// `kind` is [`RequestKind::FORM`], [`RequestKind::URL`], [`RequestKind::SAMPLING`] or
    /// [`RequestKind::ROOTS`].  `params` is a JSON object with the parameters.  `f` gets the
    /// answer, as JSON, on the thread that dispatches.  If the call ends first, `f` gets
    /// [`ErrorCode::CANCELLED`].
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: a provider cannot send requests of this kind, or
    ///   `params` is no JSON object
    /// - [`ErrorCode::DENIED`]: the client side does not answer requests of this kind
    /// - [`ErrorCode::STATE`]: the call has been answered, or is over
    /// - [`ErrorCode::LIMIT`]: 16 requests of the call are open, or `params` is too large
    /// - [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_provider_call_ask()`.
    pub fn ask<F>(&self, kind: RequestKind, params: Option<&str>, f: F) -> Result<()>
    where
        F: FnOnce(&ProviderCall, Result<&str>) + Send + 'static,
    {
        let (params, len) = text::parts(params.map(str::as_bytes));
        let mut err = error::Slot::new();
        // SAFETY: the library owns the argument and frees it.
        let r = unsafe {
            sys::mcphost_provider_call_ask(
                self.as_ptr(),
                kind.0,
                params,
                len,
                on_answered::<F>,
                callback::arg(Once::new(f)),
                Some(callback::free::<Once<F>>),
                err.out(),
            )
        };
        error::check_with(r, err)
    }

    /// Asks the client side for a message of its model, as [`ProviderCall::ask`] does with
    /// [`RequestKind::SAMPLING`].
    ///
    /// # Errors
    ///
    /// The errors of [`ProviderCall::ask`].
    ///
    /// In C: `mcphost_provider_request_sampling()`.
    pub fn request_sampling<F>(&self, params: &str, f: F) -> Result<()>
    where
        F: FnOnce(&ProviderCall, Result<&str>) + Send + 'static,
    {
        let mut err = error::Slot::new();
        // SAFETY: the library owns the argument and frees it.
        let r = unsafe {
            sys::mcphost_provider_request_sampling(
                self.as_ptr(),
                params.as_ptr().cast(),
                params.len(),
                on_answered::<F>,
                callback::arg(Once::new(f)),
                Some(callback::free::<Once<F>>),
                err.out(),
            )
        };
        error::check_with(r, err)
    }

    /// Sets a function that runs once when the answer is no longer needed.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::STATE`]: the call has been answered, or is over
    /// - [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_provider_call_set_cancelled()`.
    pub fn set_cancelled<F: FnOnce(&ProviderCall) + Send + 'static>(&self, f: F) -> Result<()> {
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_provider_call_set_cancelled(
                self.as_ptr(),
                on_unwanted::<F>,
                callback::arg(Once::new(f)),
                Some(callback::free::<Once<F>>),
            )
        })
    }
}

impl Builtins {
    /// Adds a tool to the block.  `definition` is the JSON object with which a server
    /// lists the tool.
    ///
    /// `f` gets the call and its arguments, a JSON object.  It answers with
    /// [`CallHandle::answer`] or [`CallHandle::answer_result`], at once, or later through
    /// a clone of the call.
    ///
    /// If `f` fails with an error of [`Error::new`], the model gets the message: the
    /// result has this text, and its `is_error` is true.  If `f` fails with another
    /// error, the call fails with the code.  If `f` panics, the call fails.
    ///
    /// A closure that owns a [`Host`](crate::Host) keeps the host for ever.  Let
    /// it own a [`WeakHost`](crate::WeakHost) instead.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the definition is wrong
    /// - [`ErrorCode::EXISTS`]: the block has a tool of this name
    /// - [`ErrorCode::STATE`]: the block was given to a view
    /// - [`ErrorCode::LIMIT`]: the definition is too large
    /// - [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_builtins_add_tool()`.
    pub fn add_tool<F>(&mut self, definition: &str, f: F) -> Result<()>
    where
        F: Fn(&CallHandle, &str) -> Result<()> + Send + Sync + 'static,
    {
        let mut err = error::Slot::new();
        // SAFETY: the library owns the argument and frees it.
        let r = unsafe {
            sys::mcphost_builtins_add_tool(
                self.as_ptr(),
                definition.as_ptr().cast(),
                definition.len(),
                on_builtin::<F>,
                callback::arg(f),
                Some(callback::free::<F>),
                err.out(),
            )
        };
        error::check_with(r, err)
    }
}

impl View {
    /// Adds a built-in tool, which `f` carries out, as in [`Builtins::add_tool`].
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: a name or the schema is wrong, or the view shows a part
    ///   of the default view
    /// - [`ErrorCode::EXISTS`]: a built-in tool named `name`, or another block
    ///   ([`Builtins`]) with a toolset named `toolset`, is in the view or in a view
    ///   that would show the tool
    /// - [`ErrorCode::LIMIT`]: the definition is too large
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_view_add_builtin()`.
    ///
    /// ```
    /// use mcphost::{Dialog, Host};
    ///
    /// # fn main() -> mcphost::Result<()> {
    /// let host = Host::new()?;
    /// let view = host.default_view();
    /// view.add_builtin("own", "echo", None, r#"{"type":"object"}"#, |call, arguments| {
    ///     call.answer(arguments, false)
    /// })?;
    /// let dialog = Dialog::new(&view, "me", None)?;
    /// let result = dialog.call("echo", Some(r#"{"a":1}"#))?.run()?;
    /// assert_eq!(result.text(), r#"{"a":1}"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_builtin<F>(
        &self,
        toolset: &str,
        name: &str,
        description: Option<&str>,
        input_schema: &str,
        f: F,
    ) -> Result<()>
    where
        F: Fn(&CallHandle, &str) -> Result<()> + Send + Sync + 'static,
    {
        let (toolset, name) = (text::c(toolset)?, text::c(name)?);
        let (description, input_schema) = (text::opt(description)?, text::c(input_schema)?);
        let mut err = error::Slot::new();
        // SAFETY: the library owns the argument and frees it.
        let r = unsafe {
            sys::mcphost_view_add_builtin(
                self.as_ptr(),
                toolset.as_ptr(),
                name.as_ptr(),
                text::opt_ptr(&description),
                input_schema.as_ptr(),
                on_builtin::<F>,
                callback::arg(f),
                Some(callback::free::<F>),
                err.out(),
            )
        };
        error::check_with(r, err)
    }
}
