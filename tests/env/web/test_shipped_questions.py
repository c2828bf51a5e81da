"""The demo web answers what each of the shipped questions asks of the web: docs/sandboxes.md names the pages."""

import re
from pathlib import Path

import pytest

from drretail.env.web.sandbox import SandboxWeb, default_corpus
from drretail.querygen.shipped import shipped_queries

DOCS = Path(__file__).parents[3] / "docs" / "sandboxes.md"
SECTION = (
    DOCS.read_text(encoding="utf-8").split("\n### What the shipped questions ask of the web\n")[1].split("\n### ")[0]
)
ROWS = re.findall(r"^\| ((?:dev|test)-\d\d) \| ([^|]+) \| ([^|]+) \|$", SECTION, re.MULTILINE)
OFF_TOPIC = (
    "visa requirements for Japan",
    "how to fix a carburetor",
    "python list comprehension",
    "guitar string gauge",
)


@pytest.fixture(scope="module")
def web() -> SandboxWeb:
    return SandboxWeb(default_corpus())


def test_every_shipped_question_has_its_row() -> None:
    assert [row[0] for row in ROWS] == [query.query_id for query in shipped_queries()]


@pytest.mark.parametrize(("query", "pages"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_search_for_what_it_asks_brings_the_pages_that_answer(query: str, pages: str, web: SandboxWeb) -> None:
    found = {result.url for result in web.search(query, 5)}
    assert set(re.findall(r"<([^>]+)>", pages)) <= found


@pytest.mark.parametrize("query", OFF_TOPIC)
def test_a_search_for_another_matter_brings_nothing(query: str, web: SandboxWeb) -> None:
    assert web.search(query, 5) == []
