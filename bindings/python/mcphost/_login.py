# SPDX-License-Identifier: MIT
"""A request that the user logs in."""
from __future__ import annotations

from . import _core
from ._constants import Rejection


class LoginRequest:
    """A server needs a login by OAuth, and the user logs in on the page `url`.

    The request ends by itself when the user has logged in.  `core` is the Request.
    """

    __slots__ = ("core",)

    def __init__(self, core: _core.Request) -> None:
        self.core = core

    def __repr__(self) -> str:
        # Leave out the URL, because it contains a secret.
        return f"<mcphost LoginRequest of {self.server_id!r} at {self.issuer!r}>"

    # ---- the fields of the request ----

    @property
    def server_id(self) -> str:
        """The server that needs the login."""
        return self.core.server_id or ""

    @property
    def source_id(self) -> str | None:
        """The source of the server, or None for the default source."""
        return self.core.source_id

    @property
    def message(self) -> str:
        """A text that tells the user what to do."""
        return self.core.message or ""

    @property
    def url(self) -> str:
        """The page on which the user logs in.  Do not log the URL: it has a secret."""
        return self.core.url or ""

    @property
    def flow(self) -> str:
        """`browser` or `device`."""
        return self.core.get_param("flow") or ""

    @property
    def issuer(self) -> str:
        """The authorization server."""
        return self.core.get_param("issuer") or ""

    @property
    def resource(self) -> str | None:
        """The identifier of the server at the authorization server."""
        return self.core.get_param("resource")

    @property
    def account(self) -> str | None:
        """The configured label of the account."""
        return self.core.get_param("account")

    @property
    def scopes(self) -> list[str]:
        """The scopes that the user grants."""
        return (self.core.get_param("scope") or "").split()

    @property
    def redirect_uri(self) -> str | None:
        """The URL to which the browser returns: the beginning of the URL to paste."""
        return self.core.get_param("redirectUri")

    @property
    def user_code(self) -> str | None:
        """The code that the user enters at the page (device)."""
        return self.core.get_param("userCode")

    @property
    def verification_uri(self) -> str | None:
        """The page without the code (device)."""
        return self.core.get_param("verificationUri")

    @property
    def verification_uri_complete(self) -> str | None:
        """The page with the code (device)."""
        return self.core.get_param("verificationUriComplete")

    @property
    def reason(self) -> str | None:
        """The reason why an earlier login cannot be used any more."""
        return self.core.get_param("reason")

    @property
    def expires(self) -> float | None:
        """How long the request stays open from its beginning, in seconds."""
        ms = self.core.get_param("expiresInMs")
        return None if ms is None else int(ms) / 1000

    # ---- the answer ----

    @property
    def is_open(self) -> bool:
        """True while the login needs the user."""
        return self.core.is_open

    def paste(self, text: str) -> None:
        """Answers with the URL to which the browser was redirected, or with its code.

        Only a browser that cannot reach this machine makes this necessary.  If the text
        does not belong to this login, UsageError is raised and the request stays open.
        """
        self.core.respond({"redirect": text})

    def decline(self, message: str | None = None) -> None:
        """Ends the login because the user does not want to log in."""
        self.core.reject(Rejection.DECLINE, message)
