"""What is judged: a recorded run with all that a judge may see of it, and the pairs of systems that are compared, with
the runs in which they meet.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain, combinations
from pathlib import Path

from drretail.env.store.base import Store
from drretail.errors import NotFound, UnknownName, UserError
from drretail.eval.judging.sources import LookUp, cited_beyond, completed
from drretail.experiments.experiment import (
    LABELS,
    PROFILES,
    REFERENCES,
    Definition,
    ended_run,
    read_definition,
    read_options,
    run_files,
    run_path,
)
from drretail.experiments.run_file import RUN_FILE, read_evidence
from drretail.llm.prompt import tagged
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence
from drretail.records.query import KeptReference, Query, Reference, turns_until
from drretail.records.run import BASELINES, Run, System, Turn, slug
from drretail.records.shop import SHOP_URL, VOID_STATUSES, Order, Policy, ProfileSummary, UserProfile
from drretail.records.wish import Want
from drretail.reports.layout import Layout, read_layout
from drretail.reports.page import read_page
from drretail.reports.render import RenderedReport, render_report
from drretail.shopping.constraints import Decisions
from drretail.shopping.conversation import ConversationTurn, turns_of
from drretail.shopping.verify.checks import Case
from drretail.shopping.verify.parts import ReadAnswers, read_answers
from drretail.shopping.verify.records import Ledger, read_ledger, read_shop

_OWN_MARK = re.compile(r"\b[POUC]:\w")
"""Ids of evidence in a citation's mark."""
WouldDo = Callable[[Want, Decisions], Collection[str]]
"""The ids of the products that suit a want, by what is decided for its query."""


@dataclass(frozen=True)
class Subject:
    """One planned run with all that a metric may see of it; what several metrics read is computed once."""

    label: str
    """The system's label."""
    system: System
    """Agent, models, limits and options."""
    query: Query
    """What was asked."""
    repeat: int
    """From 1."""
    run: Run | None
    """None if it was never run or was interrupted; it counts as planned and failed."""
    evidence: Mapping[str, Evidence]
    """By id; empty without a run."""
    profile: ProfileSummary | None
    """None if the query has no user, the experiment has no summary, or the run saw another user's data."""
    store: Store | None
    """The world's records; None without the world."""
    offers: WouldDo | None = None
    """The ids of the world's products that suit a want; None without the world."""
    now: datetime | None = None
    """The shop's current date, if known."""
    shop_url: str = SHOP_URL
    """The shop's address."""
    folder: Path | None = None
    """The experiment's folder, for what was frozen in it."""
    references: Mapping[str, Reference] = field(default_factory=dict[str, Reference])
    """The references of all queries, by id, of which a turn of a conversation needs several; empty without the world.
    """
    earlier: tuple[Query, ...] = ()
    """The turns of the conversation before this one, the first one first."""
    is_followed: bool = False
    """True if a later turn follows this one."""
    look_up: LookUp | None = None
    """Finds the shop's records of what a run's answer names; None without the world."""

    @property
    def is_turn(self) -> bool:
        """True if the query is a turn of a conversation: its cart is judged by what the turn asks of the one before."""
        return self.query.after is not None or self.is_followed

    @property
    def is_external(self) -> bool:
        """True if the report was imported and no user of the shop asked: there is no shopper."""
        return self.system.is_imported and self.profile is None

    @property
    def today(self) -> str:
        """The date as judges are shown it, in a tag."""
        return tagged("today", "not known" if self.now is None else self.now.date().isoformat())

    @property
    def run_name(self) -> str:
        """The run's file name among those of its system."""
        return f"{self.query.query_id}-r{self.repeat}"

    @property
    def run_id(self) -> str:
        """``<system>/<query>-r<repeat>``."""
        return f"{self.label}/{self.run_name}"

    @cached_property
    def report(self) -> str | None:
        """The report to judge, as a reader sees it; None for a failed or missing run.

        Hidden parts are overwritten by spaces, so that offsets remain those of the recorded report.
        """
        return None if self.run is None or self.run.report is None else read_page(self.run.report).shown

    @cached_property
    def report_sha(self) -> str | None:
        """The hash of the report as recorded, so that a changed report makes its verdicts stale."""
        return None if self.run is None or self.run.report is None else sha256_of(self.run.report)

    @property
    def reference(self) -> Reference | None:
        """The reference of the query, by the world; None without it."""
        return self.references.get(self.query.query_id)

    @cached_property
    def ends(self) -> Reference | KeptReference | None:
        """The cheapest and the best basket of the query, or why there is none; None if nobody has looked."""
        return self.reference or (None if self.folder is None else REFERENCES.read(self.folder, self.query.query_id))

    @cached_property
    def turns(self) -> Sequence[ConversationTurn]:
        """The turns of its conversation that have a wish, up to this one, by their references; for turns alone."""
        assert self.folder is not None
        assert self.store is not None
        queries = (*self.earlier, self.query)
        runs = [*(ended_run(self.folder, self.label, turn.query_id, self.repeat) for turn in self.earlier), self.run]
        return turns_of(queries, runs, lambda query: self.references[query.query_id], self.store)

    @cached_property
    def sources(self) -> Mapping[str, Evidence]:
        """The evidence, with what the report cites beyond it: the shop's records of products, and pages, that the run
        never opened.
        """
        if self.folder is None or not self.report:
            return self.evidence
        beyond = cited_beyond(self.folder, self.report, self.evidence, self.system.web_corpus)
        return {entry.id: entry for entry in (*beyond, *self.evidence.values())} if beyond else self.evidence

    @cached_property
    def layout(self) -> Layout:
        """The layout of the report, with what it cites resolved by ``sources``."""
        return self.case.layout if self.sources is self.evidence else read_layout(self.report or "", self.sources)

    @cached_property
    def with_records(self) -> Mapping[str, Evidence]:
        """The evidence, with the shop's records of what an assistant's answers name; of runs, no file holds these."""
        run, evidence = self.run, {entry.id: entry for entry in self.evidence.values()}
        if run is None or self.look_up is None or any(entry.looked_up for entry in evidence.values()):
            return evidence
        return evidence | {entry.id: entry for entry in self.look_up(run, self.query, evidence.values())}

    @cached_property
    def shop(self) -> Ledger:
        """The shop's records of what an assistant's answers name."""
        return read_shop(self.with_records.values())

    @cached_property
    def answers(self) -> ReadAnswers | None:
        """What an assistant's answers are about; None if the report cites records, by marks or, outside of a chat, by
        the shop's addresses, so that it is read by these, or if no record of the shop is known.
        """
        run, report, shop = self.run, self.report or "", self.shop
        is_chat = self.system.options.get("format", "chat") == "chat"
        cited = ((each.marker, "" if is_chat else each.evidence_id or "") for each in self.case.citations)
        if run is None or not report or any(map(_OWN_MARK.search, chain.from_iterable(cited))):
            return None
        if not (shop.products or shop.order_dates or shop.missing or shop.policy != Policy()):
            return None
        whole = Turn(question=self.query.text, start=0, end=len(report), steps=len(run.steps))
        layout = read_layout(report, self.with_records)
        return read_answers(layout, run.turns or (whole,), run.steps, self.with_records, shop)

    @cached_property
    def ledger(self) -> Ledger:
        """What the run was shown, with the picks that it declared."""
        return read_ledger(self.evidence, self.query, picks=None if self.run is None else self.run.picks)

    @cached_property
    def rendered(self) -> RenderedReport:
        """The report with numbered references, in plain style."""
        return render_report(self.report or "", self.evidence.values(), style="plain")

    @cached_property
    def case(self) -> Case:
        """What the checks look at. Of the world, that is the user's own records and products by id."""
        store, user_id = self.store, self.query.user_id
        orders: Sequence[Order] = ()
        profiles: tuple[UserProfile, ...] = ()
        if store is not None and user_id is not None:
            orders = store.orders(user_id).orders
            with suppress(NotFound):
                profiles = (store.user(user_id),)
        are_shown = "user" not in self.system.options.get("without", ())
        owned = (order.product_id for order in orders if are_shown and order.order_status not in VOID_STATUSES)
        return Case(
            report=self.report or "",
            evidence=self.evidence,
            query=self.query,
            picks=None if self.run is None else self.run.picks,
            run=self.run,
            shop=store,
            profiles=profiles,
            owned=frozenset(owned),
            orders_shown=are_shown,
            order_ids=frozenset(order.order_id for order in orders),
            read_answers=lambda: self.answers,
            read_shown=lambda: self.ledger,
            is_imported=self.system.is_imported,
            is_of_shop=self.system.is_of_shop,
            is_turn=self.is_turn,
            read_ends=lambda: None if self.is_turn else self.ends,
        )


@dataclass(frozen=True, slots=True)
class CriteriaTask:
    """A query for which criteria are made: with its user, and without any report."""

    query: Query
    profile: ProfileSummary | None
    store: Store | None
    """None without the world."""
    now: datetime | None
    folder: Path
    """The experiment's folder."""
    is_external: bool = False
    """True if every system is imported and no user of the shop asks: there is no shopper."""


class _Ledger(Mapping[str, Evidence]):
    """A run's evidence by id, with pages that were fetched later.

    It is read on first use: scores are made without it, and it is large.
    """

    def __init__(self, experiment: Path, path: Path, corpus: str | None) -> None:
        self._experiment = experiment
        self._path = path
        self._corpus = corpus

    @cached_property
    def _entries(self) -> dict[str, Evidence]:
        entries = read_evidence(self._path)
        return {entry.id: completed(self._experiment, entry, self._corpus) for entry in entries}

    def __getitem__(self, key: str) -> Evidence:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True, slots=True)
class Planned:
    """One run of an experiment's plan."""

    label: str
    query: Query
    repeat: int

    @property
    def run_id(self) -> str:
        return f"{self.label}/{self.query.query_id}-r{self.repeat}"

    def path_in(self, experiment: Path) -> Path:
        """The run's file."""
        return run_path(experiment, self.label, self.query.query_id, self.repeat)


def planned_runs(experiment: Path, definition: Definition) -> list[Planned]:
    """Every planned run, by label, repeat and query."""
    return [
        Planned(label, query, repeat)
        for label, repeats in _planned_repeats(experiment, definition).items()
        for repeat in repeats
        for query in definition.queries_of(label)
    ]


_REPEAT = re.compile(r"-r([1-9][0-9]{0,5})\Z")


def _planned_repeats(folder: Path, definition: Definition) -> dict[str, list[int]]:
    """The repeats of each system, by label: those for which any query has a run, and all that options asked for.

    So a system that was cut before its first run counts them, too. Floors and the oracle run once.
    """
    asked = Counter[str]()
    with suppress(UserError):  # with a damaged file of options
        for options in read_options(folder).values():
            repeats = options.get("repeats", 1)
            asked |= Counter(dict.fromkeys(options[LABELS], repeats if isinstance(repeats, int) else 1))
    planned: dict[str, list[int]] = {}
    for label, system in sorted(definition.systems.items()):
        most = 1 if system.agent in BASELINES else max(asked[label], 1)
        numbers = map(_REPEAT.search, (path.name.removesuffix(RUN_FILE) for path in run_files(folder, label)))
        planned[label] = sorted({*range(1, most + 1), *(int(number[1]) for number in numbers if number is not None)})
    return planned


def read_subjects(experiment: Path, store: Store | None) -> Iterator[Subject]:
    """Every planned run of an experiment, each read when it is its turn."""
    definition = read_definition(experiment)
    for planned in planned_runs(experiment, definition):
        yield read_subject(experiment, definition, planned, store)


def read_subject(experiment: Path, definition: Definition, planned: Planned, store: Store | None) -> Subject:
    """One planned run with all that a judge may see of it."""
    query = planned.query
    path, run = planned.path_in(experiment), ended_run(experiment, planned.label, query.query_id, planned.repeat)
    system = definition.systems[planned.label]
    is_read = run is not None and (run.error is None or run.error.kind != "unreadable")
    return Subject(
        label=planned.label,
        system=system,
        query=query,
        repeat=planned.repeat,
        run=run,
        evidence=_Ledger(experiment, path, system.web_corpus) if is_read else {},
        profile=PROFILES.read(experiment, query.user_id),
        store=store,
        now=definition.now,
        shop_url=definition.shop_url or SHOP_URL,
        folder=experiment,
        earlier=turns_until(definition.queries)[query.query_id][:-1] if query.after else (),
        is_followed=any(later.after == query.query_id for later in definition.queries),
    )


def resolve_name(kind: str, name: str, names: Iterable[str]) -> str:
    """The name that equals ``name``, also without its model, or the only one that begins with it.

    The name that a user gave stands for its label: "My agent", "my_module:MINE". Tables show react@model-without-web as
    ``react-without-web``. ``react`` means react@model and not react+ws@model, and a plain system comes before those
    with options. Raises UnknownName, or UserError if several are left.
    """
    in_order = sorted(names)
    shown = [label for label in in_order if _is_without_model(name, label)]
    if name in in_order or len(shown) == 1:
        return name if name in in_order else shown[0]
    begins = (name, slug(name))
    begin = next((begin for begin in begins if any(label.startswith(begin) for label in in_order)), None)
    if begin is None:
        raise UnknownName(kind, name, in_order)
    begun = [label for label in in_order if label.startswith(begin)]
    matches = [label for label in begun if f"{label}@".startswith(f"{begin}@")] or begun
    plain = min(matches, key=len)
    if not all(label.startswith(plain) for label in matches):
        raise UserError(f"{name!r} could be {', '.join(matches)}: write more of the name.")
    return plain


def _is_without_model(name: str, label: str) -> bool:
    """True if a label with conditions, as react@model-without-web, is this name once its model is left out."""
    agent, _, rest = label.partition("@")
    conditions = name.removeprefix(agent)
    return name.startswith(agent) and conditions.startswith("-") and rest.endswith(conditions)


BETWEEN = "~"
"""The separator of two labels, which no label contains."""
Labels = tuple[str, str]
"""Two different systems in alphabetical order."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A query and repeat that two systems both answer."""

    labels: Labels
    query: Query
    repeat: int

    @property
    def run(self) -> str:
        return f"{self.query.query_id}-r{self.repeat}"

    @property
    def run_ids(self) -> tuple[str, str]:
        a, b = self.labels
        return f"{a}/{self.run}", f"{b}/{self.run}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two planned runs of one query by two systems."""

    labels: Labels
    a: Subject
    b: Subject


def pair_name(labels: Labels) -> str:
    """The name of the pair's folder."""
    return BETWEEN.join(labels)


def pair_id(run_ids: Sequence[str], reports: Sequence[str | None]) -> str:
    """The anonymous id of two runs and their reports in people's ballots."""
    return sha256_of([*run_ids, *reports])[:12]


def choose_pairs(definition: Definition, names: Sequence[str] = ()) -> list[Labels]:
    """The pairs named as "A~B", or all pairs of systems that research, in the order of labels.

    A unique beginning of a label is enough. Null agents, the oracle, and runs with another user's profile are compared
    only if named: six systems with all of these would make 55 pairs instead of 15, each with a cost. Raises UserError
    if a name is not a pair or is ambiguous, and UnknownName for an unknown label.
    """
    if not names:
        return list(combinations(research_labels(definition), 2))
    pairs: set[Labels] = set()
    for name in names:
        labels = [label.strip() for label in name.split(BETWEEN)]
        if len(labels) != 2 or not all(labels):
            raise UserError(f"--pairs {name}: name two systems by their labels, such as --pairs A{BETWEEN}B.")
        a, b = sorted(resolve_name("system in this experiment", label, definition.systems) for label in labels)
        if a == b:
            raise UserError(f"--pairs {name}: a system can't be compared with itself.")
        pairs.add((a, b))
    return sorted(pairs)


def research_labels(definition: Definition) -> list[str]:
    """The labels of all systems that research, sorted."""
    return sorted(label for label, system in definition.systems.items() if system.agent not in BASELINES)


def meetings(experiment: Path, definition: Definition, pairs: Sequence[Labels]) -> list[Meeting]:
    """The meetings of these pairs by repeat and query; repeat k meets repeat k, if both systems have it."""
    planned: dict[tuple[int, str], dict[str, Query]] = {}
    for run in planned_runs(experiment, definition):
        planned.setdefault((run.repeat, run.query.query_id), {})[run.label] = run.query
    return [
        Meeting(pair, runs[pair[0]], repeat)
        for (repeat, _), runs in sorted(planned.items(), key=lambda item: item[0][0])
        for pair in pairs
        if runs.keys() >= {*pair}
    ]


def read_pairs(experiment: Path, pairs: Sequence[Labels], store: Store | None) -> Iterator[Pair]:
    """The two runs of every meeting, in order. Runs of one query are read once, and released with the next query."""
    definition = read_definition(experiment)
    subjects: dict[tuple[str, int, str], Subject] = {}
    for meeting in meetings(experiment, definition, pairs):
        place = meeting.query.query_id, meeting.repeat
        subjects = {key: subject for key, subject in subjects.items() if key[:2] == place}
        for label in meeting.labels:
            if (*place, label) not in subjects:
                planned = Planned(label, meeting.query, meeting.repeat)
                subjects[*place, label] = read_subject(experiment, definition, planned, store)
        a, b = meeting.labels
        yield Pair(meeting.labels, subjects[*place, a], subjects[*place, b])
