"""An experiment in the form of the paper: every table that it has numbers for, and how it differs; also as Markdown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from drretail.agents.running.spending import words_of
from drretail.env.world import World
from drretail.eval.ballots import read_votes
from drretail.eval.scores.file import read_scores
from drretail.eval.scores.panel import is_panel
from drretail.experiment import Definition, read_definition, read_evidence, read_runs, run_folder
from drretail.files import read_json
from drretail.querygen.comparison import compare
from drretail.querygen.lint import Linter
from drretail.querygen.shipped import WORLD as DEMO
from drretail.records.run import Run, System
from drretail.records.score import CODE, Scores
from drretail.records.tables.figures import counted
from drretail.records.tables.markdown import markdown_table
from drretail.records.vote import Vote
from drretail.viewer.paper.dataset import cost, dataset, modes, tool_calls
from drretail.viewer.paper.judged_tables import JUDGED, judged, judges_agree, people_agree, preferences
from drretail.viewer.paper.published import PaperTable, by_system, lineup

PAPER_QUERIES = 50
PAPER_RESULTS = 5
"""Results of one web search (section 5.3)."""
PAPER_MODEL = "Claude 4.0 Sonnet"
PAPER_JUDGE = "Claude 4.5 Sonnet"


@dataclass(frozen=True, slots=True)
class PaperView:
    """The paper's tables of an experiment.

    ``settings`` are sentences on what was run here and how that differs from the paper.
    """

    name: str
    settings: tuple[str, ...]
    tables: tuple[PaperTable, ...]

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Pairs of a table's name and something that it lacks, for all tables."""
        return [(table.name, text) for table in self.tables for text in table.missing]

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "experiment": self.name,
            "settings": list(self.settings),
            "tables": [table.document() for table in self.tables],
        }


def read_paper_view(experiment: Path, world: World | None) -> PaperView:
    """All tables; ``world`` is None if that of the queries is not at hand.

    Raises UserError for a folder without an experiment, and for votes that can't be read.
    """
    definition = read_definition(experiment)
    lines = lineup(definition.systems)
    runs = list(read_runs(experiment))
    done = by_system(runs)
    planned = Counter(run.system for run in runs)
    words = {run.run_id: words_of(experiment, run) for run in runs if run.status == "done"}
    scores = read_scores(experiment)
    name = str(experiment)
    queries = definition.queries
    return PaperView(
        experiment.name,
        (*stands_on(experiment, definition, runs, scores, world), *_settings(definition, runs)),
        (
            *(judged(name, metric, scores, lines) for metric in JUDGED),
            dataset(queries, [run for run in runs if not _is_plain(definition.systems[run.system])], words, scores),
            cost(done, planned, words, lines),
            tool_calls(done, planned, lines),
            modes(name, None if world is None else compare(queries, Linter(world))),
            preferences(name, scores, lines),
            people_agree([vote for vote in read_votes(experiment) if isinstance(vote, Vote)]),
            judges_agree(name, scores),
        ),
    )


def _settings(definition: Definition, runs: Sequence[Run]) -> Iterator[str]:
    researching = {label: system for label, system in definition.systems.items() if not _is_plain(system)}
    models = sorted({model.spec for system in researching.values() for model in system.models.values()})
    kinds = {model.kind for system in researching.values() for model in system.models.values()}
    rules = (
        " (rule-based: no language model, so these numbers say nothing of the paper's)"
        if kinds == {"rule_based"}
        else ""
    )
    yield f"Models: {', '.join(models) or 'none'}{rules}. The paper: {PAPER_MODEL}, judged by {PAPER_JUDGE}."
    repeats = max((run.repeat for run in runs), default=1)
    count = len(definition.queries)
    world = definition.world_fingerprint
    made = ", imported" if world is None else f", on the world {world[:12]}"
    yield (
        f"{counted(count, 'query')}, {counted(repeats, 'run')} each{made}. The paper: {PAPER_QUERIES} queries of "
        "its own, one run each."
    )
    providers = sorted({system.web_provider for system in researching.values()})
    yield (
        f"The web: {', '.join(providers) or 'none'}, the first {PAPER_RESULTS} results. The paper: Serper, the first "
        f"{PAPER_RESULTS}."
    )
    scopes = sorted({system.sees for system in researching.values()}, reverse=True)
    shown = " or ".join({"own": "the user's own data", "any": "any user's data"}[scope] for scope in scopes)
    yield f"Tools show {shown or 'nothing'} (--vary scope). The paper: any user's."
    failed = Counter(run.system for run in runs if run.status == "failed")
    idle = Counter(run.system for run in runs if run.stop == "no_research")
    for label, number in sorted(failed.items()):
        looked = f" ({idle[label]} of them looked nothing up)" if idle[label] else ""
        yield (
            f"{counted(number, 'run')} of {label} failed{looked}: counted where scores count, "
            "without tokens or words here."
        )


def _is_plain(system: System) -> bool:
    """True for systems that do no research: floors and the oracle."""
    return not system.models and not system.is_imported


def markdown_of(view: PaperView) -> str:
    """All tables as Markdown; differences from the paper come first, missing parts last."""
    blocks = [f"# {view.name} beside the paper", "\n".join(f"- {sentence}" for sentence in view.settings)]
    blocks += ["\n\n".join(_table(table)) for table in view.tables]
    missing = [f"- {name}: {text}" for name, text in view.missing]
    blocks.append("## Missing here\n\n" + ("\n".join(missing) if missing else "Nothing."))
    return "\n\n".join(blocks) + "\n"


def _table(paper_table: PaperTable) -> Iterator[str]:
    yield f"## {paper_table.name}. {paper_table.table.title}"
    if paper_table.table.rows:
        yield markdown_table(paper_table.table)
    if paper_table.table.notes:
        yield " ".join(paper_table.table.notes)
    if not paper_table.here:
        yield "This experiment has nothing for this table: see the end."


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
    paths = (run_folder(experiment, run.system, run.query_id, run.repeat) / "telemetry.json" for run in runs)
    ended = sorted(filter(None, (str(read_json(path).get("ended", ""))[:10] for path in paths if path.exists())))
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
        f"{counted(len(by_hash), f'{form}')} of {median(by_hash.values()):.0f} words (median)"
        for form, by_hash in words.items()
        if by_hash
    )
    return f"The web that agents met: {', '.join(lengths) or 'none'}."
