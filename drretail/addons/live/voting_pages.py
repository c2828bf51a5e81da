"""The voting pages: instructions, a sheet for each item, and the answers, sent one by one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from drretail.addons.live.access import People, cookie_name, form_of
from drretail.addons.live.layout import page_response
from drretail.addons.live.watch import Watch
from drretail.addons.people.voting.criteria import Mode, Question, definitions
from drretail.addons.people.voting.items import Item, Names, Sheets, left_of
from drretail.addons.people.voting.plan import planned
from drretail.eval.ballots import annotator_of, cast, take_back, votes_of
from drretail.experiment import read_definition
from drretail.records.base import Record
from drretail.records.vote import CITED, Ballot, CitedLabel, ClaimItem, ClaimLabel, PairItem, Rating, Vote, VotingPlan

LONGEST_NOTE = 4_000


@dataclass(frozen=True, slots=True)
class ModeText:
    """The path of a mode's pages, and the words for its items."""

    mode: Mode
    path: str
    title: str
    one: str
    many: str


MODES: dict[str, ModeText] = {
    each.path: each
    for each in (
        ModeText("pairs", "vote", "Compare two reports", "comparison", "comparisons"),
        ModeText("reports", "rate", "Rate one report", "report", "reports"),
        ModeText("claims", "label", "Check a claim against its sources", "claim", "claims"),
    )
}


class Answer(Record):
    """One answer from a sheet; ``seen`` is the id of the answer that the page showed before."""

    question: str
    value: str
    note: str = ""
    seen: str = ""


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Voting:
    """The voting pages of one experiment."""

    experiment: Path
    port: int
    watch: Watch
    size: int | None = None
    with_report: bool = True
    """True if the server shows the report, too; if not, the server begins with the instructions."""
    root: str = ""
    """The prefix of its addresses if the server shows several experiments."""
    clock: Callable[[], datetime] = now
    _read_at: str = field(default="", init=False)
    _plan: VotingPlan | None = field(default=None, init=False)
    _sheets: Sheets | None = field(default=None, init=False)

    def routes(self) -> list[Route]:
        routes = [Route("/name", self.name, methods=["POST"])]
        routes += [] if self.with_report else [Route("/", self.begin)]
        for path, mode in MODES.items():
            routes += [
                Route(f"/{path}", partial(self.home, mode)),
                Route(f"/{path}/undo", partial(self.undo, mode), methods=["POST"]),
                Route(f"/{path}/{{number:int}}", partial(self.sheet, mode)),
                Route(f"/{path}/{{number:int}}", partial(self.answer, mode), methods=["POST"]),
                Route(f"/{path}/{{number:int}}/answers", partial(self.answers, mode)),
            ]
        return routes

    async def name(self, request: Request) -> Response:
        form = await form_of(request)
        back = form.get("back", "")
        return self.people.named(form.get("name", ""), f"{self.root}/{back if back in (*MODES, 'review') else 'vote'}")

    async def begin(self, request: Request) -> Response:
        return RedirectResponse(f"{self.root}/vote", 303)

    async def home(self, mode: ModeText, request: Request) -> Response:
        """The instructions, and this person's progress."""
        annotator, items = self.people.name_in(request), self._items(mode)
        counts = self._counts(mode, annotator) if annotator else []
        states = [kept >= asked for kept, asked in counts]
        elsewhere = self._refresh()[1].are_from_elsewhere
        return page_response(
            "voting_home.html.jinja",
            root=self.root,
            mode=mode,
            modes=MODES,
            with_report=self.with_report,
            annotator=annotator,
            states=states,
            kept=sum(kept for kept, _ in counts),
            total=len(items),
            next=next((number for number, done in enumerate(states, 1) if not done), 1),
            questions=definitions(mode.mode, elsewhere=elsewhere),
            elsewhere=elsewhere,
            asks_cited=bool(self._refresh()[0].uncited),
        )

    async def sheet(self, mode: ModeText, request: Request) -> Response:
        annotator = self.people.name_in(request)
        if annotator is None:
            return RedirectResponse(f"{self.root}/{mode.path}", 303)
        item, number = self._item(mode, request)
        return page_response(
            "sheet.html.jinja",
            root=self.root,
            mode=mode,
            number=number,
            total=len(self._items(mode)),
            annotator=annotator,
            sheet=self._refresh()[1].of(item, annotator),
            state=self._state(mode, item, annotator),
            all_answers=sum(asked for _, asked in self._counts(mode, annotator)),
        )

    async def answers(self, mode: ModeText, request: Request) -> Response:
        item, _ = self._item(mode, request)
        return JSONResponse(self._state(mode, item, self.people.known(request)))

    async def answer(self, mode: ModeText, request: Request) -> Response:
        """Records one answer; the response says so if another window has meanwhile answered differently."""
        annotator = self.people.known(request)
        item, _ = self._item(mode, request)
        try:
            given = Answer.model_validate_json(await request.body())
        except ValidationError as problem:
            raise HTTPException(400, "This is no answer.") from problem
        question = self._question(item, given)
        ballot = self._ballot(item, annotator, given)
        _, unseen = cast(self.experiment, ballot, given.seen or None)
        message = ""
        if unseen is not None:
            word = next((option.word for option in question.options if option.value == unseen.answer), unseen.answer)
            message = f"{question.title}: another window had {word}; what you chose here holds now."
        return JSONResponse({**self._state(mode, item, annotator), "told": message})

    async def undo(self, mode: ModeText, request: Request) -> Response:
        """Takes back the person's last answer in this mode, on any sheet."""
        annotator = self.people.known(request)
        places = {item.about: number for number, item in enumerate(self._items(mode), 1)}
        mine = [ballot for ballot in votes_of(self.experiment, annotator) if ballot.about in places]
        if not mine:
            return JSONResponse({"number": None, "told": "There is nothing to take back."})
        last = mine[-1]
        take_back(self.experiment, annotator, last.ballot_id, self.clock)
        number = places[last.about]
        about = "" if isinstance(last, ClaimLabel | CitedLabel) else f" on {last.dimension.replace('_', ' ')}"
        return JSONResponse({"number": number, "told": f"Taken back: your answer{about}, {mode.one} {number}."})

    @property
    def people(self) -> People:
        """The names of the voters."""
        return People(cookie_name("annotator", self.port), annotator_of)

    def _refresh(self) -> tuple[VotingPlan, Sheets]:
        version = self.watch.version()
        if self._plan is None or self._sheets is None or version != self._read_at:
            definition = read_definition(self.experiment)
            self._plan = planned(self.experiment, self.size)
            self._sheets = Sheets(self.experiment, definition, Names(definition), bool(self._plan.uncited))
            self._read_at = version
        return self._plan, self._sheets

    def _items(self, mode: ModeText) -> tuple[Item, ...]:
        plan, _ = self._refresh()
        return {"pairs": plan.pairs, "reports": plan.reports, "claims": (*plan.claims, *plan.uncited)}[mode.mode]

    def _item(self, mode: ModeText, request: Request) -> tuple[Item, int]:
        number, items = request.path_params["number"], self._items(mode)
        if not 1 <= number <= len(items):
            raise HTTPException(404, f"There is no {mode.one} {number}.")
        return items[number - 1], number

    def _question(self, item: Item, given: Answer) -> Question:
        """The question that was answered.

        Raises HTTPException if it was not asked, or if the answer or the note is not allowed.
        """
        _, sheets = self._refresh()
        question = next((question for question in sheets.questions(item) if question.name == given.question), None)
        if question is None or given.value not in {option.value for option in question.options}:
            raise HTTPException(400, "This was not asked.")
        if len(given.note) > LONGEST_NOTE:
            raise HTTPException(400, f"A note has at most {LONGEST_NOTE:,} characters.")
        return question

    def _ballot(self, item: Item, annotator: str, given: Answer) -> Ballot:
        fields: dict[str, Any] = {"annotator": annotator, "at": self.clock(), "note": given.note.strip() or None}
        if isinstance(item, PairItem):
            left = left_of(item, annotator)
            sides = {"left": left, "right": "b" if left == "a" else "a", "tie": "tie"}
            fields |= item.model_dump(exclude={"repeat"})
            fields |= {"shown_left": left, "dimension": given.question, "choice": sides[given.value]}
            return Vote.model_validate(fields)
        fields |= item.model_dump(include={"run_id", "report_sha", "query_id", "claim_id", "extracted_by"})
        if not isinstance(item, ClaimItem):
            return Rating.model_validate(fields | {"dimension": given.question, "value": int(given.value)})
        fields["claim"] = self._refresh()[1].claim_of(item)
        if given.question == CITED:
            return CitedLabel.model_validate(fields | {"cited": given.value})
        return ClaimLabel.model_validate(fields | {"label": given.value})

    def _state(self, mode: ModeText, item: Item, annotator: str) -> dict[str, Any]:
        """This person's answers on a sheet, their number on all sheets, and the number of completed sheets."""
        mine = [ballot for ballot in votes_of(self.experiment, annotator) if ballot.about == item.about]
        answers = {
            ballot.asked: {"value": ballot.answer, "note": ballot.note or "", "id": ballot.ballot_id} for ballot in mine
        }
        counts = self._counts(mode, annotator)
        done = sum(kept >= asked for kept, asked in counts)
        return {"answers": answers, "kept": sum(kept for kept, _ in counts), "done": done, "told": ""}

    def _counts(self, mode: ModeText, annotator: str) -> list[tuple[int, int]]:
        """For each item, how many of its questions this person has answered, and how many it has."""
        kept: dict[str, set[str]] = {}
        for ballot in votes_of(self.experiment, annotator):
            kept.setdefault(ballot.about, set()).add(ballot.asked)
        _, sheets = self._refresh()
        named = [{question.name for question in sheets.questions(item)} for item in self._items(mode)]
        return [
            (len(names & kept.get(item.about, set())), len(names))
            for item, names in zip(self._items(mode), named, strict=True)
        ]
