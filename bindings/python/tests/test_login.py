# SPDX-License-Identifier: MIT
"""Tests of logins by OAuth."""
from __future__ import annotations

import asyncio
import subprocess
import unittest
from collections.abc import Callable
from typing import Any

import mcphost
from mcphost import sync
from rig import LoginServer, browse, settings


class LoginCase(unittest.TestCase):
    """A server that wants a login."""

    script = "account alice"

    def setUp(self) -> None:
        self.server = LoginServer(self.script)
        self.addCleanup(self.server.close)
        self.asked: list[mcphost.LoginRequest] = []
        self.browsers: list[subprocess.Popen[str]] = []
        self.addCleanup(self.end_browsers)

    def end_browsers(self) -> None:
        """Waits for the browsers."""
        for browser in self.browsers:
            browser.communicate()

    def redirect(self, login: mcphost.LoginRequest) -> str:
        """Returns what the user pastes."""
        return browse(login.url, "print").communicate()[0]


class Sync(LoginCase):
    """Logins without a loop."""

    def open(self) -> sync.Host:
        """Opens a host."""
        host = sync.Host.http("web", self.server.url, **settings())
        self.addCleanup(host.close, 5)
        return host

    def whoami(self, host: sync.Host) -> str:
        """Returns the account and the scopes of the token."""
        host.ready(20)
        return host.dialog("d").call("whoami").text

    def test_a_handler_may_leave_the_login_to_the_browser(self) -> None:
        host = self.open()

        @host.authorize
        def log_in(login: mcphost.LoginRequest) -> None:
            self.asked.append(login)
            self.browsers.append(browse(login.url))

        host.open()
        self.assertEqual(self.whoami(host), "alice tools")
        self.assertEqual(len(self.asked), 1)
        login = self.asked[0]
        self.assertFalse(login.is_open)
        self.assertEqual(login.server_id, "web")
        self.assertEqual(login.flow, "browser")
        self.assertEqual(login.issuer.rstrip("/"), self.server.issuer.rstrip("/"))
        self.assertEqual(login.resource, self.server.url)
        self.assertEqual(login.scopes, ["tools"])
        self.assertEqual(login.expires, 600)
        self.assertIn("open the page", login.message)
        assert login.redirect_uri is not None
        self.assertTrue(login.redirect_uri.startswith("http://127.0.0.1:"))
        for text in (login.user_code, login.verification_uri,
                     login.verification_uri_complete, login.reason, login.account):
            self.assertIsNone(text)
        self.assertNotIn("state=", repr(login))

    def test_a_text_is_pasted_later(self) -> None:
        host = self.open()
        host.authorize(self.asked.append)
        host.open()
        self.assertTrue(host.wait_until(lambda: bool(self.asked), 20))
        login = self.asked[0]
        self.assertTrue(login.is_open)
        with self.assertRaises(mcphost.UsageError):
            login.paste('https://elsewhere.example/?code="a\\')
        self.assertTrue(login.is_open)
        login.paste(self.redirect(login))
        self.assertFalse(login.is_open)
        self.assertEqual(self.whoami(host), "alice tools")

    def test_a_login_is_declined(self) -> None:
        host = self.open()
        host.authorize(lambda login: login.decline("not today"))
        host.set_option(mcphost.Option.RETRY, 0)
        host.open()
        host.ready(20)
        error = host.core.get_status().servers[0].error
        assert error is not None
        self.assertIn("not today", error.message or "")


class DeviceCase(LoginCase):
    """Logins with a device code."""

    script = "account alice\nmember issuer authorization_endpoint\n"

    def test_the_request_has_the_code(self) -> None:
        host = sync.Host.http("web", self.server.url, **settings())
        self.addCleanup(host.close, 5)

        @host.authorize
        def log_in(login: mcphost.LoginRequest) -> None:
            self.asked.append(login)
            self.browsers.append(browse(
                f"{login.verification_uri}/approve?user_code={login.user_code}"))

        host.open()
        host.ready(20)
        self.assertEqual(host.dialog("d").call("whoami").text, "alice tools")
        login = self.asked[0]
        self.assertEqual(login.flow, "device")
        self.assertEqual(login.verification_uri_complete,
                         f"{login.verification_uri}?user_code={login.user_code}")


class Async(LoginCase):
    """Logins in a loop."""

    async def log_in(self, handler: Callable[[Any], Any]) -> str:
        """Returns the account and the scopes of the token."""
        host = mcphost.Host.http("web", self.server.url, **settings())
        host.on_request(mcphost.RequestKind.AUTHORIZE, handler)
        async with asyncio.timeout(20):
            async with host:
                dialog = await host.dialog("d")
                result = await dialog.call("whoami")
                return str(result.text)

    def test_a_coroutine_is_cancelled_when_the_user_has_logged_in(self) -> None:
        seen: list[str] = []

        async def ask(login: mcphost.LoginRequest) -> str:
            self.browsers.append(browse(login.url))
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise
            return ""

        self.assertEqual(asyncio.run(self.log_in(ask)), "alice tools")
        self.assertEqual(seen, ["cancelled"])

    def test_a_coroutine_returns_what_the_user_pastes(self) -> None:
        async def ask(login: mcphost.LoginRequest) -> str:
            return await asyncio.to_thread(self.redirect, login)

        self.assertEqual(asyncio.run(self.log_in(ask)), "alice tools")

    def test_a_coroutine_without_a_text_leaves_the_request_open(self) -> None:
        async def ask(login: mcphost.LoginRequest) -> None:
            self.browsers.append(browse(login.url))

        self.assertEqual(asyncio.run(self.log_in(ask)), "alice tools")

    def test_a_rejection_declines(self) -> None:
        async def ask(login: mcphost.LoginRequest) -> None:
            raise mcphost.Reject("not today")

        with self.assertRaises(mcphost.Error):
            asyncio.run(self.log_in(ask))


if __name__ == "__main__":
    unittest.main()
