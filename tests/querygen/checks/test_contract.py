"""What is asked of writers beyond a sound query, and of nobody else."""

from typing import Any

import pytest

from drretail.querygen.checks import contract
from drretail.querygen.lint import CODES, Linter
from drretail.records.query import Query
from tests.querygen.checks.conftest import RATIONALE, TEXT
from tests.querygen.checks.test_codes import changed
from tests.querygen.conftest import product_id


def codes(linter: Linter, query: Query) -> list[str]:
    return [finding.code for finding in contract.check(linter.case(query))]


def test_a_good_query_keeps_to_it(linter: Linter, query: Query) -> None:
    assert codes(linter, query) == []


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"text": "Which birdhouse, for $60?"}, "too_short"),
        ({"text": TEXT + " word" * 180}, "too_long"),
        ({"expected_tools": ["get_user_orders", "product_catalog_search", "calculator"]}, "web_tool_missing"),
        ({"expected_tools": ["product_catalog_search", "web_search", "calculator"]}, "profile_tool_missing"),
        ({"expected_tools": ["get_user_orders", "calculator", "web_search"]}, "shop_tool_missing"),
        ({"expected_tools": ["get_user_orders", "web_search"]}, "too_few_tools"),
        ({"mode": "generic"}, "profile_tool_of_nobody"),
        ({"rationale": "Because."}, "rationale_missing"),
        ({"rationale": f"{RATIONALE} Best is B0ABCDEFGH."}, "rationale_tells_answer"),
        ({"rationale": f"{RATIONALE} Best is the Tallow Birdhouse, Size 0, Blue."}, "rationale_tells_answer"),
        ({"text": TEXT.replace("$60", "sixty dollars")}, "words_not_in_text"),
        ({"want": {"must": ["heated"]}}, "words_not_in_text"),
        ({"want": {"must_not": ["leather"]}}, "words_not_in_text"),
        ({"want": {"brands_wanted": ["Tallow"]}}, "words_not_in_text"),
        ({"want": {"name": "ladder"}}, "words_not_in_text"),
        ({"wish": {"deadline": "by Friday"}}, "words_not_in_text"),
        ({"text": TEXT + " At least 4 stars.", "want": {"rating_min": 4.5}}, "words_not_in_text"),
        ({"text": TEXT + " At least 50 reviews.", "want": {"ratings_min": 100}}, "words_not_in_text"),
        ({"text": TEXT + " No more than $40 each."}, "amount_not_typed"),
    ],
)
def test_each_breach_is_found_under_its_code(linter: Linter, query: Query, fields: dict[str, Any], code: str) -> None:
    assert code in codes(linter, changed(query, **fields))
    assert code in CODES


@pytest.mark.parametrize(
    ("source", "typed_by", "binds"),
    [
        ("anthropic:claude", None, True),
        ("offline:generator", None, False),
        ("questions.csv", "anthropic:claude", False),
        ("Ann: by hand", None, False),
    ],
)
def test_it_binds_what_a_model_wrote_and_nothing_else(
    linter: Linter, query: Query, source: str, typed_by: str | None, binds: bool
) -> None:
    short = query.model_copy(update={"text": "Which one, for $60?", "source": source, "typed_by": typed_by})
    assert ("too_short" in {it.code for it in linter.check(short).findings}) == binds


def test_questions_without_anything_beside_them_are_not_held_to_it(linter: Linter, query: Query) -> None:
    bare = query.model_copy(update={"text": "Which one, for $60?", "source": "survey:may", "rationale": ""})
    assert linter.check(bare).findings == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"want": {"name": "birdhouses"}},
        {"text": TEXT + " At least 4.5 stars, 1,000 reviews.", "want": {"rating_min": 4.5, "ratings_min": 1000}},
        {"text": TEXT + " Rated four stars or better.", "want": {"rating_min": 4}},
        {"text": TEXT + " None over $40.", "want": {"price_max": {"amount": "40.00"}}},
    ],
)
def test_what_is_typed_in_the_words_and_numbers_of_the_text_is_no_breach(
    linter: Linter, query: Query, fields: dict[str, Any]
) -> None:
    assert codes(linter, changed(query, **fields)) == []


def test_a_rationale_may_name_what_the_user_has(linter: Linter, query: Query) -> None:
    own = f"{RATIONALE} It is {product_id('bird feeder', 1)}, by Brightwater."
    assert codes(linter, changed(query, rationale=own)) == []
