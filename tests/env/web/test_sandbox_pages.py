import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from drretail.data_ingest.synth.recipe import category_names, read_recipe
from drretail.env.web.reading.cleaning import clean_text
from drretail.env.web.sandbox import SandboxPage, SandboxWeb, default_corpus, read_corpus
from drretail.grounding.report.evidence_ids import normalise_url

DOCS = Path(__file__).parents[3] / "docs" / "sandboxes.md"
INVENTED_BRANDS = ("Stillwater blend", "Barn Blend")

# Product kind → words that must stand together in the title of one page.
NAMES = [kind.name for category in category_names() for kind in read_recipe(category).kinds]
TITLES = {name: (name,) for name in NAMES} | {"cat litter mat": ("cat litter", "mats")}


@pytest.fixture(scope="module")
def pages() -> list[SandboxPage]:
    return read_corpus(default_corpus())


@pytest.fixture(scope="module")
def web() -> SandboxWeb:
    return SandboxWeb(default_corpus())


def rows_of(heading: str) -> list[list[str]]:
    """For each line of a section of the docs that names pages, their addresses."""
    section = DOCS.read_text(encoding="utf-8").split(f"\n### {heading}\n")[1].split("\n### ")[0]
    rows = [re.findall(r"<(https://[^>]+)>", line) for line in section.splitlines()]
    return [row for row in rows if row]


def test_addresses_are_sorted_normal_and_stand_once_and_texts_are_clean(pages: list[SandboxPage]) -> None:
    assert [page.url for page in pages if page.text != clean_text(page.text)] == []
    addresses = [page.url for page in pages]
    assert addresses == sorted(set(addresses))
    assert addresses == [normalise_url(address) for address in addresses]


def test_hosts_are_reserved_names_of_many_publishers(pages: list[SandboxPage]) -> None:
    hosts = {urlsplit(page.url).netloc for page in pages}
    assert {host for host in hosts if not re.fullmatch(r"[a-z0-9-]+\.example", host)} == set()
    assert len(hosts) >= 16
    # A link in a text is an address as well.
    linked = {host for page in pages for host in re.findall(r"https?://([^/\s]+)|\bwww\.(\S+)", page.text)}
    assert linked == set()


@pytest.mark.parametrize("kind", TITLES)
def test_a_search_for_a_product_kind_finds_a_page_about_it_first(kind: str, web: SandboxWeb) -> None:
    first = web.search(kind, 1)[0].title.casefold()
    assert all(words in first for words in TITLES[kind])


def test_pages_named_in_the_docs_exist(pages: list[SandboxPage]) -> None:
    named = set(re.findall(r"<(https://[^>]+)>", DOCS.read_text(encoding="utf-8")))
    assert named - {page.url for page in pages} == set()


def test_docs_pair_recent_pages_that_disagree(pages: list[SandboxPage]) -> None:
    recent = {page.url for page in pages if page.date and page.date >= "2020"}
    pairs = rows_of("Pages that disagree")
    assert len(pairs) >= 8
    assert [pair for pair in pairs if len(set(pair)) != 2 or not recent.issuperset(pair)] == []


def test_docs_name_every_outdated_page_with_a_newer_one_that_corrects_it(pages: list[SandboxPage]) -> None:
    dates = {page.url: page.date for page in pages if page.date}
    rows = rows_of("Outdated pages")
    assert {old for old, _ in rows} == {url for url, day in dates.items() if day < "2017"}
    assert len(rows) >= 8
    assert [new for _, new in rows if dates[new] < "2020"] == []


def test_docs_name_the_pages_without_a_date(pages: list[SandboxPage]) -> None:
    undated = {page.url for page in pages if page.date is None}
    assert {url for row in rows_of("Pages without a date") for url in row} == undated
    assert len(undated) == 3


def test_docs_name_the_pages_that_instruct_an_ai_reader(pages: list[SandboxPage]) -> None:
    instructing = {page.url for page in pages if any(brand in page.text for brand in INVENTED_BRANDS)}
    assert {url for row in rows_of("Pages that instruct an AI reader") for url in row} == instructing
    reader = re.compile(r"\b(?:AI|assistants|automated readers|chatbots?|language models?)\b")
    assert {page.url for page in pages if reader.search(page.text)} == instructing
