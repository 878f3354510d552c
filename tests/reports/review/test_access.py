import pytest

from pitboss.reports.review.access import COOKIE, NO_TOKEN, home_path
from tests.reports.review.conftest import HOST, TOKEN

HOME = home_path(TOKEN)
ADDRESSES = [
    "",
    "person?who=ada",
    "session?who=ada&of=teller&number=1",
    "beside?who=ada",
    "style.css",
    "review.js",
    "no",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_every_address_is_refused_without_the_token(client, method, address):
    output = client.request(method, f"{HOME}{address}", headers={"Origin": HOST})
    assert output.status_code == 403
    assert output.text == ("" if method == "HEAD" else f"{NO_TOKEN}\n")


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), "\u00e9"])
def test_a_wrong_token_is_refused(client, token):
    assert client.get("/", params={"token": token}).status_code == 403
    output = client.get(HOME, headers={"Cookie": f"{COOKIE}={token}".encode()})
    assert (output.status_code, output.text) == (403, f"{NO_TOKEN}\n")


def test_the_token_is_moved_from_the_address_to_a_cookie(client):
    output = client.get(f"/?token={TOKEN}")
    assert (output.status_code, output.headers["location"]) == (303, HOME)
    assert output.headers["set-cookie"] == f"{COOKIE}={TOKEN}; HttpOnly; Path={HOME}; SameSite=strict"
    assert TOKEN not in HOME


def test_a_link_from_another_site_gets_a_page_that_redirects(client):
    output = client.get(f"/?token={TOKEN}", headers={"Sec-Fetch-Site": "cross-site"})
    assert output.status_code == 200
    assert f'http-equiv="refresh" content="0;url={HOME}"' in output.text
    assert TOKEN not in output.text
    assert client.get(HOME).status_code == 200


def test_an_unrelated_cookie_of_the_same_name_does_no_harm(client):
    cookies = f"{COOKIE}=theirs; a b=c; {COOKIE}={TOKEN}"
    assert client.get(HOME, headers={"Cookie": cookies}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1:80", "127.0.0.1", "", "127.0.0.1:8765.x"]
)
def test_an_unknown_host_name_is_refused(reader, host):
    output = reader.get(headers={"Host": host})
    assert output.status_code == 403
    assert output.text == "Open this review at its own address: 127.0.0.1 or localhost, with its port.\n"


@pytest.mark.parametrize(
    "origin", ["", "null", "http://evil.example", "http://127.0.0.1:9999", "http://localhost:8765"]
)
def test_a_form_from_another_origin_is_refused(reader, opened, origin):
    output = reader.post("mark?who=ada", origin=origin, style="80%")
    assert output.status_code == 403
    assert output.text == "This form was not sent from a page of the review, so nothing was changed.\n"
    assert opened.marks("ada") == []


def test_get_requests_write_nothing(reader, opened):
    for address in ADDRESSES:
        assert reader.get(address).status_code in (200, 404)
    assert reader.get("mark?who=ada&style=80%25").status_code == 405
    assert opened.marks("ada") == []


def test_every_response_has_the_security_headers(reader, client):
    for output in (
        reader.get(),
        reader.get("no"),
        reader.get("review.js"),
        client.get("/"),
        client.get("/", headers={"Host": "x"}),
    ):
        headers = output.headers
        assert headers["content-security-policy"] == (
            "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        )
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"


def test_a_missing_page_is_answered_by_404_with_the_reason(reader):
    for address in ("no", "person?who=nobody", "person", "session?who=ada&of=teller&number=99", "session?who=ada"):
        output = reader.get(address)
        assert output.status_code == 404
        assert "<h1>This did not work</h1>" in output.text
    assert "nobody in this gradebook has the key &#39;nobody&#39;" in reader.get("person?who=nobody").text
