"""Which runs of an experiment are exported, with their values by judges, and rows without personal data: user ids
become pseudonyms, and what a profile says about a person becomes a word such as [name].
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from drretail.addons.assistants.redaction import Redactor
from drretail.errors import UnknownName, UserError
from drretail.eval.judging.question import judged_in
from drretail.eval.judging.subject import planned_runs, resolve_name
from drretail.eval.numbers.facts import RunValue, run_values
from drretail.eval.numbers.fail_if import BoundRule
from drretail.eval.numbers.gathering import gather
from drretail.eval.registry import installed, recorded_metric
from drretail.experiments.experiment import Definition, ended_run, path_of, read_definition, read_runs
from drretail.experiments.run_file import read_evidence
from drretail.parsing import texts_in
from drretail.records.account import Account
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.run import BASELINES, Run
from drretail.records.shop import UserProfile
from drretail.remembered import remembered
from drretail.reports.text.personal_data import People, personal_data
from drretail.shopping.verify.findings import known_profiles
from drretail.shopping.verify.records import record_of

_SHORTEST_LINE = 12
"""The fewest characters of a line about the user that is removed. Shorter lines may stand anywhere."""


@dataclass
class Redaction:
    """Removes people from an experiment's rows. People are known by query, since their names are also words.

    A pseudonym is a user's number in the experiment: the same in every file, and in every export of it.
    """

    definition: Definition
    pseudonyms: Mapping[str, str]
    """By user id."""
    _profiles: Mapping[str, Mapping[UserProfile, None]]
    _changed: Mapping[str, Mapping[str, None]]
    redactor: Redactor

    @classmethod
    def of(cls, experiment: Path, redactor: Redactor) -> "Redaction":
        """Collects people from all that runs of all systems were shown: whom one system knows, another may name."""
        definition = read_definition(experiment)
        profiles: dict[str, dict[UserProfile, None]] = defaultdict(dict)
        changed: dict[str, dict[str, None]] = defaultdict(dict)
        ids: dict[str, None] = {}
        for run in read_runs(experiment):
            evidence = read_evidence(path_of(experiment, run))
            people = known_profiles({entry.id: entry for entry in evidence})
            profiles[run.query_id] |= dict.fromkeys(people)
            changed[run.query_id] |= dict.fromkeys(text for change in run.state_diff for text in texts_in(change.after))
            ids |= dict.fromkeys(
                [*filter(None, [run.user_id]), *(profile.user_id for profile in people), *_users_of(evidence)]
            )
        first = dict.fromkeys(query.user_id for query in definition.queries if query.user_id)
        everybody = [*first, *sorted(ids.keys() - first.keys())]
        pseudonyms = {user_id: f"user_{number:04}" for number, user_id in enumerate(everybody, 1)}
        return cls(definition, pseudonyms, profiles, changed, redactor)

    def row(self, query_id: str | None, row: Any) -> Any:
        """A row about this query, or about none, without people in its texts and field names."""
        if isinstance(row, str):
            return self._text(query_id, row)
        if isinstance(row, Mapping):
            return {self.row(query_id, name): self.row(query_id, item) for name, item in row.items()}
        return [self.row(query_id, cell) for cell in row] if isinstance(row, list | tuple) else row

    @remembered  # conversations repeat their beginnings
    def _text(self, query_id: str | None, text: str) -> str:
        lines, names, fields = self._personal(query_id)
        for line in lines:
            text = text.replace(line, "[said of the user]")
        if self.pseudonyms:
            text = self._ids.sub(lambda match: self._folded[match[0].casefold()], text)
        # Each full name, address and number of a person is replaced by a word.
        profiles = tuple(self._profiles.get(query_id or "", ()))
        text = self.redactor.text(text, names, personal_data(text, People(profiles)) if profiles else ())
        for pattern, word in fields:
            text = pattern.sub(word, text)
        return text

    @cached_property
    def _ids(self) -> re.Pattern[str]:
        return _whole_words(sorted(self.pseudonyms, key=len, reverse=True), re.IGNORECASE)

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        return {user_id.casefold(): pseudonym for user_id, pseudonym in self.pseudonyms.items()}

    @remembered
    def _personal(self, query_id: str | None) -> tuple[list[str], frozenset[str], list[tuple[re.Pattern[str], str]]]:
        """What rows about a query may say of people: lines about the user, the longest first, words of the names that
        the query holds, and patterns for single words of profiles with their replacements.
        """
        key, query = query_id or "", next((q for q in self.definition.queries if q.query_id == query_id), None)
        texts = (getattr(query, attribute) or "" for attribute in ("persona", "context")) if query is not None else ()
        lines = {line.strip() for text in texts for line in text.splitlines()} | {*self._changed.get(key, ())}
        long = sorted((line for line in lines if len(line) >= _SHORTEST_LINE), key=len, reverse=True)
        patterns: list[tuple[re.Pattern[str], str]] = []
        for profile in self._profiles.get(key, ()):
            names = {
                spelt for name in (profile.first_name, profile.last_name) if name for spelt in (name, name.upper())
            }
            city, state = re.escape(profile.address.city), re.escape(profile.address.state)
            if city and state:  # two letters of a state alone may be any word
                patterns.append(
                    (re.compile(rf"(?<!\w){city}(\W{{1,3}}){state}(?!\w)", re.IGNORECASE), r"[city]\1[state]")
                )
                patterns.append((re.compile(rf'("state":\s*"){state}"'), r'\1[state]"'))
            parts = ((names, "[name]"), ({profile.address.city}, "[city]"), ({profile.address.zip}, "[zip]"))
            patterns += [(_whole_words(words), word) for words, word in parts if any(words)]
        return long, self.redactor.named("" if query is None else query.text), patterns


def _whole_words(words: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern for whole words. An underscore ends a word, because ids of queries are made from users' ids."""
    spelt = "|".join(re.escape(word) for word in words if word)
    return re.compile(rf"(?<![^\W_])(?:{spelt})(?![^\W_])", flags)


def _users_of(evidence: Iterable[Evidence]) -> Iterator[str]:
    """The users whose profiles, orders and statistics were shown."""
    for entry in evidence:
        if entry.kind in ("user", "order"):
            records = (record_of(text.text) or {} for text in entry.sources)
            yield from (user_id for record in records if isinstance(user_id := record.get("user_id"), str) and user_id)


Row = dict[str, Any]
_RULE = re.compile(r"(?P<name>[^<>=]+?)(?:(?<!\s)\s++)?(?P<sign>>=|<=|>|<)\s*(?P<bound>[+-]?\d*\.?\d+)")


def _names_of(value: RunValue) -> set[str]:
    """The names that a rule may use for a value."""
    return {value.variant, f"{value.metric} {value.variant}", value.name}


def keeps(rule: BoundRule, got: Sequence[RunValue]) -> bool:
    """True if at least one judge scored the rule's variant, and all that did meet its bound."""
    numbers = [score.value for score in got if score.value is not None and rule.name in _names_of(score)]
    return bool(numbers) and all(map(rule.is_met, numbers))


def read_where(text: str) -> BoundRule:
    """The rule in a text such as "FP >= 0.8". Raises UserError for any other text."""
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise UserError(f"--where {text!r} is no rule: write NAME >= NUMBER, such as 'FP >= 0.8' or 'overall > 6'.")
    return BoundRule(text.strip(), match["name"], match["sign"], float(match["bound"]))


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run that is exported."""

    run: Run
    query: Query
    path: Path
    got: Sequence[RunValue]


@dataclass
class Selection:
    """The runs to export, read one after the other; ``account`` says what became of all of them in the last reading."""

    experiment: Path
    definition: Definition
    systems: tuple[str, ...]
    rules: tuple[BoundRule, ...] = ()
    account: Account = field(default_factory=lambda: Account("export", "run"))
    redaction: Redaction | None = None
    """Removes people from rows; None leaves them."""
    _got: Mapping[str, Sequence[RunValue]] = field(default_factory=dict[str, Sequence[RunValue]])

    @classmethod
    def of(
        cls,
        experiment: Path,
        systems: Sequence[str] = (),
        rules: Sequence[BoundRule] = (),
        *,
        redact: bool = False,
        names: str | Path | None = None,
    ) -> "Selection":
        """Selects runs of the named systems, or of all but the floors and the oracle.

        Raises UserError if the folder has no experiment, and UnknownName for a system that it does not have or for a
        rule on something that nobody judged.
        """
        definition = read_definition(experiment)
        chosen = {resolve_name("system", system, definition.systems) for system in systems} or {
            label for label, system in definition.systems.items() if system.agent not in BASELINES
        }
        got, valued = defaultdict[str, list[RunValue]](list), set[str]()
        # Those that have verdicts in the folder and are installed, or are measures by code.
        metrics = [*filter(None, (recorded_metric(experiment, name) for name in judged_in(experiment)))]
        for value in run_values(gather(experiment, metrics)):
            got[value.run_id].append(value)
            valued |= set() if value.value is None else _names_of(value)
        for rule in rules:
            if rule.name not in valued:
                if (metric := installed(rule.name)) is not None:
                    raise UserError(
                        f"{experiment} is not scored by {metric.name} yet: "
                        f"drretail score {experiment} --metrics {metric.name}"
                    )
                raise UnknownName("score of a report", rule.name, sorted(valued))
        redactor = Redactor.of(redact, names)
        redaction = None if redactor is None else Redaction.of(experiment, redactor)
        return cls(experiment, definition, tuple(sorted(chosen)), tuple(rules), redaction=redaction, _got=got)

    def __iter__(self) -> Iterator[Chosen]:
        account = self.account = Account("export", "run")
        places = (place for place in planned_runs(self.experiment, self.definition) if place.label in self.systems)
        for place in sorted(places, key=lambda place: place.path_in(self.experiment)):
            account.take()
            run = ended_run(self.experiment, place.label, place.query.query_id, place.repeat)
            got = self._got.get(place.run_id, ())
            missed = next((rule.text for rule in self.rules if not keeps(rule, got)), None)
            if run is None:
                account.leave_out("not made yet", place.run_id)
            elif run.is_unreadable:
                account.leave_out("its file is damaged", place.run_id, failed=True)
            elif run.report is None:
                account.leave_out("without a report", place.run_id)
            elif missed is not None:
                account.leave_out(f"not {missed}", place.run_id)
            else:
                account.use()
                yield Chosen(run, place.query, path_of(self.experiment, run), got)

    def shown(self, row: Row, query_id: str | None = None) -> Row:
        """A row about that query, or about none, as it is exported."""
        return row if self.redaction is None else self.redaction.row(query_id, row)

    def nothing_left(self) -> UserError:
        """The error for an export without any run left."""
        why = self.account.reasons
        return UserError(f"No run of {self.experiment} is left to export{f': {why}' if why else ''}.")
