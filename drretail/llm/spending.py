"""What an experiment's runs took, by system: the columns of the paper's Table 5, and money, cache, time and retries."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from drretail.errors import UserError
from drretail.experiments.experiment import path_of, read_definition, read_discarded, read_runs
from drretail.experiments.run_file import read_evidence, read_telemetry
from drretail.llm.prices import unpriced
from drretail.llm.registry import Model, check_priced
from drretail.llm.usage import (
    NOTHING,
    Cost,
    ExperimentBudget,
    cache_read_share,
    cost_by_role,
    cost_of,
)
from drretail.records.run import BASELINES, Run
from drretail.reports.render import count_words


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and sample standard deviation; None without enough values."""

    mean: float | None
    sd: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(mean(values) if values else None, stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True, slots=True)
class Spending:
    """What one system's runs took. Totals include failed and discarded runs.

    Spreads are over runs that are done; those of calls, tokens and dollars only over runs that tell them.
    """

    label: str
    runs: int
    done: int
    unknown: int
    """Runs among ``done`` whose calls and tokens are unknown, since their agent does not tell them."""
    calls: Spread
    input: Spread
    """Tokens read in a run, from the cache or not."""
    output: Spread
    words: Spread
    """Words of the report as shown, with its list of sources."""
    dollars: Spread
    """Dollars of a run; None if the price of a model is unknown."""
    total: Cost
    by_role: dict[str, Cost]
    unpriced: tuple[str, ...]
    prices: frozenset[str]
    """The versions of the prices."""
    seconds: Spread
    """Seconds of a run, from its beginning to its report. Of a part that was cut or replayed, its calls' alone."""
    model_seconds: float
    """Seconds of all model calls together."""
    retries: int

    @property
    def is_known(self) -> bool:
        """False if no finished run tells what it took."""
        return not self.done or self.unknown < self.done

    @property
    def cache_read(self) -> float | None:
        """The share of the input that came from the provider's cache, 0 to 1."""
        return cache_read_share(self.total.usage)

    @property
    def document(self) -> dict[str, Any]:
        """All numbers of the system's runs, by role as well, for ``--json``; ``null`` means unknown."""
        names = ("calls", "input", "output", "words", "dollars", "seconds")
        spreads: dict[str, Spread] = {name: getattr(self, name) for name in names}
        return {
            "system": self.label,
            "runs": self.runs,
            "done": self.done,
            "usage_unknown": self.unknown,
            **{name: {"mean": spread.mean, "sd": spread.sd} for name, spread in spreads.items()},
            "total": self.total.document if self.is_known else None,
            "by_role": {role: cost.document for role, cost in self.by_role.items()},
            "cache_read_share": self.cache_read,
            "model_seconds": round(self.model_seconds, 3),
            "retries": self.retries,
            "unpriced": list(self.unpriced),
            "prices": sorted(self.prices),
        }


def spending_of(experiment: Path) -> list[Spending]:
    """What every system of an experiment has used so far, sorted by label. Systems without a run are left out."""
    systems = read_definition(experiment).systems
    by_label: dict[str, list[Run]] = defaultdict(list)
    for run in read_runs(experiment):
        by_label[run.system].append(run)
    discarded = read_discarded(experiment)
    rows: list[Spending] = []
    for label, runs in sorted(by_label.items()):
        models = systems[label].models
        costs = {run.run_id: cost_by_role(run.usage, models) for run in runs}
        lost = [cost_by_role(usage.usage, models) for usage in discarded if usage.system == label]
        by_role: dict[str, Cost] = defaultdict(lambda: NOTHING)
        for of_run in (*costs.values(), *lost):
            for role, cost in of_run.items():
                by_role[role] = by_role[role] + cost
        done = [run for run in runs if run.status == "done"]
        # A run without usage is an agent's that does not say, but for baselines, which ask no model.
        counted = [run for run in done if run.usage or systems[label].agent in BASELINES]
        ended = [sum(costs[run.run_id].values(), NOTHING) for run in counted]
        prices = [cost.dollars for cost in ended if cost.dollars is not None]
        total = sum((cost for of_run in (*costs.values(), *lost) for cost in of_run.values()), NOTHING)
        telemetry = [read_telemetry(path_of(experiment, run)) for run in runs]
        rows.append(
            Spending(
                label=label,
                runs=len(runs),
                done=len(done),
                unknown=len(done) - len(counted),
                calls=Spread.of([cost.usage.calls for cost in ended if cost.usage.calls or not cost.usage.total]),
                input=Spread.of([cost.usage.input for cost in ended]),
                output=Spread.of([cost.usage.output for cost in ended]),
                words=Spread.of([words_of(experiment, run) for run in done]),
                dollars=Spread.of(prices) if len(prices) == len(ended) else Spread.of(()),
                total=total,
                by_role=dict(sorted(by_role.items())),
                unpriced=total.unpriced,
                prices=frozenset(name for figures in telemetry for name in figures.get("prices", ())),
                seconds=Spread.of([figures["wall_seconds"] for figures in telemetry if "wall_seconds" in figures]),
                model_seconds=sum(figures.get("model_seconds", 0) for figures in telemetry),
                retries=sum(run.setbacks.second_attempts for run in runs if run.setbacks),
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class Caps:
    """What all runs of an experiment may take together; None = no cap."""

    tokens: int | None = None
    dollars: float | None = None


def opened_budget(experiment: Path, models: Iterable[Model], caps: Caps | None) -> ExperimentBudget | None:
    """The budget of the experiment, from which its ended runs are already taken; None without a cap.

    Raises UserError if dollars are capped and a model of the experiment has no known price.
    """
    if caps is None or (caps.tokens is None and caps.dollars is None):
        return None
    if caps.dollars is not None:
        check_priced(models)
    experiment_budget = ExperimentBudget(caps.tokens, caps.dollars)
    systems = read_definition(experiment).systems
    for usage in read_discarded(experiment):
        experiment_budget.count(usage.system, systems[usage.system], usage.usage)
    for run in read_runs(experiment):
        system = systems[run.system]
        unknown = cost_of(run.usage, system.models).unpriced
        if caps.dollars is not None and unknown:
            raise UserError(f"What {run.run_id} cost is unknown. {unpriced(unknown)}")
        if system.agent not in BASELINES:
            experiment_budget.count(run.system, system, run.usage)
    return experiment_budget


def words_of(experiment: Path, run: Run) -> int:
    """The words of a run's report as its reader sees it."""
    return count_words(run.report, read_evidence(path_of(experiment, run)))[0]
