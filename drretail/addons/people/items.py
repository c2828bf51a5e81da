"""What people are asked about reports (by the criteria of the paper's judge) and claims, and what a person is shown of
each planned pair, report and claim, with the names of systems and models withheld.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup

from drretail.addons.people.judged_claims import JudgedClaim, judged_claims_of
from drretail.errors import UserError
from drretail.eval.claims.claims import about_sources, content_of
from drretail.eval.judging.dimensions import PERSONALIZATION, published_criteria, without_shop
from drretail.eval.judging.subject import Planned, Subject, pair_id, read_subject
from drretail.eval.metrics.readings import NO_PROFILE
from drretail.experiments.experiment import PROFILES, Definition
from drretail.records.query import Query
from drretail.records.run import System
from drretail.records.shop import SHOP_URL
from drretail.records.vote import SUPPORT, ClaimItem, ClaimSupport, Item, PairItem, ReportItem
from drretail.reports.citations import scan
from drretail.reports.page import blanked
from drretail.reports.render import render_report
from drretail.reports.text.wording import split_words
from drretail.shopping.verify.records import read_ledger
from drretail.viewer.judged import readable, span_of
from drretail.viewer.page.frame import is_web_address
from drretail.viewer.page.report_html import marked_html


@dataclass(frozen=True, slots=True)
class _Option:
    """An answer, the word on its button, and the keys that choose it."""

    value: str
    word: str
    keys: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class _Question:
    name: str
    title: str
    definition: tuple[str, ...]
    """Paragraphs."""
    options: tuple[_Option, ...]


SIDES = (_Option("left", "A", "1a"), _Option("tie", "Tie", "2t"), _Option("right", "B", "3b"))
RATINGS = tuple(_Option(str(value), str(value), str(value)[:1] if value < 10 else "x") for value in range(11))
_SUPPORT: dict[ClaimSupport, str] = {
    "full": "the sources say all of it",
    "partial": "the sources say some of it, and nothing about the rest",
    "none": "the sources say nothing of it, and nothing against it",
    "contradicted": "a source says otherwise of any part: another price, the opposite advice",
}
SUPPORT_RULES = (
    "Compare every part of the statement with the sources: names, figures, units, dates, and words such as “all” or "
    "“not”. What you know yourself doesn't count.",
    "Only the sources on the page count, taken together, and the question for what the shopper wants and allows, such "
    "as a budget.",
    "The sources say",
    "- what is written in them; the lines of a shop's record, such as price and rating, are what the shop says;",
    "- a sum, difference or share of their figures, and a rounded figure: “$9.98” or “about $10” for 9.975;",
    "- “the cheapest” or “the highest rated”, if they tell of all the others, as a list of products (S1, S2, …) does;",
    "- a comparison, if they speak of both sides or make it themselves; with one side alone choose partial at most;",
    "- what any reader concludes from them without other knowledge.",
    "Leave aside",
    "- taste and advice: “the best”, “my pick”;",
    "- what the numbers of a calculation stand for, if “About” does not say it.",
    "If nothing is left to compare, choose full.",
)
"""The rules of the judges' prompt ``support``, as paragraphs and points."""


def report_questions(path: str, shop_url: str, *, with_profile: bool, elsewhere: bool = False) -> tuple[_Question, ...]:
    """The questions which of two reports is better, or how good one is (0 to 10), one for each dimension.

    The criteria are those that a judge reads under the paper's rules. Without a profile, personalization is left out.
    For reports from ``elsewhere``, the words are those for imported reports, without the shop.
    """
    options = SIDES if path == "vote" else RATINGS
    questions: list[_Question] = []
    for dimension, criterion in published_criteria().items():
        if with_profile or dimension != PERSONALIZATION:
            text = without_shop(criterion["text"]) if elsewhere else criterion["text"]
            lines = _lines(text.replace("{{shop_url}}", shop_url))
            questions.append(_Question(dimension, criterion["title"], tuple(lines), options))
    return tuple(questions)


@cache
def label_question() -> _Question:
    options = tuple(
        _Option(label, label, str(key), meaning) for key, (label, meaning) in enumerate(_SUPPORT.items(), 1)
    )
    return _Question(SUPPORT, "What do the sources say of it?", SUPPORT_RULES, options)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


WITHHELD = "[name withheld]"


class Names:
    """The names that would reveal which system wrote a report: labels, agents and models of an experiment."""

    def __init__(self, definition: Definition) -> None:
        every = {name for label, system in definition.systems.items() for name in _names(label, system)}
        # The longest first: a model's name may begin with another's.
        spelled = "|".join(
            r"[-_ .:/]?".join(re.escape(part) for part in re.split(r"[-_ .:/]+", name) if part)
            for name in sorted(every, key=lambda name: (-len(name), name))
        )
        self._pattern = re.compile(rf"(?<![\w@]){spelled and f'(?:{spelled})'}(?!\w)", re.IGNORECASE) if every else None

    def withheld(self, text: str) -> str:
        """The text with each of these names replaced."""
        return text if self._pattern is None else self._pattern.sub(WITHHELD, text)


def _names(label: str, system: System) -> Iterator[str]:
    yield from _unmistakable([label, system.agent])
    for model in system.models.values():
        provider, _, name = model.spec.partition(":")
        yield model.spec
        yield from _unmistakable([provider] if provider not in ("offline", "scripted") else [])
        if any(sign in name for sign in "-.0123456789"):
            yield name
            # "As Claude, I …": models call themselves by the beginning of their names.
            yield from re.findall(r"\A[a-z]{3,}", name.rpartition("/")[2].casefold())


def _unmistakable(names: Iterable[str]) -> Iterator[str]:
    """The names without plain English words: "how skin may react" says nothing about an agent."""
    return (name for name in names if not re.fullmatch(r"[a-z]+", name) or name in ("openai", "anthropic", "ollama"))


_LAYOUT = re.compile(r"[*`#|]+")


@dataclass(frozen=True, slots=True)
class BlindReport:
    """A report without names of systems; ``name`` is "A" or "B", or empty if it stands alone."""

    name: str
    html: Markup
    words: int


@dataclass(frozen=True, slots=True)
class BlindSource:
    """A text that a claim is compared with."""

    title: str
    link: str | None
    about: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Everything that one page of voting shows of an item and asks about it."""

    query: str
    profile: tuple[str, ...]
    """Empty for an imported report, which no user of the shop asked for."""
    today: str
    """Empty if unknown."""
    questions: tuple[_Question, ...]
    reports: tuple[BlindReport, ...] = ()
    claim: str = ""
    """Empty if reports are judged as a whole."""
    quote: str = ""
    """The claim in the report's words."""
    sources: tuple[BlindSource, ...] = ()
    """The claim's sources."""


@dataclass(frozen=True)
class Sheets:
    experiment: Path
    definition: Definition
    _rendered: dict[str, Markup] = field(default_factory=dict[str, Markup])
    """Reports by run id, since each person comes back to the same ones."""

    @cached_property
    def names(self) -> Names:
        return Names(self.definition)

    @property
    def are_from_elsewhere(self) -> bool:
        """True if all reports were imported, so that no user of the shop asked for them."""
        return all(system.is_imported for system in self.definition.systems.values())

    def of(self, item: Item, annotator: str) -> _Sheet:
        """The sheet of an item for this person."""
        if isinstance(item, ClaimItem):
            return self.of_claim(item)
        subjects = self._pair(item, annotator) if isinstance(item, PairItem) else [self._unchanged(item)]
        letters = "AB" if len(subjects) == 2 else [""]
        reports = [self._report(*pair) for pair in zip(letters, subjects, strict=True)]
        return self._sheet(subjects[0], self.questions(item), reports=tuple(reports))

    def _pair(self, item: PairItem, annotator: str) -> list[Subject]:
        """Both reports, on the sides on which this person sees them."""
        a, b = (self._subject(label, item.query_id, item.repeat) for label in (item.a, item.b))
        recorded = [None if subject.run is None else subject.run.report for subject in (a, b)]
        if pair_id((a.run_id, b.run_id), recorded) != item.pair_id:
            raise _changed(self.experiment)
        return [a, b] if item.left_for(annotator) == "a" else [b, a]

    def of_claim(self, item: ClaimItem) -> _Sheet:
        """The claim and the texts that its judge read, without the judge's verdict."""
        subject, judged = self._claim(item)
        report, claim = subject.report or "", judged.claim
        span = span_of(claim, report)
        # The report's words on one line, without citation marks and layout
        marks = [(mark.start, mark.end) for mark in scan(report, subject.evidence).marks]
        quote = _LAYOUT.sub("", blanked(report, marks)[slice(*span)]) if span else ""
        return self._sheet(
            subject,
            self.questions(item),
            claim=self.names.withheld(claim.claim),
            quote=self.names.withheld(" ".join(quote.split())),
            sources=tuple(_sources(subject, judged)),
        )

    def definitions(self, path: str) -> tuple[_Question, ...]:
        """All questions about items of a kind, for its instructions."""
        if path == "label":
            return (label_question(),)
        return self._of_reports(path, with_profile=not self.are_from_elsewhere)

    def questions(self, item: Item) -> tuple[_Question, ...]:
        """The questions about an item, found without reading its reports."""
        if isinstance(item, ClaimItem):
            return (label_question(),)
        with_profile = PROFILES.read(self.experiment, self._query(item.query_id).user_id) is not None
        return self._of_reports("vote" if isinstance(item, PairItem) else "rate", with_profile=with_profile)

    def _of_reports(self, path: str, *, with_profile: bool) -> tuple[_Question, ...]:
        shop_url, elsewhere = self.definition.shop_url or SHOP_URL, self.are_from_elsewhere and not with_profile
        return report_questions(path, shop_url, with_profile=with_profile, elsewhere=elsewhere)

    def claim_of(self, item: ClaimItem) -> str:
        """The text of the claim, for the record."""
        return self._claim(item)[1].claim.claim

    def _claim(self, item: ClaimItem) -> tuple[Subject, JudgedClaim]:
        subject = self._unchanged(item)
        for claim in judged_claims_of(self.experiment, subject):
            if claim.has_verdict and claim.about == item.about:
                return subject, claim
        raise _changed(self.experiment)

    def _report(self, name: str, subject: Subject) -> BlindReport:
        if subject.run_id not in self._rendered:
            # As judges read it; here its numbers are links.
            text = render_report(subject.report or "", subject.evidence).text
            self._rendered[subject.run_id] = marked_html(self.names.withheld(text), []).html
        return BlindReport(name, self._rendered[subject.run_id], len(split_words(subject.report or "")))

    def _sheet(self, subject: Subject, questions: tuple[_Question, ...], **shown: Any) -> _Sheet:
        """A sheet with the query, the profile and the date as judges see them."""
        text = NO_PROFILE if subject.profile is None else subject.profile.text
        profile = () if subject.is_external else tuple(text.splitlines())
        today = "" if subject.now is None else subject.now.date().isoformat()
        return _Sheet(subject.query.text, profile, today, questions, **shown)

    def _unchanged(self, item: ReportItem) -> Subject:
        subject = self._subject(item.system, item.query_id, item.repeat)
        if subject.report_sha != item.report_sha:
            raise _changed(self.experiment)
        return subject

    def _subject(self, label: str, query_id: str, repeat: int) -> Subject:
        if label not in self.definition.systems:
            raise _changed(self.experiment)
        planned = Planned(label, self._query(query_id), repeat)
        return read_subject(self.experiment, self.definition, planned, None)

    def _query(self, query_id: str) -> Query:
        query = next((query for query in self.definition.queries if query.query_id == query_id), None)
        if query is None:
            raise _changed(self.experiment)
        return query


def _sources(subject: Subject, claim: JudgedClaim) -> Iterator[BlindSource]:
    """The texts that the claim's judge read; all texts of its sources if these are gone."""
    ids = claim.claim.sources
    texts = content_of(ids, subject.sources).texts
    about = about_sources(ids, subject.sources, read_ledger(subject.evidence))
    for read_text in [text for text in texts if text.text.sha256 in claim.read] or texts:
        entry = subject.sources[read_text.id]
        link = entry.url if is_web_address(entry.url or "") else None
        title, text = entry.title or entry.key, readable(read_text.text.text)
        yield BlindSource(title, link, about.get(read_text.id, ""), entry.date or "", text)


def _changed(experiment: Path) -> UserError:
    return UserError(
        f"This is about a report that has changed since {experiment / 'votes' / 'plan.json'} was made: "
        "delete that file to make a new plan. The votes are kept."
    )
