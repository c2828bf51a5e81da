"""What people said of an experiment's reports: read, cast and taken back. A person's file only grows."""

import fcntl
import os
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
from drretail.files import LineAppender, read_json, read_jsonl, write_json
from drretail.records.vote import Ballot, CitedLabel, ClaimLabel, Line, Vote, VotingPlan, Withdrawal, line_of, standing

LONGEST_NAME = 40
_NAME = re.compile(r"\w[\w.@+-]*")
B = TypeVar("B", bound=Ballot)


def annotator_of(typed: str) -> str:
    """A person's name as files have it: lower case, hyphens for spaces. Raises UserError for one that can't be."""
    name = re.sub(r"\s+", "-", unicodedata.normalize("NFC", typed).strip().casefold())
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise UserError(f"A name has up to {LONGEST_NAME} letters, digits, dots and hyphens, and begins with a letter.")
    return name


def votes_path(experiment: Path, annotator: str) -> Path:
    return experiment / "votes" / f"{annotator}.jsonl"


def read_votes(experiment: Path) -> list[Ballot]:
    """What holds of all that people said, annotator by annotator: votes, ratings, labels of claims.

    What was taken back or changed since is left out. Raises UserError for a line that is none of these, or one on a
    dimension that reports are not judged in.
    """
    paths = sorted((experiment / "votes").glob("*.jsonl"))
    return [ballot for path in paths for ballot in standing(_lines(path, forgives_a_cut=False))]


def votes_of(experiment: Path, annotator: str) -> list[Ballot]:
    """What holds of what one person said, the latest last."""
    return standing(_lines(votes_path(experiment, annotator), forgives_a_cut=True))


def cast(experiment: Path, ballot: B, seen: str | None) -> tuple[B, Ballot | None]:
    """Appends what a person says, on disk before this returns; gives it as it stands, and what it overruled unseen.

    ``seen`` is the id of what stood there when the person said it. Another one that stands there now, from another
    window, is replaced all the same. The same said again adds no line.
    """
    path = votes_path(experiment, ballot.annotator)
    with _locked(path):
        now = standing(_lines(path, forgives_a_cut=True))
        before = next((vote for vote in now if (vote.about, vote.asked) == (ballot.about, ballot.asked)), None)
        unseen = before if before is not None and before.ballot_id != seen else None
        ballot = ballot.model_copy(update={"replaces": None if before is None else before.ballot_id})
        if before is not None and _says(before) == _says(ballot):
            return type(ballot).model_validate(before.model_dump()), None
        _append(path, ballot)
    return ballot, unseen


def take_back(experiment: Path, annotator: str, ballot_id: str, clock: Callable[[], datetime]) -> Ballot | None:
    """Takes back what a person said, so that what it replaced holds again; gives what, None where it stands no more."""
    path = votes_path(experiment, annotator)
    with _locked(path):
        now = standing(_lines(path, forgives_a_cut=True))
        gone = next((vote for vote in now if vote.ballot_id == ballot_id), None)
        if gone is not None:
            _append(path, Withdrawal(annotator=annotator, at=clock(), replaces=ballot_id))
    return gone


def plan_path(experiment: Path) -> Path:
    return experiment / "votes" / "plan.json"


def read_plan(experiment: Path) -> VotingPlan | None:
    """What everybody is asked; None where nobody was asked yet."""
    path = plan_path(experiment)
    if not path.exists():
        return None
    try:
        return VotingPlan.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is no voting plan: {problem.errors()[0]['msg']}.") from problem


def write_plan(experiment: Path, plan: VotingPlan) -> None:
    write_json(plan_path(experiment), plan.model_dump(mode="json", exclude_none=True))


@contextmanager
def planning(experiment: Path) -> Generator[None]:
    """Within it nobody else makes or changes the plan."""
    with _locked(plan_path(experiment).with_name(".plan.lock")):
        yield


def _lines(path: Path, *, forgives_a_cut: bool) -> Iterator[Line]:
    if not path.exists():
        return
    for number, value in enumerate(read_jsonl(path, forgives_a_cut=forgives_a_cut), 1):
        try:
            line = line_of(value)
        except ValidationError as problem:
            raise UserError(f"{path}, vote {number}, is none: {problem.errors()[0]['msg']}.") from problem
        if not isinstance(line, Withdrawal | ClaimLabel | CitedLabel) and line.dimension not in DIMENSIONS:
            raise UnknownName(f"dimension ({path}, vote {number})", line.dimension, DIMENSIONS)
        yield line


def _says(ballot: Ballot) -> dict[str, object]:
    return ballot.model_dump(exclude={"at", "replaces"} | ({"shown_left"} if isinstance(ballot, Vote) else set()))


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Every other writer of the file waits: two servers may be open on one experiment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _append(path: Path, line: Line) -> None:
    file = LineAppender(path)
    try:
        file.append(line.as_line())
    finally:
        file.close()
