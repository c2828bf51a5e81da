"""What runs are likely to take: from the experiment's own finished runs or, without any, from a dry run, within limits.

In a dry run the agent itself works on the first of its queries with the shop's own tools. The rule-based shopper
answers in place of every model, and an open web is not searched.
"""

import asyncio
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from drretail.agents.running.outcomes import is_open
from drretail.agents.running.spending import Spending, spending_of
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.experiment import ended_run
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.event_loop import run_loop
from drretail.llm.registry import open_model
from drretail.llm.usage import PriceTable
from drretail.records.query import Query
from drretail.records.run import RETRIEVER, Run, Usage

ONE_RUN = 0.5
"""How far off a single run may be: the range is from half to one and a half of it."""
DRY_RUNS = 3
"""Queries of a dry run: each takes a second, and the shopper's runs are much alike."""
SHOPPER = "offline:shopper"
NOTHING_ASKED = "it asks no model by drretail; what models of its own take is not known here"


@dataclass(frozen=True, slots=True)
class Factor:
    """What a model's run takes, as a multiple of the same agent's run with the rule-based shopper."""

    calls: Range
    input: Range
    output: Range


# Measured against an earlier shopper: a real model that was played behind the API took 0.6 to 1.2 times its calls, 0.7
# to 1.2 times its input and 1.6 to 3.6 times its output in five runs; the means of the paper's Table 5, where each tool
# call stood alone, are 2, 4.7 and 6.1 times. That shopper took, by agent, 0.83 to 1.83 times the calls, 1.03 to 2.03
# times the input and 0.71 to 1.17 times the output of today's (six shipped queries); both ends are moved by that.
AS_A_MODEL = Factor(Range(0.5, 3.7), Range(0.65, 9.5), Range(1.1, 7.2))
AS_IT_IS = Factor(Range(1, 1), Range(1, 1), Range(1, 1))
"""The factor of a rule-based model, which takes part in the dry run itself."""


def estimate_runs(
    sut: SystemUnderTest, count: int, spent: Spending | None, dry: Sequence[Run], prices: PriceTable
) -> Estimate:
    """What ``count`` more runs of a system are likely to take. ``spent`` is what its runs took so far.

    From finished runs it is mean ± standard deviation; without any it is from the ``dry`` runs. A run's own limits
    bound it.
    """
    if not sut.system.models and (spent is None or spent.input.mean is None):
        left = None if count else Range(0, 0)
        return Estimate(sut.label, count, left, left, left, left, NOTHING_ASKED)
    if spent is not None and spent.done:
        calls, read, written, money = (
            None
            if spread.mean is None
            else Range.around(spread.mean, spread.mean * ONE_RUN if spread.sd is None else spread.sd).times(count)
            for spread in (spent.calls, spent.input, spent.output, spent.dollars)
        )
        runs = "1 finished run" if spent.done == 1 else f"{spent.done:,} finished runs"
        estimate = Estimate(sut.label, count, calls, read, written, money, f"its {runs} here", spent.unpriced)
    else:
        estimate = _from_dry_runs(sut, count, dry, prices)
    # What the limits of a run allow at most.
    tokens, dollars = sut.system.limits.tokens, sut.system.limits.dollars
    most = {"input": tokens, "output": tokens, "dollars": dollars}
    bounded = {
        name: part.at_most(limit * count)
        for name, limit in most.items()
        if limit is not None and (part := getattr(estimate, name)) is not None
    }
    return replace(estimate, **bounded)


def _from_dry_runs(sut: SystemUnderTest, count: int, dry: Sequence[Run], prices: PriceTable) -> Estimate:
    nothing = Range(0, 0)
    calls, read, written, money = nothing, nothing, nothing, nothing
    unpriced: list[str] = []
    for role, model in sut.models.items():
        used = [run.usage.get(role, Usage()) for run in dry]
        factor = AS_IT_IS if model.info.kind == "rule_based" else AS_A_MODEL
        share = count / max(1, len(used))
        tokens = sum(each.input_uncached + each.cache_read + each.cache_creation for each in used)
        of_role = factor.input.times(share * tokens), factor.output.times(share * sum(each.output for each in used))
        calls = calls + factor.calls.times(share * sum(each.calls for each in used))
        read, written = read + of_role[0], written + of_role[1]
        price = prices.of(model.spec)
        if price is None:
            unpriced.append(model.spec)
        else:
            money = money + (dollars_of(*of_role, [price]) or nothing)
    failed = [run.error.message for run in dry if run.error is not None]
    basis = f"{len(dry)} dry {'run' if len(dry) == 1 else 'runs'} (docs/tools.md), no prompt cache"
    if failed:
        basis += f"; {len(failed)} of them failed: {failed[0]}"
    known = None if unpriced else money
    return Estimate(sut.label, count, calls, read, written, known, basis, tuple(dict.fromkeys(unpriced)))


def estimate_left(
    to: Path,
    suts: Sequence[SystemUnderTest],
    queries: Sequence[Query],
    repeats: int,
    prices: PriceTable,
    world: World,
    *,
    files: Path | None = None,
    retry: Collection[str] = (),
) -> list[Estimate]:
    """What the runs that ``to`` still lacks are likely to take: one estimate for each system that is no baseline.

    ``files`` are the users' own, as a ``Runner`` takes them.
    """
    spent = (
        {spending.label: spending for spending in spending_of(to, prices)} if (to / "experiment.json").exists() else {}
    )
    asking = [sut for sut in suts if not sut.agent.is_baseline]
    left = {sut.label: open_queries(to, sut, queries, repeats, retry) for sut in asking}
    unknown = [sut for sut in asking if sut.models and not ((known := spent.get(sut.label)) and known.done)]
    wanted = [(sut, query) for sut in unknown for query in list(dict.fromkeys(left[sut.label]))[:DRY_RUNS]]
    dry = dry_runs(world, wanted, files) if wanted else {}
    return [
        estimate_runs(sut, len(left[sut.label]), spent.get(sut.label), dry.get(sut.label, ()), prices) for sut in asking
    ]


def open_queries(
    to: Path, sut: SystemUnderTest, queries: Sequence[Query], repeats: int, retry: Collection[str]
) -> list[Query]:
    """The query of each run of the system that ``to`` still lacks."""
    places = [(query, repeat) for query in queries for repeat in range(1, repeats + 1)]
    runs = [(query, ended_run(to, sut.label, query.query_id, repeat)) for query, repeat in places]
    return [query for query, run in runs if is_open(run, sut.system, retry)]


def dry_runs(
    world: World, wanted: Sequence[tuple[SystemUnderTest, Query]], files: Path | None = None
) -> Mapping[str, list[Run]]:
    """By label, the runs of these systems for these queries with the shopper behind every model. None is saved."""
    from drretail.agents.running.runner import Runner
    from drretail.env.web.stand_in import StandInWeb
    from drretail.llm.stand_in import in_place_of

    web = StandInWeb() if world.web.corpus is None else world.web
    runner = Runner(replace(world, web=web), "dry run", files=files, pages=False, outages=None)
    shopper = open_model(SHOPPER).chat

    def stand_in_for(sut: SystemUnderTest) -> SystemUnderTest:
        models = {
            role: model if model.info.kind == "rule_based" else in_place_of(model, shopper)
            for role, model in sut.models.items()
        }
        # An embedding model would be sent the pages, which does not change how long a run is.
        options = {name: value for name, value in sut.system.options.items() if name != RETRIEVER}
        limits = sut.system.limits.model_copy(update={"tokens": None, "dollars": None})
        system = sut.system.model_copy(update={"options": options, "limits": limits})
        return replace(sut, models=models, system=system)

    async def run_all() -> list[Run]:
        made = [runner.run(stand_in_for(sut), query) for sut, query in wanted]
        return [recorded.run for recorded in await asyncio.gather(*made)]

    runs: dict[str, list[Run]] = {}
    with redirect_stdout(sys.stderr):  # what code of one's own prints is no result
        made = run_loop(run_all())
    for (sut, _), run in zip(wanted, made, strict=True):
        runs.setdefault(sut.label, []).append(run)
    return runs
