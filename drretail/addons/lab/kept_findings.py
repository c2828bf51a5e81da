"""Findings stored in EXP/lab, and the line of each beside the scores."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from shlex import join
from typing import Any

from drretail.addons.lab.card import card_line, read_cards
from drretail.addons.lab.findings import LabFinding
from drretail.errors import UserError
from drretail.eval.registry import installed
from drretail.files import read_json, write_json
from drretail.packs import JOURNAL, data_of, packed_names

VOTES = Path("votes")
Options = Mapping[str, str | Sequence[object] | None]
"""A command's options by flag, each with one value or several."""


def keep(
    experiment: Path, finding: LabFinding, folders: Sequence[Path], options: Options | None = None
) -> dict[str, Any]:
    """Writes EXP/lab/NAME.json with the finding's line and what it rests on, and returns the document.

    ``folders``, relative to the experiment, hold people's answers or one judge's verdicts in a metric. ``options`` of
    the command, such as files that it read, are shown once the finding is stale.
    """
    # As on the command line, where an option with several values is repeated.
    by_flag = {name: [value] if isinstance(value, str) else value or [] for name, value in (options or {}).items()}
    words = [word for name, values in by_flag.items() for value in values for word in (name, str(value))]
    rests_on = {str(path): content_hash(experiment, path) for path in folders}
    facts = {"line": finding.summary(), "rests_on": rests_on, "options": join(words)}
    document = {"format": finding.format, **facts, **finding.document()}
    write_json(experiment / "lab" / f"{finding.name}.json", document)
    return document


def verdict_folders(experiment: Path, metric: str = "*") -> list[Path]:
    """A folder for each metric and judge with verdicts, relative to the experiment."""
    folders = (experiment / "verdicts").glob(f"{metric}/*/")
    return sorted(path.relative_to(experiment) for path in folders if path.is_dir())


def content_hash(experiment: Path, folder: Path) -> str:
    """A hash of people's answers or a judge's verdicts in a folder, and of the questions that the judge is asked today.

    Journals are left out because they hold times, and lines are sorted because concurrent verdicts come in any order.
    """
    digest = sha256()
    whole = experiment / folder
    folders = [whole, *(path for path in whole.rglob("*") if path.is_dir())]
    for path in sorted(place / name for place in folders for name in packed_names(place)):
        if not path.name.endswith(JOURNAL):
            digest.update(f"{path.relative_to(experiment)}\n".encode())
            digest.update(b"\n".join(sorted(data_of(path).splitlines())))
    if folder.parent.parent.name == "verdicts":
        metric = installed(folder.parent.name)
        questions = [] if metric is None else [str(metric.version), *sorted(metric.prompt_hashes())]
        digest.update("\n".join(questions).encode())
    return digest.hexdigest()[:16]


def finding_lines(experiment: Path) -> list[str]:
    """A line for each judge's card and each finding of the lab. A stale finding's line says so and why."""
    try:
        cards = [*map(card_line, read_cards(experiment))]
    except UserError as problem:
        cards = [str(problem)]
    return [*cards, *(_line(experiment, path) for path in sorted((experiment / "lab").glob("*.json")))]


def _line(experiment: Path, path: Path) -> str:
    again = f"drretail lab {path.stem} {experiment}"
    try:
        document = read_json(path)
    except UserError as problem:
        return f"{problem} {again} makes it again."
    line, rests_on = document.get("line"), document.get("rests_on")
    if not isinstance(line, str) or not line or not isinstance(rests_on, dict):
        return f"{path} has no line, or none that this version reads: {again} makes it again."
    changed = [
        str(folder) for folder, before in rests_on.items() if content_hash(experiment, Path(str(folder))) != before
    ]
    if not changed:
        return line
    again = " ".join(filter(None, [again, str(document.get("options") or "")]))
    return f"Stale, since {', '.join(changed)} changed: {again} makes it anew. It was: {line}"
