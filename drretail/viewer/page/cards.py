"""What a page says of each claim, finding, source and step, ready for its templates."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import zip_longest

from drretail.grounding.text.wording import short_title
from drretail.grounding.verify.page_dates import DAYS_A_YEAR
from drretail.records.evidence import Evidence, EvidenceText, Finding
from drretail.records.run import Step
from drretail.records.score import Verdict
from drretail.viewer.claims import SIGNS, WORDS, Claim, ClaimVerdict, Excerpt, excerpt, find_quote, readable
from drretail.viewer.experiment import RunView
from drretail.viewer.page.agent_tree import Found, Research
from drretail.viewer.page.markdown import is_web_address

_MOMENT = re.compile(r"\b(?P<day>\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}\.\d{6}\b")
LONGEST_SOURCE = 12_000
"""Characters of a source that the report does not cite, and that only a verdict or a finding rests on."""
LONGEST_LINE = 300
SHORT_RESULT = 120
"""Of a step that takes one line with what it brought."""
LONGEST_TITLE = 60
ALL_STEPS = 8_000
"""Characters that the steps of a run take together; whole their results stand in its results.jsonl.gz."""
LEAST_RESULTS = 2_000
"""Of them for results, however many steps there are."""
STEP_HEAD = 50
"""Of them for what stands on each step's line beside what it was asked."""
SHORTEST_RESULT = 300
"""Of a step that brought sources: where less of each would fit, its sources are named and their text is left out."""


@dataclass(frozen=True, slots=True)
class FoundCard:
    """The step that brought a source first."""

    found: Found
    anchor: str | None
    """Of that step; None where it is not recorded."""


@dataclass(frozen=True, slots=True)
class SourceCard:
    """A source that a verdict rests on, with the quote in it apart."""

    title: str
    day: str
    """Of the page, as YYYY-MM-DD; empty where it is not known."""
    anchor: str | None
    """Of the whole source further down the page."""
    excerpt: Excerpt | None
    """None where another source holds the quote."""
    found: FoundCard | None
    looked_up: bool = False
    """True for a record that no step brought: it was looked up in the shop for judging."""


@dataclass(frozen=True, slots=True)
class VerdictCard:
    types: tuple[str, ...]
    reason: str
    quote_missing: str
    """The quote where none of the sources holds it."""
    notes: tuple[str, ...]
    sources: tuple[SourceCard, ...]


@dataclass(frozen=True, slots=True)
class ClaimCard:
    anchor: str
    claim: Claim
    word: str
    sign: str
    claim_verdicts: tuple[VerdictCard, ...]
    in_report: bool
    talk: str
    """The address of the run's conversation, where it found the claim's first source; empty where there is none."""


@dataclass(frozen=True, slots=True)
class FindingCard:
    anchor: str
    finding: Finding
    words: str
    """The finding's code in words."""
    text: str
    in_report: bool
    evidence_anchor: str | None


@dataclass(frozen=True, slots=True)
class EvidenceCard:
    anchor: str
    evidence: Evidence
    link: str | None
    """Only for http and https."""
    age: str
    """The page's date and how it stands to the shop's today; empty where it is not known."""
    found: FoundCard | None
    texts: tuple[tuple[str, str, int], ...]
    """Form, text, and how many characters were left out."""
    looked_up: bool = False
    """As of a source."""


@dataclass(frozen=True, slots=True)
class StepCard:
    anchor: str
    step: Step
    line: str
    """What a tool was asked; of a model what it is for."""
    result: str
    left_out: int
    sources: tuple[tuple[str, str], ...]
    """Of what it brought those that are shown whole: ids and anchors."""
    talk: str
    """The address of the model's turn that took the step; empty where no conversation is shown."""

    @property
    def is_line(self) -> bool:
        """There is nothing to open."""
        plain = self.step.error is None and self.step.sent is None and not (self.result and self.left_out)
        return plain and len(self.result) <= SHORT_RESULT


@dataclass(frozen=True, slots=True)
class TalkLinks:
    """Addresses within a run's conversation."""

    view: RunView
    page: str = ""
    """Empty where it stands on this page."""
    turns: frozenset[tuple[str, int]] | None = None
    """Path and number of the model steps that it holds; None where it was not read."""

    @property
    def whole(self) -> str:
        return f"{self.page}#{self.view.anchor}-talk"

    def of(self, place: int | None) -> str:
        """Of the model's turn that took the step at ``place``; of the whole where no such turn is known."""
        steps = self.view.run.steps if self.view.run else ()
        if place is not None:
            for step in reversed(steps[: place + 1]):
                if step.kind != "tool" and step.path == steps[place].path:
                    is_there = self.turns is None or (step.path, step.seq) in self.turns
                    return f"{self.page}#{self.view.anchor}-m{step.path}-{step.seq}" if is_there else self.whole
        return self.whole


def claim_cards(view: RunView, judge: int, shown: frozenset[str], talk: TalkLinks | None = None) -> list[ClaimCard]:
    """The claims as the judge of this number sees them; ``shown`` are anchors that the report's marks lead to."""
    sources = _Sources(view)
    cards: list[ClaimCard] = []
    for claim in view.claims[judge].claims:
        anchor = claim_anchor(view, judge, claim)
        claim_verdicts = tuple(_claim_verdict(claim_verdict, claim, sources) for claim_verdict in claim.claim_verdicts)
        found = [source.found.found.place for one in claim_verdicts for source in one.sources if source.found]
        place = next((place for place in found if place is not None), None)
        cards.append(
            ClaimCard(
                anchor,
                claim,
                WORDS[claim.support],
                SIGNS[claim.support],
                claim_verdicts,
                in_report=anchor in shown,
                talk="" if talk is None else talk.of(place),
            )
        )
    return cards


class _Sources:
    """The evidence of a run with where it is shown and who found it."""

    def __init__(self, view: RunView) -> None:
        self.evidence = view.subject.evidence
        self._anchors = evidence_anchors(view)
        self._view = view
        self._research = research_of(view)

    def anchor(self, evidence_id: str) -> str | None:
        return self._anchors.get(evidence_id)

    def found(self, entry: Evidence) -> FoundCard | None:
        """Who brought its first text; None where it has none, or no step did."""
        if not entry.texts or _is_looked_up(entry):
            return None
        found = self._research.found(entry.texts[0].path, entry.texts[0].seq)
        return FoundCard(found, None if found.place is None else step_anchor(self._view, found.place))

    def items(self) -> Iterable[tuple[str, Evidence]]:
        """Those that are shown whole, with their anchors."""
        return ((anchor, self.evidence[key]) for key, anchor in self._anchors.items())


def research_of(view: RunView) -> Research:
    return Research(view.run.steps if view.run else ())


def step_anchor(view: RunView, place: int) -> str:
    return f"{view.anchor}-s{place + 1}"


def claim_anchor(view: RunView, judge: int, claim: Claim) -> str:
    return f"{view.anchor}-{f'j{judge + 1}-' if judge else ''}c{claim.number}"


def finding_anchor(view: RunView, number: int) -> str:
    return f"{view.anchor}-f{number}"


def finding_cards(view: RunView, shown: frozenset[str]) -> list[FindingCard]:
    anchors = evidence_anchors(view)
    return [
        FindingCard(
            anchor=finding_anchor(view, number),
            finding=finding,
            words=finding.code.replace("_", " "),
            text=finding.text,
            in_report=finding_anchor(view, number) in shown,
            evidence_anchor=anchors.get(finding.evidence_id or ""),
        )
        for number, finding in enumerate(view.checks.findings, 1)
    ]


def evidence_anchors(view: RunView) -> dict[str, str]:
    """Anchors of the sources that are shown whole: whatever the report cites, a verdict or a finding rests on."""
    used = {citation.evidence_id for citation in view.run.citations} if view.run else set[str | None]()
    used |= {source.id for one in view.claims for v in one.judged.stage("support") for source in v.sources}
    used |= {finding.evidence_id for finding in view.checks.findings}
    return {key: f"{view.anchor}-e{number}" for number, key in enumerate(view.subject.evidence, 1) if key in used}


def evidence_cards(view: RunView) -> list[EvidenceCard]:
    sources = _Sources(view)
    cited = {citation.evidence_id for citation in view.run.citations} if view.run else set[str | None]()
    return [
        EvidenceCard(
            anchor=anchor,
            evidence=entry,
            age=_age(entry.date, view.subject.now),
            link=entry.url if is_web_address(entry.url or "") else None,
            found=sources.found(entry),
            texts=tuple(
                _cut(text.form, _by_day(readable(text.text)), None if entry.id in cited else LONGEST_SOURCE)
                for text in _texts(entry)
            ),
            looked_up=_is_looked_up(entry),
        )
        for anchor, entry in sources.items()
    ]


def _is_looked_up(entry: Evidence) -> bool:
    return entry.looked_up and not any(text.shown for text in entry.texts)


def _age(day: str | None, now: datetime | None) -> str:
    if day is None:
        return ""
    if now is None:
        return day
    years = (now.date() - date.fromisoformat(day)).days / DAYS_A_YEAR
    today = f"the shop's today, {now.date()}"
    return f"{day}, {years:.1f} years before {today}" if years >= 0 else f"{day}, after {today}"


def step_cards(view: RunView, talk: TalkLinks | None = None) -> list[StepCard]:
    """The steps in their order; the more there are, the less is shown of what each of them brought."""
    steps = view.run.steps if view.run else ()
    anchors = evidence_anchors(view)
    results = [_result(step, after, view.texts) for step, after in zip_longest(steps, steps[1:])]
    lines = [_line(step) for step in steps]
    total = max(LEAST_RESULTS, ALL_STEPS - sum(STEP_HEAD + len(line) for line in lines))
    own = [len(result) for step, result in zip(steps, results, strict=True) if not step.evidence]
    handed = [len(result) for step, result in zip(steps, results, strict=True) if step.evidence]
    room = _room(own, total)
    left = _room(handed, total - sum(min(room, length) for length in own))
    rooms = {False: room, True: left if left >= SHORTEST_RESULT else 0}
    cards: list[StepCard] = []
    for place, (step, line, result) in enumerate(zip(steps, lines, results, strict=True)):
        _, shown, left_out = _cut("", result, rooms[bool(step.evidence)])
        sources = tuple((entry, anchors[entry]) for entry in step.evidence if entry in anchors)
        link = "" if talk is None else talk.of(place)
        cards.append(StepCard(step_anchor(view, place), step, line, shown, left_out, sources, link))
    return cards


def _line(step: Step) -> str:
    """What a tool was asked, or what a model is for."""
    args = ", ".join(f"{name}: {value}" for name, value in (step.args or {}).items() if value is not None)
    return step.role if step.kind == "model" else args if len(args) <= LONGEST_LINE else f"{args[:LONGEST_LINE]}…"


def _result(step: Step, after: Step | None, texts: Mapping[str, str]) -> str:
    """What a step brought; nothing where a model says what it hands to a tool in the same words."""
    text = texts.get(step.result_sha or "", "")
    handed = after.args or {} if after is not None and step.kind == "model" else {}
    return "" if text in handed.values() else _by_day(readable(text))


def _room(lengths: Iterable[int], total: int) -> int:
    """So many characters each text may take that all take no more than the total: short ones stay whole."""
    waiting = sorted(lengths)
    for at, length in enumerate(waiting):
        share = total // (len(waiting) - at)
        if length > share:
            return share
        total -= length
    return max(waiting, default=0)


def _claim_verdict(claim_verdict: ClaimVerdict, claim: Claim, sources: _Sources) -> VerdictCard:
    verdict = claim_verdict.verdict
    hashes = {source.sha256 for source in verdict.sources}
    evidence = sources.evidence
    cited = [evidence[source] for source in dict.fromkeys(s.id for s in verdict.sources) if source in evidence]
    if not cited:
        cited = [evidence[source] for source in claim.sources if source in evidence]
    quotes = [quote for quote in (verdict.quote, *verdict.more_quotes) if quote]
    pairs = [(entry, text) for entry in cited for text in _chosen(entry, hashes, quotes)]
    found = [next((quote for quote in quotes if find_quote(text, quote)), None) for _, text in pairs]
    missing = "" if any(found) else " … ".join(quotes)
    cards = tuple(
        SourceCard(
            short_title(entry.title or entry.key, LONGEST_TITLE),
            entry.date or "",
            sources.anchor(entry.id),
            excerpt(text, here) if here or not any(found) else None,
            sources.found(entry),
            _is_looked_up(entry),
        )
        for (entry, text), here in zip(pairs, found, strict=True)
    )
    reason = verdict.reason or verdict.error or ""
    return VerdictCard(claim_verdict.types, reason, missing, _notes(verdict), cards)


def _chosen(entry: Evidence, hashes: set[str], quotes: Sequence[str]) -> list[str]:
    """The text of a source that was judged against: the one of that hash, and of several the one with a quote."""
    chosen = [text for text in entry.texts if text.sha256 in hashes] or list(_texts(entry))
    texts = [readable(text.text) for text in chosen]
    if not any(_MOMENT.search(quote) for quote in quotes):
        texts = [_by_day(text) for text in texts]
    with_quote = [text for text in texts if any(find_quote(text, quote) for quote in quotes)]
    return (with_quote or texts)[:1]


def _texts(entry: Evidence) -> Iterable[EvidenceText]:
    """What claims are judged against; where there is none, what the agent read."""
    return entry.sources or entry.texts


def _by_day(text: str) -> str:
    """The text with the day of each order, where its record has the microsecond."""
    return _MOMENT.sub(r"\g<day>", text)


def _cut(form: str, text: str, longest: int | None) -> tuple[str, str, int]:
    return form, text[:longest], 0 if longest is None else max(0, len(text) - longest)


def _notes(verdict: Verdict) -> tuple[str, ...]:
    """Its notes in words; of sources that were cut, how much of each the judge read."""
    cut = [f"{source.share:.0%} of {source.id}" for source in verdict.sources if source.share is not None]
    notes = [note.replace("_", " ") for note in verdict.notes]
    return (*notes, f"the judge read {', '.join(cut)}") if cut else tuple(notes)
