"""The commands that make an experiment, its scores and its report again."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote

from drretail.eval.judging.pairs import Labels, choose_pairs, pair_name
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.panel import is_panel
from drretail.experiment import prompts_path
from drretail.records.base import Rules, canonical_json
from drretail.records.run import BASELINES, INJECTED, INSPECT_AGENT, MCP_AGENT, MOVES, SANDBOX, Limits, System
from drretail.records.score import CODE
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.tables.scores import RECORDED


def queries_file(view: ExperimentView) -> str:
    """The experiment's queries as the text of a queries.jsonl."""
    return "".join(
        f"{canonical_json(query.model_dump(mode='json', exclude_none=True))}\n" for query in view.definition.queries
    )


def is_demo(view: ExperimentView) -> bool:
    """True if its models played the demo's recording, which only ``drretail demo`` plays."""
    return any(
        model.spec == RECORDED for system in view.definition.systems.values() for model in system.models.values()
    )


def commands(view: ExperimentView) -> list[str]:
    """One command a line. W stands for the world's folder, and ``queries.jsonl`` for ``queries_file``."""
    if is_demo(view):
        return ["drretail demo"]
    folder = quote(view.name)
    beside = {label for label, system in view.definition.systems.items() if system.agent in BASELINES}
    # Every ``run`` command adds floors and the oracle, so they need no command of their own.
    labels = [label for label in view.definition.systems if label not in beside] or sorted(beside)
    runs = [line for label in labels for line in _runs(view, label, folder, floors=bool(beside))]
    return [*runs, *score_commands(view), f"drretail report {folder}"]


def score_commands(view: ExperimentView) -> list[str]:
    """One command for each set of rules in the scores; the plain command if nothing is scored yet.

    Pairs have their own commands, since their judges can differ from those of single reports.
    """
    folder = quote(view.name)
    scores = view.scores.scores
    if not scores and not view.scores.pairs:
        return [f"drretail score {folder}"]
    made: list[str] = []
    for rules in sorted({score.rules for score in scores}):
        ruled = [score for score in scores if score.rules == rules]
        metrics = ",".join(dict.fromkeys(score.metric for score in ruled))
        parts = ["drretail score", folder, "--metrics", metrics]
        parts += [*_judges(score.judge for score in ruled), *_rules(rules)]
        made.append(" ".join(parts))
    return [*made, *_pair_commands(view, folder)]


def command_for(view: ExperimentView, family: str) -> str:
    """The command that makes one family's verdicts."""
    return f"drretail score {quote(view.name)} --metrics {family}"


def compare_command(view: ExperimentView) -> str:
    """The command that compares every two systems in full."""
    return f"drretail compare {quote(view.name)} --details"


def _pair_commands(view: ExperimentView, folder: str) -> Iterator[str]:
    """One command for each set of rules and each judge; it names the pairs if they are not the usual ones."""
    usual = choose_pairs(view.definition)
    compared: dict[tuple[Rules, str], list[Labels]] = {}
    for row in view.scores.pairs:
        if not is_panel(row.judge) and (row.a, row.b) not in (pairs := compared.setdefault((row.rules, row.judge), [])):
            pairs.append((row.a, row.b))
    for (rules, judge), pairs in sorted(compared.items()):
        named = () if pairs == usual else map(pair_name, pairs)
        parts = ["drretail score", folder, "--metrics", PAIRWISE, *_flags("--pairs", named), *_judges([judge])]
        yield " ".join([*parts, *_rules(rules)])


def _judges(specs: Iterable[str]) -> list[str]:
    """Flags for judges with verdicts of their own: code needs no flag, and a panel consists of other judges."""
    return _flags("--judge", sorted(spec for spec in {*specs} - {CODE} if not is_panel(spec)))


def _rules(rules: str) -> list[str]:
    return [] if rules == "default" else ["--rules", rules]


def _runs(view: ExperimentView, label: str, folder: str, *, floors: bool) -> list[str]:
    """One command for a system; for one whose client connected over MCP, one for each query."""
    system = view.definition.systems[label]
    if system.is_imported:
        # FILE stands for the file that the reports were imported from.
        models = _flags("--model", (model.spec for model in system.models.values()))
        form = str(system.options.get("format", "markdown"))
        models += ["--world W"] if view.definition.is_of_shop else []
        return [" ".join(["drretail import", quote(form), "FILE --to", folder, "--system", quote(label), *models])]
    if system.agent == INSPECT_AGENT:
        return [_inspected(view, label, system, folder)]
    if system.agent != MCP_AGENT:
        return [_run(view, label, system, folder, floors=floors)]
    (client,) = system.models.values()
    scope = ["--scope any"] if system.sees == "any" else []
    scope += ["--redact"] if system.options.get("redact") else []
    scope += _flags("--without", system.options.get("without", ()))
    scope += [] if system.web_provider == SANDBOX else ["--web", quote(system.web_provider)]
    scope += ["--as", quote(client.spec), "--seed", quote(view.definition.seed)]
    return [
        " ".join(
            ["drretail mcp --queries queries.jsonl --query", quote(each.query_id), "--world W --to", folder, *scope]
        )
        for each in view.definition.queries_of(label)
    ]


def _inspected(view: ExperimentView, label: str, system: System, folder: str) -> str:
    """The inspect_ai command that makes these runs, with inspect's default solver."""
    (model,) = system.models.values()
    parts = ["inspect eval drretail/shop_research --model", quote(model.spec.replace(":", "/", 1))]
    given = {"world": "W", "queries": "queries.jsonl", "to": folder, "name": system.options.get("solver")}
    given |= {"scope": "any" if system.sees == "any" else None, "without": ",".join(system.options.get("without", ()))}
    given["web"] = None if system.web_provider == SANDBOX else quote(system.web_provider)
    parts += [f"-T {name}={value}" for name, value in given.items() if value]
    query_ids = [query.query_id for query in view.definition.queries_of(label)]
    parts += [] if len(query_ids) == len(view.definition.queries) else ["--sample-id", quote(",".join(query_ids))]
    repeats = max((run.repeat for run in view.planned if run.label == label), default=1)
    return " ".join([*parts, *([] if repeats == 1 else ["--epochs", str(repeats)])])


def _run(view: ExperimentView, label: str, system: System, folder: str, *, floors: bool) -> str:
    repeats = max((run.repeat for run in view.planned if run.label == label), default=1)
    agent = system.agent if system.place is None else f"{system.agent}={system.place}"
    agent += "+ws" if system.web_mode == "ws" else ""
    parts = ["drretail run --queries queries.jsonl --world W --to", folder, "--agent", quote(agent)]
    specs = {role: model.spec for role, model in sorted(system.models.items())}
    if len(set(specs.values())) == 1:
        parts += _flags("--model", set(specs.values()))
    else:
        parts += _flags("--model", (f"{role}={spec}" for role, spec in specs.items()))
    parts += [] if repeats == 1 else ["--repeats", str(repeats)]
    limits, usual = system.limits.model_dump(), Limits().model_dump()
    parts += _flags("--limit", (f"{name}={value}" for name, value in limits.items() if value != usual[name]))
    parts += [] if system.web_provider == SANDBOX else ["--web", quote(system.web_provider)]
    parts += ["--scope any"] if system.sees == "any" and system.agent not in BASELINES else []
    parts += ["--moves", quote(system.options[MOVES])] if MOVES in system.options else []
    parts += ["--injected"] if system.options.get(INJECTED) else []
    parts += [] if system.information == "tools" else ["--information", system.information]
    parts += [] if system.intent is None else ["--intent", system.intent]
    parts += ["--redact"] if system.options.get("redact") else []
    if system.prompts is not None:
        parts += ["--prompts", quote(str(prompts_path(Path(view.name), label, system.prompts.name)))]
    query_ids = [query.query_id for query in view.definition.queries_of(label)]
    parts += [] if len(query_ids) == len(view.definition.queries) else ["--only", quote(",".join(query_ids))]
    parts += [] if floors else ["--no-floors"]
    return " ".join([*parts, "--seed", quote(view.definition.seed)])


def _flags(name: str, values: Iterable[str]) -> list[str]:
    return [part for value in values for part in (name, quote(value))]
