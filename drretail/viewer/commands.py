"""The commands that make an experiment, its scores and its report again."""

from collections.abc import Iterable, Mapping
from shlex import quote

from drretail.eval.judging.subject import choose_pairs, pair_name
from drretail.eval.numbers.judges import Assessor, read_board
from drretail.eval.registry import PAIRWISE
from drretail.experiments.experiment import LABELS, OPTIONS, read_options
from drretail.experiments.query_files import as_task, gold_line
from drretail.files import pack
from drretail.records.base import canonical_json
from drretail.records.run import BASELINES, IMPORTED_AGENT, INSPECT_AGENT, MCP_AGENT
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.tables.scores import RECORDED

ORIGINS: Mapping[str, str] = {
    IMPORTED_AGENT: "# Imported reports (drretail import): {labels}.",
    MCP_AGENT: "# Made by clients of drretail mcp: {labels}.",
    INSPECT_AGENT: "# Made by inspect_ai (drretail/shop_research): {labels}.",
    "": "# The options were not kept of {labels}.",
}
"""How systems came about whose options the experiment does not keep, by agent."""


def query_files(view: ExperimentView) -> dict[str, bytes]:
    """By name, the experiment's queries as files: their tasks, and the gold, packed against crawlers."""
    queries = view.definition.queries
    files = {"queries.jsonl": "".join(f"{canonical_json(as_task(query))}\n" for query in queries).encode()}
    if gold := [gold_line(query) for query in queries if query.has_gold]:
        files["queries.gold.jsonl.gz"] = pack("".join(f"{line}\n" for line in gold).encode())
    return files


def is_demo(view: ExperimentView) -> bool:
    """True if its models played the demo's recording, which only ``drretail demo`` plays."""
    return any(
        model.spec == RECORDED for system in view.definition.systems.values() for model in system.models.values()
    )


def commands(view: ExperimentView) -> list[str]:
    """Lines for a shell that make the experiment, its scores and its report again. What no command does is a comment.

    W stands for the world's folder, and ``queries.jsonl`` for that of ``query_files``.
    """
    if is_demo(view):
        return ["drretail demo"]
    options = read_options(view.folder)
    # Not into the same folder, where the runs would be found as they are.
    folder = quote(f"{view.name}-again" if options else view.name)
    lines: list[str] = []
    for path in options:
        file = quote(f"{view.name}/{OPTIONS}/{path.name}")
        lines.append(f"drretail run {file} --world W --queries queries.jsonl --to {folder}")
    others: dict[str, list[str]] = {}
    for label in sorted(
        view.definition.systems.keys() - {label for kept in options.values() for label in kept[LABELS]}
    ):
        agent = view.definition.systems[label].agent
        if agent not in BASELINES:  # each run adds them
            others.setdefault(agent if agent in ORIGINS else "", []).append(label)
    lines += [ORIGINS[agent].format(labels=", ".join(its)) for agent, its in others.items()]
    return [*lines, score_command(view, folder), f"drretail report {folder}"]


def score_command(view: ExperimentView, folder: str = "") -> str:
    """The command that makes the board's scores in ``folder``, or in the experiment's own; the plain one without any.

    It names the pairs if they are not the usual ones.
    """
    folder, board = folder or quote(view.name), read_board(view.folder)
    shown = [row for row in view.scores.scores if board.has(*Assessor.of(row))]
    pairs = list(dict.fromkeys((row.a, row.b) for row in view.scores.pairs if board.has(*Assessor.of(row))))
    metrics = [*dict.fromkeys(row.metric for row in shown), *([PAIRWISE] if pairs else [])]
    names = [] if pairs == choose_pairs(view.definition) else map(pair_name, pairs)
    flags = [
        *_flags("--metrics", [",".join(metrics)] if metrics else []),
        *_flags("--pairs", names),
        *_flags("--judge", (key.split()[0] for key in board.judge)),
        *_flags("--rules", {board.rules} - {"default"}),
    ]
    return " ".join(["drretail score", folder, *flags])


def command_for(view: ExperimentView, metric: str) -> str:
    """The command that makes one metric's verdicts."""
    return f"drretail score {quote(view.name)} --metrics {metric}"


def _flags(name: str, values: Iterable[str]) -> list[str]:
    return [part for value in values for part in (name, quote(value))]
