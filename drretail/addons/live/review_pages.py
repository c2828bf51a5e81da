"""The review of a file of queries as pages: the same questions, cells, decisions and file as with a sheet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from drretail.addons.live.access import People, form_of
from drretail.addons.live.layout import KINDS, home_page, item_in, item_page
from drretail.addons.live.voting_pages import LONGEST_NOTE, now
from drretail.addons.people.review import decisions, form
from drretail.addons.people.review.form import Cells, Item, Items, Section, checks_of, page_of, wish_section
from drretail.env.world import World
from drretail.querygen.reading import read_queries
from drretail.records.query import Query, version_of
from drretail.records.tables.screen import on_screen

KIND = KINDS["review"]
_LABELS = {
    **{known.name: known.label for known in (form.TEXT_FIELD, *form.WANT_FIELDS, *form.QUERY_FIELDS)},
    **decisions.QUESTIONS,
    "decision": "Your decision",
    "note": "Note",
}


@dataclass(slots=True)
class QueryPage:
    """The page of a query: the item, its reviewer, and what is filled in."""

    item: Item
    number: int
    total: int
    reviewer: str
    mine: decisions.Review | None
    """The reviewer's last decision."""
    cells: Cells
    """The form, the answers and the note as filled in."""
    is_open: bool = True
    """True if the cells are open at first."""
    problem: str = ""
    errors: dict[str, str] = field(default_factory=dict[str, str])
    """Errors in cells, by the cell's name."""
    checked: Sequence[Section] = ()
    diff: Sequence[tuple[str, str]] = ()
    """The text as changed."""

    @property
    def query(self) -> Query:
        return self.item.query

    @property
    def questions(self) -> dict[str, str]:
        return form.questions_on(self.query)

    @property
    def wants(self) -> list[Cells]:
        """The cells of each want, or of an empty one."""
        return form.wants_in(self.cells) or [{known.name: "" for known in form.WANT_FIELDS}]


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
        return [
            Route("/review", self.home),
            Route("/name", self.people.name, methods=["POST"]),
            Route("/review/{number:int}", self.page),
            Route("/review/{number:int}", self.sent, methods=["POST"]),
        ]

    async def home(self, request: Request) -> Response:
        """The questions, and which queries this reviewer has decided on."""
        reviewer, (queries, _) = self.people.name_in(request), self._read()
        undecided = decisions.decisions_on(self.file, queries).undecided_by(reviewer, queries) if reviewer else queries
        states = [query not in undecided for query in queries]
        return home_page(
            KIND,
            "",
            reviewer,
            states,
            file=self.file.name,
            with_report=self.with_report,
            kept=sum(states),
            total=len(queries),
            questions=decisions.QUESTIONS,
        )

    async def page(self, request: Request) -> Response:
        """One query with everything that a reviewer is shown, the questions, and the cells that can be changed."""
        if self.people.name_in(request) is None:
            return RedirectResponse("/review", 303)
        page = self._query_page(request)
        mine = page.mine
        edit = mine.edit if mine else None
        page.is_open = edit is not None or page.query.wish is None
        if edit is not None:
            page.cells = form.with_wants(page.cells, ()) | form.cells_of(edit.after)
        if mine is not None:
            page.cells["note"] = mine.note or ""
        if mine is not None and mine.answers is not None:
            page.cells |= {name: "yes" if getattr(mine.answers, name) else "no" for name in page.questions}
        return self._shown(page)

    async def sent(self, request: Request) -> Response:
        """Records a decision as a sheet would, or shows the page again with the requested change or the errors."""
        self.people.known(request)
        page, fields = self._query_page(request), await form_of(request)
        wants = form.wants_in(fields)
        names = (*(known.name for known in (form.TEXT_FIELD, *form.QUERY_FIELDS)), *decisions.QUESTIONS, "note")
        page.cells = form.with_wants({name: fields.get(name, "") for name in names}, wants)
        pressed, _, place = fields.get("do", "").partition(" ")
        if fields.get("version") != version_of(page.query):
            page.problem = "The query has been changed meanwhile, and is shown as it is now: look at it again."
        elif pressed == "add":
            page.cells = form.with_wants(page.cells, [*wants, {}])
        elif pressed == "remove":
            others = (want for number, want in enumerate(wants) if str(number) != place)
            page.cells = form.with_wants(page.cells, others)
        elif self._is_recorded(page, pressed):
            return RedirectResponse(f"/review/{page.number + 1}" if page.number < page.total else "/review", 303)
        return self._shown(page)

    def _is_recorded(self, page: QueryPage, pressed: str) -> bool:
        """True if this was a decision and is in the file; if not, the page gets errors or what the checks find."""
        if pressed not in (*decisions.DECISIONS, "check"):
            raise HTTPException(400, "This is no decision.")
        try:
            if pressed == "check":
                edit = form.edit_by(page.reviewer, page.query, page.cells)
                if edit is None:
                    page.checked = [Section("As changed", ("Nothing was changed.",))]
                    return False
                _, items = self._read()
                page.diff = [*decisions.diff_pieces(edit.before.text, edit.after.text)] if "text" in edit.fields else ()
                page.checked = [wish_section(edit.after), *checks_of(items.check(edit.after))]
                return False
            review = form.review_by(page.reviewer, page.query, page.cells | {"decision": pressed}, self.clock())
            if len(page.cells["note"]) > LONGEST_NOTE:
                raise form.Faults({"note": f"has at most {LONGEST_NOTE:,} characters"})
        except form.Faults as faults:
            page.errors = {name: f"{words[:1].upper()}{words[1:]}." for name, words in faults.by_cell.items()}
            page.problem = "This can't be taken as it is, so nothing was kept:"
            return False
        decisions.keep_reviews(self.file, [review])
        return True

    def _shown(self, page: QueryPage) -> Response:
        return item_page(
            "review.html.jinja",
            KIND,
            "",
            page.number,
            page.total,
            item_id=page.query.query_id,
            page=page,
            form=form,
            text=on_screen(page.query.text),
            version=version_of(page.query),
            sections=page_of(page.item),
            labels=_LABELS,
            longest_note=LONGEST_NOTE,
        )

    def _query_page(self, request: Request) -> QueryPage:
        queries, items = self._read()
        query, number = item_in(request, queries, KIND)
        reviewer = self.people.name_in(request) or ""
        reviews = decisions.decisions_on(self.file, queries).of(query)
        mine = next((review for review in reviews if review.reviewer == reviewer), None)
        cells = form.cells_of(query) | {"note": ""}
        return QueryPage(items.of(query), number, len(queries), reviewer, mine, cells)

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
        return People(self.port)
