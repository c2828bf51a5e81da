"""The review of a file of queries as pages: the same questions, decisions and file as in the terminal."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, quote, unquote

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.reading import read_queries
from drretail.querygen.review.decisions import CurrentDecisions, current_decisions, outcomes
from drretail.querygen.review.draft import RULE, edit_of, edited, typed_of
from drretail.querygen.review.item import Item, Items, Section, checks_of, constraints_told, harmless, page_of
from drretail.querygen.review.records import QUESTIONS, Answers, Decision, Edit, Review, ReviewLog, read_reviews_of
from drretail.querygen.review.session import ACCEPT_ALL_THE_SAME
from drretail.querygen.revisions import read_history_of, version_of
from drretail.records.base import Record
from drretail.records.query import Query
from drretail.viewer.live.access import cookie_name, cookies_of
from drretail.viewer.live.layout import page_response
from drretail.viewer.live.voting_pages import YEAR, now

D = TypeVar("D", bound="Draft")
LONGEST_NAME = 64
_UNWRAPPED = 1_000_000
"""A browser breaks lines itself."""


class Draft(Record):
    """A query as somebody changes it on the page: its text, and as JSON what it is checked against."""

    version: str
    """Of the query that was shown."""
    text: str
    typed: str


class Decided(Draft):
    """What a page sends when somebody has decided."""

    decision: Decision
    answers: Answers
    note: str = ""
    sure: bool = False
    """True: accepted though a question was answered with no."""


@dataclass(slots=True)
class QueryReview:
    """The pages of one file of queries in its world."""

    file: Path
    world: World
    port: int
    with_report: bool = False
    """Whether the server shows an experiment, too."""
    clock: Callable[[], datetime] = now
    _read_at: float = field(default=float("-inf"), init=False)
    _items: Items | None = field(default=None, init=False)
    _queries: tuple[Query, ...] = field(default=(), init=False)

    def routes(self) -> list[Route]:
        return [
            Route("/review", self.home),
            Route("/review/name", self.name, methods=["POST"]),
            Route("/review/{number:int}", self.page),
            Route("/review/{number:int}", self.decide, methods=["POST"]),
            Route("/review/{number:int}/check", self.check, methods=["POST"]),
        ]

    async def name(self, request: Request) -> Response:
        form = parse_qs((await request.body()).decode("utf-8", "replace"))
        name = form.get("name", [""])[0].strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise HTTPException(400, f"A name has at most {LONGEST_NAME} characters.")
        answer = RedirectResponse("/review", 303)
        answer.set_cookie(self._cookie, quote(name), max_age=YEAR, httponly=True, samesite="lax")
        return answer

    async def home(self, request: Request) -> Response:
        """What is asked, and which queries this reviewer has decided on."""
        reviewer, (queries, _) = self._reviewer(request), self._read()
        current = self._current()
        undecided = current.undecided_by(reviewer, queries) if reviewer else queries
        states = [query not in undecided for query in queries]
        return page_response(
            "review_home.html.jinja",
            file=self.file.name,
            with_report=self.with_report,
            reviewer=reviewer,
            states=states,
            total=len(queries),
            next=next((number for number, done in enumerate(states, 1) if not done), 1),
            questions=QUESTIONS,
            disputed=[it.query.query_id for it in outcomes(queries, current) if it.what == "disputed"],
        )

    async def page(self, request: Request) -> Response:
        """One query with all that a reviewer is shown in the terminal, and the questions."""
        reviewer = self._reviewer(request)
        if reviewer is None:
            return RedirectResponse("/review", 303)
        item, number, total = self._item(request)
        query = item.query
        return page_response(
            "review.html.jinja",
            number=number,
            total=total,
            reviewer=reviewer,
            query=query,
            text=harmless(query.text),
            typed=typed_of(query),
            version=version_of(query),
            sections=[_unwrapped(it) for it in page_of(item, _UNWRAPPED)[:-1]],
            questions={key: it for key, it in QUESTIONS.items() if key != "fits_profile" or query.user_id is not None},
            mine=self._last(query, reviewer),
        )

    async def check(self, request: Request) -> Response:
        """What the checks find in the query as it was changed."""
        item, _, _ = self._item(request)
        edit = self._edit(item.query, await _given(request, Draft))
        if edit is None:
            return JSONResponse({"changed": False})
        _, items = self._read()
        typed = [Section("Typed", tuple(constraints_told(edit.after.constraints)))]
        sections = [*typed, *checks_of(items.check(edit.after), _UNWRAPPED)]
        return JSONResponse({"changed": True, "diff": edit.diff, "sections": [_unwrapped(it) for it in sections]})

    async def decide(self, request: Request) -> Response:
        """Keeps a decision beside the file, as the terminal does."""
        reviewer = self._reviewer(request)
        if reviewer is None:
            raise HTTPException(403, "Say first who reviews.")
        item, number, total = self._item(request)
        given = await _given(request, Decided)
        if given.decision == "accept" and given.answers.noes and not given.sure:
            return JSONResponse({"ask": ACCEPT_ALL_THE_SAME.removesuffix(" [y/n]")})
        edit = self._edit(item.query, given) if given.decision == "edit" else None
        if given.decision == "edit" and edit is None:
            raise UserError("Nothing was changed: accept it, or change the text.")
        self._keep(item.query, reviewer, given, edit)
        return JSONResponse({"next": number + 1 if number < total else None})

    def _keep(self, query: Query, reviewer: str, given: Decided, edit: Edit | None) -> None:
        review = Review(
            query_id=query.query_id,
            version=version_of(query),
            reviewer=reviewer,
            at=self.clock(),
            decision=given.decision,
            answers=given.answers if query.user_id else given.answers.model_copy(update={"fits_profile": None}),
            note=given.note.strip() or None,
            edit=edit,
        )
        last = self._last(query, reviewer)
        if last is None or not last.says_the_same_as(review):
            with closing(ReviewLog(self.file)) as log:
                log.append(review)

    def _edit(self, query: Query, draft: Draft) -> Edit | None:
        """What was changed; None for nothing. Raises UserError for a draft of another version, or of no query."""
        if draft.version != version_of(query):
            raise UserError("This query has been changed meanwhile: load the page again.")
        return edit_of(query, edited(query, f"{draft.text}\n\n{RULE}\n{draft.typed}"))

    def _last(self, query: Query, reviewer: str) -> Review | None:
        return next((it for it in self._current().of(query) if it.reviewer == reviewer), None)

    def _current(self) -> CurrentDecisions:
        queries, _ = self._read()
        return current_decisions(read_reviews_of(self.file), queries, read_history_of(self.file))

    def _read(self) -> tuple[tuple[Query, ...], Items]:
        """The file as it is now, since decisions may be applied to it at any time."""
        when = self.file.stat().st_mtime if self.file.exists() else 0.0
        if self._items is None or when != self._read_at:
            self._queries = read_queries(self.file)
            self._items = Items(self.world, self._queries)
            self._read_at = when
        return self._queries, self._items

    def _item(self, request: Request) -> tuple[Item, int, int]:
        (queries, items), number = self._read(), request.path_params["number"]
        if not 1 <= number <= len(queries):
            raise HTTPException(404, f"There is no query {number}.")
        return items.of(queries[number - 1]), number, len(queries)

    def _reviewer(self, request: Request) -> str | None:
        return unquote(cookies_of(request.scope).get(self._cookie, "")) or None

    @property
    def _cookie(self) -> str:
        return cookie_name("reviewer", self.port)


async def _given(request: Request, kind: type[D]) -> D:
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as problem:
        raise HTTPException(400, f"This is no decision: {problem.errors()[0]['msg']}.") from problem


def _unwrapped(section: Section) -> dict[str, object]:
    """A section for a page: lines without the margin and bullets of a terminal."""
    return {"title": section.title, "lines": [line.strip().removeprefix("· ") for line in section.lines]}
