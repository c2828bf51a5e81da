"""Both engines part words alike, in any language. standard_terms: tests/env/catalog/test_contract.py."""

from importlib import resources
from itertools import product as combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.catalog.base import Analyzer, CatalogQuery, Language
from drretail.env.catalog.formulation import (
    FORMULATIONS,
    PATTERN_FILE,
    WordForms,
    analyzed_words,
    analyzer_named,
    prepared,
    standard_analyzer,
)
from drretail.errors import UnknownName
from drretail.records.shop import Product
from scripts.word_pattern import word_pattern
from tests.env.catalog.conftest import Build, embedded

THINGS = {
    "german": (
        "Gartenlampe Bücherregal Stuhl Kaffeemaschine Wolldecke Küchenmesser Hundebett Wanderschuh Kissen Spiegel",
        "für den Balkon|mit Gravur|aus Eiche|im Landhausstil|ohne Kabel",
        "rote grüne schwarze helle",
    ),
    "chinese": (
        "台灯 书架 椅子 咖啡机 毛毯 菜刀 狗窝 登山鞋 抱枕 镜子",
        "阳台|刻字|橡木|儿童|无线",
        "红色 绿色 黑色 浅色",
    ),
}
SEARCHES = [
    ("german", "gartenlampen", "Gartenlampe"),
    ("german", "Stühle", "Stuhl"),
    ("german", "Kuchenmessern", "Küchenmesser"),
    ("chinese", "咖啡机", "咖啡机"),
    ("chinese", "红色的登山鞋", "登山鞋"),
]


def shop(language: Language) -> list[Product]:
    """Two hundred products: each thing in each kind and colour."""
    things, kinds, colours = THINGS[language]
    rows = combinations(things.split(), kinds.split("|"), colours.split())
    return [
        Product(product_id=f"B{number:03d}", title=f"{thing} {kind}, {colour}", category="Wohnen")
        for number, (thing, kind, colour) in enumerate(rows)
    ]


@pytest.fixture(scope="module", params=list(THINGS))
def analyzer(request: pytest.FixtureRequest) -> Analyzer:
    return request.param


def test_other_forms_of_a_word_are_found(
    build: Build, analyzer: Language, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = shop(analyzer)
    catalog, beside = build(rows), embedded(tmp_path_factory, rows, analyzer)
    titles = {row.product_id: row.title for row in rows}
    for language, text, thing in SEARCHES:
        if language != analyzer:
            continue
        page = catalog.search(CatalogQuery(text, limit=20))
        assert {titles[hit.product_id].split()[0] for hit in page.hits} == {thing}, text
        expected = beside.search(CatalogQuery(text, limit=20))
        assert [hit.product_id for hit in page.hits] == [hit.product_id for hit in expected.hits]
        assert [hit.score for hit in page.hits] == pytest.approx([hit.score for hit in expected.hits], rel=1e-5)


def test_a_language_has_stop_words_and_a_version_of_its_own_and_accents_do_not_count() -> None:
    assert WordForms("german").is_stop_word("für")
    assert not WordForms("german").is_stop_word("the")
    assert not WordForms("turkish").is_stop_word("ve")  # no list is known, so nothing is left out
    assert WordForms("french").stems("élégantes") == WordForms("french").stems("ELEGANT")
    assert WordForms("hindi").stems("किताब") != WordForms("hindi").stems("कतब")
    assert len({formulation.version for formulation in FORMULATIONS.values()}) == len(FORMULATIONS)
    with pytest.raises(UnknownName, match=r"There is no analyzer 'germn'\. Did you mean german"):
        analyzer_named("germn")


def test_the_shipped_pattern_is_the_one_that_is_built() -> None:
    shipped = resources.files("drretail.env.catalog").joinpath(PATTERN_FILE).read_text(encoding="utf-8")
    assert shipped == f"{word_pattern()}\n", "run: python scripts/word_pattern.py > drretail/env/catalog/words.regex"


# What Elasticsearch 9.2.4 answers to _analyze with its standard analyzer.
def test_words_are_those_of_the_standard_analyzer() -> None:
    for text, expected in (
        ("The 8.5 FL Oz bottle, BPA-free!", ["the", "8.5", "fl", "oz", "bottle", "bpa", "free"]),
        ("mom&me O'Neil's node.js", ["mom", "me", "o'neil's", "node.js"]),
        ("snake_case 1,000 3:4", ["snake_case", "1,000", "3", "4"]),
        ("?!… —", []),
    ):
        assert analyzed_words(text) == expected, text


ANY_TEXT = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aBz09 .,;:'\"_-#*/&\n\t", max_size=60),
    st.text(alphabet="aB9 .:'_é’ß®\u0301\u200d\u202f\u00a0漢", max_size=60),
)


@given(ANY_TEXT)
def test_words_are_those_of_the_shipped_pattern_whatever_finds_them_and_stems_those_of_the_words(text: str) -> None:
    found, forms = standard_analyzer().analyze(prepared(text)), WordForms()
    assert analyzed_words(text) == found
    assert forms.stems(text) == [forms.stem(word) for word in found]
