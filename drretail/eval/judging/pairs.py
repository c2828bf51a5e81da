"""Which pairs of systems are compared, and in which runs they meet."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from drretail.env.store.base import Store
from drretail.errors import UnknownName, UserError
from drretail.eval.judging.subject import Planned, Subject, planned_runs, read_subject
from drretail.experiment import Definition, read_definition
from drretail.records.base import sha256_of
from drretail.records.counterfactual import kind_of
from drretail.records.query import Query
from drretail.records.run import BASELINES, INJECTED, slug


def resolve_name(kind: str, name: str, names: Iterable[str]) -> str:
    """The name that equals ``name``, also without its model, or the only one that begins with it.

    The name that a user gave stands for its label: "My agent", "my_module:MINE". Tables show react@model-redact as
    ``react-redact``. ``react`` means react@model and not react+ws@model, and a plain system comes before those with
    options. Raises UnknownName, or UserError if several are left.
    """
    known = sorted(names)
    shown = [label for label in known if _is_without_model(name, label)]
    if name in known or len(shown) == 1:
        return name if name in known else shown[0]
    begins = (name, slug(name))
    begin = next((begin for begin in begins if any(label.startswith(begin) for label in known)), None)
    if begin is None:
        raise UnknownName(kind, name, known)
    begun = [label for label in known if label.startswith(begin)]
    matches = [label for label in begun if f"{label}@".startswith(f"{begin}@")] or begun
    plain = min(matches, key=len)
    if not all(label.startswith(plain) for label in matches):
        raise UserError(f"{name!r} could be {', '.join(matches)}: write more of the name.")
    return plain


def _is_without_model(name: str, label: str) -> bool:
    """True if a label with conditions, as react@model-redact, is this name once its model is left out."""
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


def choose_pairs(definition: Definition, named: Sequence[str] = ()) -> list[Labels]:
    """The pairs named as "A~B", or all pairs of systems that research, in the order of labels.

    A unique beginning of a label is enough. Null agents, the oracle, and runs with another user's profile are compared
    only if named: six systems with all of these would make 55 pairs instead of 15, each with a cost. Raises UserError
    if a name is not a pair or is ambiguous, and UnknownName for an unknown label.
    """
    if named:
        return sorted({_named(definition, name) for name in named})
    return list(combinations(research_labels(definition), 2))


def research_labels(definition: Definition) -> list[str]:
    """The labels of all systems that research for the user who asks, sorted."""
    return sorted(
        label
        for label, system in definition.systems.items()
        if (system.agent not in BASELINES and kind_of(system) is None and not system.options.get(INJECTED))
    )


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


def _named(definition: Definition, name: str) -> Labels:
    labels = [label.strip() for label in name.split(BETWEEN)]
    if len(labels) != 2 or not all(labels):
        raise UserError(f"--pairs {name}: name two systems by their labels, such as --pairs A{BETWEEN}B.")
    a, b = sorted(resolve_name("system in this experiment", label, definition.systems) for label in labels)
    if a == b:
        raise UserError(f"--pairs {name}: a system can't be compared with itself.")
    return a, b
