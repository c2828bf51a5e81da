"""How questions that are about no run are asked: one lot after the other, until the cap is reached."""

from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.eval.judging.spending import Allowance
    from drretail.progress import Bar

Lot = Callable[["Allowance", "Bar"], Coroutine[Any, Any, None]]
"""Asks what is missing of some questions; it may raise CapReached."""


def check_experiment(to: Path) -> None:
    """Raises UserError where ``to`` holds no experiment: findings beside no scores would be read by nobody."""
    if not (to / "experiment.json").is_file():
        raise UserError(f"{to} holds no experiment: --to names one that drretail run or drretail import made.")


def ask_all(
    folder: Path, title: str, total: int, lots: Iterable[Lot], allowance: "Allowance | None", *, quiet: bool
) -> str | None:
    """Asks all lots with the folder held, which is made; gives a sentence where the cap was reached."""
    from drretail.eval.judging.spending import Allowance, CapReached
    from drretail.event_loop import run_loop
    from drretail.experiment import locked
    from drretail.progress import choose_progress

    allowance = allowance or Allowance()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder), choose_progress("none" if quiet else None).track(title, total) as bar:
        for lot in lots:
            try:
                run_loop(lot(allowance, bar))
            except CapReached:
                allowance.cut += 1
    return allowance.closing
