"""Who may ask the live server."""

import pytest
from starlette.testclient import TestClient

from drretail.addons.live.access import MOST_BYTES
from tests.addons.live.conftest import ADDRESS, TOKEN


def test_the_token_of_the_address_becomes_a_cookie_and_no_redirect_leads_away(stranger: TestClient) -> None:
    answer = stranger.get("/vote", params={"token": TOKEN, "x": "1"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/vote?x=1")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert stranger.get("/vote").status_code == 200
    answer = stranger.get(f"//evil.example/?token={TOKEN}")
    assert answer.headers["location"].startswith("/")
    assert not answer.headers["location"].startswith("//")


@pytest.mark.parametrize("path", ["/", "/vote", "/vote/1", "/changes", "/assets/live.css", "/nothing"])
def test_without_the_token_nothing_is_shown(stranger: TestClient, path: str) -> None:
    for address in (path, f"{path}?token=wrong", f"{path}?token="):
        answer = stranger.get(address)
        assert answer.status_code == 403
        assert "zephyr" not in answer.text


OTHER_HOSTS = ("evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:81", "0.0.0.0:8000")
NO_ASSETS = ("../page.css", "..%2f..%2fframe.py", "page.html.jinja", "nothing.js")


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        *(("GET", "/", host, 421) for host in OTHER_HOSTS),
        *((method, "/vote/1", ADDRESS[7:], 405) for method in ("PUT", "DELETE", "PATCH", "OPTIONS")),
        *(("GET", f"/assets/{name}", ADDRESS[7:], 404) for name in NO_ASSETS),
    ],
)
def test_other_hosts_methods_and_files_are_refused_even_with_the_cookie(
    client: TestClient, method: str, path: str, host: str, status: int
) -> None:
    assert client.request(method, path, headers={"host": host}).status_code == status


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:81", ""])
def test_what_a_page_from_elsewhere_sends_is_refused(ann: TestClient, origin: str) -> None:
    sent = {"question": "depth", "value": "tie"}
    assert ann.post("/vote/1", json=sent, headers={"origin": origin}).status_code == 403
    assert ann.get("/vote/1/answers").json()["answers"] == {}


def test_what_names_no_origin_and_a_long_body_are_refused(ann: TestClient) -> None:
    request = ann.build_request("POST", "/vote/1", json={"question": "depth", "value": "tie"})
    del request.headers["origin"]
    assert ann.send(request).status_code == 403
    long = b"x" * (MOST_BYTES + 1)
    assert ann.post("/vote/1", content=long).status_code == 413
    assert ann.post("/vote/1", content=iter([long])).status_code == 413


@pytest.mark.parametrize("path", ["/", "/vote", "/vote/1", "/label/1", "/nothing"])
def test_every_page_says_what_may_run_in_it(ann: TestClient, path: str) -> None:
    headers = ann.get(path).headers
    policy = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
    assert (policy["default-src"], policy["frame-ancestors"], policy["base-uri"]) == ("'none'", "'none'", "'none'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "same-origin"
