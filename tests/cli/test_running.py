from dataclasses import replace
from io import StringIO

import pytest

from drretail.agents.running.outcomes import Ended, tallies
from drretail.cli.run_progress import RunsShown, made_again, spoiled
from drretail.progress import PlainProgress
from drretail.records.run import Step, Usage

DONE = Ended("react@m", "q1", before=False, tool_calls=6, tokens=9000, failure=None)


class Noted:
    """A bar that keeps what it is told."""

    def __init__(self) -> None:
        self.count = 0
        self.messages: list[str] = []

    def advance(self, amount: int = 1) -> None:
        self.count += amount

    def describe(self, text: str) -> None:
        self.messages.append(text)


def shown(clock: list[float]) -> tuple[RunsShown, Noted, StringIO]:
    stream, bar = StringIO(), Noted()
    return RunsShown(PlainProgress(stream), bar, lambda: clock[0]), bar, stream


def test_the_time_left_is_measured_by_runs_of_this_command_only() -> None:
    clock = [100.0]
    watch, bar, _ = shown(clock)
    watch.planned(10, 6)
    clock[0] = 160.0
    for name in ("Reason", *["calculator"] * 6):
        watch.stepped(Step(path="0", seq=0, kind="tool", role="researcher", name=name), "")
    assert bar.messages[-1] == "runs: 0 done, 4 left · 6 tool calls · 0 tokens"
    watch.used(Usage(calls=1, input_uncached=8000, output=1000), 0.0)
    watch.ended(DONE)
    assert bar.messages[-1:] == ["runs: 1 done, 3 left · 6 tool calls · 9,000 tokens · about 3 min left"]
    assert bar.count == 7


def test_only_the_first_failure_is_a_line_of_its_own() -> None:
    watch, bar, stream = shown([0.0])
    watch.planned(2, 0)
    for _ in range(2):
        watch.ended(replace(DONE, failure="react@m/q1-r1: timeout: too slow"))
    assert stream.getvalue().count("timeout: too slow") == 1
    assert bar.messages[-1] == "runs: 0 done, 2 failed, 0 left · 0 tool calls · 0 tokens"


def test_what_failing_servers_cost_is_said() -> None:
    ended = [DONE, replace(DONE, calls_failed=1), replace(DONE, calls_failed=3)]
    assert spoiled(tallies([DONE.label], ended)) == "4 tool calls failed (unavailable or timeout) in 2 runs."
    assert spoiled(tallies([DONE.label], ended[:2])) == "1 tool call failed (unavailable or timeout) in 1 run."


SPOILED, FAILED = replace(DONE, calls_failed=1), replace(DONE, failure="it failed", calls_failed=1)


@pytest.mark.parametrize(
    ("ended", "message"),
    [
        ([DONE], None),
        ([DONE, FAILED], "The same command with --retry failed makes the 1 failed run again."),
        ([SPOILED, SPOILED], "The same command with --retry spoiled makes the 2 spoiled runs again."),
        (
            [SPOILED, FAILED],
            "The same command with --retry failed --retry spoiled makes the 1 failed and 1 spoiled runs again.",
        ),
    ],
)
def test_the_advice_names_the_flags_that_help(ended: list[Ended], message: str | None) -> None:
    assert made_again(tallies([DONE.label], ended)) == message
