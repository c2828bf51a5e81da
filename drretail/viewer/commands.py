"""The commands that make an experiment, its scores and its report again."""

from collections.abc import Iterable, Mapping
from shlex import quote

from drretail.eval.judging.subject import Labels, choose_pairs, pair_name
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.board import Board, read_board
from drretail.eval.scores.gathering import Assessor, is_panel
from drretail.experiment import OPTIONS, read_options
from drretail.files import packed_lines
from drretail.grounding.gold_files import as_task, gold_line
from drretail.records.base import Rules, canonical_json
from drretail.records.run import BASELINES, IMPORTED_AGENT, INSPECT_AGENT, MCP_AGENT
from drretail.records.score import CODE, Score
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
        files["queries.gold.jsonl.gz"] = packed_lines(gold)
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
    for each in options:
        if each.needs:
            needs = " ".join(", ".join(each.needs).split())  # on one line, which is a comment
            lines.append(f"# {each.path.name} also needs {needs}.")
        file = quote(f"{view.name}/{OPTIONS}/{each.path.name}")
        lines.append(f"drretail run {file} --world W --queries queries.jsonl --to {folder}")
    others: dict[str, list[str]] = {}
    for label in sorted(view.definition.systems.keys() - {label for each in options for label in each.labels}):
        agent = view.definition.systems[label].agent
        if agent not in BASELINES:  # each run adds them
            others.setdefault(agent if agent in ORIGINS else "", []).append(label)
    lines += [ORIGINS[agent].format(labels=", ".join(its)) for agent, its in others.items()]
    return [*lines, *score_commands(view, folder), f"drretail report {folder}"]


def score_commands(view: ExperimentView, folder: str = "") -> list[str]:
    """One command for each set of rules in the scores, the board's last; the plain command if nothing is scored yet.

    They score ``folder``, or the experiment's own. Pairs have their own commands, since their judges can differ from
    those of single reports; these name the pairs if they are not the usual ones.
    """
    folder = folder or quote(view.name)
    scores = view.scores.scores
    if not scores and not view.scores.pairs:
        return [f"drretail score {folder}"]
    board = read_board(view.folder)
    made: list[tuple[bool, str]] = []
    usual = choose_pairs(view.definition)
    compared: dict[tuple[bool, Rules, str], list[Labels]] = {}
    for row in view.scores.pairs:
        key = board.has(*Assessor.of(row)), row.rules, row.judge
        if not is_panel(row.judge) and (row.a, row.b) not in (pairs := compared.setdefault(key, [])):
            pairs.append((row.a, row.b))
    for (is_shown, rules, judge), pairs in sorted(compared.items()):
        named = () if pairs == usual else map(pair_name, pairs)
        parts = ["drretail score", folder, "--metrics", PAIRWISE, *_flags("--pairs", named), *_judges(board, {judge})]
        made.append((is_shown, " ".join([*parts, *_flags("--rules", {rules} - {"default"})])))
    judged: dict[tuple[bool, Rules], list[Score]] = {}
    for score in scores:
        judged.setdefault((board.has(*Assessor.of(score)), score.rules), []).append(score)
    for (is_shown, rules), ruled in sorted(judged.items()):
        metrics = ",".join(dict.fromkeys(score.metric for score in ruled))
        parts = ["drretail score", folder, "--metrics", metrics]
        parts += [*_judges(board, {score.judge for score in ruled}), *_flags("--rules", {rules} - {"default"})]
        made.append((is_shown, " ".join(parts)))
    return [command for _, command in sorted(made, key=lambda each: each[0])]


def command_for(view: ExperimentView, metric: str) -> str:
    """The command that makes one metric's verdicts."""
    return f"drretail score {quote(view.name)} --metrics {metric}"


def _judges(board: Board, specs: set[str]) -> list[str]:
    """Flags for judges with verdicts of their own: code needs no flag, and a panel consists of other judges."""
    # In the order in which they were named, since the paper's tables are those of the first.
    named = [key.split()[0] for key in board.judge]
    own = sorted(spec for spec in specs - {CODE} if not is_panel(spec))
    return _flags("--judge", sorted(own, key=lambda spec: named.index(spec) if spec in named else len(named)))


def _flags(name: str, values: Iterable[str]) -> list[str]:
    return [part for value in values for part in (name, quote(value))]
