"""Runs of a submission, made again: how many, what they show, and what a forged gain could hide."""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from pydantic import Field

from drretail.addons.bench.grading import grade
from drretail.agents.names import is_built_in
from drretail.api.run import run
from drretail.conditions.registry import conditions_of
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.metrics.truth import Truth
from drretail.experiment import read_definition
from drretail.llm.providers import OFFLINE, PROVIDERS
from drretail.records.base import Record
from drretail.records.query import Query
from drretail.records.run import RETRIEVER, System
from drretail.stats.intervals import Clusters, Groups, mean_interval
from drretail.stats.significance import LEVEL, fewest_users, flip_test

_REBUILT = ("without", "redact", "information", "moves", "retriever", "intent")
"""The options with which a system can be rebuilt; a system with any other option is not run again."""
NOT_AGAIN = "not run again"
_WIDEST = 0.25
"""The most that the mean of a system's drawn runs may differ, whatever the test says: with eight users
it says little.
"""
FORGED = (0.1, 0.2, 0.3)
"""Gains in truth whose odds of passing are given."""
_GRAVE = 0.2
"""The gain that may pass with odds of at most ``LEVEL`` where a lead is called confirmed."""
_DRAWS = 400


class Rerun(Record):
    """What running a system again has shown."""

    fault: str = ""
    """Why it was not run again."""
    queries: int = 0
    mean: float | None = None
    """The mean difference in truth between the runs that were made again and those submitted."""
    width: float | None = None
    """How wide the 95 % interval of that mean is; None below five users that differ."""
    odds: dict[float, float] = Field(default_factory=dict[float, float])
    """By gain in truth, the odds that runs which were forged to gain as much would have passed."""

    def confirms(self, lead: float) -> bool:
        """True if what was run again is exact enough for a lead of this size."""
        return self.width is not None and self.width < lead and self.odds[_GRAVE] <= LEVEL

    @property
    def line(self) -> str:
        """It in one line."""
        if self.mean is None:
            return f"{NOT_AGAIN}: {self.fault}".rstrip(".")
        shown = "" if self.width is None else f", give or take {self.width / 2:.2f}"
        gains = ", ".join(f"+{gain:.2f} in {odds:.2f}" for gain, odds in self.odds.items())
        return f"{self.queries} drawn and run again: {self.mean:+.2f}{shown}; a forged gain passes: {gains}"


def in_drawn_order(queries: Sequence[Query]) -> list[Query]:
    """The queries in the order in which they are run again, at random: nothing published predicts it. First comes one
    of each user.

    If limits are hidden, the first query hides one: without it, the systems' labels would differ.
    """
    shuffled = secrets.SystemRandom().sample(queries, len(queries))
    shuffled.sort(key=lambda query: not query.hidden)
    shuffled[1:] = secrets.SystemRandom().sample(shuffled[1:], len(shuffled[1:]))
    turns: Counter[str] = Counter()
    placed: list[tuple[int, int]] = []
    for at, query in enumerate(shuffled):
        user = query.user_id or query.query_id
        placed.append((turns[user], at))
        turns[user] += 1
    return [shuffled[at] for _, at in sorted(placed)]


def rerun(
    runs: Path,
    labels: Sequence[str],
    world: World,
    queries: Sequence[Query],
    shown: Mapping[str, Query],
    sample: int,
    leads: Mapping[str, float],
) -> dict[str, Rerun]:
    """Runs systems again, by label: at first on ``sample`` queries, and on twice as many until the interval of the
    difference is narrower than the system's lead, or on all.

    ``queries`` are in drawn order, and ``shown`` holds each as contestants see it. Raises UserError if the worth of the
    runs differs from that of those submitted.
    """
    systems, reruns = read_definition(runs).systems, dict[str, Rerun]()
    with TemporaryDirectory(prefix="drretail-bench-") as temporary:
        again, size = Path(temporary) / "again", sample
        while open_labels := [label for label in labels if label not in reruns]:
            drawn, sources = queries[:size], dict[str, tuple[Path, str]]()
            for label in open_labels:
                try:
                    _run_again(label, systems[label], world, [shown[query.query_id] for query in drawn], again)
                    sources |= {f"before.{label}": (runs, label), f"after.{label}": (again, label)}
                except UserError as problem:
                    reruns[label] = Rerun(fault=str(problem))
            worth = grade(Path(temporary) / f"graded-{size}", sources, world, drawn)
            for label in (label for label in open_labels if label not in reruns):
                before, after = worth[f"before.{label}"], worth[f"after.{label}"]
                made = compared(label, before, after, drawn, systems[label], len(queries))
                if size >= len(queries) or made.confirms(leads[label]):
                    reruns[label] = made
            size *= 2
    return reruns


def _run_again(label: str, system: System, world: World, queries: Sequence[Query], to: Path) -> None:
    check_is_ours(system)
    strange = [name for name in system.options if name not in _REBUILT]
    if strange:
        raise UserError(f"its option {strange[0]} can't be given here")
    models = {role: model.spec for role, model in system.models.items()}
    limits = system.limits.model_dump(exclude_none=True)
    made = run(
        world,
        list(queries),
        system.name,
        models,
        to=to,
        baselines=False,
        vary={"scope": system.sees} | {condition.name: (value,) for condition, value in conditions_of(system, {})},
        limits=limits,
    )
    if label not in {tally.label for tally in made.tallies}:
        raise UserError("here it comes out as another system")


def check_is_ours(system: System) -> None:
    """Raises UserError for a system that would load a contestant's module, run their command or ask their server."""
    if not is_built_in(system):
        raise UserError(f"the agent {system.agent} is not one of the package's")
    retriever = str(system.options.get(RETRIEVER, f"{OFFLINE}:")).removeprefix("dense:")
    for spec in (*(model.spec for model in system.models.values()), retriever):
        if spec.partition(":")[0] not in {*PROVIDERS, OFFLINE}:
            raise UserError(f"the model {spec} is not of a provider of the package's")


def compared(
    label: str,
    before: Mapping[str, Truth],
    after: Mapping[str, Truth],
    drawn: Sequence[Query],
    system: System,
    everything: int,
) -> Rerun:
    """What the rerun queries show, of ``everything`` that was asked. Raises UserError if their worth differs from that
    of the submitted runs.
    """
    ids = [query.query_id for query in drawn if query.query_id in before and query.query_id in after]
    differences = [after[key].primary - before[key].primary for key in ids]
    groups = Clusters.of(drawn).groups(ids)
    users, least = len({*groups}), fewest_users()
    by_rules = all(model.kind == "rule_based" for model in system.models.values())
    if not by_rules and users < least:
        raise UserError(f"{label}: queries of {users} users can show nothing; draw {least} or more.")
    mean = sum(differences) / len(ids) if ids else 0.0
    if _differ(differences, groups, by_rules=by_rules):
        raise UserError(f"{label} run again on {len(ids)} drawn queries is worth {mean:+.2f} of what was submitted.")
    interval = mean_interval(differences, groups)
    width = None if interval.low is None or interval.high is None else interval.high - interval.low
    return Rerun(
        queries=len(ids),
        mean=mean,
        width=width if any(differences) else 0.0,
        odds={gain: odds_of(gain, differences, groups, everything, by_rules=by_rules) for gain in FORGED},
    )


def _differ(differences: Sequence[float], groups: Groups, *, by_rules: bool) -> bool:
    """True if runs that were made again are not worth what those submitted are: with rules at all, else by a test."""
    if not differences or by_rules:
        return any(differences)
    p = flip_test(differences, groups)
    return (p is not None and p <= LEVEL) or abs(sum(differences) / len(differences)) > _WIDEST


def odds_of(gain: float, differences: Sequence[float], groups: Groups, everything: int, *, by_rules: bool) -> float:
    """The odds that runs which were forged to gain ``gain`` in the mean of ``everything`` would have passed.

    Whoever forges raises all of them a little, or a share of them from 0 to 1; the odds are those of the better way.
    Apart from that, differences are drawn from those seen, about 0 and with either sign.
    """
    if not differences:
        return 1.0
    mean, draws, passed = sum(differences) / len(differences), Random(f"{gain}"), Counter[str]()
    forged = range(round(gain * everything))
    for _ in range(_DRAWS):
        noise = [draws.choice((-1, 1)) * (draws.choice(differences) - mean) for _ in differences]
        hits = draws.sample(range(everything), len(differences))
        for way, lost in (("all", [gain] * len(hits)), ("few", [float(hit in forged) for hit in hits])):
            made_again = [each - loss for each, loss in zip(noise, lost, strict=True)]
            passed[way] += not _differ(made_again, groups, by_rules=by_rules)
    return max(passed.values()) / _DRAWS
