"""People's votes, ratings and labels on an experiment's reports: read, cast and taken back. Files are append-only."""

import re
import unicodedata
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from drretail.errors import UnknownName, UserError, quoted
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.experiments.experiment import read_definition
from drretail.files import append_line, locked_file, read_document, read_jsonl, write_json
from drretail.records.account import Account
from drretail.records.vote import (
    Ballot,
    ClaimLabel,
    Line,
    Rating,
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
    """A person's name as files have it: lower case, with hyphens for spaces, and each character in its usual form
    (NFKC), so that nobody votes twice in full-width letters. Raises UserError for an unusable name.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", typed).casefold())
    name = re.sub(r"\s+", "-", folded.strip())
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise UserError(f"A name has up to {LONGEST_NAME} letters, digits, dots and hyphens, and begins with a letter.")
    return name


def votes_path(experiment: Path, annotator: str) -> Path:
    return experiment / "votes" / f"{annotator}.jsonl"


def read_votes(experiment: Path) -> list[Ballot]:
    """The current votes, ratings and labels of all people on what the experiment holds, annotator by annotator.

    Raises UserError for an invalid line, an unknown dimension, and a file or line by another name than the file's.
    """
    return counted_votes(experiment)[0]


def counted_votes(experiment: Path) -> tuple[list[Ballot], Account]:
    """``read_votes``, and an account of those that are left out: on unknown systems, and on what was never asked."""
    account, votes = Account("people's answers", "answer"), list[Ballot]()
    labels = read_definition(experiment).systems if (experiment / "experiment.json").exists() else None
    plan = read_plan(experiment)
    items = () if plan is None else (item for path in ("vote", "rate", "label") for item in plan.items(path))
    asked = {item.about: item.query_id for item in items}
    for path in sorted((experiment / "votes").glob("*.jsonl")):
        if annotator_of(path.stem) != path.stem:
            raise UserError(f"{path} is the file of {annotator_of(path.stem)!r}: one person votes in one file.")
        for ballot in current_ballots(_lines(path, forgives_a_cut=False)):
            account.take()
            named = (ballot.a, ballot.b) if isinstance(ballot, Vote) else (ballot.run_id.rpartition("/")[0],)
            unknown = [name for name in named if labels is not None and name not in labels]
            if unknown:
                account.leave_out(f"no system {quoted(unknown[0])} here", path.name)
            elif plan is not None and asked.get(ballot.about) != ballot.query_id:
                account.leave_out(f"votes/plan.json asks about no such {_word(ballot)}", path.name)
            else:
                account.use()
                votes.append(ballot)
    return votes, account


def left_out_of_votes(account: Account) -> list[str]:
    """A sentence on the answers that ``counted_votes`` leaves out, if there are any."""
    return [f"Left out of people's answers: {account.reasons}."] if account.left_out else []


def _word(ballot: Ballot) -> str:
    return "pair" if isinstance(ballot, Vote) else "report" if isinstance(ballot, Rating) else "claim"


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
        if line.annotator != path.stem:
            raise UserError(f"{path}, vote {number}, is signed {quoted(line.annotator)}: each person has a file.")
        if not isinstance(line, Withdrawal | ClaimLabel) and line.dimension not in DIMENSIONS:
            raise UnknownName(f"dimension ({path}, vote {number})", line.dimension, DIMENSIONS)
        yield line


def _says(ballot: Ballot) -> dict[str, object]:
    return ballot.model_dump(exclude={"at", "replaces"} | ({"shown_left"} if isinstance(ballot, Vote) else set()))
