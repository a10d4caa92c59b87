// SPDX-License-Identifier: MIT
//! lists.rs - iterators over the elements that C reads by an index.

use std::path::Path;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::sys;
use crate::text;
use crate::{
    CallResult, Catalog, Config, ConfigServerState, Containment, ContentKind, DiagnosticSeverity,
    Era, InstanceState, Lack, LoginState, Logins, PluginKind, PluginRows, PluginState, Problem,
    Problems, Projection, Prompt, Resource, ResourceTemplate, Sampling, SchemaReport, Scope,
    Server, ServerState, Skill, Status, Tool, Transport,
};

/// Makes an iterator from a count and a getter that may return `None`.
macro_rules! each {
    ($(#[$doc:meta])* $name:ident: $item:ty = $count:ident, $get:ident) => {
        $(#[$doc])*
        pub fn $name(&self) -> impl Iterator<Item = $item> + '_ {
            (0..self.$count()).filter_map(move |i| self.$get(i))
        }
    };
}

/// Makes a type for a row of a list, and the iterator over the rows.
macro_rules! rows {
    ($(#[$doc:meta])* $row:ident of $list:ident, $count:ident, $each:ident, $each_doc:expr,
     { $($(#[$fdoc:meta])* $name:ident: $kind:ty = $get:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $row<'a> {
            list: &'a $list,
            index: usize,
        }

        impl<'a> $row<'a> {
            /// Returns the index of the row.
            pub fn index(&self) -> usize {
                self.index
            }

            $($(#[$fdoc])*
            pub fn $name(&self) -> $kind {
                self.list.$get(self.index)
            })*
        }

        impl std::fmt::Debug for $row<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($row))$(.field(stringify!($name), &self.$name()))*.finish()
            }
        }

        impl $list {
            #[doc = $each_doc]
            pub fn $each(&self) -> impl Iterator<Item = $row<'_>> {
                (0..self.$count()).map(move |index| $row { list: self, index })
            }
        }
    };
}

/// A name of a grant that a catalog lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing<'a> {
    /// The name of the toolset or tool.
    pub name: &'a str,
    /// True for a tool, false for a toolset.
    pub is_tool: bool,
    /// The reason why the name is missing.
    pub lack: Lack,
}

impl Catalog {
    each! {
        /// Returns the tools, in the order of the catalog.
        tools: Tool = count_tools, tool
    }
    each! {
        /// Returns the names of the toolsets.
        toolsets: &str = count_toolsets, toolset
    }
    each! {
        /// Returns the servers.
        servers: Server = count_servers, server
    }
    each! {
        /// Returns the prompts.
        prompts: Prompt = count_prompts, prompt
    }
    each! {
        /// Returns the resources.
        resources: Resource = count_resources, resource
    }
    each! {
        /// Returns the resource templates.
        resource_templates: ResourceTemplate = count_resource_templates, resource_template
    }
    each! {
        /// Returns the skills.
        skills: Skill = count_skills, skill
    }
    each! {
        /// Returns the names of the view's grant that the catalog lacks.
        all_missing: Missing<'_> = count_missing, missing
    }

    /// Returns a name of the view's grant that the catalog lacks, or `None` past the end.
    ///
    /// In C: `mcphost_catalog_get_missing()`.
    pub fn missing(&self, index: usize) -> Option<Missing<'_>> {
        let (mut is_tool, mut lack) = (0, 0);
        // SAFETY: the name lives as long as the catalog.
        let name = unsafe {
            text::ended(sys::mcphost_catalog_get_missing(
                self.as_ptr(),
                index,
                &mut is_tool,
                &mut lack,
            ))
        };
        name.map(|name| Missing { name, is_tool: is_tool != 0, lack: Lack(lack) })
    }
}

impl Server {
    each! {
        /// Returns the server's tools that the catalog shows.
        tools: Tool = count_tools, tool
    }
    each! {
        /// Returns the tools that only the server's apps may call.
        app_tools: Tool = count_app_tools, app_tool
    }
    each! {
        /// Returns the prompts of the server.
        prompts: Prompt = count_prompts, prompt
    }
    each! {
        /// Returns the resources of the server.
        resources: Resource = count_resources, resource
    }
    each! {
        /// Returns the resource templates of the server.
        resource_templates: ResourceTemplate = count_resource_templates, resource_template
    }
    each! {
        /// Returns the skills of the server.
        skills: Skill = count_skills, skill
    }
}

impl Problems {
    each! {
        /// Returns the problems.
        ///
        /// ```
        /// # fn main() -> mcphost::Result<()> {
        /// let host = mcphost::Host::new()?;
        /// assert_eq!(host.problems()?.iter().count(), 0);
        /// # Ok(())
        /// # }
        /// ```
        iter: Problem = count, get
    }
}

impl Projection {
    each! {
        /// Returns the problems of the projection.
        problems: Problem = count_problems, problem
    }
}

impl Sampling {
    each! {
        /// Returns the notes about the parts of the request that the model's form cannot
        /// express.
        notes: &str = count_notes, note
    }
}

rows! {
    /// An item of a result.
    ContentItem of CallResult, count_items, items,
    "Returns the items of the result, in order.",
    {
        /// Returns the kind of the item.
        kind: ContentKind = item_kind,
        /// Returns the item as the server sent it, as JSON.
        json: Option<&'a str> = item_json,
        /// Returns the MIME type.
        mime_type: Option<&'a str> = item_mime_type,
        /// Returns the URI of a resource or of a link to a resource.
        uri: Option<&'a str> = item_uri,
        /// Returns the role of the message of a prompt that the item belongs to.
        role: Option<&'a str> = item_role,
    }
}

impl<'a> ContentItem<'a> {
    /// Returns the text of the item, or `None` if the item is neither a text nor a
    /// resource that was read as text.
    pub fn text(&self) -> Option<&'a str> {
        self.list.item_text(self.index).ok()
    }
}

impl CallResult {
    each! {
        /// Returns the values of a completion.
        values: &str = count_values, value
    }

    /// Returns all texts of the result, with line breaks between them.
    pub fn text(&self) -> String {
        let texts: Vec<_> = self.items().filter_map(|item| item.text()).collect();
        texts.join("\n")
    }
}

rows! {
    /// A server in a status.
    ServerStatus of Status, count_servers, servers,
    "Returns the servers, in the order of their configuration.",
    {
        /// Returns the id of the server.
        id: Option<&'a str> = server_id,
        /// Returns the id of the server's source, or `None` for the default source.
        source_id: Option<&'a str> = server_source_id,
        /// Returns the state.
        state: ServerState = server_state,
        /// Returns the transport.
        transport: Transport = server_transport,
        /// Returns the era of the protocol.
        era: Era = server_era,
        /// Returns the version of the protocol.
        version: Option<&'a str> = server_version,
        /// Returns the id of the process that serves all dialogs, or of the process that
        /// listed the tools and that no dialog uses yet, or 0.
        pid: i64 = server_pid,
        /// Returns the mechanism that keeps the server's processes together.
        containment: Containment = server_containment,
        /// Returns the number of tools.
        count_tools: usize = server_count_tools,
        /// Returns the ms that the first successful start, the handshake and the first
        /// list took together, or -1.
        start_ms: i64 = server_start_ms,
        /// Returns the ms that the server took to answer the last request of the
        /// handshake or of a list, or -1.
        latency_ms: i64 = server_latency_ms,
        /// Returns the error of the server.
        error: Option<Error> = server_error,
    }
}

rows! {
    /// A lease in a status.
    LeaseStatus of Status, count_leases, leases,
    "Returns the leases.",
    {
        /// Returns the id of the server's source, or `None` for the default source.
        source_id: Option<&'a str> = lease_source_id,
        /// Returns the id of the server.
        server_id: Option<&'a str> = lease_server_id,
        /// Returns the id of the dialog, or `None` for a lease of the host.
        dialog_id: Option<&'a str> = lease_dialog_id,
        /// Returns the scope.
        scope: Scope = lease_scope,
        /// Returns the key of the scope: the id of the dialog, the agent or the
        /// workspace, or `None` if everyone shares the instance.
        scope_key: Option<&'a str> = lease_scope_key,
        /// Returns the id of the process of the leased instance, or 0.
        pid: i64 = lease_pid,
        /// Returns the state of the instance.
        state: InstanceState = lease_state,
        /// Returns the number of the instance's calls, including calls that wait and
        /// calls of other dialogs.
        count_in_flight: usize = lease_count_in_flight,
        /// Returns when the lease began, in ms since 1970.
        since_ms: i64 = lease_since_ms,
    }
}

rows! {
    /// An entry of a configuration.
    ConfigServer of Config, count_servers, servers,
    "Returns the entries of the configuration.",
    {
        /// Returns the id.
        id: Option<&'a str> = server_id,
        /// Returns the state of the entry.
        state: Result<ConfigServerState> = server_state,
        /// Returns the transport.
        transport: Transport = server_transport,
        /// Returns the file that has the entry.
        file: Option<&'a Path> = server_file,
        /// Returns the line of the entry, or 0.
        line: i32 = server_line,
    }
}

rows! {
    /// A diagnostic of a configuration.
    Diagnostic of Config, count_diagnostics, diagnostics,
    "Returns the diagnostics of the configuration.\n\n```\n# fn main() -> mcphost::Result<()> {\n\
     let text = \"version: 1\\nservers:\\n  a: {transport: pigeon}\\n\";\n\
     let config = mcphost::Config::load_memory(Some(text.as_bytes()), Some(\"mcp.yaml\"), None)?;\n\
     let diagnostic = config.diagnostics().next().unwrap();\n\
     assert_eq!(diagnostic.line(), 3);\n# Ok(())\n# }\n```",
    {
        /// Returns the severity.
        severity: Result<DiagnosticSeverity> = diagnostic_severity,
        /// Returns the message.
        message: Option<&'a str> = diagnostic_message,
        /// Returns the key that the diagnostic is about.
        key: Option<&'a str> = diagnostic_key,
        /// Returns the id of the server that the diagnostic is about.
        server_id: Option<&'a str> = diagnostic_server_id,
        /// Returns the file.
        file: Option<&'a Path> = diagnostic_file,
        /// Returns the line, counted from 1, or 0.
        line: i32 = diagnostic_line,
        /// Returns the column, counted from 1, or 0.
        column: i32 = diagnostic_column,
    }
}

rows! {
    /// A plugin, or a file that is no plugin.
    PluginRow of PluginRows, count, iter,
    "Returns the rows.",
    {
        /// Returns the id of the plugin.
        id: Option<&'a str> = id,
        /// Returns the kind.
        kind: PluginKind = kind,
        /// Returns the file.
        file: Option<&'a Path> = file,
        /// Returns the state of the plugin.
        state: PluginState = state,
        /// Returns the error for which the library refused the file, or with which the
        /// plugin's setup failed.
        error: Option<Error> = error,
    }
}

rows! {
    /// A login whose tokens are kept.
    LoginRow of Logins, count, iter,
    "Returns the rows.",
    {
        /// Returns the id of a server that the login serves.
        server_id: Option<&'a str> = server_id,
        /// Returns the authorization server.
        issuer: Option<&'a str> = issuer,
        /// Returns the URL that names the MCP server to the authorization server.
        resource: Option<&'a str> = resource,
        /// Returns the label of the account.
        account: Option<&'a str> = account,
        /// Returns the granted scopes, separated by blanks.
        scope: Option<&'a str> = scope,
        /// Returns the seconds until the token expires, 0 if it has expired, or -1 if the
        /// time is not known.
        expires_s: i64 = expires_s,
    }
}

impl LoginRow<'_> {
    /// Returns the state.
    pub fn state(&self) -> LoginState {
        LoginState(self.list.state(self.index))
    }
}

rows! {
    /// A fault that the check of a value against a schema has found.
    Finding of SchemaReport, count_errors, errors,
    "Returns the findings.  There are none if the value is valid.",
    {
        /// Returns the place of the fault in the value, as a JSON Pointer.
        instance_path: Option<&'a str> = instance_path,
        /// Returns the place, in the schema, of the keyword that the value violates, as a
        /// URI reference such as `#/properties/a/type`.
        schema_path: Option<&'a str> = schema_path,
        /// Returns the keyword that the value violates.
        keyword: Option<&'a str> = keyword,
        /// Returns a phrase that describes the expected value.
        expected: Option<&'a str> = expected,
        /// Returns a phrase that describes the value that was found.
        found: Option<&'a str> = found,
    }
}

/// Returns a time that may be missing (-1) as a duration.
///
/// ```
/// assert_eq!(mcphost::duration_of_ms(-1), None);
/// assert_eq!(mcphost::duration_of_ms(250), Some(std::time::Duration::from_millis(250)));
/// ```
pub fn duration_of_ms(ms: i64) -> Option<Duration> {
    u64::try_from(ms).ok().map(Duration::from_millis)
}
