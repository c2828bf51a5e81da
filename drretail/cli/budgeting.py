"""What ``run`` does about money: the estimate before, and the experiment's purse."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.agents.runner import Contestant
    from drretail.llm.prices import PriceTable
    from drretail.llm.purse import Purse
    from drretail.records.query import Query


def estimate_run(
    to: "Path",
    players: "Sequence[Contestant]",
    queries: "Sequence[Query]",
    repeats: int,
    prices: "PriceTable",
    *,
    retry_failed: bool,
    retry_spoiled: bool,
    as_json: bool,
) -> None:
    """Prints what the runs that are still to be made are likely to take."""
    from drretail.agents.estimate import estimates_of
    from drretail.agents.spending import spending_of
    from drretail.cli.estimating import show_estimates

    wanted = [(query.query_id, repeat) for query in queries for repeat in range(1, repeats + 1)]
    again = {"retry_failed": retry_failed, "retry_spoiled": retry_spoiled}
    left = [
        (player.label, player.system, sum(_open(to, player.label, *run, **again) for run in wanted))
        for player in players
        if not player.agent.is_yardstick
    ]
    spent = spending_of(to, prices) if (to / "experiment.json").exists() else []
    estimates = estimates_of(left, spent, prices)
    show_estimates(f"Runs to make in {to}", ["system", "runs"], estimates, prices, as_json=as_json)


def opened_purse(
    to: "Path", players: "Sequence[Contestant]", prices: "PriceTable", tokens: int | None, dollars: float | None
) -> "Purse | None":
    """The experiment's purse, out of which its ended runs are paid already; None without a cap.

    Raises UserError when dollars are capped and a model of the experiment has no known price.
    """
    from drretail.cli.research import check_priced
    from drretail.errors import UserError
    from drretail.experiment import read_definition, read_runs
    from drretail.llm.costs import cost_of
    from drretail.llm.prices import unpriced
    from drretail.llm.purse import Purse

    if tokens is None and dollars is None:
        return None
    if dollars is not None:
        check_priced(model for player in players for model in player.models.values())
    purse = Purse(prices, tokens, dollars)
    systems = read_definition(to).systems
    for run in read_runs(to):
        system = systems[run.system]
        unknown = cost_of(run.usage, system.models, prices).unpriced
        if dollars is not None and unknown:
            raise UserError(f"What {run.run_id} cost is unknown. {unpriced(unknown)}")
        purse.count(run.system, system, run.usage)
    return purse


def _open(to: "Path", label: str, query_id: str, repeat: int, *, retry_failed: bool, retry_spoiled: bool) -> bool:
    from drretail.agents.tally import is_open
    from drretail.experiment import read_run, run_folder

    folder = run_folder(to, label, query_id, repeat)
    run = read_run(folder) if (folder / "run.json").exists() else None
    return is_open(run, retry_failed=retry_failed, retry_spoiled=retry_spoiled)
