"""The terminal in which a reviewer reads queries and answers."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.querygen.review.item import Section
if TYPE_CHECKING:
    from drretail.querygen.review.decisions import Applied
    from drretail.querygen.review.summary import Agreement, Reviewer, Summary


# Longer lines are hard to read.
_WIDEST = 100
_END = "."


class TerminalScreen:
    """Pages on stdout, answers from stdin; edits in $VISUAL or $EDITOR, or here where neither is set."""

    def __init__(self) -> None:
        self._readline = _readline()

    @property
    def width(self) -> int:
        return min(shutil.get_terminal_size().columns, _WIDEST)

    def begin(self, title: str) -> None:
        typer.echo(f"\n{'─' * self.width}\n{typer.style(title, bold=True)}\n")

    def show(self, *sections: "Section") -> None:
        for section in sections:
            typer.echo(typer.style(section.title, bold=True))
            typer.echo("\n".join((*section.lines, "")))

    def say(self, text: str) -> None:
        typer.echo(text)

    def ask(self, prompt: str) -> str | None:
        try:
            typed = input(f"{prompt} ")
        except EOFError:
            typer.echo()
            return None
        except UnicodeDecodeError:
            return ""
        return typed.encode("utf-8", "replace").decode("utf-8")

    def edit(self, draft: str) -> str | None:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not editor:
            return self._edit_here(draft)
        with tempfile.TemporaryDirectory(prefix="drretail-") as folder:
            path = Path(folder) / "query.txt"
            path.write_text(draft, encoding="utf-8")
            try:
                told = subprocess.run([*shlex.split(editor), str(path)], check=False)  # noqa: S603 -- the user's own editor
            except (OSError, ValueError) as problem:
                self.say(f"The editor {editor!r} does not start: {problem}.")
                return self._edit_here(draft)
            if told.returncode != 0:
                self.say(f"The editor ended with {told.returncode}: what it wrote is not taken.")
                return None
            return path.read_text(encoding="utf-8", errors="replace")

    def _edit_here(self, draft: str) -> str | None:
        from drretail.querygen.review.draft import RULE, with_constraints, written_constraints

        text, _, typed = draft.partition(RULE)
        new = self._text_anew(text.strip())
        if new is None:
            return None
        here = written_constraints(typed)
        self.say("What the text is checked against, as JSON; Enter when it is done.")
        constraints = self._prefilled(here)
        return None if constraints is None else f"{new}\n\n{RULE}\n{with_constraints(typed, constraints or here)}"

    def _text_anew(self, text: str) -> str | None:
        """The text as changed; None at the end of input."""
        if self._readline is not None and "\n" not in text:
            self.say("Change the text; Enter when it is done. ($EDITOR opens an editor instead.)")
            return self._prefilled(text)
        self.say(f"Type the new text; a line with only {_END!r} ends it, and at once leaves the text as it is.")
        lines: list[str] = []
        while (line := self.ask(">")) != _END:
            if line is None:
                return None
            lines.append(line)
        return "\n".join(lines) or text

    def _prefilled(self, text: str) -> str | None:
        """A line that begins as ``text``; where lines can't begin as anything, an empty one means the same."""
        if self._readline is None:
            typer.echo(text)
            typed = self.ask(">")
            return typed if typed is None else typed or text
        line = self._readline
        line.set_startup_hook(lambda: line.insert_text(text))
        try:
            return self.ask(">")
        finally:
            line.set_startup_hook(None)


def terminal_screen(instead: str) -> TerminalScreen:
    """The screen of whoever is there. Raises UserError that says what to do instead where nobody is."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError(f"There is no terminal to ask in. {instead}")
    return TerminalScreen()


def _readline() -> ModuleType | None:
    """What lets a line be changed while it is typed; absent on some systems."""
    try:
        import readline
    except ImportError:
        return None
    return readline


ABOUT = {
    "decision": "decision",
    "deep_research": "takes deep research",
    "answerable": "answerable with the nine tools",
    "fits_profile": "fits the shopper",
    "edit": "edited text",
}


def summary_document(file: Path, now: "Summary", applied: "Applied | None") -> dict[str, Any]:
    """What the tables say, with every number unrounded; shares are 0 to 1."""
    from drretail.querygen.review.records import reviews_path

    document: dict[str, Any] = {
        "file": str(file),
        "reviews": str(reviews_path(file)),
        "queries": now.queries,
        "outcomes": now.counts,
        "by_query": [{"query_id": it.query.query_id, "what": it.what, "by": it.by} for it in now.outcomes],
        "reviewers": [asdict(it) for it in now.reviewers],
        "agreement": [asdict(it) for it in now.agreements],
        "disagreements": [asdict(it) for it in now.disagreements],
        "stale": now.stale,
    }
    if applied is not None:
        names = ("edited", "rejected", "waiting")
        document["applied"] = {"queries": len(applied.queries)} | {name: list(getattr(applied, name)) for name in names}
    return document


def print_summary(file: Path, now: "Summary") -> None:
    """Tables of reviewers, answers, agreement and disagreements, as far as there is something to tell."""
    from drretail.viewer.output import print_table

    if now.reviewers:
        print_table("Reviewers", ["", "decided", "accepted", "edited", "rejected"], map(_counts, now.reviewers))
        rows = [(it.name, _share(it.edit_rate), _share(it.words_changed)) for it in now.reviewers]
        print_table("Edits", ["", "texts changed", "words changed in these"], rows)
        print_table("Answers: yes, no", ["", *(it.name for it in now.reviewers)], _answers(now))
    if now.agreements:
        print_table("Agreement", ["", "about", "queries", "the same", "Cohen's kappa"], map(_agreed, now.agreements))
    if now.disagreements:
        rows = [
            (it.query_id, ABOUT[it.about], ", ".join(f"{who}: {what}" for who, what in it.said.items()), it.settled_by)
            for it in now.disagreements
        ]
        print_table("Disagreements", ["query", "about", "who says what", "settled by"], rows)
    for line in _lines(file, now):
        typer.echo(line)


def _counts(it: "Reviewer") -> tuple[object, ...]:
    return it.name, it.decided, it.accepted, it.edited, it.rejected


def _answers(now: "Summary") -> list[tuple[object, ...]]:
    return [
        (ABOUT[question], *(f"{it.answers[question].yes}, {it.answers[question].no}" for it in now.reviewers))
        for question in now.reviewers[0].answers
    ]


def _agreed(it: "Agreement") -> tuple[object, ...]:
    kappa = f"na: {it.na}" if it.kappa is None else f"{it.kappa:.2f}"
    return f"{it.first}, {it.second}", ABOUT[it.about], it.n, _share(it.share), kappa


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.0%}"


def _lines(file: Path, now: "Summary") -> list[str]:
    counts = ", ".join(f"{count} {what}" for what, count in now.counts.items())
    lines = [f"{file}: {now.queries} queries: {counts}"]
    for it in now.reviewers:
        if it.accepted_with_a_no:
            lines.append(f"{it.name} accepts, with a no to a question: {', '.join(it.accepted_with_a_no)}")
    disputed = ", ".join(now.ids("disputed"))
    if disputed:
        lines.append(f"Disputed, and so not applied until somebody settles them with --settle: {disputed}")
    if now.stale:
        lines.append(f"{now.stale} decisions are about queries that were changed or taken out since: they don't count.")
    return lines
