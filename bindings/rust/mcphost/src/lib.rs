// SPDX-License-Identifier: MIT
//! Hosts servers of the Model Context Protocol (MCP), with libmcphost.
//!
//! A [`Host`] reads a configuration, starts the servers, and keeps one [`Catalog`] of their
//! tools, under names that a model can use.  A [`Dialog`] is one conversation.  It makes
//! calls, and servers that are not safe to share start an instance for it.
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
//! # Who drives a host
//!
//! A host works while a thread dispatches.  There are four ways:
//!
//! - The waits: [`Host::wait`], [`Host::wait_ready`], [`Call::wait`] and
//!   [`CallSetup::run`] dispatch until the awaited event has happened.
//! - A loop or reactor polls the descriptor of the host, which is `AsFd` and `AsRawFd`, and
//!   calls [`Host::dispatch`].  [`Host::set_driven`] makes the waits of other threads leave
//!   dispatching to the loop.
//! - [`Host::thread_start`] lets a thread of the library dispatch.
//! - [`Host::block_on`] runs a future and drives the host meanwhile.
//!
//! A started [`Call`] is a future that any executor may poll.  Dropping it cancels the call.
//!
//! # Threads
//!
//! All handles are `Send` and `Sync`.  A clone of a handle is another reference to the same
//! thing.  Handles may be dropped in any order, and a handle that outlives its host fails
//! with [`ErrorCode::CLOSED`] where it needs the host.  The last drop of a host that was not
//! shut down kills its servers and waits for at most a second.
//!
//! # The end
//!
//! [`Host::shutdown`] closes the host and returns when everything has ended.  The order
//! depends on who drives the host:
//!
//! - Nobody, or [`Host::block_on`]: call [`Host::shutdown`] when the last wait has returned.
//! - The thread of [`Host::thread_start`]: call [`Host::shutdown`].  It waits for that
//!   thread, which goes on until the host has ended.  [`Host::thread_stop`] may follow.
//! - A loop on another thread: call [`Host::shutdown`] while the loop runs.  The loop ends
//!   when [`Host::dispatch_all`] returns false.  Join its thread then.  A loop on the same
//!   thread calls [`Host::close`] and goes on until then.
//!
//! # Closures
//!
//! Closures that the host runs are `Send + Sync + 'static`.  They run on the thread that
//! dispatches, with no lock of the library held.  They may use the library, but not
//! dispatch: that fails with [`ErrorCode::BUSY`].  The closure of the log has other rules
//! ([`Host::set_log`]).
//!
//! The host owns its closures, such as those of events, the log, decisions, samplers and
//! built-in tools.  A closure that owns a [`Host`] keeps the host and its servers for
//! ever, unless the program shuts the host down and replaces the closure.  Give such a
//! closure a [`WeakHost`], which [`Host::downgrade`] makes.
//!
//! A panic in a closure does not pass through the library.  It goes on from the function of
//! this crate that dispatched ([`Host::dispatch`] or a wait).  If the thread of
//! [`Host::thread_start`] dispatched, the panic goes on from the next method of the same
//! host that dispatches, waits, or stops the thread.  If that method runs while its thread
//! unwinds, the panic is kept for a later one.  A request whose closure has panicked fails.
//!
//! # Requests of servers
//!
//! Servers ask the user (forms and URLs) and the model (sampling) only if the application
//! says, before it loads a configuration, that it answers: with [`Setting::REQUESTS`], as in
//! `host.set_option(Setting::REQUESTS, i64::from(RequestKind::FORM.0))`.  The default is no
//! requests.  [`Host::set_sampler`] adds sampling by itself.  Each request is an event
//! ([`EventKind::REQUEST`]) with a [`Request`], which [`Request::respond`] or
//! [`Request::reject`] answers.
//!
//! A server at a URL may need a login by OAuth ([`RequestKind::AUTHORIZE`]).
//! [`Request::login`] shows what the user needs for it.  The request ends by itself when the
//! user has logged in.
//!
//! # Texts
//!
//! JSON goes in and out as text, and the program chooses a parser.  The library
//! promises UTF-8 for each text that it gives, whatever a server sent.
//!
//! # Errors
//!
//! [`Error`] has a code, a message, and what else is known: the server, its last lines of
//! stderr, the JSON-RPC error, the HTTP status, the place in a file.
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

/// The version of the interface that this crate was made for, as [`version_number`] returns
/// that of the library at run time.
///
/// ```
/// assert!(mcphost::version_number() >= mcphost::HEADER_VERSION_NUMBER);
/// ```
pub const HEADER_VERSION_NUMBER: u32 = sys::MCPHOST_VERSION_NUMBER;
