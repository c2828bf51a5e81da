"""What a person reads, live, of steps, runs and waits. Also tests viewer/tables/tallies.py."""

import json
from collections import Counter
from dataclasses import asdict, replace
from io import StringIO

from drretail.agents.running.outcomes import Ended, tallies
from drretail.cli.run_progress import RunsShown, step_line
from drretail.progress import Bar
from drretail.records.run import Step, Usage
from drretail.viewer.drawing.progress import PlainProgress
from drretail.viewer.tables.tallies import outcome_notes


def step(kind: str, role: str, name: str, path: str = "0", **given: object) -> Step:
    return Step.model_validate({"path": path, "seq": 0, "kind": kind, "role": role, "name": name} | given)


REPORT = {"insights": [{"statement": "a"}, {"statement": "b"}], "sources": [{"evidence": "P:1"}], "open_questions": []}


LAUNCHED = step("tool", "supervisor", "LaunchResearcher", args={"sub_problem": "Find a feeder."})
BROUGHT = json.dumps({"researcher": 1, "report": REPORT})
TOLD: list[tuple[Step, str, str | None]] = [
    (LAUNCHED, BROUGHT, '  LaunchResearcher "Find a feeder."'),
    (
        step("tool", "researcher", "product_catalog_search", args={"query": "feeder", "max_price": 30}),
        '{"total":1200,"hits":[]}',
        '  product_catalog_search "feeder" (max_price 30) → 1,200 found',
    ),
    (step("tool", "researcher", "calculator", args={"expression": "2 * 3"}), '{"value":6}', '  calculator "2 * 3" → 6'),
    (
        step("tool", "researcher", "mine", args={}),
        '{"total":"5 left","title":7}',
        "  mine",
    ),  # a tool of the agent's own
    (step("tool", "supervisor", "LaunchResearcher", error="gone"), "{}", "  LaunchResearcher: gone"),
    (step("tool", "researcher", "Reason", "0.2", args={"thought": "It lasts."}), "{}", '[0.2]   Reason "It lasts."'),
    (step("tool", "researcher", "Finalize", "0.2", args={}), '{"finished":true}', "[0.2]   Finalize"),
    (step("synthesis", "synthesis", "a:model", "0.2"), json.dumps(REPORT), "[0.2] · findings consolidated"),
    (step("synthesis", "synthesis", "a:model", "0.2", error="slow"), "", "[0.2] · the model failed: slow"),
    (step("model", "summariser", "a:model", "0.3.1"), '{"summary":"Clean it."}', None),
    (step("model", "report", "a:model"), "# The report", None),
    (step("model", "supervisor", "a:model"), '{"wants":[]}', None),
    (step("model", "report", "a:model"), "Take it [P:B1].\n\n```picks\nP:B1 x 1\n```", "· Take it [P:B1]."),
    (step("model", "researcher", "a:model"), "```picks\nP:B1 x 1\n```", None),
]


def test_a_step_is_told_in_one_line_or_not_at_all() -> None:
    for made, text, line in TOLD:
        assert step_line(made, text) == line


DONE = Ended("react@m", "q1", before=False, tool_calls=6, tokens=9000, failure=None)


class Noted(Bar):
    """A bar that keeps what it is told."""

    def __init__(self) -> None:
        self.count = 0
        self.messages: list[str] = []

    def advance(self, amount: int = 1) -> None:
        self.count += amount

    def describe(self, text: str) -> None:
        self.messages.append(text)


def test_the_time_left_is_measured_by_runs_of_this_command_only() -> None:
    clock = [100.0]
    bar = Noted()
    watch = RunsShown(PlainProgress(StringIO()), bar, lambda: clock[0])
    watch.planned(Counter({DONE.label: 10}), Counter({DONE.label: 6}))
    clock[0] = 160.0
    for name in ("Reason", *["calculator"] * 6):
        watch.stepped(Step(path="0", seq=0, kind="tool", role="researcher", name=name), "")
    assert bar.messages[-1] == "0 done, 4 left · 6 tool calls"
    watch.used(DONE.label, Usage(calls=1, input_uncached=8000, output=1000))
    watch.ended(DONE)
    assert bar.messages[-1:] == ["1 done, 3 left · 6 tool calls · 9,000 tokens · about 3 min left"]
    assert bar.count == 7


def test_what_servers_and_providers_cost_is_said_with_the_flags_that_help() -> None:
    def notes(*ended: Ended) -> list[str]:
        return list(outcome_notes(tallies([DONE.label], ended)))

    assert notes(DONE) == []
    failed, spoiled = replace(DONE, failure="it failed", calls_failed=1), replace(DONE, calls_failed=3)
    assert notes(spoiled, failed) == [
        "A server or provider gave no answer for 4 tool calls, in 2 runs.",
        "The same command with --retry failed --retry spoiled makes the 1 failed and 1 spoiled runs again.",
    ]
    lost = replace(DONE, losses={"researcher": 1, "page summary": 2})
    assert notes(DONE, lost) == [
        "A server or provider gave no answer for 1 researcher, 2 page summaries, in 1 run.",
        "Nothing is concluded against a system while 1 run of it lacks a model's answer.",
        "The same command with --retry spoiled makes the 1 spoiled run again.",
    ]
    (counts,) = tallies([DONE.label], [DONE, lost])
    assert json.loads(json.dumps(asdict(counts)))["incomplete"] == 1  # as --json prints it
