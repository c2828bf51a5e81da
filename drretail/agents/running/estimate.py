"""What runs are likely to take: from the experiment's own finished runs, else from typical figures, within limits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from drretail.agents.dr3.file_reading import MOST_PARTS
from drretail.agents.running.outcomes import is_open
from drretail.agents.running.spending import Spending, Spread, spending_of
from drretail.agents.running.system import SystemUnderTest
from drretail.experiment import read_run, run_folder
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.prices import PriceTable
from drretail.llm.structured import MAX_REPAIRS
from drretail.records.query import Query
from drretail.records.run import Run, System, WebMode

ONE_RUN = 0.5
"""How far off a single run may be: from half to one and a half of it."""


@dataclass(frozen=True, slots=True)
class Typical:
    """Model calls and tokens of one run without a web reader, and what reading whole pages (+ws) adds.

    The low end is a run of a real model that was played by hand behind the API, on one query of the demo shop: it made
    up to ten calls side by side in a turn; tokens at four characters each. The high end is the paper's: the mean of its
    Table 5 (Claude 4.0 Sonnet), and as many turns as section 6.3 has tool calls, as if each stood alone.
    """

    calls: Range
    input: Range
    output: Range
    ws_calls: Range
    """Summaries: five pages for each of three searches, or eight where researchers search."""
    ws_input: Range
    ws_output: Range

    def of(self, web_mode: WebMode) -> tuple[Range, Range, Range]:
        if web_mode == "snippets":
            return self.calls, self.input, self.output
        return self.calls.plus(self.ws_calls), self.input.plus(self.ws_input), self.output.plus(self.ws_output)


ALONE, TEAM = Range(15, 15), Range(40, 40)
HYBRID = Typical(
    Range(16, 26), Range(98_000, 461_900), Range(7_600, 15_800), TEAM, Range(27_700, 130_000), Range(4_100, 8_600)
)
TYPICAL = {
    "plan_to_function": Typical(
        Range(2, 2), Range(16_600, 34_200), Range(1_500, 2_300), ALONE, Range(10_400, 33_900), Range(1_500, 4_300)
    ),
    "react": Typical(
        Range(3, 10), Range(31_500, 198_900), Range(1_700, 2_900), ALONE, Range(10_400, 28_800), Range(1_500, 4_300)
    ),
    "hybrid_react": HYBRID,
    "grounded_hybrid": replace(HYBRID, calls=Range(19, 29), input=Range(108_500, 464_700)),
    # No run of it by a real model is known: those of the other agent that sends sub-agents stand in.
    "dr3": HYBRID,
}
UNKNOWN_AGENT = "hybrid_react"
"""Whose figures stand in for an agent that nothing is known of: the dearest of the paper's."""
NOTHING_ASKED = "it asks no model by drretail; what models of its own take is not known here"
BASIS = "typical figures of {} (docs/models.md), no prompt cache"


def estimate_runs(label: str, system: System, count: int, spent: Spending | None, prices: PriceTable) -> Estimate:
    """What ``count`` more runs of a system are likely to take; ``spent`` is what its runs took so far.

    From runs: mean ± standard deviation. Nothing is asked of a provider by an offline model, and so it is free.
    A run's own limits bound it.
    """
    if not system.models and (spent is None or not spent.calls.mean):
        none = Range(0, 0)
        return Estimate(label, count, none, none, none, none, NOTHING_ASKED)
    if spent is not None and spent.done:
        return _bounded(_from_runs(label, count, spent), system, count)
    return _bounded(_from_typical(label, system, count, prices), system, count)


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


def _from_typical(label: str, system: System, count: int, prices: PriceTable) -> Estimate:
    agent = system.agent if system.agent in TYPICAL else UNKNOWN_AGENT
    basis = BASIS.format(f"{agent}{'+ws' if system.web_mode == 'ws' else ''}")
    if agent != system.agent:
        basis = f"nothing known of {system.agent}; {basis}"
    calls, read, written = TYPICAL[agent].of(system.web_mode)
    known = [prices.of(model.spec) for model in system.models.values()]
    unpriced = [model.spec for model, price in zip(system.models.values(), known, strict=True) if price is None]
    money = None if unpriced else dollars_of(read, written, [price for price in known if price is not None])
    return Estimate(
        label,
        count,
        calls.times(count),
        read.times(count),
        written.times(count),
        None if money is None else money.times(count),
        basis,
        tuple(dict.fromkeys(unpriced)),
    )


def _most_calls(system: System) -> float | None:
    """All model calls that a run's limits allow: challenged once, with the repairs of answers, asked for its picks.

    None where nothing limits them: pages that are read, and agents that are not ours.
    """
    limits, challenged, picks = system.limits, 2, 1
    if system.web_mode == "ws" or system.agent not in TYPICAL:
        return None
    if system.agent == "plan_to_function":
        return 2 + challenged + picks
    if system.agent == "react":
        return limits.tool_turns + 1 + challenged + picks
    if system.agent == "dr3":
        errand = max(limits.rag_turns + challenged + 1, MOST_PARTS * (1 + MAX_REPAIRS))
        return limits.tool_turns * (1 + limits.researchers * errand) + 1 + challenged + picks
    branch = limits.tool_turns + challenged + 1 + MAX_REPAIRS
    understanding, drafts = (2, 1 + limits.repairs) if system.agent == "grounded_hybrid" else (0, 1)
    supervisor = limits.supervisor_turns + challenged
    return understanding + supervisor + supervisor * limits.researchers * branch + drafts * (1 + picks)


def _range(spread: Spread) -> Range:
    mean = spread.mean or 0.0
    return Range.around(mean, mean * ONE_RUN if spread.sd is None else spread.sd)


def _bounded(estimate: Estimate, system: System, count: int) -> Estimate:
    """The estimate with what the limits of a run allow at most."""
    calls, limits = _most_calls(system), system.limits
    money = estimate.dollars
    return replace(
        estimate,
        calls=estimate.calls.at_most(None if calls is None else calls * count),
        input=estimate.input.at_most(None if limits.tokens is None else limits.tokens * count),
        output=estimate.output.at_most(None if limits.tokens is None else limits.tokens * count),
        dollars=None if money is None else money.at_most(None if limits.dollars is None else limits.dollars * count),
    )


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
