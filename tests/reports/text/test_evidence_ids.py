"""Ids of evidence: one for all forms of an address, and told by their form."""

from itertools import starmap

from drretail.reports.text.evidence_ids import (
    calculation_evidence_id,
    file_evidence_id,
    normalise_url,
    parse_evidence_id,
    read_evidence_ids,
    user_evidence_id,
    web_evidence_id,
)

ONE_SOURCE = (
    ("HTTPS://Example.ORG:443/a/#part", "https://example.org/a"),
    ("https://example.org/a?utm_source=x&amp;b=1&gclid=2&srsltid=3&UTM_Medium=y", "https://example.org/a?b=1"),
    ("https://example.org/%7euser/%e4%b8%ad_%28b%29", "https://example.org/~user/中_(b)"),
    ("  https://example.org./a b \n", "https://example.org/a%20b"),
    ("https://bücher.example/", "https://xn--bcher-kva.example"),
)
APART = ("http://e.org/a", "https://e.org/a", "https://e.org/A", "https://e.org/?a=1&b=2", "https://e.org/?b=2&a=1")


def test_spellings_of_an_address_are_one_source_and_others_others() -> None:
    for one, other in ONE_SOURCE:
        assert (normalise_url(one), web_evidence_id(one)) == (normalise_url(other), web_evidence_id(other))
    assert len({*map(normalise_url, APART)}) == len({*map(web_evidence_id, APART)}) == len(APART)
    for text in ("", "nowhere", "https://", "http://[::1", "https://a.example:port/", "mailto:a@b.c"):
        assert normalise_url(text) == text


def test_ids_name_their_records_and_are_told_by_their_form() -> None:
    users = (("orders", "A1_1", "A1"), ("profile", "A1", "A1"), ("profile", "A1", None))
    assert [*starmap(user_evidence_id, users)] == ["U:orders@A1_1", "U:profile", "U:profile@A1"]
    assert web_evidence_id("https://example.org/a") == "W:wwyq3ucc", "as runs have recorded it"
    assert calculation_evidence_id(" 1\t+ 1") == calculation_evidence_id("1+1") == "C:jinsdwdw"
    assert all(len(file_evidence_id(name)) == 10 for name in ("my orders.csv", "ä.md", "list]", "notes.", "a" * 120))
    assert [*map(parse_evidence_id, ("O:0940062991", "W:abcd2345", "P:B09G3KKBK7"))] == ["order", "web", "product"]
    assert not any(
        map(parse_evidence_id, ("F:orders.csv.", "W:abcd0189", "U:admin", "P:a b", "p:B09G3KKBK7", "P:B0\n"))
    )


CLEANING = web_evidence_id("https://birds.example/clean?utm_source=x")
KNOWN = ("P:B0TEST0001", "O:0000000007", "P:0000000007", "U:profile", "W:abcd2345", CLEANING)


def test_a_known_id_is_read_in_any_form_or_by_its_page_and_never_as_another() -> None:
    written = {
        "b0test0001": ("P:B0TEST0001",),
        "https://ecommerce.com/B0TEST0001": ("P:B0TEST0001",),
        "[P:B0TEST0001][W:abcd2345]": ("P:B0TEST0001", "W:abcd2345"),
        "<https://birds.example/clean/>": (CLEANING,),
    }
    written |= dict.fromkeys(("0000000007", "P:B0TEST0001 and more", "https://birds.example/other"), ())
    assert {text: read_evidence_ids(text, KNOWN) for text in written} == written
