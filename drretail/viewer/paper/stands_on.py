"""What an experiment's numbers stand on: shop, people, web, whose wording, rules, judges and dates, in sentences."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from drretail.env.world import World
from drretail.eval.scores.panel import is_panel
from drretail.experiment import Definition, read_evidence, run_folder
from drretail.files import read_json
from drretail.querygen.shipped import WORLD as DEMO
from drretail.records.run import Run
from drretail.records.score import CODE, Scores
from drretail.tables.figures import counted

OURS = "this package's"


def stands_on(
    experiment: Path, definition: Definition, runs: Sequence[Run], scores: Scores | None, world: World | None
) -> Iterator[str]:
    """One sentence for each; without the ``world`` the shop's sizes are left out."""
    made_of = "made up (the demo)" if definition.world_fingerprint == DEMO else "of the files that it was ingested from"
    if definition.world_fingerprint is not None:
        sizes = "" if world is None else f": {world.manifest.headline}"
        people = len({query.user_id for query in definition.queries} - {None})
        yield f"The shop is {made_of}{sizes}. {counted(people, 'of its users asks', 'of its users ask')} the queries."
    yield _web(experiment, runs)
    folders = {known.prompts.name for known in definition.systems.values() if known.prompts is not None}
    own = sorted({prompt for query in definition.queries for prompt in query.prompts})
    rows = [] if scores is None else [row for row in scores.scores if row.judge != CODE and not is_panel(row.judge)]
    judged = sorted(filter(None, {row.judge_params.partition("prompts-")[2] for row in rows}))
    yield (
        f"Whose wording: agents {', '.join(sorted(folders)) or OURS}; queries {', '.join(own) or OURS}; "
        f"judges {', '.join(judged) or OURS}."
    )
    if rows:
        rules, judges = ({getattr(row, name) for row in rows} for name in ("rules", "judge"))
        yield f"Rules: {', '.join(sorted(rules))}; judged by {', '.join(sorted(judges))}."
    ended = sorted(filter(None, (_ended(experiment, run) for run in runs)))
    if ended:
        yield f"Run from {ended[0]} to {ended[-1]}."


def _web(experiment: Path, runs: Sequence[Run]) -> str:
    """How many pages the agents met, and how long pages and snippets are."""
    words: dict[str, dict[str, int]] = {"page": {}, "snippet": {}}
    for run in runs:
        folder = run_folder(experiment, run.system, run.query_id, run.repeat)
        if (folder / "evidence.jsonl.gz").exists():
            for entry in read_evidence(folder):
                for text in entry.texts if entry.kind == "web" else ():
                    if text.form in words:
                        words[text.form][text.sha256] = len(text.text.split())
    lengths = (
        f"{counted(len(found), f'{form}')} of {median(found.values()):.0f} words (median)"
        for form, found in words.items()
        if found
    )
    return f"The web that agents met: {', '.join(lengths) or 'none'}."


def _ended(experiment: Path, run: Run) -> str | None:
    path = run_folder(experiment, run.system, run.query_id, run.repeat) / "telemetry.json"
    return str(read_json(path).get("ended", ""))[:10] if path.exists() else None
