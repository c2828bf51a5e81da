"""Who gets in, and what else is refused."""

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


def test_without_the_token_nothing_is_shown(stranger: TestClient) -> None:
    for path in ("/", "/vote", "/vote/1", "/changes", "/assets/live.css", "/nothing"):
        for address in (path, f"{path}?token=wrong", f"{path}?token="):
            answer = stranger.get(address)
            assert (answer.status_code, "zephyr" in answer.text) == (403, False), address


def test_others_are_refused_with_the_cookie(client: TestClient) -> None:
    other_hosts = ("evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:81", "0.0.0.0:8000")
    no_assets = ("../page.css", "..%2f..%2fframe.py", "page.html.jinja", "nothing.js")
    for method, path, host, status in (
        *(("GET", "/", host, 421) for host in other_hosts),
        *((method, "/vote/1", ADDRESS[7:], 405) for method in ("PUT", "DELETE", "PATCH", "OPTIONS")),
        *(("GET", f"/assets/{name}", ADDRESS[7:], 404) for name in no_assets),
    ):
        assert client.request(method, path, headers={"host": host}).status_code == status, (method, path, host)


def test_what_a_page_from_elsewhere_or_of_no_origin_sends_and_a_long_body_are_refused(ann: TestClient) -> None:
    for origin in ("http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:81", "", None):
        request = ann.build_request("POST", "/vote/1", json={"question": "depth", "value": "tie"})
        del request.headers["origin"]
        request.headers.update({} if origin is None else {"origin": origin})
        assert ann.send(request).status_code == 403, origin
    assert ann.get("/vote/1/answers").json()["answers"] == {}
    long = b"x" * (MOST_BYTES + 1)
    assert ann.post("/vote/1", content=long).status_code == 413
    assert ann.post("/vote/1", content=iter([long])).status_code == 413
