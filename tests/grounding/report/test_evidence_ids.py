import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.evidence_ids import (
    calculation_evidence_id,
    file_evidence_id,
    normalise_url,
    order_evidence_id,
    parse_evidence_id,
    product_evidence_id,
    read_evidence_ids,
    user_evidence_id,
    web_evidence_id,
)

SAME = [
    ("HTTPS://Example.ORG/a", "https://example.org/a"),
    ("http://example.org:80", "http://example.org/"),
    ("https://example.org/a#part", "https://example.org/a"),
    ("https://example.org/a/", "https://example.org/a"),
    ("https://example.org/a?utm_source=x&b=1&gclid=2&fbclid=3&UTM_Medium=y", "https://example.org/a?b=1"),
    ("https://example.org/%7euser/%e4%b8%ad", "https://example.org/~user/中"),
    ("https://example.org/a b", "https://example.org/a%20b"),
    ("  https://example.org./a \n", "https://example.org/a"),
    ("https://bücher.example/", "https://xn--bcher-kva.example"),
]
DIFFERENT = [
    ("http://example.org/a", "https://example.org/a"),
    ("https://example.org/a", "https://example.org/A"),
    ("https://example.org/?a=1&b=2", "https://example.org/?b=2&a=1"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/?utm=1", "https://example.org/"),
]


@pytest.mark.parametrize(
    ("one", "other", "is_same"), [*((*pair, True) for pair in SAME), *((*pair, False) for pair in DIFFERENT)]
)
def test_spellings_of_one_address_are_one_source_and_other_addresses_others(
    one: str, other: str, *, is_same: bool
) -> None:
    assert (normalise_url(one) == normalise_url(other)) is is_same
    assert (web_evidence_id(one) == web_evidence_id(other)) is is_same


@pytest.mark.parametrize(
    "text", ["", "no address", "https://", "http://[::1", "https://a.example:port/", "mailto:a@b.c"]
)
def test_what_is_no_address_stands_for_itself(text: str) -> None:
    assert normalise_url(text) == text


@given(st.text(st.sampled_from("abAB%2fF7E/:.?#&=utm_@[]中 +\\"), max_size=40))
def test_normalising_twice_changes_nothing(tail: str) -> None:
    once = normalise_url(f"https://example.org/{tail}")
    assert normalise_url(once) == once


def test_ids_name_their_records_and_a_file_s_is_a_hash_where_no_mark_could_hold_its_name() -> None:
    assert product_evidence_id("B09G3KKBK7") == "P:B09G3KKBK7"
    assert order_evidence_id("0940062991") == "O:0940062991"
    assert user_evidence_id("profile", "A1", "A1") == "U:profile"
    assert user_evidence_id("orders", "A1_1", "A1") == "U:orders@A1_1"
    assert user_evidence_id("statistics", "A1", None) == "U:statistics@A1"
    assert web_evidence_id("https://example.org/a") == "W:wwyq3ucc"
    assert calculation_evidence_id("1 + 1") == "C:jinsdwdw"
    assert calculation_evidence_id(" 2 *\t(3+4)") == calculation_evidence_id("2*(3 + 4)")
    assert file_evidence_id("order_history-2.csv") == "F:order_history-2.csv"
    for name in ("my orders.csv", "ä.md", "list]", "notes.", "a" * 120):
        assert re.fullmatch(r"F:[a-z2-7]{8}", file_evidence_id(name))
    assert file_evidence_id("my orders.csv") != file_evidence_id("my orders.txt")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("P:B09G3KKBK7", "product"),
        ("O:0940062991", "order"),
        ("U:profile", "user"),
        ("U:orders@AEXGISIVX7WBUNI7UHHERVB3DF7Q_1", "user"),
        ("W:abcd2345", "web"),
        ("F:orders.csv", "file"),
        ("F:orders.csv.", None),
        ("W:ABCD2345", None),
        ("W:abcd0189", None),
        ("U:admin", None),
        ("P:a b", None),
        ("p:B09G3KKBK7", None),
        ("P:B09G3KKBK7\n", None),
    ],
)
def test_an_id_is_told_by_its_form(text: str, kind: str | None) -> None:
    assert parse_evidence_id(text) == kind


PAGE = web_evidence_id("https://birds.example/clean?utm_source=x")
KNOWN = ("P:B0TEST0001", "O:0000000007", "P:0000000007", "U:profile", "W:abcd2345", PAGE)


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("[P:B0TEST0001]", ("P:B0TEST0001",)),
        ("b0test0001", ("P:B0TEST0001",)),
        ("https://ecommerce.com/B0TEST0001", ("P:B0TEST0001",)),
        ("[P:B0TEST0001][W:abcd2345]", ("P:B0TEST0001", "W:abcd2345")),
        ("U:profile, O:0000000007", ("U:profile", "O:0000000007")),
        ("0000000007", ()),
        ("P:B0TEST0001 and more", ()),
        ("<https://birds.example/clean/>", (PAGE,)),
        ("https://birds.example/other", ()),
    ],
)
def test_a_known_id_is_read_in_any_form_or_by_its_page_s_address_and_never_as_another(
    written: str, ids: tuple[str, ...]
) -> None:
    assert read_evidence_ids(written, KNOWN) == ids
