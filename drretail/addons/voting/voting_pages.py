"""The voting pages: instructions, a sheet for each item, and the answers, sent one by one."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from drretail.addons.people.items import Sheets
from drretail.addons.people.plan import planned
from drretail.addons.voting.access import RaterNames
from drretail.addons.voting.layout import KINDS, ItemKind, page_response
from drretail.eval.ballots import cast, take_back, votes_of
from drretail.experiments.experiment import read_definition
from drretail.records.base import Record
from drretail.records.vote import ClaimItem, ClaimLabel, Item, VotingPlan

LONGEST_NOTE = 4_000


class _Answer(Record):
    """One answer from a sheet; ``seen`` is the id of the answer that the page showed before."""

    question: str
    value: str
    note: str = ""
    seen: str = ""


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Voting:
    """The voting pages of one experiment, as it is when they are first asked for."""

    experiment: Path
    port: int
    size: int | None = None
    clock: Callable[[], datetime] = now

    def routes(self) -> list[Route]:
        routes = [Route("/name", self.people.name, methods=["POST"]), Route("/", self.begin)]
        for path, kind in KINDS.items():
            routes += [
                Route(f"/{path}", partial(self.home, kind)),
                Route(f"/{path}/undo", partial(self.undo, kind), methods=["POST"]),
                Route(f"/{path}/{{number:int}}", partial(self.sheet, kind)),
                Route(f"/{path}/{{number:int}}", partial(self.answer, kind), methods=["POST"]),
                Route(f"/{path}/{{number:int}}/answers", partial(self.answers, kind)),
            ]
        return routes

    async def begin(self, request: Request) -> Response:
        return RedirectResponse(f"/{next(iter(KINDS))}", 303)

    async def home(self, kind: ItemKind, request: Request) -> Response:
        """The instructions, and this person's progress."""
        annotator = self.people.name_in(request)
        counts = self._counts(kind, annotator) if annotator else []
        states = [answered == questions for answered, questions in counts]
        return page_response(
            "home.html.jinja",
            kind=kind,
            person=annotator,
            states=states,
            next=next((number for number, done in enumerate(states, 1) if not done), 1),
            kinds=KINDS.values(),
            kept=sum(answered for answered, _ in counts),
            total=len(self._items(kind)),
            questions=self._sheets.definitions(kind.path),
            elsewhere=self._sheets.are_from_elsewhere,
        )

    async def sheet(self, kind: ItemKind, request: Request) -> Response:
        annotator = self.people.name_in(request)
        if annotator is None:
            return RedirectResponse(f"/{kind.path}", 303)
        item, number = self._asked(kind, request)
        return page_response(
            "sheet.html.jinja",
            kind=kind,
            number=number,
            total=len(self._items(kind)),
            sheet=self._sheets.of(item, annotator),
            state=self._state(kind, item, annotator),
            all_answers=sum(questions for _, questions in self._counts(kind, annotator)),
        )

    async def answers(self, kind: ItemKind, request: Request) -> Response:
        item, _ = self._asked(kind, request)
        return JSONResponse(self._state(kind, item, self.people.annotator_of(request)))

    async def answer(self, kind: ItemKind, request: Request) -> Response:
        """Records one answer; the response says so if another window has meanwhile answered differently."""
        annotator = self.people.annotator_of(request)
        item, _ = self._asked(kind, request)
        try:
            answer = _Answer.model_validate_json(await request.body())
        except ValidationError as problem:
            raise HTTPException(400, "This is no answer.") from problem
        question = next(
            (question for question in self._sheets.questions(item) if question.name == answer.question), None
        )
        if question is None or answer.value not in {option.value for option in question.options}:
            raise HTTPException(400, "This was not asked.")
        if len(answer.note) > LONGEST_NOTE:
            raise HTTPException(400, f"A note has at most {LONGEST_NOTE:,} characters.")
        signed: dict[str, Any] = {"at": self.clock(), "note": answer.note.strip() or None}
        if isinstance(item, ClaimItem):
            signed["claim"] = self._sheets.claim_of(item)
        ballot = item.ballot(answer.question, answer.value, annotator, **signed)
        _, unseen = cast(self.experiment, ballot, answer.seen or None)
        message = ""
        if unseen is not None:
            word = next((option.word for option in question.options if option.value == unseen.answer), unseen.answer)
            message = f"{question.title}: another window had {word}; what you chose here holds now."
        return JSONResponse({**self._state(kind, item, annotator), "told": message})

    async def undo(self, kind: ItemKind, request: Request) -> Response:
        """Takes back the person's last answer in this mode, on any sheet."""
        annotator = self.people.annotator_of(request)
        places = {item.about: number for number, item in enumerate(self._items(kind), 1)}
        mine = [ballot for ballot in votes_of(self.experiment, annotator) if ballot.about in places]
        if not mine:
            return JSONResponse({"number": None, "told": "There is nothing to take back."})
        last = mine[-1]
        take_back(self.experiment, annotator, last.ballot_id, self.clock)
        number = places[last.about]
        about = "" if isinstance(last, ClaimLabel) else f" on {last.dimension.replace('_', ' ')}"
        return JSONResponse({"number": number, "told": f"Taken back: your answer{about}, {kind.item} {number}."})

    @property
    def people(self) -> RaterNames:
        return RaterNames(self.port)

    @cached_property
    def _plan(self) -> VotingPlan:
        return planned(self.experiment, self.size)

    @cached_property
    def _sheets(self) -> Sheets:
        return Sheets(self.experiment, read_definition(self.experiment))

    def _items(self, kind: ItemKind) -> tuple[Item, ...]:
        return self._plan.items(kind.path)

    def _asked(self, kind: ItemKind, request: Request) -> tuple[Item, int]:
        """The item whose number the address has. Raises HTTPException if there is none."""
        number, items = request.path_params["number"], self._items(kind)
        if not 1 <= number <= len(items):
            raise HTTPException(404, f"There is no {kind.item} {number}.")
        return items[number - 1], number

    def _state(self, kind: ItemKind, item: Item, annotator: str) -> dict[str, Any]:
        """This person's answers on a sheet, their number on all sheets, and the number of completed sheets."""
        mine = [ballot for ballot in votes_of(self.experiment, annotator) if ballot.about == item.about]
        answers = {
            ballot.asked: {"value": ballot.answer, "note": ballot.note or "", "id": ballot.ballot_id} for ballot in mine
        }
        counts = self._counts(kind, annotator)
        done = sum(answered == questions for answered, questions in counts)
        return {"answers": answers, "kept": sum(answered for answered, _ in counts), "done": done, "told": ""}

    def _counts(self, kind: ItemKind, annotator: str) -> list[tuple[int, int]]:
        """For each item, how many of its questions this person has answered, and how many it has."""
        answered: dict[str, set[str]] = {}
        for ballot in votes_of(self.experiment, annotator):
            answered.setdefault(ballot.about, set()).add(ballot.asked)
        counts = list[tuple[int, int]]()
        for item in self._items(kind):
            names = {question.name for question in self._sheets.questions(item)}
            counts.append((len(names & answered.get(item.about, set())), len(names)))
        return counts
