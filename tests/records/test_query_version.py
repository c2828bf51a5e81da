"""What names a version of a query, in reviews and histories."""

from typing import Any

from drretail.records.query import Query, version_of
from drretail.records.wish import Want, Wish

PLAIN: dict[str, Any] = {
    "format": 1,
    "query_id": "a",
    "text": "Which lamp?",
    "mode": "generic",
    "files": [],
    "rationale": "",
    "expected_tools": [],
    "source": "t",
}


def test_another_wish_is_another_version() -> None:
    lamp, other = (Wish(wants=(Want(name="lamp", kinds=(kind,)),)) for kind in ("lamp", "desk lamp"))
    query = Query.model_validate(PLAIN)
    versions = {version_of(query.model_copy(update={"wish": wish})) for wish in (None, lamp, other, Wish())}
    assert len(versions) == 4
