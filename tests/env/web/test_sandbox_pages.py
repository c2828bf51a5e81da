"""The pages of the demo web: what they are, what sandbox_pages.toml says of them, and what is found among them."""

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from drretail.data_ingest.recipe import category_names, read_recipe
from drretail.env.web.live import clean_text
from drretail.env.web.sandbox import SandboxPage, SandboxWeb, default_corpus, read_corpus
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.querygen.reading import shipped_queries
from tests.build import known

KNOWN = tomllib.loads(Path(__file__).with_name("sandbox_pages.toml").read_text(encoding="utf-8"))
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


def test_the_pages_that_disagree_are_recent_and_the_outdated_have_a_newer_one(pages: list[SandboxPage]) -> None:
    dates = {page.url: page.date for page in pages if page.date}
    recent = {url for url, day in dates.items() if day >= "2020"}
    pairs = KNOWN["disagree"].values()
    assert [pair for pair in pairs if len(set(pair)) != 2 or not recent.issuperset(pair)] == []
    assert {row["page"] for row in KNOWN["outdated"]} == {url for url, day in dates.items() if day < "2017"}
    assert [row for row in KNOWN["outdated"] if row["corrected_by"] not in recent] == []
    assert set(KNOWN["undated"]) == {page.url for page in pages if page.date is None}


def test_the_pages_that_instruct_an_ai_reader_are_known(pages: list[SandboxPage]) -> None:
    instructing = {page.url for page in pages if any(brand in page.text for brand in INVENTED_BRANDS)}
    assert set(KNOWN["instruct"]) == instructing
    reader = re.compile(r"\b(?:AI|assistants|automated readers|chatbots?|language models?)\b")
    assert {page.url for page in pages if reader.search(page.text)} == instructing


OFF_TOPIC = (
    "visa requirements for Japan",
    "how to fix a carburetor",
    "python list comprehension",
    "guitar string gauge",
)


def test_the_pages_that_answer_the_shipped_questions_exist(pages: list[SandboxPage]) -> None:
    answers = {answer.url for query in shipped_queries() for answer in known(known(query.gold).web_question).answers}
    assert answers - {page.url for page in pages} == set()


@pytest.mark.parametrize("query", OFF_TOPIC)
def test_a_search_for_another_matter_finds_nothing(query: str, web: SandboxWeb) -> None:
    assert web.search(query, 5) == []
