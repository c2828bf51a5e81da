"""What the runs that an experiment still lacks are likely to take."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from drretail.agents.running.outcomes import is_open
from drretail.agents.running.system import SystemUnderTest
from drretail.experiments.experiment import ended_run, read_runs
from drretail.llm.estimates import Estimate, likely, typical
from drretail.records.query import Query
from drretail.records.run import Usage

MOST_LAUNCHED = 4
"""Researchers: from one to as many as are allowed are equally likely, and few questions have more parts than these."""


def estimate_left(
    to: Path, suts: Sequence[SystemUnderTest], queries: Sequence[Query], repeats: int, retry: Collection[str] = ()
) -> Iterator[Estimate]:
    """One estimate for each system that is no baseline: from its finished runs there, else from typical ones."""
    runs = [run for run in read_runs(to) if run.status == "done" and run.usage]
    places = [(query.query_id, repeat) for query in queries for repeat in range(1, repeats + 1)]
    for sut in (sut for sut in suts if not sut.agent.is_baseline):
        count = sum(is_open(ended_run(to, sut.label, *place), sut.system, retry) for place in places)
        took = [sum(run.usage.values(), Usage()) for run in runs if run.system == sut.label]
        roles = typical("runs")["any"] | typical("runs").get(sut.system.agent, {})
        launched = (1 + min(sut.system.limits.researchers, MOST_LAUNCHED)) / 2
        for role, row in typical("researchers").get(sut.system.agent, {}).items():
            roles[role] = [mean * launched for mean in row]
        rows = [(model, roles[role]) for role, model in sut.models.items() if role in roles]
        yield likely(sut.label, count, rows, "runs", took=sum(took, Usage()), pieces=len(took))
