"""board.json: by which rules and by whom the last ``score`` had reports judged. Boards, comparisons and pages show
these numbers, in a new folder and in one that was scored in another way before.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.records.base import Document, Rules
from drretail.records.score import CODE, JudgeRef

A = TypeVar("A", bound=tuple[JudgeRef, Rules])


class Board(Document):
    """What the last ``score`` that asked a judge asked for."""

    rules: Rules = "default"
    judge: tuple[str, ...] = ()
    """The judges' keys, in the order in which they were named; none if only code has judged."""

    def has(self, judge: JudgeRef, rules: Rules) -> bool:
        """True for code, and for these judges by these rules. A panel is shown only where it is asked for by name."""
        return judge.spec == CODE or (judge.key in self.judge and rules == self.rules)

    def first(self, assessors: Iterable[A]) -> A | None:
        """Whose numbers stand for all of these: those of the first model that was named, else of the first judge.

        None if no judge but code is among them.
        """
        asked = [pair for pair in assessors if pair[0].spec != CODE and self.has(*pair)]
        return min(asked, key=lambda pair: self.place(*pair), default=None)

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
