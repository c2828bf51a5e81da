"""Reviews as if made by people."""

from datetime import UTC, datetime, timedelta

from drretail.addons.people.review.decisions import Answers, Decision, Review, edit_of
from drretail.records.query import Query, version_of
from drretail.records.wish import Wish
from tests.build import query as query_of

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
YES = Answers(deep_research=True, answerable=True, fits_profile=True)


def reviewed(
    query: Query,
    reviewer: str,
    decision: Decision = "accept",
    *,
    answers: Answers = YES,
    text: str | None = None,
    wish: Wish | None = None,
    minute: int = 0,
) -> Review:
    """What somebody decided; with ``text`` or ``wish`` as an edit to this."""
    changes = ({} if text is None else {"text": text}) | ({} if wish is None else {"wish": wish, "typed_by": reviewer})
    edit = edit_of(query, query.model_copy(update=changes))
    return Review(
        query_id=query.query_id,
        version=version_of(query),
        reviewer=reviewer,
        at=NOON + timedelta(minutes=minute),
        decision="edit" if edit else decision,
        answers=answers,
        edit=edit,
    )


def simple(number: int, text: str = "", wish: Wish | None = None) -> Query:
    """A query that no world is needed for."""
    return query_of(f"q-{number}", text or f"What is question {number} about?", user_id="ANNA", wish=wish)
