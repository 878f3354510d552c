"""Access to the review: only with its token, from this machine, and not through another web page.

Requests come over the loopback interface. Every user of the machine can send such requests, and any web page can make
the browser send them. So each request needs the token: the first request in its address, later requests in a cookie.
Browsers send a cookie to all ports of a host, and another user may listen on one of these ports. So our cookie is
limited to a path that is derived from the token, and that nobody else knows.
"""

from __future__ import annotations

import hashlib
import hmac
import html
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "pitboss-review"
_HOST_NAMES = "127.0.0.1", "localhost"
#: The Content-Security-Policy: a page may use only our own style sheets and script, and send forms only to us.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer a browser would not send the origin of a form either, which `Guard` needs.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NO_TOKEN = "This review needs the address that `pitboss review` printed: open that address."
_WRONG_ADDRESS = "Open this review at its own address: 127.0.0.1 or localhost, with its port."
_WRONG_ORIGIN = "This form was not sent from a page of the review, so nothing was changed."
_DEFAULT_PORT = 80
_SAFE_METHODS = ("GET", "HEAD")


def home_path(token: str) -> str:
    """Returns the path below which all pages are. The path is derived from the token, but does not reveal the token."""
    return f"/{hashlib.sha256(f'path of {token}'.encode()).hexdigest()[:16]}/"


class Guard:
    """Protects an application: refuses requests without access, and adds security headers to each response."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token, self._home = app, token, home_path(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on to the application."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await (self._own_response(scope) or self._app)(scope, receive, send_with_headers)

    def _own_response(self, scope: Scope) -> Response | None:
        """Returns a refusal, or the response to a token in the address; None if the application may answer."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in _host_headers(scope):
            return PlainTextResponse(f"{_WRONG_ADDRESS}\n", 403)
        if scope["path"] == "/" and scope["method"] in _SAFE_METHODS:
            return self._entry_response(scope, headers)
        if not self._has_token(_own_cookies(headers)):
            return PlainTextResponse(f"{NO_TOKEN}\n", 403)
        if scope["method"] not in _SAFE_METHODS and headers.get("origin") != f"http://{host}":
            return PlainTextResponse(f"{_WRONG_ORIGIN}\n", 403)
        return None

    def _entry_response(self, scope: Scope, headers: Headers) -> Response:
        """Move the token from the address to a cookie, so that it stays neither in the address nor in the history."""
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if not self._has_token(tokens):
            return PlainTextResponse(f"{NO_TOKEN}\n", 403)
        response: Response = RedirectResponse(self._home, 303)
        if headers.get("sec-fetch-site") == "cross-site":
            # After a link from another site, browsers omit a strict cookie on a redirect, but not on our own page.
            response = HTMLResponse(_refresh_page(self._home))
        response.set_cookie(COOKIE, self._token, path=self._home, httponly=True, samesite="strict")
        return response

    def _has_token(self, candidates: list[str]) -> bool:
        return any(hmac.compare_digest(candidate.encode(), self._token.encode()) for candidate in candidates)


def _refresh_page(path: str) -> str:
    """Returns the HTML of a page that immediately leads to `path`."""
    target = html.escape(path)
    return (
        f'<!doctype html><html lang="en"><title>Review</title><meta http-equiv="refresh" content="0;url={target}">'
        f'<p><a href="{target}">To the review</a></p></html>'
    )


def _host_headers(scope: Scope) -> set[str]:
    """Returns the Host headers that a request to our port may have; browsers omit port 80."""
    port = int((scope.get("server") or ("", 0))[1] or 0)
    return {f"{name}:{port}" for name in _HOST_NAMES} | (set(_HOST_NAMES) if port == _DEFAULT_PORT else set())


def _own_cookies(headers: Headers) -> list[str]:
    """Returns the values of our cookie: several if another user of this machine has set cookies with its name."""
    values = []
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            try:
                values += [morsel.value for name, morsel in SimpleCookie(part).items() if name == COOKIE]
            except CookieError:
                continue
    return values
