import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.fetching.robots import Rules, read_rules

FILE = b"""\xef\xbb\xbf# a comment
User-agent: OtherBot
Disallow: /

user-agent: *
Disallow: /private   # not here
Allow: /private/open
Disallow: /*.pdf$
Disallow: /search?*q=
Disallow:
Sitemap: https://shop.example/map.xml

User-Agent: DRRETAIL/2.0
User-agent: Second
Disallow: /only-us
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/private/x", False),
        ("/privateer", False),
        ("/private/open/door", True),
        ("/a/b.pdf", False),
        ("/a/b.pdf?x", True),
        ("/search?page=1&q=x", False),
        ("/search?page=1", True),
        ("/%70rivate", False),
        ("/only-us", True),
    ],
)
def test_the_rules_for_all_hold_for_a_machine_without_its_own(path: str, allowed: bool) -> None:
    assert read_rules(FILE, "thirdbot").allow(path) is allowed


def test_a_machine_with_its_own_rules_reads_only_those() -> None:
    for token in ("drretail", "second"):
        rules = read_rules(FILE, token)
        assert (rules.allow("/only-us/x"), rules.allow("/private")) == (False, True)
    assert read_rules(FILE, "otherbot").allow("/") is False


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Allow: /a\nDisallow: /ab", "/abc", False),
        ("Disallow: /*\nAllow: /a*b", "/a-b", True),
        ("Disallow: *", "/x", False),
        ("Disallow: /$", "/", False),
        ("Disallow: /$", "/x", True),
        ("Disallow: /a*c$", "/abc", False),
        ("Disallow: /a*c$", "/abcd", True),
        ("Disallow: /ab*bc$", "/abc", True),
        ("Disallow: /%C3%A4", "/%c3%a4", False),
        ("Disallow: /ä", "/%C3%A4", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("Crawl-delay: 9", "/", True),
        ("Disallow", "/", True),
        ("Disallow:/x", "/x", False),
    ],
)
def test_the_longest_rule_wins(rules: str, path: str, allowed: bool) -> None:
    assert read_rules(f"User-agent: *\n{rules}\n".encode(), "drretail").allow(path) is allowed


def test_groups_for_one_machine_are_one_group() -> None:
    text = b"User-agent: drretail\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: drretail\nDisallow: /b\n"
    rules = read_rules(text, "drretail")
    assert [rules.allow(path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_rules_before_any_machine_are_for_nobody() -> None:
    assert read_rules(b"Disallow: /\n", "drretail") == Rules()


@given(st.binary(max_size=300), st.text(max_size=30))
def test_no_bytes_are_too_odd(body: bytes, path: str) -> None:
    assert read_rules(body, "drretail").allow(f"/{path}") in (True, False)


def test_stars_without_end_take_no_time() -> None:
    rules = read_rules(b"User-agent: *\nDisallow: /" + b"*a" * 2000 + b"b$\n", "drretail")
    begun = time.process_time()
    assert rules.allow("/" + "a" * 3900)
    assert time.process_time() - begun < 1
