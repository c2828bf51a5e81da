"""An experiment's folder: experiment.json defines queries and systems, and each run has a file of its own."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from glob import escape
from hashlib import sha256
from os.path import samestat
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field, field_serializer

from drretail.errors import CommandStopped, UserError
from drretail.experiments.query_files import as_task, with_gold, write_gold
from drretail.experiments.run_file import JOURNAL, RUN_FILE, Member, Recorded, journal_path, read_run, write_run_file
from drretail.files import (
    LOCK,
    append_line,
    check_entries,
    is_unfinished,
    locked_folder,
    read_document,
    read_jsonl,
    readable_json,
    write_atomically,
    write_json,
    write_once,
)
from drretail.parsing import parse_toml
from drretail.records.account import Account
from drretail.records.base import Document, canonical_json, file_name
from drretail.records.criteria import Criteria, KnownAnswer
from drretail.records.evidence import FetchedPage, FetchedPages
from drretail.records.query import KeptReference, Query
from drretail.records.run import BASELINES, DiscardedRun, Run, RunError, System
from drretail.records.shop import ProfileSummary
from drretail.reports.text.evidence_ids import web_evidence_id

T = TypeVar("T", bound=Document)
OPTIONS = "options"
"""The folder in an experiment's folder that keeps the options of ``run``; equal texts are one file."""
LABELS = "labels"
"""What these files hold besides options: the systems that they made."""
GOLD = "gold.jsonl"
"""The file in an experiment's folder with the gold of its queries, which are in experiment.json as tasks."""
SEALS = "sha256.json"
"""The file with the sha256 of what runs and scores rest on: experiment.json, gold and rubrics, as they were made."""
DISCARDED = "discarded.jsonl"
"""The file in an experiment's folder that keeps the usage of runs that were made again."""
ACCOUNTS = "accounts.json"
"""The file in an experiment's folder that keeps what became of all that came into the stages that made it."""


class Definition(Document):
    """experiment.json: queries and systems. It names no shard, host, time or path, so all shards write equal bytes."""

    title: str | None = None
    """The user's title for the experiment, if any."""
    preset: Literal["paper"] | None = None
    """The preset of its ``run``; ``score`` follows the rules and metrics of the paper unless others are named."""
    world_fingerprint: str | None = None
    """None for imported reports, which have no world."""
    now: datetime | None = None
    """The shop's current date, as agents and judges are shown it; None if unknown."""
    shop_url: str | None = Field(default=None, exclude_if=lambda url: url is None)
    """The address of your own shop, as judges and voters are shown it; None for another world, or none."""
    queries: tuple[Query, ...] = ()
    asked: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """By label, the query ids of systems that were started with a part of the queries; others answer all of them."""
    systems: dict[str, System] = Field(default_factory=dict[str, System])
    """By label."""
    baseline: str | None = Field(default=None, exclude_if=lambda label: label is None)
    """The system that was named first, which ``compare`` sets the others against."""
    prompt_hashes: dict[str, dict[str, str]] = Field(default_factory=dict[str, dict[str, str]])
    """By label, then by prompt."""
    code: dict[str, dict[str, str]] = Field(default_factory=dict[str, dict[str, str]], exclude_if=lambda code: not code)
    """By label, then by file: hashes of the code of agents of the user's own, as far as it is known."""
    tool_schema_hash: str | None = None
    """None if no system used our tools."""
    seed: str = "42"
    categories: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """By query id, the top-level categories of the wanted products, as the world has them."""
    versions: dict[str, str] = Field(default_factory=dict[str, str])

    @field_serializer("queries")
    def _as_tasks(self, queries: tuple[Query, ...]) -> list[dict[str, Any]]:
        return [as_task(query) for query in queries]

    def queries_of(self, label: str) -> tuple[Query, ...]:
        """The queries that a system answers."""
        ids = self.asked.get(label)
        return self.queries if ids is None else tuple(query for query in self.queries if query.query_id in ids)

    @property
    def is_of_shop(self) -> bool:
        """True if all systems are imported answers that are judged by a shop's records."""
        return bool(self.systems) and all(system.is_of_shop for system in self.systems.values())


class KeptAccounts(Document):
    """accounts.json: the account of each stage that made the experiment, such as an import."""

    accounts: tuple[Account, ...] = ()


class Seals(Document):
    """sha256.json: the sha256 of each file that was sealed, by its path within the experiment."""

    sums: dict[str, str] = Field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """Documents of one kind in a folder of an experiment, each in a file of its own."""

    folder: str
    record: type[T]

    def path(self, experiment: Path, name: str) -> Path:
        return experiment / self.folder / f"{file_name(name)}.json"

    def read(self, experiment: Path, name: str | None) -> T | None:
        """The document of that name, or None."""
        path = self.path(experiment, name or "")
        return read_document(path, self.record) if path.exists() else None

    def freeze(self, experiment: Path, name: str, document: T) -> None:
        """Keeps a document, unless there is one of that name: the first stays, even if the world changes later."""
        write_once(self.path(experiment, name), readable_json(document.model_dump(mode="json")))


PROFILES = Kept("profiles", ProfileSummary)
"""Users' summaries as judges are shown them, by user."""
KNOWN_ANSWERS = Kept("gold", KnownAnswer)
"""What a good answer is known to contain, by query."""
REFERENCES = Kept("rubrics/basket", KeptReference)
"""What is kept of queries' reference baskets, by query."""
SOURCES = Kept("sources", FetchedPages)
"""Cited pages and records as they were fetched after the runs, by evidence id."""


def rubrics(metric: str) -> Kept[Criteria]:
    """A metric's criteria, by query."""
    return Kept(f"rubrics/{file_name(metric)}", Criteria)


class Experiment(ExitStack):
    """An experiment's folder, locked for writing until it is closed."""

    def __init__(self, folder: Path, definition: Definition, anew: Collection[str] = ()) -> None:
        """Opens or makes the folder, and adds the definition's queries and systems to those that are there.

        Of the systems ``anew`` whose code has changed, the runs of the code before are discarded.

        Raises UserError as ``check_entries`` does, if another process writes there, or if the folder disagrees with the
        definition: another world, the same label for another system, the same id for another query.
        """
        super().__init__()
        self.folder = folder
        self._keeping = Lock()
        if folder.is_dir() and not (folder / "experiment.json").exists():
            # The gold is written before experiment.json: a command that was killed between them goes on.
            present = (path for path in folder.iterdir() if path.name not in (LOCK, GOLD))
            if not all(map(is_unfinished, present)):
                raise UserError(f"{folder} holds no experiment but other files: name a new folder.")
        check_entries(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as lock:
            lock.enter_context(locked_folder(folder))
            self._place = folder.stat()
            self.ask(definition, anew)
            # A run that was killed as it ended still has its journal, which its file holds.
            for journal in folder.glob(f"runs/*/*{JOURNAL}"):
                if journal.with_name(f"{journal.name.removesuffix(JOURNAL)}{RUN_FILE}").exists():
                    journal.unlink()
            self.enter_context(lock.pop_all())

    def check_in_place(self) -> None:
        """Raises CommandStopped if the folder was moved or replaced since it was opened: nothing is written elsewhere,
        and what is there continues where it is found.
        """
        with suppress(OSError):
            if samestat(self.folder.stat(), self._place):
                return
        raise CommandStopped(
            f"{self.folder} was moved or replaced while it was written: move it back, or name its new place, and run "
            "the same command again: it continues from what is there."
        )

    def ask(self, definition: Definition, anew: Collection[str] = ()) -> None:
        """Adds the definition's queries and systems; raises UserError as opening does."""
        is_new = not (self.folder / "experiment.json").exists()
        existing = definition if is_new else written_definition(self.folder)
        changed = [label for label in anew if changed_code(existing, definition, label)]
        code = existing.code | {label: definition.code.get(label, {}) for label in changed}
        joined = self._joined(existing.model_copy(update={"code": code}), definition)
        if golden := [query for query in definition.queries if query.has_gold]:
            by_id = {query.query_id: query for query in with_gold(joined.queries, self.folder / GOLD)}
            for query in golden:
                if not by_id[query.query_id].asks_the_same_as(query):
                    raise self._another(query)
                by_id[query.query_id] = by_id[query.query_id].with_gold_of(query)
            joined = joined.model_copy(update={"queries": tuple(by_id.values())})
        for path in (path for label in changed for path in run_files(self.folder, label)):
            self.discard(path)
        self.definition = joined
        write_definition(self.folder, joined)

    def discard(self, path: Path) -> None:
        """Removes the run in a file and what is left of one that was cut; the usage of an ended one is kept."""
        with suppress(UserError):  # one that can't be read has no usage to keep
            run = read_run(path)
            discarded_run = DiscardedRun(system=run.system, query_id=run.query_id, repeat=run.repeat, usage=run.usage)
            if run.usage:
                append_line(self.folder / DISCARDED, canonical_json(discarded_run.model_dump(mode="json")))
        path.unlink(missing_ok=True)
        journal_path(path).unlink(missing_ok=True)

    def save(self, recorded: Recorded) -> Path:
        """Writes a run that has ended: by one rename its file takes the place of its journal. Its pages come before."""
        self.check_in_place()
        with self._keeping:  # of runs that end together, each adds to what the other kept
            for url, page in recorded.pages.items():
                keep_source(self.folder, web_evidence_id(url), url, page)
        path = path_of(self.folder, recorded.run)
        write_run_file(path, recorded)
        journal_path(path).unlink(missing_ok=True)
        return path

    def _another(self, query: Query) -> UserError:
        return UserError(f"{self.folder} holds another query {query.query_id!r}: rename yours, or use a new folder.")

    def _joined(self, existing: Definition, planned: Definition) -> Definition:
        """Both definitions together, with the tasks of their queries."""
        if existing.world_fingerprint != planned.world_fingerprint:
            if existing.world_fingerprint is None or planned.world_fingerprint is None:
                raise UserError(f"{self.folder} holds imported reports, which have no world: use a new folder.")
            raise UserError(
                f"{self.folder} was made on the world {existing.world_fingerprint[:12]}, and this is "
                f"{planned.world_fingerprint[:12]}: name that world with --world, or a new folder with --to."
            )
        if existing.tool_schema_hash != planned.tool_schema_hash:
            raise UserError(f"{self.folder} was made with other tools than this version has: use a new folder.")
        if existing.seed != planned.seed:
            raise UserError(f"{self.folder} was opened with --seed {existing.seed}: use that seed, or a new folder.")
        queries = {query.query_id: query for query in existing.queries}
        for query in planned.queries:
            if queries.setdefault(query.query_id, query).task != query.task:
                raise self._another(query)
        for label, system in planned.systems.items():
            if prompts := differing_prompts(existing, planned, label):
                other = f"with other prompts ({', '.join(prompts)}): use a new folder"
                other += ", or give the folder of prompts another name" if system.prompts is not None else ""
            elif fields := _differing(dict(existing.systems.get(label, system)), dict(system)):
                other = f"as another system ({', '.join(fields)}): give yours another label, or use a new folder"
            elif code := changed_code(existing, planned, label):
                other = f"by other code ({', '.join(code)}): --force discards them and runs the agent anew, or give it "
                other += "another name (--agent NAME=PLACE)"
            else:
                continue
            raise UserError(f"{self.folder} holds runs of {label!r} {other}.")
        researching = (label for label, system in planned.systems.items() if system.agent not in BASELINES)
        return existing.model_copy(
            update={
                "title": planned.title or existing.title,
                "preset": planned.preset or existing.preset,
                "now": existing.now or planned.now,
                "shop_url": existing.shop_url or planned.shop_url,
                "queries": tuple(queries[query_id].task for query_id in sorted(queries)),
                "asked": dict(sorted(_asked_together(existing, planned).items())),
                "systems": dict(sorted((existing.systems | planned.systems).items())),
                "baseline": existing.baseline or next(researching, None),
                "prompt_hashes": dict(sorted((existing.prompt_hashes | planned.prompt_hashes).items())),
                "code": dict(sorted((existing.code | planned.code).items())),
                "categories": dict(sorted((planned.categories | existing.categories).items())),
            }
        )


def differing_prompts(existing: Definition, planned: Definition, label: str) -> list[str]:
    """The names of a system's prompts that differ from before."""
    now = planned.prompt_hashes.get(label, {})
    return _differing(existing.prompt_hashes.get(label, now), now)


def changed_code(existing: Definition, planned: Definition, label: str) -> list[str]:
    """The files of an agent's code that differ from those that made a system's runs, and a changed "version".

    A file that is new belongs to one that has changed, or was not read yet.
    """
    if label not in existing.systems:
        return []
    before, now = existing.code.get(label, {}), planned.code.get(label, {})
    return [name for name in _differing(before, now) if name in before or not before]


def _differing(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _asked_together(existing: Definition, planned: Definition) -> dict[str, tuple[str, ...]]:
    """``Definition.asked`` of both definitions together."""
    together = dict(existing.asked)
    everything = tuple(query.query_id for query in planned.queries)
    for label in planned.systems:
        begun_whole = label not in existing.asked and (label in existing.systems or label not in planned.asked)
        if not begun_whole:
            ids = {*existing.asked.get(label, ()), *planned.asked.get(label, everything)}
            together[label] = tuple(sorted(ids))
    return together


def run_files(experiment: Path, label: str = "*") -> list[Path]:
    """The files of all ended runs, or of a system's, sorted."""
    return sorted(experiment.glob(f"runs/{escape(file_name(label)) if label != '*' else label}/*{RUN_FILE}"))


def run_path(experiment: Path, label: str, query_id: str, repeat: int) -> Path:
    """The file of one run."""
    return experiment / "runs" / file_name(label) / f"{file_name(query_id)}-r{repeat}{RUN_FILE}"


def path_of(experiment: Path, run: Run) -> Path:
    """The file of this run."""
    return run_path(experiment, run.system, run.query_id, run.repeat)


def prompts_path(experiment: Path, label: str, name: str) -> Path:
    """The folder of a system's own prompts, in the form that ``--prompts`` takes."""
    return experiment / "prompts" / file_name(label) / file_name(name)


def read_definition(folder: Path) -> Definition:
    """An experiment's queries and systems. Raises UserError if ``folder`` has none, or one of another format."""
    definition = written_definition(folder)
    return definition.model_copy(update={"queries": with_gold(definition.queries, folder / GOLD)})


def written_definition(folder: Path) -> Definition:
    """What experiment.json holds: queries without gold."""
    path = folder / "experiment.json"
    if not path.exists():
        what = "is no experiment: it holds no experiment.json" if folder.exists() else "does not exist"
        raise UserError(f"{folder} {what}. Name the folder that drretail run --to, or drretail import, has made.")
    return read_document(path, Definition)


def write_definition(folder: Path, definition: Definition) -> None:
    """Writes experiment.json and the gold of its queries.

    Gold that nobody brings stays as it is, and so does its seal: a later run does not take an edit for what was run.
    """
    golden = [query for query in definition.queries if query.has_gold]
    if golden:
        write_gold(golden, folder / GOLD)
    write_json(folder / "experiment.json", definition.model_dump(mode="json", exclude_none=True))
    names = ["experiment.json", GOLD] if golden else ["experiment.json"]
    seal(folder, *(folder / name for name in names))


def write_sealed(folder: Path, documents: Mapping[Path, Document]) -> None:
    """Writes the documents of an experiment that are new or changed, and their sha256."""
    for path, document in documents.items():
        text = readable_json(document.model_dump(mode="json", exclude_none=True))
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_atomically(path, text)
    seal(folder, *documents)


def seal(folder: Path, *paths: Path) -> None:
    """Keeps the sha256 of files of an experiment as they are now."""
    sums = {path.relative_to(folder).as_posix(): hash_of(path) for path in paths if path.exists()}
    seals = kept_hashes(folder)
    if seals != seals | sums:
        write_json(folder / SEALS, Seals(sums=seals | sums).model_dump(mode="json"))


def unseal(folder: Path, *paths: Path) -> None:
    """Forgets the sha256 of files of an experiment."""
    names = {path.relative_to(folder).as_posix() for path in paths}
    left = {name: kept for name, kept in kept_hashes(folder).items() if name not in names}
    write_json(folder / SEALS, Seals(sums=left).model_dump(mode="json"))


def hash_of(path: Path) -> str:
    """The sha256 of a file, as an experiment keeps it."""
    return sha256(path.read_bytes()).hexdigest()


def kept_hashes(folder: Path) -> dict[str, str]:
    """The sha256 of each file that was sealed, by its path within the experiment."""
    path = folder / SEALS
    return read_document(path, Seals).sums if path.exists() else {}


def changed_gold(folder: Path) -> str | None:
    """A sentence on gold that is not what was sealed with the runs. None also where it was taken out."""
    if not (folder / GOLD).exists() or hash_of(folder / GOLD) == (kept := kept_hashes(folder).get(GOLD)):
        return None
    why = f"{SEALS} has no hash of it" if kept is None else f"{SEALS} has another hash of it"
    return f"{GOLD} has changed since the run ({why}): the scores rest on what it holds now."


def keep_account(experiment: Path, account: Account) -> None:
    """Keeps a stage's account with the experiment; it replaces that of the same stage and unit.

    For a stage that brings in what the folder does not hold, such as an import. Runs are counted by their files.
    """
    others = [kept for kept in kept_accounts(experiment) if (kept.stage, kept.unit) != (account.stage, account.unit)]
    document = KeptAccounts(accounts=(*others, account))
    write_json(experiment / ACCOUNTS, document.model_dump(mode="json"))


def kept_accounts(experiment: Path) -> tuple[Account, ...]:
    """The accounts of the stages that made the experiment, as ``keep_account`` keeps them."""
    path = experiment / ACCOUNTS
    return read_document(path, KeptAccounts).accounts if path.exists() else ()


def read_options(folder: Path) -> dict[Path, dict[str, Any]]:
    """The options of ``run`` that an experiment has kept, by their files, each with the ``LABELS`` that it made.

    Raises UserError for a damaged file.
    """
    options: dict[Path, dict[str, Any]] = {}
    for path in sorted((folder / OPTIONS).glob("*.toml")):
        try:
            options[path] = parse_toml(path.read_text(encoding="utf-8"))
            options[path][LABELS] = [*map(str, options[path][LABELS])]
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise UserError(f"{path} is not as drretail run writes it: delete it, or restore it.") from problem
    return options


def read_runs(folder: Path) -> Iterator[Run]:
    """All ended runs of an experiment, sorted by label and query, without those that ``read_run`` cannot read."""
    for path in run_files(folder):
        with suppress(UserError):  # ended_run counts it
            yield run_at(folder, path)


def run_at(experiment: Path, path: Path, *members: Member) -> Run:
    """The run in one of its files. Raises UserError if the file can't be read, or holds another run."""
    run = read_run(path, *members)
    if path_of(experiment, run) != path:
        raise UserError(f"{path} holds another run, {run.run_id}: put each where it belongs.")
    return run


def read_discarded(folder: Path) -> list[DiscardedRun]:
    """The usage of runs that were made again, in that order."""
    path = folder / DISCARDED
    return [DiscardedRun.model_validate(row) for row in read_jsonl(path)] if path.exists() else []


def ended_run(experiment: Path, label: str, query_id: str, repeat: int) -> Run | None:
    """A run of an experiment; None if it has not ended.

    If its file cannot be read, that is a failed run whose error says so: one damaged file must not end the others.
    """
    path = run_path(experiment, label, query_id, repeat)
    if not path.exists():
        return None
    try:
        return run_at(experiment, path, "evidence", "journal", "results")  # a run that nobody can look into is lost
    except UserError as problem:
        message = str(problem).replace(f"{experiment}/", "").rstrip(".")
        return Run(
            run_id=f"{label}/{query_id}-r{repeat}",
            system=label,
            query_id=query_id,
            repeat=repeat,
            status="failed",
            stop="error",
            error=RunError(kind="unreadable", where=path.name, message=message),
        )


def kept_sources(experiment: Path, kind: str = "") -> list[FetchedPages]:
    """What was fetched or looked up after the runs, in the order of the files' names.

    ``kind`` is the letter with which the wanted ids begin, such as "P" for products; without it, all are read.
    """
    # ``file_name`` puts a "~" before an id that can be no name.
    paths = (path for path in (experiment / "sources").glob("*.json") if path.name.lstrip("~").startswith(kind))
    return [read_document(path, FetchedPages) for path in sorted(paths)]


def keep_source(experiment: Path, evidence_id: str, url: str, page: FetchedPage) -> None:
    """Keeps a cited page or record; what an earlier fetch brought from the same web goes."""
    before = SOURCES.read(experiment, evidence_id)
    others = [other for other in before.pages if other.corpus != page.corpus] if before is not None else []
    kept = FetchedPages(id=evidence_id, url=url, pages=(*others, page))
    if kept != before:
        write_json(SOURCES.path(experiment, evidence_id), kept.model_dump(mode="json", exclude_none=True))
