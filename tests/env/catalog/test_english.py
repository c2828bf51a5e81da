"""What ``english`` finds that words as they stand don't, and what a sort ranks. Tests base.py and formulation.py."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from drretail.env.catalog.base import FIRST_PAGE, Analyzer, CatalogQuery, Match, SortBy
from drretail.env.catalog.formulation import ENGLISH, WordForms, with_sizes
from drretail.reports.text.words import STOP_WORDS
from tests.env.catalog.conftest import Build, shelf_of


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return "english"


def test_a_phrase_is_found_in_any_form_and_stop_words_only_where_there_is_nothing_else(build: Build) -> None:
    catalog = build(
        shelf_of("Feeders for wild birds", "Wild bird feeder", "Bird of the wild", "Bed for a dog", "Dog bed")
    )
    searches: list[tuple[str, Match, list[str]]] = [
        ("wild birds", "phrase", ["B00", "B01"]),
        ("feeder for wild", "phrase", ["B00"]),
        ("for a dog", "phrase", ["B03"]),
        ("bed for the dog", "all", ["B03", "B04"]),
        ("for", "all", ["B00", "B03"]),
    ]
    for text, match, found in searches:
        assert sorted(hit.product_id for hit in catalog.search(CatalogQuery(text, match=match)).hits) == found, text


def test_a_size_is_one_word_however_it_is_written(build: Build) -> None:
    for forms in (("50ft", "50 ft", "50'", "50-foot", "50 feet"), ('12"', "12in", "12 inches", "12-inch")):
        catalog = build(shelf_of("Hose, 100 ft", *(f"Hose {form} long" for form in forms), "Hose 512 long"))
        found = [catalog.search(CatalogQuery(f"{form}")) for form in forms]
        assert {page.total for page in found} == {len(forms)}, forms
        assert len({page.hits for page in found}) == 1, forms
        assert catalog.search(CatalogQuery(forms[0][:2])).total == len(forms), "the number alone finds them, too"
        assert catalog.search(CatalogQuery(f"hose {forms[-1]}", match="phrase")).total == len(forms), forms


@pytest.mark.parametrize("text", ["airtight", "air-tight", "air tight", "Air-Tight"])
def test_two_words_that_may_be_one_find_each_other(build: Build, text: str) -> None:
    catalog = build(
        shelf_of("Airtight jar", "Air-tight jar", "Air tight jar", "Air fryer", "Noise cancelling headphones")
    )
    assert catalog.search(CatalogQuery(text, match="all")).total == 3
    assert catalog.search(CatalogQuery(text, sort_by="price", match="all")).total
    assert catalog.search(CatalogQuery("air-tight jar")) == catalog.search(CatalogQuery("airtight jar"))
    assert catalog.search(CatalogQuery("noise-cancelling")).total == 1


SORTS: tuple[SortBy, ...] = ("price", "rating", "popularity")


@pytest.mark.parametrize("sort_by", SORTS)
def test_a_sort_ranks_the_first_page_and_what_is_as_relevant_as_the_best_match(build: Build, sort_by: SortBy) -> None:
    def numbers(price: int) -> dict[str, Any]:
        return {"price": price, "average_rating": 5 - price / 100, "rating_number": 100 - price}

    wanted = [("Diaper bag", numbers(price)) for price in range(20, 20 + FIRST_PAGE)]
    catalog = build(shelf_of(("Bag", numbers(1)), *wanted, ("Bag for diapers", numbers(10))))
    page = catalog.search(CatalogQuery("diaper bag", sort_by=sort_by, limit=50))
    assert [hit.product_id for hit in page.hits] == ["B11", *(f"B{place:02}" for place in range(1, FIRST_PAGE + 1))]
    assert page.total == FIRST_PAGE + 1
    few = build(shelf_of(("Bag", numbers(1)), *wanted[1:], ("Bag for diapers", numbers(10))))
    page = few.search(CatalogQuery("diaper bag", sort_by=sort_by, limit=50))
    assert page.total == FIRST_PAGE, "the loose match is the eleventh"


def test_a_sort_in_a_narrow_category_ranks_all_of_it(build: Build) -> None:
    presses = [
        (title, {"price": price, "categories": ("Presses",)}) for title, price in (("French press", 9), ("Chambord", 5))
    ]
    catalog = build(shelf_of(*(("French press", {"price": 2}),) * FIRST_PAGE, *presses, ("Nail art", {"price": 1})))
    query = CatalogQuery("french press", sort_by="price", limit=50)
    assert [hit.product_id for hit in catalog.search(replace(query, category="Presses")).hits] == ["B11", "B10"]


def test_what_decides_rankings_has_not_changed_under_the_same_version() -> None:
    """Stop words are looked for or not, and stems compared: whoever changes either raises the version's number."""
    text = "earbuds laptops harnesses batteries generously running skis dying news 50' 2-pack 3-in-1"
    stems_of = " ".join([*WordForms().stems(text), *WordForms().stems(with_sizes(text))])
    seen = hashlib.sha256(" ".join([*sorted(STOP_WORDS), stems_of]).encode()).hexdigest()[:12]
    assert (ENGLISH.version[-1], seen) == ("2", "6c4cce1144f0")
