"""Flags of the version before go on working, and say what replaces them."""

import pytest

from drretail.cli.options.command import replaced
from drretail.cli.run import REPLACED
from tests.cli.commands import Command


@pytest.mark.parametrize(
    ("given", "now", "sentences"),
    [
        (
            ["--to", "e", "--tool-turns", "5"],
            ["--to", "e", "--limit", "tool_turns=5"],
            ["--tool-turns 5 is now --limit tool_turns=5; the old form goes in the next version."],
        ),
        (
            ["--tokens=9", "--retry-failed"],
            ["--limit", "tokens=9", "--retry", "failed"],
            [
                "--tokens=9 is now --limit tokens=9; the old form goes in the next version.",
                "--retry-failed is now --retry failed; the old form goes in the next version.",
            ],
        ),
        (["--to", "e", "--", "--tokens", "3"], ["--to", "e", "--", "--tokens", "3"], []),
        (["--limit", "tokens=9"], ["--limit", "tokens=9"], []),
    ],
)
def test_old_flags_become_new_ones(given: list[str], now: list[str], sentences: list[str]) -> None:
    said: list[str] = []
    assert replaced(given, REPLACED, said.append) == now
    assert said == sentences


def test_a_run_by_old_flags_is_the_one_by_new_flags(drretail: Command, queries: str) -> None:
    command = ["run", "--queries", queries, "--to", "exp", "--print-config"]
    old = drretail(*command, "--tool-turns", "3", "--seconds=60", "--dollars", "0.5", "--retry-spoiled")
    limits = ["--limit", "tool_turns=3", "--limit", "seconds=60", "--limit", "dollars=0.5"]
    new = drretail(*command, *limits, "--retry", "spoiled")
    assert old.stdout == new.stdout
    assert "limits = {tool_turns = 3, seconds = 60, dollars = 0.5}" in new.stdout
    assert new.stderr == ""
    assert old.stderr.count("the old form goes in the next version") == 4
