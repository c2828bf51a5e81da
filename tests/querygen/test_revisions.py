"""What names a version of a query, in reviews and histories of whatever age."""

from typing import Any

from drretail.querygen.revisions import version_of
from drretail.records.base import sha256_of
from drretail.records.query import Query
from drretail.records.wish import Want, Wish

OLD: dict[str, Any] = {
    "format": 1,
    "query_id": "a",
    "text": "Which lamp?",
    "mode": "generic",
    "files": [],
    "rationale": "",
    "expected_tools": [],
    "source": "t",
}
CONSTRAINTS: dict[str, Any] = {
    "budget_scope": "total",
    "categories": [],
    "brands_wanted": [],
    "brands_unwanted": [],
    "must": ["red"],
    "must_not": [],
    "quantities": {},
    "owned": [],
}


def test_a_query_of_an_older_file_has_the_version_that_older_reviews_name() -> None:
    told = OLD | {"constraints": CONSTRAINTS}
    assert version_of(Query.model_validate(told)) == sha256_of(told)
    nothing = OLD | {"constraints": CONSTRAINTS | {"must": []}}
    assert version_of(Query.model_validate(OLD)) == sha256_of(nothing)


def test_another_wish_is_another_version() -> None:
    lamp, other = (Wish(wants=(Want(name="lamp", kinds=(kind,)),)) for kind in ("lamp", "desk lamp"))
    query = Query.model_validate(OLD)
    versions = {version_of(query.model_copy(update={"wish": wish})) for wish in (None, lamp, other, Wish())}
    assert len(versions) == 4
