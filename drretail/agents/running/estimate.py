"""What runs are likely to take: from the experiment's own finished runs, else from the paper's Table 5."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.agents.running.outcomes import is_open
from drretail.agents.running.spending import Spending, Spread, spending_of
from drretail.agents.running.system import SystemUnderTest
from drretail.experiment import read_run, run_folder
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.prices import PriceTable
from drretail.records.query import Query
from drretail.records.run import Limits, Run, System

ONE_RUN = 0.5
"""How far off a single run may be: from half to one and a half of it."""


@dataclass(frozen=True, slots=True)
class Published:
    """Tokens of one run, mean and standard deviation, in thousands (paper Table 5)."""

    input: tuple[float, float]
    output: tuple[float, float]

    def ranges(self) -> tuple[Range, Range]:
        read, written = (Range.around(mean * 1000, sd * 1000) for mean, sd in (self.input, self.output))
        return read, written


TABLE_5 = {
    "plan_to_function": Published((34.2, 11.7), (2.3, 0.4)),
    "plan_to_function+ws": Published((68.1, 26.5), (6.6, 3.6)),
    "react": Published((198.9, 93.4), (2.9, 0.4)),
    "react+ws": Published((227.7, 114.4), (7.2, 3.3)),
    "hybrid_react": Published((461.9, 175.7), (15.8, 4.6)),
    "hybrid_react+ws": Published((591.9, 226.9), (24.4, 9.0)),
}
UNKNOWN_AGENT = "hybrid_react"
"""Whose figures stand in for an agent that nothing is known of: the dearest of the paper's."""


def estimate_runs(label: str, system: System, count: int, spent: Spending | None, prices: PriceTable) -> Estimate:
    """What ``count`` more runs of a system are likely to take; ``spent`` is what its runs took so far.

    From runs: mean ± standard deviation. Nothing is asked of a provider by an offline model, and so it is free.
    A run's own limits bound the range.
    """
    if spent is not None and spent.done:
        return _bounded(_from_runs(label, count, spent), system.limits, count)
    return _bounded(_from_paper(label, system, count, prices), system.limits, count)


def _from_runs(label: str, count: int, spent: Spending) -> Estimate:
    calls, read, written, money = (
        None if spread.mean is None else _range(spread).times(count)
        for spread in (spent.calls, spent.input, spent.output, spent.dollars)
    )
    none = Range(0, 0)
    runs = "1 finished run" if spent.done == 1 else f"{spent.done:,} finished runs"
    return Estimate(
        label, count, calls or none, read or none, written or none, money, f"its {runs} here", spent.unpriced
    )


def _from_paper(label: str, system: System, count: int, prices: PriceTable) -> Estimate:
    web = "+ws" if system.web_mode == "ws" else ""
    agent = system.agent if system.agent in {name.removesuffix("+ws") for name in TABLE_5} else UNKNOWN_AGENT
    basis = f"the paper's Table 5, {agent}{web}, with Claude 4.0 Sonnet and no prompt cache"
    if agent != system.agent:
        basis = f"nothing known of {system.agent}; {basis}"
    read, written = TABLE_5[agent + web].ranges()
    known = [
        prices.of(model.spec, own_server=bool((model.params or {}).get("own_server")))
        for model in system.models.values()
    ]
    unpriced = [model.spec for model, price in zip(system.models.values(), known, strict=True) if price is None]
    money = None if unpriced else dollars_of(read, written, [price for price in known if price is not None])
    return Estimate(
        label,
        count,
        _turns(agent, system.limits).times(count),
        read.times(count),
        written.times(count),
        None if money is None else money.times(count),
        basis,
        tuple(dict.fromkeys(unpriced)),
    )


def _turns(agent: str, limits: Limits) -> Range:
    """Model calls of a run: the least with which it can research at all, and the most that its limits allow."""
    if agent == "plan_to_function":
        return Range(2, 2)
    if agent == "react":
        return Range(2, limits.tool_turns + 1)
    each = limits.tool_turns + 2  # a researcher's turns, its closing turn, its synthesis
    return Range(6, limits.supervisor_turns * (1 + limits.researchers * each) + 1)


def _range(spread: Spread) -> Range:
    mean = spread.mean or 0.0
    return Range.around(mean, mean * ONE_RUN if spread.sd is None else spread.sd)


def _bounded(estimate: Estimate, limits: Limits, count: int) -> Estimate:
    """The estimate, where the limits of a run in tokens and dollars cut it off."""
    read, written, money = estimate.input, estimate.output, estimate.dollars
    if limits.tokens is not None:
        read, written = (_cut(one, limits.tokens * count) for one in (read, written))
    if limits.dollars is not None and money is not None:
        money = _cut(money, limits.dollars * count)
    return Estimate(estimate.name, count, estimate.calls, read, written, money, estimate.basis, estimate.unpriced)


def _cut(one: Range, most: float) -> Range:
    return Range(min(one.low, most), min(one.high, most))


def estimate_left(
    to: Path,
    suts: Sequence[SystemUnderTest],
    queries: Sequence[Query],
    repeats: int,
    prices: PriceTable,
    *,
    retry_failed: bool,
    retry_spoiled: bool,
) -> list[Estimate]:
    """What the runs that ``to`` still lacks are likely to take: one estimate for each sut that asks a model."""
    spent = {one.label: one for one in spending_of(to, prices)} if (to / "experiment.json").exists() else {}
    places = [(query.query_id, repeat) for query in queries for repeat in range(1, repeats + 1)]
    estimates: list[Estimate] = []
    for sut in suts:
        if sut.agent.is_baseline:
            continue
        runs = [_run_in(run_folder(to, sut.label, *place)) for place in places]
        left = sum(is_open(run, retry_failed=retry_failed, retry_spoiled=retry_spoiled) for run in runs)
        estimates.append(estimate_runs(sut.label, sut.system, left, spent.get(sut.label), prices))
    return estimates


def _run_in(folder: Path) -> Run | None:
    return read_run(folder) if (folder / "run.json").exists() else None
