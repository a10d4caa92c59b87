// SPDX-License-Identifier: MIT
//! Hosts servers of the Model Context Protocol (MCP), with libmcphost.
//!
//! A [`Host`] reads a configuration, starts the servers, and keeps one [`Catalog`] of
//! their tools, under names that a model can use.  A [`Dialog`] is one conversation.  It
//! makes calls.  If a server is not safe to share, the host starts an instance of the
//! server for each dialog that uses the server.
//!
//! ```
//! use mcphost::{Dialog, Host};
//!
//! # fn main() -> mcphost::Result<()> {
//! # let workspace = std::env::temp_dir();
//! let host = Host::workspace(&workspace)?; // reads .minds/mcp.yaml
//! host.wait_ready(None)?; // waits until each server has started or failed
//! let dialog = Dialog::new(&host.default_view(), "me", None)?;
//! for tool in dialog.catalog()?.tools() {
//!     println!("{}: {}", tool.name(), tool.description().unwrap_or("-"));
//! }
//! # host.default_view().add_builtin("own", "echo", None, r#"{"type":"object"}"#, |call, json| {
//! #     call.answer(json, false)
//! # })?;
//! # while dialog.catalog()?.find_tool("echo").is_none() {
//! #     host.wait(Some(std::time::Duration::from_millis(10)))?;
//! # }
//! let result = dialog.call("echo", Some(r#"{"text":"hello"}"#))?.run()?;
//! println!("{}", result.text());
//! host.shutdown()
//! # }
//! ```
//!
//! # Driving a host
//!
//! A host works while a thread dispatches.  There are four ways:
//!
//! - The waits: [`Host::wait`], [`Host::wait_ready`], [`Call::wait`] and
//!   [`CallSetup::run`] dispatch until the awaited event has happened.
//! - A loop or reactor polls the descriptor of the host, which is `AsFd` and `AsRawFd`, and
//!   calls [`Host::dispatch`].  [`Host::set_driven`] makes the waits of other threads leave
//!   dispatching to the loop.
//! - [`Host::thread_start`] lets a thread of the library dispatch.
//! - [`Host::block_on`] runs a future, and drives the host until the future is ready.
//!
//! A started [`Call`] is a future that any executor may poll.  Dropping it cancels the call.
//!
//! # Threads
//!
//! All handles are `Send` and `Sync`.  A clone of a handle is another reference to the
//! same object of the library.  Handles may be dropped in any order, and a handle that
//! outlives its host fails with [`ErrorCode::CLOSED`] where it needs the host.  The last
//! drop of a host that was not shut down kills its servers and waits for at most a
//! second.
//!
//! # The end
//!
//! [`Host::shutdown`] closes the host and returns when everything has ended.  The order
//! depends on the thread that drives the host:
//!
//! - Only waits and [`Host::block_on`]: call [`Host::shutdown`] when the last of them has
//!   returned.
//! - The thread of [`Host::thread_start`]: call [`Host::shutdown`].  This method waits
//!   until the thread has ended the host.  [`Host::thread_stop`] may follow.
//! - A loop on another thread: call [`Host::shutdown`] while the loop runs.  The loop
//!   ends when [`Host::dispatch_all`] returns false.  Join the thread of the loop after
//!   that.  A loop on the same thread calls [`Host::close`] and continues until
//!   [`Host::dispatch_all`] returns false.
//!
//! # Closures
//!
//! Closures that the host runs are `Send + Sync + 'static`.  They run on the thread that
//! dispatches, with no lock of the library held.  They may use the library, but they must
//! not dispatch: a dispatch in a closure fails with [`ErrorCode::BUSY`].  The closure of
//! the log has other rules ([`Host::set_log`]).
//!
//! The host owns its closures, such as the closures for events, the log, decisions,
//! samplers and built-in tools.  A closure that owns a [`Host`] keeps the host and its
//! servers for ever, unless the program shuts the host down and replaces the closure.
//! Let the closure own a [`WeakHost`] instead, which [`Host::downgrade`] makes.
//!
//! A panic in a closure does not pass through the library.  The function of this crate
//! that dispatched ([`Host::dispatch`] or a wait) resumes the panic.  If the thread of
//! [`Host::thread_start`] dispatched, the next method of the same host that dispatches,
//! waits, or stops the thread resumes the panic.  If that method runs while its thread
//! unwinds, a later method resumes the panic.  A request whose closure has panicked
//! fails.
//!
//! # Requests of servers
//!
//! Servers ask the user (forms and URLs) and the model (sampling) only if the application
//! says, before it loads a configuration, that it answers.  The application says this
//! with the option [`Setting::REQUESTS`], for example for forms with
//! `host.set_option(Setting::REQUESTS, i64::from(RequestKind::FORM.0))`.  By default,
//! servers can send none of these requests.  [`Host::set_sampler`] also allows
//! sampling.  Each request is an event ([`EventKind::REQUEST`]) with a [`Request`],
//! which [`Request::respond`] or [`Request::reject`] answers.
//!
//! A server at a URL may need a login by OAuth ([`RequestKind::AUTHORIZE`]).
//! [`Request::login`] returns the data that the user needs for the login.  The request
//! ends by itself when the user has logged in.
//!
//! # Texts
//!
//! JSON goes in and out as text, and the program chooses a parser.  The library promises
//! UTF-8 for each text that it gives, even if a server sent other bytes.
//!
//! # Errors
//!
//! [`Error`] has a code and a message.  It may also have the server, the server's last
//! lines of stderr, the JSON-RPC error, the HTTP status and a place in a file.
#![warn(missing_docs)]
#![warn(rust_2018_idioms)]

pub use mcphost_sys as sys;

#[macro_use]
mod handle;

mod call;
mod callback;
mod enums;
mod error;
#[rustfmt::skip]
#[allow(clippy::too_many_arguments, clippy::doc_lazy_continuation)]
mod generated;
mod host;
mod lists;
mod login;
mod more;
mod panics;
mod provider;
mod text;

pub use call::{Call, CallSetup, Progress};
pub use enums::Enumerator;
pub use error::{Error, Result};
pub use generated::*;
pub use host::{Host, LogLine, WeakHost};
pub use lists::{
    duration_of_ms, ConfigServer, ContentItem, Diagnostic, Finding, LeaseStatus, LoginRow, Missing,
    PluginRow, ServerStatus,
};
pub use login::LoginRequest;
pub use more::{
    artifact_list, artifact_open, artifact_read, declare_plugin, plugin_setup, plugin_teardown,
    Artifact, SchemaDocuments,
};
pub use provider::Serve;

/// The version of the interface for which this crate was made.  [`version_number`]
/// returns the version of the library at run time.
///
/// ```
/// assert!(mcphost::version_number() >= mcphost::HEADER_VERSION_NUMBER);
/// ```
pub const HEADER_VERSION_NUMBER: u32 = sys::MCPHOST_VERSION_NUMBER;
