import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.base import Empty
from drretail.env.web.fetcher import codec_name, text_kind


@pytest.mark.parametrize(
    ("declared", "body", "kind", "charset"),
    [
        ("text/html; charset=ISO-8859-1", b"<p>x", "text/html", "cp1252"),
        ("text/html;charset='utf-8'", b"<p>x", "text/html", "utf-8"),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html>", "text/html", None),
        ("text/plain", b"<html> in words", "text/plain", None),
        ("", b"  <!-- c --> <!-- d --><!DOCTYPE html><p>x", "text/html", None),
        ("", b"just words", "text/plain", None),
        ("", "zwölf".encode(), "text/plain", None),
        ("text/html", b"\xef\xbb\xbf<p>x", "text/html", "utf-8"),
        ("text/html", "<p>x".encode("utf-16"), "text/html", "utf-16"),
        ("text/html; charset=utf-16le", "<p>x".encode("utf-16-le"), "text/html", "utf-16-le"),
        ("text/html; charset=no-such-thing", b"<p>x", "text/html", None),
        ("text/html; charset=utf-7", b"+ADw-p+AD4-", "text/html", None),
    ],
)
def test_header_and_bytes_tell_what_a_page_is(declared: str, body: bytes, kind: str, charset: str | None) -> None:
    assert text_kind(declared, body) == (kind, charset)


OTHERS = ("application/pdf", "image/svg+xml", "application/json", "text/javascript")
BODIES = (b"%PDF-1.7 ...", b"PK\x03\x04rest", b"\xff\xd8\xff\xe0", b"RIFF....WEBP", b"\x1f\x8b\x08", b"<p>x\x00y")


@pytest.mark.parametrize(
    ("declared", "body", "reason"),
    [
        *((declared, b"<html>", re.escape(declared)) for declared in OTHERS),
        *((declared, body, None) for declared in ("text/html", "text/plain", "") for body in BODIES),
    ],
)
def test_another_type_or_what_only_calls_itself_text_is_none(declared: str, body: bytes, reason: str | None) -> None:
    with pytest.raises(Empty, match=reason):
        text_kind(declared, body)


@pytest.mark.parametrize(
    "name",
    ["zlib", "hex", "rot13", "base64", "idna", "punycode", "unicode_escape", "undefined", "\x00", "x" * 9999, None],
)
def test_codecs_that_no_web_page_uses_are_not_used(name: str | None) -> None:
    assert codec_name(name) is None


@given(st.text(max_size=50), st.binary(max_size=200))
def test_every_header_and_body_has_an_answer(declared: str, body: bytes) -> None:
    try:
        kind, charset = text_kind(declared, body)
    except Empty:
        return
    assert kind in ("text/html", "text/plain")
    body.decode(charset or "utf-8", "replace")
