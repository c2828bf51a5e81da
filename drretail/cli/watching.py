"""What a command shows on stderr while it works. The libraries of agents are loaded only once runs begin."""

import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from typing import TYPE_CHECKING

import typer

from drretail.api.options.observer import Observer
from drretail.viewer.drawing.progress import choose_progress, note_wait
from drretail.viewer.output import say

if TYPE_CHECKING:
    from drretail.agents.running.run import Watch
    from drretail.agents.running.runner import Runner


class TerminalObserver(Observer):
    """Shows on stderr what a command does: notes always, progress and waiting if progress is shown.

    What an agent prints goes there as well, since stdout is for the result.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        """With ``as_json``, stdout is left to the document."""
        self._as_json = as_json
        self._progress = choose_progress()

    def note(self, sentence: str) -> None:
        say(sentence)

    def serving(self, *lines: str) -> None:
        for line in lines:
            typer.echo(line, err=self._as_json)

    def waiting(self, line: str) -> None:
        note_wait(line)

    @contextmanager
    def runs(self, runner: "Runner", count: int, parallel: int) -> "Generator[Watch]":
        from drretail.cli.run_progress import RunsShown

        with self._progress.track("runs", count) as bar, redirect_stdout(sys.stderr):
            shown = RunsShown(self._progress, bar, narrated=min(parallel, count) == 1)
            runner.on_step, runner.on_use = shown.stepped, shown.used
            yield shown

    @contextmanager
    def answer(self, runner: "Runner") -> Generator[None]:
        from drretail.cli.run_progress import narrate

        runner.on_step = partial(narrate, self._progress)
        # One call of a model may take a minute.
        with self._progress.busy("answering"), redirect_stdout(sys.stderr):
            yield
