"""The pages of the demo web: what they are, what docs/sandboxes.md says of them, and what is found among them."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from drretail.data_ingest.synth.recipe import category_names, read_recipe
from drretail.env.web.reading.cleaning import clean_text
from drretail.env.web.sandbox import SandboxPage, SandboxWeb, default_corpus, read_corpus
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.querygen.shipped import shipped_queries
from tests.build import known

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


def section(heading: str) -> str:
    """A section of the docs that names pages."""
    return DOCS.read_text(encoding="utf-8").split(f"\n### {heading}\n")[1].split("\n### ")[0]


def rows_of(heading: str) -> list[list[str]]:
    """The addresses in each line of a section that has any."""
    rows = [re.findall(r"<(https://[^>]+)>", line) for line in section(heading).splitlines()]
    return [row for row in rows if row]


def test_addresses_are_sorted_normal_and_stand_once_and_texts_are_clean(pages: list[SandboxPage]) -> None:
    assert [page.url for page in pages if page.text != clean_text(page.text)] == []
    addresses = [page.url for page in pages]
    assert addresses == sorted(set(addresses))
    assert addresses == [normalise_url(address) for address in addresses]
    named = set(re.findall(r"<(https://[^>]+)>", DOCS.read_text(encoding="utf-8")))
    assert named - set(addresses) == set(), "those that the docs name exist"


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


def test_docs_name_the_pages_that_disagree_and_those_outdated_or_undated(pages: list[SandboxPage]) -> None:
    dates = {page.url: page.date for page in pages if page.date}
    recent = {url for url, day in dates.items() if day >= "2020"}
    pairs = rows_of("Pages that disagree")
    assert len(pairs) >= 8
    assert [pair for pair in pairs if len(set(pair)) != 2 or not recent.issuperset(pair)] == []

    outdated = rows_of("Outdated pages")  # each with a newer one that corrects it
    assert {old for old, _ in outdated} == {url for url, day in dates.items() if day < "2017"}
    assert len(outdated) >= 8
    assert [new for _, new in outdated if new not in recent] == []

    undated = {page.url for page in pages if page.date is None}
    assert {url for row in rows_of("Pages without a date") for url in row} == undated
    assert len(undated) == 3


def test_docs_name_the_pages_that_instruct_an_ai_reader(pages: list[SandboxPage]) -> None:
    instructing = {page.url for page in pages if any(brand in page.text for brand in INVENTED_BRANDS)}
    assert {url for row in rows_of("Pages that instruct an AI reader") for url in row} == instructing
    reader = re.compile(r"\b(?:AI|assistants|automated readers|chatbots?|language models?)\b")
    assert {page.url for page in pages if reader.search(page.text)} == instructing


OFF_TOPIC = (
    "visa requirements for Japan",
    "how to fix a carburetor",
    "python list comprehension",
    "guitar string gauge",
)


def test_docs_name_what_each_shipped_query_asks_of_the_web_and_the_pages_that_answer() -> None:
    rows = re.findall(
        r"^\| ((?:dev|test)-\d\d) \| ([^|]+) \| ([^|]+) \|$",
        section("What the shipped questions ask of the web"),
        re.MULTILINE,
    )
    shipped = [(query.query_id, known(known(query.gold).web_question)) for query in shipped_queries()]
    assert [(query_id, asked, re.findall(r"<([^>]+)>", pages)) for query_id, asked, pages in rows] == [
        (query_id, question.text, [answer.url for answer in question.answers]) for query_id, question in shipped
    ]


@pytest.mark.parametrize("query", OFF_TOPIC)
def test_a_search_for_another_matter_finds_nothing(query: str, web: SandboxWeb) -> None:
    assert web.search(query, 5) == []
