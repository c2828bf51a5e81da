"""People's votes, ratings and labels on an experiment's reports: read, cast and taken back. Files are append-only."""

import re
import unicodedata
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from drretail.errors import UnknownName, UserError
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.files import append_line, read_document, read_jsonl, write_json
from drretail.locks import locked_file
from drretail.records.vote import (
    Ballot,
    ClaimLabel,
    Line,
    Vote,
    VotingPlan,
    Withdrawal,
    current_ballots,
    line_of,
)

LONGEST_NAME = 40
_NAME = re.compile(r"\w[\w.@+-]*")
B = TypeVar("B", bound=Ballot)


def annotator_of(typed: str) -> str:
    """A person's name as files have it: lower case, with hyphens for spaces. Raises UserError for an unusable name."""
    name = re.sub(r"\s+", "-", unicodedata.normalize("NFC", typed).strip().casefold())
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise UserError(f"A name has up to {LONGEST_NAME} letters, digits, dots and hyphens, and begins with a letter.")
    return name


def votes_path(experiment: Path, annotator: str) -> Path:
    return experiment / "votes" / f"{annotator}.jsonl"


def read_votes(experiment: Path) -> list[Ballot]:
    """The current votes, ratings and labels of all people, annotator by annotator.

    Withdrawn and replaced ones are left out. Raises UserError for an invalid line, or for an unknown dimension.
    """
    paths = sorted((experiment / "votes").glob("*.jsonl"))
    return [ballot for path in paths for ballot in current_ballots(_lines(path, forgives_a_cut=False))]


def votes_of(experiment: Path, annotator: str) -> list[Ballot]:
    """One person's current votes, the latest last."""
    return current_ballots(_lines(votes_path(experiment, annotator), forgives_a_cut=True))


def cast(experiment: Path, ballot: B, seen: str | None) -> tuple[B, Ballot | None]:
    """Appends a vote, which survives the process once this returns. Returns the vote as recorded, and the one that it
    replaced unseen, if any.

    ``seen`` is the id of the vote that the person saw. If another one was cast meanwhile, in another window, it is
    replaced all the same. An equal vote adds no line.
    """
    path = votes_path(experiment, ballot.annotator)
    with locked_file(path):
        now = current_ballots(_lines(path, forgives_a_cut=True))
        before = next((vote for vote in now if (vote.about, vote.asked) == (ballot.about, ballot.asked)), None)
        unseen = before if before is not None and before.ballot_id != seen else None
        ballot = ballot.model_copy(update={"replaces": None if before is None else before.ballot_id})
        if before is not None and _says(before) == _says(ballot):
            return type(ballot).model_validate(before.model_dump()), None
        append_line(path, ballot.as_line())
    return ballot, unseen


def take_back(experiment: Path, annotator: str, ballot_id: str, clock: Callable[[], datetime]) -> Ballot | None:
    """Withdraws a vote, so that the one it replaced counts again. Returns the withdrawn vote, or None if it was
    replaced.
    """
    path = votes_path(experiment, annotator)
    with locked_file(path):
        now = current_ballots(_lines(path, forgives_a_cut=True))
        gone = next((vote for vote in now if vote.ballot_id == ballot_id), None)
        if gone is not None:
            append_line(path, Withdrawal(annotator=annotator, at=clock(), replaces=ballot_id).as_line())
    return gone


def plan_path(experiment: Path) -> Path:
    return experiment / "votes" / "plan.json"


def read_plan(experiment: Path) -> VotingPlan | None:
    """The voting plan, or None if there is none yet."""
    path = plan_path(experiment)
    return read_document(path, VotingPlan) if path.exists() else None


def write_plan(experiment: Path, plan: VotingPlan) -> None:
    write_json(plan_path(experiment), plan.model_dump(mode="json", exclude_none=True))


@contextmanager
def planning(experiment: Path) -> Generator[None]:
    """Locks the voting plan during the block."""
    with locked_file(plan_path(experiment).with_name(".plan.lock")):
        yield


def _lines(path: Path, *, forgives_a_cut: bool) -> Iterator[Line]:
    if not path.exists():
        return
    for number, value in enumerate(read_jsonl(path, forgives_a_cut=forgives_a_cut), 1):
        try:
            line = line_of(value)
        except ValidationError as problem:
            raise UserError(f"{path}, vote {number}, is none: {problem.errors()[0]['msg']}.") from problem
        if not isinstance(line, Withdrawal | ClaimLabel) and line.dimension not in DIMENSIONS:
            raise UnknownName(f"dimension ({path}, vote {number})", line.dimension, DIMENSIONS)
        yield line


def _says(ballot: Ballot) -> dict[str, object]:
    return ballot.model_dump(exclude={"at", "replaces"} | ({"shown_left"} if isinstance(ballot, Vote) else set()))
