"""Findings kept in EXP/lab, and the line of each that stands beside the scores."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from shlex import join, split
from typing import Any

from drretail.errors import UserError
from drretail.eval.registry import installed
from drretail.files import read_json, write_json
from drretail.lab.card import card_line, read_cards
from drretail.lab.finding import LabFinding
from drretail.records.run import slug

VOTES = Path("votes")
Options = Mapping[str, str | Sequence[object] | None]
"""What a command wants before the experiment's folder."""


def keep(
    experiment: Path,
    name: str,
    finding: LabFinding,
    folders: Sequence[Path],
    options: Options | None = None,
    *,
    again: bool = True,
) -> dict[str, Any]:
    """Writes EXP/lab/NAME.json with its line and what it rests on, and gives it.

    ``folders``, below the experiment, hold people's answers or one judge's verdicts of a family.
    ``options`` of the command, such as files that it read, stand in its line once the finding is stale. Unless
    ``again``, UserError where what stands there was made with some that are not given now: it would be lost.
    """
    path = experiment / "lab" / f"{name}.json"
    # As they are given on the command line; one with several values stands there as often.
    given = {name: [value] if isinstance(value, str) else value or [] for name, value in (options or {}).items()}
    words = [word for name, values in given.items() for value in values for word in (name, str(value))]
    if not again:
        _check_nothing_is_lost(path, words)
    rests_on = {str(path): content_of(experiment, path) for path in folders}
    facts = {"line": finding.summary(), "rests_on": rests_on, "options": join(words)}
    document = finding.model_copy(update=facts).model_dump(mode="json", exclude_none=True)
    write_json(path, document)
    return document


def _check_nothing_is_lost(path: Path, words: Sequence[str]) -> None:
    try:
        before = split(str(read_json(path).get("options") or "")) if path.is_file() else []
    except UserError:
        return  # a damaged finding holds nothing
    pairs, known = ([*zip(those[::2], those[1::2], strict=False)] for those in (before, words))
    if lost := [pair for pair in pairs if pair not in known]:
        named = join(word for pair in lost for word in pair)
        raise UserError(
            f"{path} was made with {named}: give that as well, so that what it found stays, or replace it with --again."
        )


def verdict_folders(experiment: Path, family: str = "*", within: Path = Path()) -> list[Path]:
    """A folder for each family and judge with verdicts, below the experiment; ``within`` a part of it."""
    found = (experiment / within / "verdicts").glob(f"{family}/*/")
    return sorted(path.relative_to(experiment) for path in found if path.is_dir())


def content_of(experiment: Path, folder: Path) -> str:
    """A hash of what people or a judge said there, and of the questions that the judge is asked today.

    Journals hold times, and verdicts that were asked for side by side stand in any order: neither is part of it.
    """
    digest = sha256()
    for path in sorted((experiment / folder).rglob("*.jsonl")):
        if not path.name.endswith(".journal.jsonl"):
            digest.update(f"{path.relative_to(experiment)}\n".encode())
            digest.update(b"\n".join(sorted(path.read_bytes().splitlines())))
    if folder.parent.parent.name == "verdicts":
        metric = installed(folder.parent.name)
        questions = [] if metric is None else [str(metric.version), *sorted(metric.prompt_hashes())]
        digest.update("\n".join(questions).encode())
    return digest.hexdigest()[:16]


def finding_lines(experiment: Path) -> list[str]:
    """A line for each judge's card and each finding of the lab; of a stale one, that it is stale and why."""
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
        str(folder) for folder, before in rests_on.items() if content_of(experiment, Path(str(folder))) != before
    ]
    if not changed:
        # A choice of prompts says nothing of judges that are other models.
        model, others = document.get("model"), list[str]()
        if isinstance(model, str) and model:
            judges = {path.name for family in ("quality", "pairwise") for path in verdict_folders(experiment, family)}
            others = sorted(name for name in judges if not name.startswith(slug(model)))
        stale = f" Stale for {', '.join(others)}: another model needs a choice of its own." if others else ""
        return f"{line}{stale}"
    again = " ".join(filter(None, [again, str(document.get("options") or "")]))
    return f"Stale, since {', '.join(changed)} changed: {again} makes it anew. It was: {line}"
