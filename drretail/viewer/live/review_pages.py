"""The review of a file of queries as pages: the same questions, cells, decisions and file as with a sheet."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from drretail.env.world import World
from drretail.querygen.reading import read_queries
from drretail.querygen.review.decisions import CurrentDecisions, Outcome, decisions_on, outcomes
from drretail.querygen.review.edits import edits_by_reviewer, review_lines
from drretail.querygen.review.form import (
    HOW,
    OTHER_FIELDS,
    TEXT,
    TEXT_FIELD,
    WANT_FIELDS,
    WISH_FIELDS,
    Cells,
    Faults,
    cells_of,
    edit_by,
    place_of,
    questions_on,
    review_by,
    wants_in,
    with_wants,
)
from drretail.querygen.review.item import Item, Items, Section, checks_of, page_of, section, wish_section
from drretail.querygen.review.records import DECISIONS, QUESTIONS, Edit, Review, keep_reviews, reviewer_of
from drretail.records.query import Query, version_of
from drretail.screen import on_screen
from drretail.viewer.live.access import People, cookie_name, form_of
from drretail.viewer.live.layout import page_response
from drretail.viewer.live.voting_pages import LONGEST_NOTE, now

_MARKED = re.compile(r"(\[-.*?-\]|\{\+.*?\+\})", re.DOTALL)


_LABELS = {
    **{known.name: known.label for known in (TEXT_FIELD, *WANT_FIELDS, *WISH_FIELDS, *OTHER_FIELDS)},
    **QUESTIONS,
    "decision": "Your decision",
    "note": "Note",
}


@dataclass(slots=True)
class Shown:
    """Everything that a page shows of a query in addition to the query."""

    cells: Cells
    """The form, the answers and the note as filled in."""
    problem: str = ""
    errors: dict[str, str] = field(default_factory=dict[str, str])
    """Errors in cells, by the cell's name on the page."""
    checked: Sequence[Section] = ()
    diff: str = ""
    asks_if_sure: bool = False
    is_open: bool = True
    """True if the cells are open at first."""

    @property
    def marked(self) -> dict[str, str]:
        """Labels of the cells with an error, by name."""
        return {name: _LABELS[place_of(name)[1]] for name in self.errors}


@dataclass(frozen=True, slots=True)
class QueryPage:
    """A query of the file and its reviewer; ``dispute`` has the disagreeing reviews if this page settles them."""

    item: Item
    number: int
    total: int
    reviewer: str
    dispute: Outcome | None = None

    @property
    def query(self) -> Query:
        return self.item.query

    @property
    def edits(self) -> dict[str, Edit]:
        """The edits that may be chosen to settle the dispute, by reviewer."""
        return {} if self.dispute is None else edits_by_reviewer(self.dispute.reviews, self.query)

    @property
    def questions(self) -> dict[str, str]:
        """The questions to the reviewer; none if a dispute is settled, which takes only a decision."""
        return {} if self.dispute is not None else questions_on(self.query)


@dataclass(slots=True)
class QueryReview:
    """The pages of one file of queries in its world."""

    file: Path
    world: World
    port: int
    with_report: bool = False
    """True if the server shows an experiment, too."""
    clock: Callable[[], datetime] = now
    _read_at: float = field(default=float("-inf"), init=False)
    _items: Items | None = field(default=None, init=False)
    _queries: tuple[Query, ...] = field(default=(), init=False)

    def routes(self) -> list[Route]:
        routes = [Route("/review", self.home), Route("/review/name", self.name, methods=["POST"])]
        for path, settles in (("/review/{number:int}", False), ("/review/settle/{number:int}", True)):
            routes += [
                Route(path, partial(self.page, settles)),
                Route(path, partial(self.sent, settles), methods=["POST"]),
            ]
        return routes

    async def name(self, request: Request) -> Response:
        return self.people.named((await form_of(request)).get("name", ""), "/review")

    async def home(self, request: Request) -> Response:
        """The questions, and which queries this reviewer has decided on."""
        reviewer, (queries, _) = self.people.name_in(request), self._read()
        current = self._current()
        undecided = current.undecided_by(reviewer, queries) if reviewer else queries
        states = [query not in undecided for query in queries]
        decided = enumerate(outcomes(queries, current), 1)
        return page_response(
            "review_home.html.jinja",
            file=self.file.name,
            with_report=self.with_report,
            reviewer=reviewer,
            states=states,
            total=len(queries),
            next=next((number for number, done in enumerate(states, 1) if not done), 1),
            questions=QUESTIONS,
            disputed={number: outcome.query.query_id for number, outcome in decided if outcome.what == "disputed"},
        )

    async def page(self, settles: bool, request: Request) -> Response:
        """One query with everything that a reviewer is shown, the questions, and the cells that can be changed."""
        if self.people.name_in(request) is None:
            return RedirectResponse("/review", 303)
        page = self._query_page(request, settles=settles)
        mine = None if settles else self._last(page.query, page.reviewer)
        edit = page.edits.get(request.query_params.get("take", "")) or (mine.edit if mine else None)
        cells = cells_of(edit.after if edit else page.query) | {"note": (mine and mine.note) or ""}
        if mine is not None and mine.answers is not None:
            cells |= {name: "yes" if getattr(mine.answers, name) else "no" for name in page.questions}
        return self._page(page, Shown(cells, is_open=edit is not None or page.query.wish is None), mine)

    async def sent(self, settles: bool, request: Request) -> Response:
        """Records a decision as a sheet would, or shows the page again with the requested change or the errors."""
        self.people.known(request)
        page, given = self._query_page(request, settles=settles), await form_of(request)
        wants = wants_in(given)
        names = (TEXT, *(known.name for known in (*WISH_FIELDS, *OTHER_FIELDS)), *QUESTIONS, "note")
        shown = Shown(with_wants({name: given.get(name, "") for name in names}, wants))
        what, _, place = given.get("do", "").partition(" ")
        if given.get("version") != version_of(page.query):
            shown.problem = "The query has been changed meanwhile, and is shown as it is now: look at it again."
        elif what == "add":
            shown.cells = with_wants(shown.cells, [*wants, {}])
        elif what == "remove":
            kept = (want for number, want in enumerate(wants) if str(number) != place)
            shown.cells = with_wants(shown.cells, kept)
        elif what == "reset":
            shown.cells = with_wants(shown.cells, ()) | cells_of(page.query)
        elif self._is_kept(page, shown, what):
            return RedirectResponse(self._next(page), 303)
        return self._page(page, shown, None if settles else self._last(page.query, page.reviewer))

    def _is_kept(self, page: QueryPage, shown: Shown, what: str) -> bool:
        """True if this was a decision and is in the file; if not, ``shown`` gets the errors or what the checks find."""
        if what not in (*DECISIONS, "check", "sure"):
            raise HTTPException(400, "This is no decision.")
        try:
            if what == "check":
                self._check(edit_by(page.reviewer, page.query, shown.cells), shown)
                return False
            decision = {"decision": "accept" if what == "sure" else what}
            disputed = None if page.dispute is None else page.dispute.reviews
            review = review_by(page.reviewer, page.query, shown.cells | decision, self.clock(), disputed)
            if len(shown.cells["note"]) > LONGEST_NOTE:
                raise Faults({"note": f"has at most {LONGEST_NOTE:,} characters"})
        except Faults as faults:
            shown.errors = {name: f"{words[:1].upper()}{words[1:]}." for name, words in faults.by_cell.items()}
            shown.problem = "This can't be taken as it is, so nothing was kept:"
            return False
        if what == "accept" and review.answers is not None and review.answers.noes:
            shown.asks_if_sure = True
            return False
        keep_reviews(self.file, [review])
        return True

    def _check(self, edit: Edit | None, shown: Shown) -> None:
        """Puts into ``shown`` what the checks find in the query as changed."""
        if edit is None:
            shown.checked = [Section("As changed", ("Nothing was changed.",))]
            return
        _, items = self._read()
        shown.diff = edit.diff if "text" in edit.fields else ""
        shown.checked = [wish_section(edit.after), *checks_of(items.check(edit.after))]

    def _next(self, page: QueryPage) -> str:
        if page.dispute is None:
            return f"/review/{page.number + 1}" if page.number < page.total else "/review"
        left = [number for number, outcome in enumerate(self._outcomes(), 1) if outcome.what == "disputed"]
        return f"/review/settle/{left[0]}" if left else "/review"

    def _page(self, page: QueryPage, shown: Shown, mine: Review | None) -> Response:
        query = page.query
        wants = wants_in(shown.cells) or wants_in(with_wants({}, [{}]))
        # Pieces of the diff, each with the element that marks it
        pieces: list[tuple[str, str]] = []
        for part in filter(None, _MARKED.split(shown.diff)):
            element = "del" if part.startswith("[-") else "ins" if part.startswith("{+") else "span"
            pieces.append((element, part if element == "span" else part[2:-2]))
        reviews = section("What the reviewers say", review_lines(page.dispute.reviews)) if page.dispute else None
        return page_response(
            "review.html.jinja",
            number=page.number,
            total=page.total,
            settles=page.dispute is not None,
            reviews=reviews,
            takes=list(page.edits),
            query=query,
            text=on_screen(query.text),
            version=version_of(query),
            sections=page_of(page.item),
            questions=page.questions,
            mine=mine,
            shown=shown,
            wants=wants,
            diff=pieces,
            marked=shown.marked,
            text_field=TEXT_FIELD,
            want_fields=WANT_FIELDS,
            wish_fields=WISH_FIELDS,
            other_fields=OTHER_FIELDS,
            how=HOW,
            longest_note=LONGEST_NOTE,
        )

    def _query_page(self, request: Request, *, settles: bool) -> QueryPage:
        (queries, items), number = self._read(), request.path_params["number"]
        if not 1 <= number <= len(queries):
            raise HTTPException(404, f"There is no query {number}.")
        dispute = self._outcomes()[number - 1] if settles else None
        if dispute is not None and dispute.what != "disputed":
            raise HTTPException(404, f"Reviewers don't disagree on query {number}.")
        reviewer = self.people.name_in(request) or ""
        return QueryPage(items.of(queries[number - 1]), number, len(queries), reviewer, dispute)

    def _last(self, query: Query, reviewer: str) -> Review | None:
        return next((each for each in self._current().of(query) if each.reviewer == reviewer), None)

    def _outcomes(self) -> tuple[Outcome, ...]:
        queries, _ = self._read()
        return outcomes(queries, self._current())

    def _current(self) -> CurrentDecisions:
        queries, _ = self._read()
        return decisions_on(self.file, queries)

    def _read(self) -> tuple[tuple[Query, ...], Items]:
        """The queries as the file has them now, since decisions may be applied to it at any time."""
        when = self.file.stat().st_mtime if self.file.exists() else 0.0
        if self._items is None or when != self._read_at:
            self._queries = read_queries(self.file)
            self._items = Items(self.world, self._queries)
            self._read_at = when
        return self._queries, self._items

    @property
    def people(self) -> People:
        """The names of the reviewers."""
        return People(cookie_name("reviewer", self.port), reviewer_of)
