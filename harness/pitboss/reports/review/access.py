"""Access to the review: only with its token, from this machine, and not through another web page.

Requests come over the loopback, where every user of the machine can send some, and a browser sends what any page of the
web makes it send. So each needs the token: once in the address, from then on in a cookie. A cookie does not know ports,
and another user may listen on one: ours is only sent for a path that follows from the token, which nobody else knows.
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
_WHO = "127.0.0.1", "localhost"
#: Pages may only use our own style sheets and script, and send forms to us.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer a browser would not send the origin of a form either.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NO_TOKEN = "This review needs the address that `pitboss review` printed: open that one."
_NOT_HERE = "This review is asked for by its own address: 127.0.0.1 or localhost, and its port."
_FROM_ELSEWHERE = "This was sent from another page than the review's, so nothing was changed."
_PORT_OF_THE_WEB = 80
_READS = ("GET", "HEAD")


def home_of(token: str) -> str:
    """The path below which the pages are; it follows from the token, and the token does not from it."""
    return f"/{hashlib.sha256(f'path of {token}'.encode()).hexdigest()[:16]}/"


class Guard:
    """Refuses requests without access to an application, and adds restrictions for the browser to each response."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token, self._home = app, token, home_of(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Returns the response to a request without access; None if the application may answer."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in _names(_port(scope)):
            return PlainTextResponse(f"{_NOT_HERE}\n", 403)
        if scope["path"] == "/" and scope["method"] in _READS:
            return self._entrance(scope, headers)
        if not self._is_ours(_cookies(headers)):
            return PlainTextResponse(f"{NO_TOKEN}\n", 403)
        if scope["method"] not in _READS and headers.get("origin") != f"http://{host}":
            return PlainTextResponse(f"{_FROM_ELSEWHERE}\n", 403)
        return None

    def _entrance(self, scope: Scope, headers: Headers) -> Response:
        """Take the token from the address, so that it is left neither there nor in the history."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if not self._is_ours(given):
            return PlainTextResponse(f"{NO_TOKEN}\n", 403)
        answer: Response = RedirectResponse(self._home, 303)
        if headers.get("sec-fetch-site") == "cross-site":
            # After a link from elsewhere a strict cookie is not sent with a redirection, but from a page of ours it is.
            answer = HTMLResponse(_onwards(self._home))
        answer.set_cookie(COOKIE, self._token, path=self._home, httponly=True, samesite="strict")
        return answer

    def _is_ours(self, given: list[str]) -> bool:
        return any(hmac.compare_digest(one.encode(), self._token.encode()) for one in given)


def _onwards(path: str) -> str:
    to = html.escape(path)
    return (
        f'<!doctype html><html lang="en"><title>Review</title><meta http-equiv="refresh" content="0;url={to}">'
        f'<p><a href="{to}">To the review</a></p></html>'
    )


def _names(port: int) -> set[str]:
    """Returns our names in a browser, which omits port 80."""
    return {f"{name}:{port}" for name in _WHO} | (set(_WHO) if port == _PORT_OF_THE_WEB else set())


def _port(scope: Scope) -> int:
    """The port on which we listen."""
    return int((scope.get("server") or ("", 0))[1] or 0)


def _cookies(headers: Headers) -> list[str]:
    """The values of our cookie; several where somebody else on this machine has set some."""
    found = []
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            try:
                found += [one.value for name, one in SimpleCookie(part).items() if name == COOKIE]
            except CookieError:
                continue
    return found
