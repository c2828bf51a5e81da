import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.base import PageOptions
from drretail.env.web.fetcher import Client, Fetcher, Robots, read_rules
from tests.env.web.fetching.local_site import AGENT, Names, by_path, fetcher, html, only_here, redirect, serving

NAMES = {"shop.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]}
PAGE = html(b"<p>here")
CLOSED = html(b"User-agent: *\nDisallow: /closed\n", kind="text/plain")


def test_a_page_that_the_site_asks_not_to_read_is_left_also_where_a_redirect_leads_to_it() -> None:
    pages = {"/robots.txt": CLOSED, "/closed/x": PAGE, "/open": PAGE, "/in": redirect("/closed/x")}
    with serving(by_path(pages)) as site:
        reader = fetcher(site, robots=True)
        found = reader.fetch(site.url("/closed/x"))
        assert (found.state, "robots.txt" in str(found.problem)) == ("blocked", True)
        assert reader.fetch(site.url("/open")).state == "ok"
        found = reader.fetch(site.url("/in"))
        assert (found.state, found.final_url) == ("blocked", site.url("/closed/x"))
        assert site.paths() == ["/robots.txt", "/open", "/in"]
        assert fetcher(site).fetch(site.url("/closed/x")).state == "ok"  # turned off


def test_each_site_is_asked_once_and_for_itself() -> None:
    with serving(by_path({"/robots.txt": CLOSED, "/a": PAGE, "/b": PAGE})) as site:
        reader = fetcher(site, Names(NAMES), robots=True)
        for host, path in [("shop.example", "/a"), ("shop.example", "/b"), ("other.example", "/a")]:
            assert reader.fetch(site.url(path, host)).state == "ok"
        assert site.paths() == ["/robots.txt", "/a", "/b", "/robots.txt", "/a"]


def test_parallel_readers_ask_a_site_once() -> None:
    def answer(request: str, connection: socket.socket) -> None:
        time.sleep(0.1)
        connection.sendall(CLOSED if "robots" in request else PAGE)

    with serving(answer) as site, ThreadPoolExecutor(4) as pool:
        list(pool.map(fetcher(site, robots=True).fetch, [site.url(f"/{n}") for n in range(4)]))
        assert site.paths().count("/robots.txt") == 1
        assert len(site.requests) == 5


@pytest.mark.parametrize(
    ("robots", "state", "problem"),
    [
        pytest.param(redirect("/r"), "blocked", "robots.txt", id="redirected"),
        pytest.param(html(b"<!doctype html><p>User-agent</p><p>Disallow"), "ok", "", id="a web page"),
        *((html(b"no", status=f"{status} No"), "ok", "") for status in (404, 401, 410)),
        *((html(b"", status=f"{status} No"), "blocked", str(status)) for status in (500, 503, 429, 304)),
    ],
)
def test_no_robots_forbid_nothing_and_a_site_that_fails_is_left_alone(robots: bytes, state: str, problem: str) -> None:
    with serving(by_path({"/robots.txt": robots, "/r": CLOSED, "/closed": PAGE})) as site:
        reader = fetcher(site, robots=True)
        found = reader.fetch(site.url("/closed"))
        assert (found.state, problem in str(found.problem)) == (state, True)
        assert reader.fetch(site.url("/closed")).state == state
        assert site.paths().count("/robots.txt") == 1


@pytest.mark.parametrize(("robots", "times"), [(html(b"", status="503 Busy"), 3), (CLOSED, 2)], ids=["busy", "read"])
def test_what_a_site_said_is_asked_again_after_its_time(robots: bytes, times: int) -> None:
    now = [0.0]
    with serving(by_path({"/robots.txt": robots, "/a": PAGE})) as site:
        client = Client(AGENT, PageOptions(ports=frozenset({site.port})), resolve=Names(NAMES), allowed=only_here)
        reader = Fetcher(client, Robots(client, "drretail", clock=lambda: now[0]))
        for moment in (0.0, 299.0, 301.0, 86_401.0):
            now[0] = moment
            reader.fetch(site.url("/a"))
        assert site.paths().count("/robots.txt") == times


def test_robots_that_do_not_come_end_with_the_time_of_the_page_and_are_asked_for_again_at_once() -> None:
    slow = [True]

    def answer(request: str, connection: socket.socket) -> None:
        if slow[0]:
            time.sleep(0.5)
        connection.sendall(CLOSED if "robots" in request else PAGE)

    with serving(answer) as site:
        reader = fetcher(site, robots=True, seconds=0.2)
        found = reader.fetch(site.url("/a"))
        assert (found.state, "robots.txt does not come" in str(found.problem)) == ("error", True)
        slow[0] = False
        assert reader.fetch(site.url("/a")).state == "ok"


RULES = b"""\xef\xbb\xbf# a comment
User-agent: OtherBot
Disallow: /

user-agent: *
Disallow: /private   # not here
Allow: /private/open
Disallow: /*.pdf$

User-Agent: DRRETAIL/2.0
User-agent: Second
Disallow: /only-us
"""


@pytest.mark.parametrize(
    ("token", "path", "allowed"),
    [
        ("thirdbot", "/private/x", False),
        ("thirdbot", "/private/open/door", True),
        ("thirdbot", "/%70rivate", False),
        ("thirdbot", "/a/b.pdf", False),
        ("thirdbot", "/a/b.pdf?x", True),
        ("drretail", "/only-us", False),
        ("drretail", "/private", True),
        ("otherbot", "/", False),
    ],
)
def test_a_machine_reads_its_own_rules_or_those_for_all(token: str, path: str, allowed: bool) -> None:
    assert read_rules(RULES).can_fetch(f"https://shop.example{path}", token) is allowed


@given(st.binary(max_size=300), st.text("/[]%?;$*:@a0F", max_size=30))
def test_no_bytes_are_too_odd(body: bytes, path: str) -> None:
    assert read_rules(body).can_fetch(f"https://shop.example/{path}", "drretail") in (True, False)
