"""Whether an experiment's folder agrees with itself: hashes, citations, picks and usage against the journals.

None of this needs the world or a model; ``drretail.api.verify`` makes runs, verdicts and scores again.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from drretail import __version__
from drretail.errors import UserError
from drretail.eval.check_results import ASK_FOR_ALL, GO_ON, RESTORE, RUN_AGAIN, Checklist, differing
from drretail.eval.judging.criteria import FOLDER
from drretail.eval.judging.question import judge_journals, read_journal_of, verdict_files
from drretail.eval.judging.subject import BETWEEN, Planned, planned_runs
from drretail.eval.proofs import AGREE, Proofs, States
from drretail.experiment import (
    Definition,
    edited_since,
    read_definition,
    read_evidence,
    read_journal,
    read_results,
    read_run,
)
from drretail.experiment import run_folder as folder_of_run
from drretail.files import files_below, read_lines
from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.picks import take_picks
from drretail.journal import Effect, digest_of
from drretail.llm.registry import unusual_params
from drretail.packs import JOURNAL, PACKS, lines_of, names_in, packs_below
from drretail.parsing import keys_that_stand_twice
from drretail.records.base import canonical_json, file_name, sha256_of
from drretail.records.evidence import Evidence
from drretail.records.reading import Pick
from drretail.records.run import CLIENT_AGENTS, NINE, REPORTED, Run, System, Usage
from drretail.records.tables.figures import counted

MOST_CHARACTERS = 32
"""The most characters of a request per token: tokenizers average four in prose, and never so many in a whole
conversation.
"""
_CHEAP = ("versions", "records")
MAKE_AGAIN = "Restore it, or make the runs anew in another folder."
_FOR_READERS = ("exports", "lab", "plots", "report")
_CHECK_OF = {
    "experiment.json": "versions",
    "scores.json": "scores",
    "votes": "votes",
    "verdicts": "verdicts",
    "readings": "verdicts",
}
"""The check that fails if a file has a key twice, by its place; for other places, "records"."""
WRONG_KEY = "the key of a request is not its hash"
_FOLDERS_OF_QUERIES = ("rubrics/*", "gold")


def first_failure(experiment: Path, proofs: Proofs | None = None) -> str:
    """The first disagreement of the folder's runs with its definition, their ledgers or their journals; blank without
    any. Runs that were proved to agree aren't read again.
    """
    definition, checklist, states = read_definition(experiment), Checklist(), dict[str, str]()
    if proofs is not None:
        of = States(experiment, definition)
        states = {planned.run_id: of.of_run(planned) for planned in planned_runs(experiment, definition)}
    check_seals(experiment, checklist)
    check_runs(experiment, definition, checklist, set() if proofs is None else proofs.unchanged(AGREE, states))
    failure = checklist.first_failure(experiment, _CHEAP)
    if proofs is not None and not failure:
        proofs.keep_each(AGREE, states)
    return failure


def check_seals(experiment: Path, checklist: Checklist) -> None:
    """Checks that queries, gold and rubrics are as they were when the runs were made, or when they were written."""
    for name in edited_since(experiment):
        reason = "it differs from what was run: somebody has edited it since"
        checklist.fail("versions", name, reason, MAKE_AGAIN, cause=reason)


def check_packs(experiment: Path, checklist: Checklist) -> list[str]:
    """The packs of verdicts that can't be read; each of them fails."""
    damaged: list[str] = []
    for packed in packs_below(experiment):
        try:
            for name in names_in(packed.parent):
                lines_of(packed.with_name(name))
        except UserError as problem:
            damaged.append(str(packed.relative_to(experiment)))
            checklist.fail("verdicts", packed.relative_to(experiment), str(problem).rstrip("."), RESTORE)
    return damaged


def check_plan(experiment: Path, definition: Definition, gone: Collection[str], checklist: Checklist) -> None:
    """Checks that every planned run exists, and that nothing belongs to runs or queries outside the plan.

    A run that does not exist was not made yet, unless its system is among ``gone``: it had more runs before.
    """
    folders: set[Path] = set()
    ids = [query.query_id for query in definition.queries]
    faults = {"it asks a query twice": [each for each, times in Counter(ids).items() if times > 1]}
    checklist.expect_none("plan", "experiment.json", faults)
    if gone_queries := definition.forgotten:
        reason = f"forgotten: {counted(len(gone_queries), 'query', 'queries')}, by drretail forget"
        checklist.leave("plan", "experiment.json", reason, "Nothing can be checked about them.")
    for label in definition.systems:
        asked = {query.query_id for query in definition.queries_of(label)}
        if unasked := [each for each in ids if each not in asked]:
            reason = f"{label} was asked {len(ids) - len(unasked)} of {len(ids)} queries, and not {unasked[0]}"
            checklist.leave("plan", "experiment.json", reason, "Compare systems on queries that both were asked.")
    for planned in planned_runs(experiment, definition):
        folder = _folder(experiment, planned)
        folders.add(folder)
        checklist.checked["plan"] += 1
        if not (folder / "run.json").exists():
            name, reason = folder.relative_to(experiment), "the run is planned, and is not there"
            if planned.label in gone:
                checklist.fail("plan", name, reason)
            else:
                checklist.wait("plan", name, reason, GO_ON)
    places = {(folder.parent.name, folder.name) for folder in folders}
    labels, names = {label for label, _ in places}, {name for _, name in places}
    queries = {file_name(query.query_id) for query in definition.queries}
    users = {file_name(query.user_id) for query in definition.queries if query.user_id}
    left = [path for path in experiment.glob("runs/*/*") if path.is_dir() and path not in folders]
    for path in (*verdict_files(experiment), *judge_journals(experiment)):
        run, asked = path.name.removesuffix(".jsonl").removesuffix(".journal"), path.parent.name
        known = run in queries if asked == FOLDER else run in names and {*asked.split(BETWEEN)} <= labels
        left += [] if known else [path]
    for pattern in _FOLDERS_OF_QUERIES:
        left += [path for path in experiment.glob(f"{pattern}/*.json") if path.stem not in queries]
    for name in ("profiles", "counterfactuals"):
        left += [path for path in experiment.glob(f"{name}/*.json") if path.stem not in users]
    for path in sorted(left):
        reason = "it is about a system, query or user that experiment.json does not ask: something was taken out"
        checklist.fail("plan", path.relative_to(experiment), reason)


def check_texts(experiment: Path, checklist: Checklist) -> None:
    """Checks that no file has a key twice, and that journals of judges file requests under their own hashes.

    Of two values under one key, readers and programs may use different ones.
    """
    loose = [path for path in files_below(experiment, "**/*.json*") if path.name not in PACKS]
    packed = {path.with_name(name) for path in packs_below(experiment) for name in names_in(path.parent)}
    for path in (*loose, *sorted(packed.difference(loose))):
        name = path.relative_to(experiment)
        if name.parts[0] in _FOR_READERS or not path.name.endswith((".json", ".jsonl", ".jsonl.gz")):
            continue
        check = _CHECK_OF.get(name.parts[0], "records")
        with suppress(UserError, OSError):  # one that can't be read fails another check
            if path.suffix == ".json":
                whole = [path.read_text(encoding="utf-8", errors="replace")]
            else:
                whole = lines_of(path) if path in packed else read_lines(path)
            twice = [key for text in whole for key in keys_that_stand_twice(text)]
            if twice:
                checklist.fail(check, name, f"a key stands twice in it: {twice[0]!a}")
        if path.name.endswith(JOURNAL):
            with checklist.catching(check, name):
                journal = read_journal_of(path)
                checklist.expect_none(check, name, {WRONG_KEY: _misnamed(journal, _requests(journal))})


def _requests(journal: Sequence[Effect]) -> list[str]:
    return [canonical_json(effect.request) for effect in journal]


def _misnamed(journal: Sequence[Effect], requests: Sequence[str]) -> list[str]:
    """The keys of effects that are not the hashes of their requests."""
    pairs = zip(journal, requests, strict=True)
    return [effect.key for effect, asked in pairs if digest_of(effect.kind, asked) != effect.key.partition(":")[0]]


def check_runs(
    experiment: Path, definition: Definition, checklist: Checklist, proved: Collection[str] = frozenset()
) -> None:
    """Each system against its label, and each run against its place, its ledger and its journal, without those
    ``proved``.
    """
    for label, system in definition.systems.items():
        if not system.is_imported and definition.versions.get("drretail") == __version__:
            # In a release's graded folder the contestant's name stands before it.
            shown = system.label() if label.endswith(f".{system.label()}") else label
            checklist.compare("versions", "experiment.json", {"a system's label": (shown, system.label())})
    for planned in planned_runs(experiment, definition):
        folder = _folder(experiment, planned)
        if planned.run_id not in proved and (folder / "run.json").exists():
            name = folder.relative_to(experiment)
            with checklist.catching("records", name):
                _check_run(folder, name, planned, definition, checklist)


def _folder(experiment: Path, planned: Planned) -> Path:
    return folder_of_run(experiment, planned.label, planned.query.query_id, planned.repeat)


def _check_run(folder: Path, name: Path, planned: Planned, definition: Definition, checklist: Checklist) -> None:
    run, system, query, file = read_run(folder), definition.systems[planned.label], planned.query, name / "run.json"
    # Reports that were imported beside an experiment's own runs saw neither its world, its tools nor its user.
    if not system.is_imported:
        schema = run.tool_schema_hash if run.tools else definition.tool_schema_hash
        frozen: dict[str, tuple[object, object]] = {
            "world_fingerprint": (run.world_fingerprint, definition.world_fingerprint),
            "tool_schema_hash": (run.tool_schema_hash, schema),
            "prompt_hashes": (run.prompt_hashes, definition.prompt_hashes.get(planned.label, {})),
            "code_hash": (run.code_hash, sha256_of(code) if (code := definition.code.get(planned.label)) else None),
        }
        checklist.compare("versions", file, frozen, RUN_AGAIN)
    place = (planned.label, query.query_id, run.user_id if system.is_imported else query.user_id, planned.repeat)
    evidence, journal = read_evidence(folder), read_journal(folder)
    pairs: dict[str, tuple[object, object]] = {
        "the run's place": ((run.system, run.query_id, run.user_id, run.repeat), place),
        "run_id": (run.run_id, planned.run_id),
        "report_sha": (run.report_sha, None if run.report is None else sha256_of(run.report)),
    }
    if definition.versions.get("drretail") == __version__ and not system.is_imported:
        pairs["citations"] = (run.citations, tuple(find_citations(run.report or "", evidence)))
    checklist.compare("records", file, pairs)
    if system.is_imported:
        if journal:
            checklist.fail("records", file, "it is said to be imported, and has a journal", ASK_FOR_ALL)
        checklist.leave("records", file, "it is an imported report", "Compare it with the file it is from.")
        return
    _check_ledger(folder, name, run, evidence, checklist)
    _check_shown(name, run, evidence, checklist)
    if journal:
        _check_journal(name, run, system, journal, checklist)
    elif run.usage and (system.agent in CLIENT_AGENTS or run.usage.keys() == {REPORTED}):
        advice = "Compare them with the client's own log."
        checklist.leave("records", file, "its tokens were counted by the client, and no journal is kept of it", advice)
    elif run.usage:
        checklist.fail("records", file, "it counts tokens, and its journal is missing", ASK_FOR_ALL)


def _check_ledger(folder: Path, name: Path, run: Run, evidence: Sequence[Evidence], checklist: Checklist) -> None:
    """Texts against their hashes, and steps against results and evidence."""
    results = read_results(folder)
    wrong = [sha for sha, text in results.items() if sha256_of(text) != sha]
    wrong += [step.result_sha for step in run.steps if step.result_sha and step.result_sha not in results]
    errors = {sha for sha, text in results.items() if text.startswith('{"error":')}
    answered = [
        f"{step.name} at {step.path}/{step.seq}"
        for step in run.steps
        if step.name in NINE and step.is_outage and (step.evidence or step.result_sha not in errors)
    ]
    faults = {
        "it lacks the result of this hash, or has another text": wrong,
        "a call that a server is said to have failed has an answer": answered,
    }
    checklist.expect_none("records", name / "results.jsonl.gz", faults)
    brought = {(step.path, step.seq): step.evidence for step in run.steps}
    texts = [(entry.id, text) for entry in evidence for text in entry.texts]
    wrong = [key for key, text in texts if sha256_of(text.text) != text.sha256]
    placeless = [key for key, text in texts if key not in brought.get((text.path, text.seq), ())]
    placeless += sorted({key for keys in brought.values() for key in keys} - {entry.id for entry in evidence})
    faults = {"a text has another hash than it is kept under": wrong, "no step brought an entry": placeless}
    checklist.expect_none("records", name / "evidence.jsonl.gz", faults)


def _check_shown(name: Path, run: Run, evidence: Sequence[Evidence], checklist: Checklist) -> None:
    checklist.checked["shown"] += 1
    shown = {entry.key for entry in evidence if entry.kind == "product"}
    unseen = [pick.product for pick in run.picks or () if pick.product not in shown]
    if unseen:
        reason = f"no tool of the run showed its pick, made up or known from elsewhere: {unseen[0]}"
        checklist.fail("shown", name / "run.json", reason)


def _check_journal(name: Path, run: Run, system: System, journal: Sequence[Effect], checklist: Checklist) -> None:
    """Usage, models and picks against what the journal holds."""
    calls = [effect for effect in journal if effect.kind == "model"]
    specs = {(effect.role, str(effect.request.get("model"))) for effect in calls}
    strange = specs - {(role, model.spec) for role, model in system.models.items()}
    stated = {role: model.params or {} for role, model in system.models.items()}
    others = [e.role for e in calls if unusual_params(e.request.get("params", {})) != stated.get(e.role or "")]
    negative = [e.role for e in calls if any(number < 0 for number in (e.usage or {}).values())]
    declared = [pick for effect in calls for pick in _picks_in(effect.response)]
    counted = usage_of(calls)
    requests = _requests(journal)  # once: they are whole conversations
    stated_usage = {role: used for role, used in run.usage.items() if used.calls and role != REPORTED}
    faults: dict[str, Sequence[object]] = {
        WRONG_KEY: _misnamed(journal, requests),
        "it asks a model that the system does not have": sorted(strange, key=str),
        "it asks with other parameters than the system's, for the role": others,
        "a call took fewer tokens than none, for the role": negative,
        "run.json counts other tokens than its calls took, for the role": sorted(differing(counted, stated_usage)),
        "no answer declares the pick of run.json": [
            pick.product for pick in run.picks or () if declared and pick not in declared
        ],
    }
    checklist.expect_none("records", name / "journal.jsonl.gz", faults)
    few = [
        e.role
        for e, asked in zip(journal, requests, strict=True)
        if e.kind == "model" and e.usage and Usage.model_validate(e.usage).total * MOST_CHARACTERS < len(asked)
    ]
    if few:
        reason = f"a call of the {few[0]} counts fewer tokens than its text could have"
        checklist.leave("records", name / "journal.jsonl.gz", reason, "Ask whoever made the folder for the bill.")
    # Notes answers in which a provider calls its model by another name: an alias, or another model.
    for effect in calls:
        spec = system.models[effect.role].spec if effect.role in system.models else ""
        details = effect.response.get("response_metadata", {}) if isinstance(effect.response, dict) else {}
        served = str(details.get("model_name") or details.get("model") or "")
        model = spec.partition(":")[2].rpartition("/")[2].removesuffix("-latest")
        if served and model and model.casefold() not in served.casefold():
            reason, advice = f"an answer of {spec} calls its model {served}", "Ask the provider whether they are one."
            checklist.leave("records", name / "journal.jsonl.gz", reason, advice)
            return


def usage_of(calls: Sequence[Effect]) -> dict[str, Usage]:
    """By role, the tokens of all calls of models that a journal holds."""
    total: dict[str, Usage] = {}
    for effect in calls:
        if effect.usage is not None and effect.role is not None:
            total[effect.role] = total.get(effect.role, Usage()) + Usage(**effect.usage)
    return {role: used for role, used in total.items() if used.calls}


def _picks_in(response: Any) -> tuple[Pick, ...]:
    """What the block of picks in a model's answer declares."""
    content = response.get("content") if isinstance(response, Mapping) else None
    blocks: list[Any] = content if isinstance(content, list) else [content]
    texts = (block.get("text") if isinstance(block, dict) else block for block in blocks)
    return tuple(pick for text in texts if isinstance(text, str) for pick in take_picks(text).picks or ())
