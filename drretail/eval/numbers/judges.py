"""Who judged by which rules, whom the last ``score`` asked (board.json).

Boards, comparisons and pages show the numbers of those who were asked last, in a new folder and in one that was scored
in another way before.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.records.base import Document, OfJudge, Rules
from drretail.records.score import CODE, JudgeRef


class Assessor(NamedTuple):
    """One judge under one set of rules."""

    judge: JudgeRef
    rules: Rules

    @classmethod
    def of(cls, row: OfJudge) -> "Assessor":
        """The judge of a row."""
        return cls(JudgeRef(spec=row.judge, kind=row.judge_kind, params_hash=row.judge_params), row.rules)

    @property
    def order(self) -> tuple[str, str, str]:
        return self.judge.spec, self.judge.params_hash, self.rules

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of scores.json."""
        judge = self.judge
        return {"judge": judge.spec, "judge_kind": judge.kind, "judge_params": judge.params_hash, "rules": self.rules}


BY_CODE = Assessor(JudgeRef(spec=CODE, kind="rule_based"), "default")


class TableKey(NamedTuple):
    """One judge under one set of rules in one metric."""

    metric: str
    assessor: Assessor


class Board(Document):
    """What the last ``score`` that asked a judge asked for."""

    rules: Rules = "default"
    judge: tuple[str, ...] = ()
    """The judges' keys, in the order in which they were named; none if only code has judged."""

    def has(self, judge: JudgeRef, rules: Rules) -> bool:
        """True for code, and for these judges by these rules."""
        return judge.spec == CODE or (judge.key in self.judge and rules == self.rules)

    def first(self, assessors: Iterable[Assessor]) -> Assessor | None:
        """Whose numbers stand for all of these: those of the first model that was named, else of the first judge.

        None if no judge but code is among them.
        """
        asked = [assessor for assessor in assessors if assessor.judge.spec != CODE and self.has(*assessor)]
        return min(asked, key=lambda assessor: self.place(*assessor), default=None)

    def place(self, judge: JudgeRef, rules: Rules) -> tuple[bool, bool, int]:
        """Sorts judges: those who were asked, models first, in the order in which they were named, then all others."""
        place = self.judge.index(judge.key) if judge.key in self.judge else -1
        return not self.has(judge, rules), judge.kind == "rule_based", place


NO_JUDGE = Board()


def read_board(experiment: Path) -> Board:
    """What was asked for last; code alone if no judge was asked yet. Raises UserError for a file of another format."""
    path = experiment / "board.json"
    try:
        return Board.model_validate(read_json(path)) if path.exists() else NO_JUDGE
    except ValueError as problem:
        raise UserError(f"{path} is not as this version writes it: run drretail score again.") from problem


def write_board(experiment: Path, board: Board) -> None:
    """Keeps what was asked for."""
    write_json(experiment / "board.json", board.model_dump(mode="json"))


def judge_spec(judge: JudgeRef) -> str:
    """ "provider:model", with a hash of the parameters if they distinguish judges of one model."""
    return f"{judge.spec}-{judge.params_hash}" if judge.params_hash else judge.spec
