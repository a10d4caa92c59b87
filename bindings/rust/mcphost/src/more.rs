// SPDX-License-Identifier: MIT
//! more.rs - functions whose wrappers cannot be generated from their signatures.

use std::fs::File;
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::io::{AsRawFd, FromRawFd};
use std::path::Path;
use std::ptr;
use std::time::Duration;

use crate::callback::{self, Once};
use crate::error::{self, Error, Result};
use crate::panics;
use crate::sys;
use crate::text;
use crate::{
    Chatos, ChatosKind, Config, ConfigChange, ConfigHash, Era, ErrorCode, Failure, Filter,
    FilterVerdict, Retry, Schema, Serving, Source, Transform, View,
};

// ---- configurations --------------------------------------------------------------------

/// A function that makes a configuration of one server.
type MakeOne = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const *const c_char,
    *const c_char,
    *mut *mut sys::mcphost_config,
    *mut *mut sys::mcphost_error,
) -> c_int;

impl Config {
    /// Makes a configuration of one server that is started as a process.
    ///
    /// `argv` is the program and its arguments.  With `era`, the library uses that era of
    /// the protocol with the server.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the id, `argv` or `era` is not acceptable
    /// - [`ErrorCode::IO`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_config_new_stdio()` and `mcphost_config_set_era()`.
    ///
    /// ```
    /// use mcphost::{Config, Transport};
    ///
    /// let config = Config::new_stdio("files", &["/usr/bin/server", "--quiet"], None, None)?;
    /// assert_eq!(config.servers().next().unwrap().transport(), Transport::STDIO);
    /// # Ok::<(), mcphost::Error>(())
    /// ```
    pub fn new_stdio(
        id: &str,
        argv: &[&str],
        workspace: Option<&Path>,
        era: Option<Era>,
    ) -> Result<Config> {
        let (id, argv) = (text::c(id)?, text::List::new(Some(argv))?);
        let workspace = text::opt_path(workspace)?;
        let mut config = ptr::null_mut();
        let mut err = error::Slot::new();
        // SAFETY: the arguments live until the function has returned.
        let r = unsafe {
            sys::mcphost_config_new_stdio(
                id.as_ptr(),
                argv.as_ptr(),
                text::opt_ptr(&workspace),
                &mut config,
                err.out(),
            )
        };
        error::check_with(r, err)?;
        // SAFETY: the function has stored a reference.
        unsafe { Config::owned(config) }.with_era(era)
    }

    /// Makes a configuration of one server at a URL (streamable HTTP).  Each header is
    /// `Name: value`.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the id or the URL is blank, or a header is not
    ///   acceptable
    /// - [`ErrorCode::CONFIG`]: the URL is not an absolute http or https URL
    /// - [`ErrorCode::IO`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_config_new_http()` and `mcphost_config_set_era()`.
    pub fn new_http(
        id: &str,
        url: &str,
        headers: Option<&[&str]>,
        workspace: Option<&Path>,
        era: Option<Era>,
    ) -> Result<Config> {
        Config::new_url(sys::mcphost_config_new_http, id, url, headers, workspace)?.with_era(era)
    }

    /// Makes a configuration of one server at a URL that speaks HTTP+SSE of 2024-11-05.
    ///
    /// # Errors
    ///
    /// The errors of [`Config::new_http`].
    ///
    /// In C: `mcphost_config_new_sse()`.
    pub fn new_sse(
        id: &str,
        url: &str,
        headers: Option<&[&str]>,
        workspace: Option<&Path>,
    ) -> Result<Config> {
        Config::new_url(sys::mcphost_config_new_sse, id, url, headers, workspace)
    }

    fn new_url(
        make: MakeOne,
        id: &str,
        url: &str,
        headers: Option<&[&str]>,
        workspace: Option<&Path>,
    ) -> Result<Config> {
        let (id, url, headers) = (text::c(id)?, text::c(url)?, text::List::new(headers)?);
        let workspace = text::opt_path(workspace)?;
        let mut config = ptr::null_mut();
        let mut err = error::Slot::new();
        // SAFETY: the arguments live until the function has returned.
        let r = unsafe {
            make(
                id.as_ptr(),
                url.as_ptr(),
                headers.as_ptr(),
                text::opt_ptr(&workspace),
                &mut config,
                err.out(),
            )
        };
        error::check_with(r, err)?;
        // SAFETY: the function has stored a reference.
        Ok(unsafe { Config::owned(config) })
    }

    /// Sets the era of a configuration that nothing else uses yet.
    fn with_era(self, era: Option<Era>) -> Result<Config> {
        if let Some(era) = era {
            // SAFETY: no other thread uses the configuration.
            error::check(unsafe { sys::mcphost_config_set_era(self.as_ptr(), era.0) })?;
        }
        Ok(self)
    }

    /// Returns a hash of the meaning of a server's entry, in hexadecimal digits.
    ///
    /// `key` has 16 random bytes or more.  Store the key beside the hashes.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the key is too short, or `index` is too large
    /// - [`ErrorCode::STATE`]: the server is not valid
    /// - [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_config_server_get_hash()`.
    pub fn server_hash(&self, index: usize, which: ConfigHash, key: &[u8]) -> Result<String> {
        let mut hex = [0u8; sys::MCPHOST_CONFIG_HASH_SIZE as usize];
        // SAFETY: the buffer has the size that the function requires.
        error::check(unsafe {
            sys::mcphost_config_server_get_hash(
                self.as_ptr(),
                index,
                which.0,
                key.as_ptr().cast(),
                key.len(),
                hex.as_mut_ptr().cast(),
            )
        })?;
        Ok(until_nul(&hex))
    }

    /// Compares the entries of a server in two configurations.  Returns the change that
    /// the edit requires, and the keys that differ, such as `"args, env.MODE"`.  If the
    /// keys take more than 1023 bytes, `...` replaces the last keys.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::NOTFOUND`]: one of the configurations does not declare the server
    /// - [`ErrorCode::STATE`]: the server is not valid in one of the configurations
    /// - [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_config_server_compare()`.
    pub fn server_compare(&self, to: &Config, id: &str) -> Result<(ConfigChange, String)> {
        let id = text::c(id)?;
        let mut keys = [0u8; 1024];
        // SAFETY: the buffer has the size that is passed.
        let r = unsafe {
            sys::mcphost_config_server_compare(
                self.as_ptr(),
                to.as_ptr(),
                id.as_ptr(),
                keys.as_mut_ptr().cast(),
                keys.len(),
            )
        };
        error::check(r)?;
        Ok((ConfigChange(r), until_nul(&keys)))
    }
}

fn until_nul(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

// ---- filters, transforms, names --------------------------------------------------------

impl Filter {
    /// Decides whether a name passes.  Also returns the pattern that decided, if a
    /// pattern decided.  For [`FilterVerdict::NOT_WHITELISTED`], the returned text has
    /// all patterns of the whitelist.  The first call freezes the filter.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the name has a NUL
    ///
    /// In C: `mcphost_filter_match()`.
    ///
    /// ```
    /// use mcphost::{Filter, FilterVerdict};
    ///
    /// let mut filter = Filter::new()?;
    /// filter.add_blacklist("rm_*")?;
    /// assert_eq!(filter.matches("rm_all")?, (FilterVerdict::BLACKLISTED, Some("rm_*")));
    /// assert_eq!(filter.matches("ls")?.0, FilterVerdict::PASSED);
    /// # Ok::<(), mcphost::Error>(())
    /// ```
    pub fn matches(&self, name: &str) -> Result<(FilterVerdict, Option<&str>)> {
        let name = text::c(name)?;
        let mut pattern = ptr::null();
        // SAFETY: the name lives until the function has returned.
        let r = unsafe { sys::mcphost_filter_match(self.as_ptr(), name.as_ptr(), &mut pattern) };
        error::check(r)?;
        // SAFETY: the pattern lives as long as the filter.
        Ok((FilterVerdict(r), unsafe { text::ended(pattern) }))
    }
}

impl Transform {
    /// Transforms a name.  The first call freezes the transform.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: the name has a NUL
    /// - [`ErrorCode::LIMIT`]: the name grows beyond 4 MiB
    /// - [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_transform_apply()`.
    ///
    /// ```
    /// let mut transform = mcphost::Transform::new()?;
    /// transform.add_prefix("web_")?;
    /// assert_eq!(transform.apply("search")?, "web_search");
    /// # Ok::<(), mcphost::Error>(())
    /// ```
    pub fn apply(&self, name: &str) -> Result<String> {
        let name = text::c(name)?;
        let mut buffer = vec![0u8; 256];
        loop {
            // SAFETY: the buffer has the size that is passed.
            let r = unsafe {
                sys::mcphost_transform_apply(
                    self.as_ptr(),
                    name.as_ptr(),
                    buffer.as_mut_ptr().cast(),
                    buffer.len(),
                )
            };
            error::check(r)?;
            let len = usize::try_from(r).unwrap_or(0);
            if len < buffer.len() {
                return Ok(until_nul(&buffer));
            }
            buffer.resize(len + 1, 0);
        }
    }
}

unsafe extern "C" fn on_name<F>(
    server_id: *const c_char,
    name: *const c_char,
    buffer: *mut c_char,
    size: usize,
    arg: *mut c_void,
) -> c_int
where
    F: Fn(&str, &str) -> std::result::Result<String, String>,
{
    let f = &*arg.cast::<F>();
    let denied = ErrorCode::DENIED.0;
    panics::guard(denied, || {
        let id = text::ended(server_id).unwrap_or("");
        let answer = f(id, text::ended(name).unwrap_or(""));
        let (r, text) = match &answer {
            Ok(name) => (0, name),
            Err(why) => (denied, why),
        };
        let mut end = text.find('\0').unwrap_or(text.len());
        let fits = end < size;
        if !fits {
            end = size.saturating_sub(1);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
        }
        if size > 0 {
            ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, end);
            *buffer.add(end) = 0;
        }
        // Refuse a name that does not fit, because a name must not be cut.
        if fits {
            r
        } else {
            denied
        }
    })
}

impl Source {
    /// Sets the function that makes the names of tools and prompts.  The policy for names
    /// of the source becomes [`Names::CALLBACK`](crate::Names::CALLBACK).
    ///
    /// `f` gets the id of the server and the name, and returns the new name, or the
    /// reason for which it refuses the name.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::STATE`]: the source is loaded, a provider of the source was
    ///   started, or the source was removed
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_source_set_name_fn()`.
    pub fn set_name_fn<F>(&self, f: F) -> Result<()>
    where
        F: Fn(&str, &str) -> std::result::Result<String, String> + Send + Sync + 'static,
    {
        let (fn_, free) = (on_name::<F>, callback::free::<F>);
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_source_set_name_fn(self.as_ptr(), Some(fn_), callback::arg(f), Some(free))
        })
    }
}

// ---- artifacts -------------------------------------------------------------------------

/// A stored large result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The path below the dialog's directory, as [`artifact_open`] takes it.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change, in ms since 1970.
    pub mtime_ms: i64,
}

/// Opens an artifact to read it.  Returns the file and its size.
///
/// `dir` is the dialog's directory.  `path` is the path of an item below this directory.
///
/// # Errors
///
/// - [`ErrorCode::INVALID`]: the path cannot be the path of an artifact
/// - [`ErrorCode::NOTFOUND`], [`ErrorCode::IO`], [`ErrorCode::LIMIT`], [`ErrorCode::NOMEM`]
///
/// In C: `mcphost_artifact_open()`.
pub fn artifact_open(dir: impl AsRef<Path>, path: impl AsRef<Path>) -> Result<(File, u64)> {
    let (dir, path) = (text::path(dir.as_ref())?, text::path(path.as_ref())?);
    let (mut fd, mut size) = (-1, 0);
    let mut err = error::Slot::new();
    // SAFETY: the paths live until the function has returned.
    let r = unsafe {
        sys::mcphost_artifact_open(dir.as_ptr(), path.as_ptr(), &mut fd, &mut size, err.out())
    };
    error::check_with(r, err)?;
    // SAFETY: the descriptor is open and belongs to the caller.
    Ok((unsafe { File::from_raw_fd(fd) }, size))
}

/// Reads a part of an artifact into `buf`.  Returns the number of bytes, which is smaller
/// than the buffer at the end of the artifact.
///
/// # Errors
///
/// The errors of [`artifact_open`].
///
/// In C: `mcphost_artifact_read()`.
pub fn artifact_read(
    dir: impl AsRef<Path>,
    path: impl AsRef<Path>,
    offset: u64,
    buf: &mut [u8],
) -> Result<usize> {
    let (dir, path) = (text::path(dir.as_ref())?, text::path(path.as_ref())?);
    let mut len = 0;
    let mut err = error::Slot::new();
    // SAFETY: the buffer has the size that is passed.
    let r = unsafe {
        sys::mcphost_artifact_read(
            dir.as_ptr(),
            path.as_ptr(),
            offset,
            buf.as_mut_ptr().cast(),
            buf.len(),
            &mut len,
            err.out(),
        )
    };
    error::check_with(r, err)?;
    Ok(len)
}

unsafe extern "C" fn on_artifact(
    path: *const c_char,
    size: u64,
    mtime_ms: i64,
    arg: *mut c_void,
) -> c_int {
    let list = &mut *arg.cast::<Vec<Artifact>>();
    panics::guard(1, || {
        let path = text::ended(path).unwrap_or("").to_owned();
        list.push(Artifact { path, size, mtime_ms });
        0
    })
}

/// Lists the artifacts of a directory, in no particular order.
///
/// # Errors
///
/// - [`ErrorCode::INVALID`]: the directory is not an absolute path
/// - [`ErrorCode::IO`], [`ErrorCode::LIMIT`], [`ErrorCode::NOMEM`]
///
/// In C: `mcphost_artifact_list()`.
pub fn artifact_list(dir: impl AsRef<Path>) -> Result<Vec<Artifact>> {
    let dir = text::path(dir.as_ref())?;
    let mut list: Vec<Artifact> = Vec::new();
    let mut err = error::Slot::new();
    let arg: *mut Vec<Artifact> = &mut list;
    // SAFETY: the list lives until the function has returned.
    let r = panics::driving(|| unsafe {
        sys::mcphost_artifact_list(dir.as_ptr(), on_artifact, arg.cast(), err.out())
    });
    error::check_with(r, err)?;
    Ok(list)
}

// ---- schemas ---------------------------------------------------------------------------

/// A schema that is being compiled and needs a document.
pub struct SchemaDocuments<'a> {
    raw: *mut sys::mcphost_schema,
    _schema: std::marker::PhantomData<&'a mut Schema>,
}

impl SchemaDocuments<'_> {
    /// Adds a document under its absolute URI.
    ///
    /// # Errors
    ///
    /// The errors of [`Schema::add_document`].
    pub fn add(&mut self, uri: &str, json: &str) -> Result<()> {
        let uri = text::c(uri)?;
        let mut err = error::Slot::new();
        // SAFETY: the schema lives while its function runs, which is on this thread.
        let r = unsafe {
            sys::mcphost_schema_add_document(
                self.raw,
                uri.as_ptr(),
                json.as_ptr().cast(),
                json.len(),
                err.out(),
            )
        };
        error::check_with(r, err)
    }
}

unsafe extern "C" fn on_document<F>(
    schema: *mut sys::mcphost_schema,
    uri: *const c_char,
    arg: *mut c_void,
) -> c_int
where
    F: Fn(&mut SchemaDocuments<'_>, &str) -> Result<()>,
{
    let f = &*arg.cast::<F>();
    panics::guard(1, || {
        let mut documents = SchemaDocuments { raw: schema, _schema: std::marker::PhantomData };
        i32::from(f(&mut documents, text::ended(uri).unwrap_or("")).is_err())
    })
}

impl Schema {
    /// Sets the function that supplies documents to which the schema refers.
    ///
    /// `f` runs in [`Schema::compile`].  It gets the URI of a document, and adds the
    /// document.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::STATE`]: the schema has been compiled
    ///
    /// In C: `mcphost_schema_set_documents()`.
    ///
    /// ```
    /// use mcphost::{Schema, SchemaFlag};
    ///
    /// # fn main() -> mcphost::Result<()> {
    /// let mut schema = Schema::new()?;
    /// schema.set_documents(|documents, uri| documents.add(uri, r#"{"type":"integer"}"#))?;
    /// schema.compile(r#"{"$ref":"http://example.com/number"}"#)?;
    /// assert_eq!(schema.validate("1", SchemaFlag::NONE)?.count_errors(), 0);
    /// let report = schema.validate("\"one\"", SchemaFlag::NONE)?;
    /// assert_eq!(report.errors().next().unwrap().keyword(), Some("type"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_documents<F>(&mut self, f: F) -> Result<()>
    where
        F: Fn(&mut SchemaDocuments<'_>, &str) -> Result<()> + Send + Sync + 'static,
    {
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe {
            sys::mcphost_schema_set_documents(
                self.as_ptr(),
                on_document::<F>,
                callback::arg(f),
                Some(callback::free::<F>),
            )
        })
    }
}

// ---- retries ---------------------------------------------------------------------------

impl Retry {
    /// Returns the time after which to send a request again, or `None` if the request
    /// must not be sent again.
    ///
    /// `failures` is the number of failures of the request so far, including the last
    /// failure.  `retry_after` is the value of the header Retry-After.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: `failures` is 0, or the failure is unknown
    ///
    /// In C: `mcphost_retry_judge()`.
    ///
    /// ```
    /// use mcphost::{Failure, Retry, RetryStrategy};
    ///
    /// let retry = Retry::new(RetryStrategy::STANDARD)?;
    /// assert!(retry.judge(1, Failure::TRANSIENT, None)?.is_some());
    /// assert!(retry.judge(1, Failure::FATAL, None)?.is_none());
    /// # Ok::<(), mcphost::Error>(())
    /// ```
    pub fn judge(
        &self,
        failures: u32,
        failure: Failure,
        retry_after: Option<&str>,
    ) -> Result<Option<Duration>> {
        let retry_after = text::opt(retry_after)?;
        let mut delay = 0;
        // SAFETY: the text lives until the function has returned.
        let r = unsafe {
            sys::mcphost_retry_judge(
                self.as_ptr(),
                failures,
                failure.0,
                text::opt_ptr(&retry_after),
                &mut delay,
            )
        };
        error::check(r)?;
        Ok(if r == 0 { None } else { crate::lists::duration_of_ms(delay) })
    }
}

// ---- serving ---------------------------------------------------------------------------

impl View {
    /// Serves the view to a client over two descriptors.  The library uses duplicates of
    /// the descriptors.
    ///
    /// The client is a dialog with the id `dialog_id`.  The serving continues if the
    /// returned value is dropped.  [`Serving::close`] ends the serving.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::INVALID`]: a descriptor is not open, or the id is not acceptable
    /// - [`ErrorCode::EXISTS`]: an open dialog of the host has this id
    /// - [`ErrorCode::UNSUPPORTED`]: the library was built without serving
    /// - [`ErrorCode::LIMIT`], [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`],
    ///   [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_serve_fd()`.
    pub fn serve_fd(
        &self,
        input: &impl AsRawFd,
        output: &impl AsRawFd,
        dialog_id: &str,
    ) -> Result<Serving> {
        let dialog_id = text::c(dialog_id)?;
        let mut serving = ptr::null_mut();
        let mut err = error::Slot::new();
        // SAFETY: the arguments live until the function has returned.
        let r = unsafe {
            sys::mcphost_serve_fd(
                self.as_ptr(),
                input.as_raw_fd(),
                output.as_raw_fd(),
                dialog_id.as_ptr(),
                &mut serving,
                err.out(),
            )
        };
        error::check_with(r, err)?;
        // SAFETY: the function has stored a reference.
        Ok(unsafe { Serving::owned(serving) })
    }
}

// ---- ChatOS ----------------------------------------------------------------------------

unsafe extern "C" fn on_scan<F>(chatos: *mut sys::mcphost_chatos, arg: *mut c_void)
where
    F: FnOnce(&Chatos),
{
    let once = &*arg.cast::<Once<F>>();
    panics::guard((), || {
        if let (Some(f), Some(chatos)) = (once.take(), Chatos::borrowed(chatos)) {
            f(&chatos);
        }
    });
}

/// The function that stores records, and the error with which this function has failed.
struct Put<'a> {
    f: &'a mut dyn FnMut(ChatosKind, &str, &str) -> Result<()>,
    failed: Option<Error>,
}

unsafe extern "C" fn on_put(
    kind: c_int,
    name: *const c_char,
    json: *const c_char,
    len: usize,
    arg: *mut c_void,
) -> c_int {
    let put = &mut *arg.cast::<Put<'_>>();
    panics::guard(ErrorCode::STATE.0, || {
        let name = text::ended(name).unwrap_or("");
        match (put.f)(ChatosKind(kind), name, text::sized(json, len).unwrap_or("")) {
            Ok(()) => 0,
            Err(error) => {
                let code = error.code_below_zero();
                put.failed = Some(error);
                code
            }
        }
    })
}

impl Chatos {
    /// Scans the directories of plugins.  `f` runs on the thread that dispatches when the
    /// scan is over.  If the host is closed before the end of the scan, `f` does not run.
    /// [`Chatos::wait`] waits for the end of the scan.
    ///
    /// # Errors
    ///
    /// - [`ErrorCode::CLOSED`], [`ErrorCode::FORKED`], [`ErrorCode::NOMEM`]
    ///
    /// In C: `mcphost_chatos_scan()`.
    pub fn scan<F: FnOnce(&Chatos) + Send + 'static>(&self, f: F) -> Result<()> {
        let (fn_, free) = (on_scan::<F>, callback::free::<Once<F>>);
        let arg = callback::arg(Once::new(f));
        // SAFETY: the library owns the argument and frees it.
        error::check(unsafe { sys::mcphost_chatos_scan(self.as_ptr(), Some(fn_), arg, Some(free)) })
    }

    /// Calls `f`, on this thread, for each record of the apps that the application's list
    /// lacks or has with other values.  `f` stores the record.  Returns the number of
    /// stored records.
    ///
    /// # Errors
    ///
    /// The error of `f`, or an error of the library.
    ///
    /// In C: `mcphost_chatos_sync()`.
    pub fn sync<F>(&self, mut f: F) -> Result<usize>
    where
        F: FnMut(ChatosKind, &str, &str) -> Result<()>,
    {
        let mut put = Put { f: &mut f, failed: None };
        let arg: *mut Put<'_> = &mut put;
        let mut err = error::Slot::new();
        // SAFETY: `put` lives until the function has returned.
        let r = panics::driving(|| unsafe {
            sys::mcphost_chatos_sync(self.as_ptr(), on_put, arg.cast(), err.out())
        });
        match put.failed {
            Some(error) if r < 0 => Err(error),
            _ => error::check_with(r, err).map(|()| usize::try_from(r).unwrap_or(0)),
        }
    }
}

// ---- plugins ---------------------------------------------------------------------------

/// Declares a plugin from its entry function.  [`plugin!`](crate::plugin!) calls this
/// function.
///
/// # Safety
///
/// `plugin` is the argument of the entry function.
#[doc(hidden)]
pub unsafe fn declare_plugin(
    plugin: *mut sys::mcphost_plugin,
    kind: crate::PluginKind,
    setup: sys::mcphost_setup_fn,
    teardown: sys::mcphost_teardown_fn,
) {
    // Ignore the error: the library refuses a wrong declaration when the entry function
    // has returned.
    let _ =
        sys::mcphost_plugin_declare(plugin, sys::MCPHOST_PLUGIN_ABI, kind.0, setup, Some(teardown));
}

/// Runs the setup of a plugin.
///
/// # Safety
///
/// The arguments come from the library.
#[doc(hidden)]
pub unsafe fn plugin_setup(
    provider: *mut sys::mcphost_provider,
    reterr: *mut *mut sys::mcphost_error,
    f: fn(&crate::Provider) -> Result<()>,
) -> c_int {
    panics::guard(ErrorCode::STATE.0, || match crate::Provider::borrowed(provider).map(|p| f(&p)) {
        Some(Err(error)) => error.store(reterr),
        _ => 0,
    })
}

/// Runs the teardown of a plugin.
///
/// # Safety
///
/// The argument comes from the library.
#[doc(hidden)]
pub unsafe fn plugin_teardown(provider: *mut sys::mcphost_provider, f: fn(&crate::Provider)) {
    panics::guard((), || {
        if let Some(provider) = crate::Provider::borrowed(provider) {
            f(&provider);
        }
    });
}

/// Makes the entry function of a plugin: a shared object (`crate-type = ["cdylib"]`) that a
/// host loads from a directory ([`Plugins`](crate::Plugins)).
///
/// The arguments are the kind, the setup and the teardown.  The setup adds features of this
/// kind to the provider.
///
/// ```
/// use mcphost::{Feature, PluginKind, Provider, Result};
///
/// fn setup(provider: &Provider) -> Result<()> {
///     let tool = r#"{"name":"hello","inputSchema":{"type":"object"}}"#;
///     provider.add(Feature::TOOL, tool, |call| call.answer_text("hello", false))
/// }
///
/// fn teardown(_provider: &Provider) {}
///
/// mcphost::plugin!(PluginKind::TOOL, setup, teardown);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! plugin {
    ($kind:expr, $setup:path, $teardown:path) => {
        /// Declares the plugin.
        ///
        /// # Safety
        ///
        /// The library calls this function.
        #[no_mangle]
        pub unsafe extern "C" fn mcphost_plugin_entry(plugin: *mut $crate::sys::mcphost_plugin) {
            unsafe extern "C" fn mcphost_plugin_setup(
                provider: *mut $crate::sys::mcphost_provider,
                _arg: *mut ::std::os::raw::c_void,
                reterr: *mut *mut $crate::sys::mcphost_error,
            ) -> ::std::os::raw::c_int {
                $crate::plugin_setup(provider, reterr, $setup)
            }

            unsafe extern "C" fn mcphost_plugin_teardown(
                provider: *mut $crate::sys::mcphost_provider,
                _arg: *mut ::std::os::raw::c_void,
            ) {
                $crate::plugin_teardown(provider, $teardown)
            }

            $crate::declare_plugin(plugin, $kind, mcphost_plugin_setup, mcphost_plugin_teardown)
        }
    };
}
