// SPDX-License-Identifier: MIT
//! login.rs - requests that the user logs in.

use std::fmt;
use std::time::Duration;

use crate::{Rejection, Request, RequestKind, Result};

/// A request for a login by OAuth.  The user logs in on a page.
///
/// [`Request::login`] makes this value from a request of the kind
/// [`RequestKind::AUTHORIZE`].  The request ends by itself when the user has logged in.
/// An application that may answer later keeps a clone of the [`Request`].
#[derive(Clone, Copy)]
pub struct LoginRequest<'a> {
    request: &'a Request,
}

impl Request {
    /// Returns the login that the request is about, or `None` if the request has another
    /// kind.
    ///
    /// ```
    /// use mcphost::{EventKind, Host, RequestKind, Setting};
    ///
    /// # fn main() -> mcphost::Result<()> {
    /// let host = Host::new()?;
    /// host.set_option(Setting::REQUESTS, i64::from(RequestKind::AUTHORIZE.0))?;
    /// host.set_event(|event| {
    ///     if event.kind() == EventKind::REQUEST && event.state() == 1 {
    ///         if let Some(login) = event.request().as_ref().and_then(|r| r.login()) {
    ///             println!("{}\n    {}", login.message(), login.url());
    ///         }
    ///     }
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn login(&self) -> Option<LoginRequest<'_>> {
        if self.kind() == RequestKind::AUTHORIZE {
            Some(LoginRequest { request: self })
        } else {
            None
        }
    }
}

impl<'a> LoginRequest<'a> {
    /// Returns the id of the server that needs the login.
    pub fn server_id(&self) -> &'a str {
        self.request.server_id()
    }

    /// Returns a text that tells the user what to do.
    pub fn message(&self) -> &'a str {
        self.request.message().unwrap_or("")
    }

    /// Returns the page on which the user logs in.  The URL contains a secret: do not log
    /// the URL.
    pub fn url(&self) -> &'a str {
        self.request.url().unwrap_or("")
    }

    /// Returns the flow of the login: `browser` or `device`.
    pub fn flow(&self) -> &'a str {
        self.request.param("flow").unwrap_or("")
    }

    /// Returns the authorization server.
    pub fn issuer(&self) -> &'a str {
        self.request.param("issuer").unwrap_or("")
    }

    /// Returns the URL that names the MCP server to the authorization server.
    pub fn resource(&self) -> Option<&'a str> {
        self.request.param("resource")
    }

    /// Returns the configured label of the account.
    pub fn account(&self) -> Option<&'a str> {
        self.request.param("account")
    }

    /// Returns the scopes for which the login asks.
    pub fn scopes(&self) -> impl Iterator<Item = &'a str> {
        self.request.param("scope").unwrap_or("").split_ascii_whitespace()
    }

    /// Returns the URL to which the browser returns.  A URL that the user pastes begins
    /// with it.
    pub fn redirect_uri(&self) -> Option<&'a str> {
        self.request.param("redirectUri")
    }

    /// Returns the code that the user enters at the page (flow `device`).
    pub fn user_code(&self) -> Option<&'a str> {
        self.request.param("userCode")
    }

    /// Returns the URL of the page without the code (flow `device`).
    pub fn verification_uri(&self) -> Option<&'a str> {
        self.request.param("verificationUri")
    }

    /// Returns the URL of the page with the code (flow `device`).
    pub fn verification_uri_complete(&self) -> Option<&'a str> {
        self.request.param("verificationUriComplete")
    }

    /// Returns the reason why an earlier login cannot be used any more.
    pub fn reason(&self) -> Option<&'a str> {
        self.request.param("reason")
    }

    /// Returns the time for which the request stays open, counted from its beginning.
    pub fn expires(&self) -> Option<Duration> {
        self.request.param("expiresInMs")?.parse().ok().map(Duration::from_millis)
    }

    /// Answers with the URL to which the browser was redirected, or with the code in this
    /// URL.
    ///
    /// This is necessary only if the browser cannot reach this machine.  If the text does
    /// not belong to this login, the request stays open.
    ///
    /// # Errors
    ///
    /// The errors of [`Request::respond`].
    pub fn paste(&self, text: &str) -> Result<()> {
        self.request.respond(Some(&format!("{{\"redirect\":{}}}", quoted(text))))
    }

    /// Ends the login because the user does not want to log in.
    ///
    /// # Errors
    ///
    /// The errors of [`Request::reject`].
    pub fn decline(&self, message: Option<&str>) -> Result<()> {
        self.request.reject(Rejection::DECLINE, message)
    }
}

impl fmt::Debug for LoginRequest<'_> {
    // Leave out the URL, because it contains a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginRequest")
            .field("server_id", &self.server_id())
            .field("issuer", &self.issuer())
            .finish_non_exhaustive()
    }
}

/// Returns the text as a string of JSON.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_text_becomes_a_string_of_json() {
        assert_eq!(quoted("a\"b\\c\nü"), r#""a\"b\\c\u000aü""#);
    }
}
