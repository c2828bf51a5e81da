"""ReportEval: one question for all grades of a report, one for each pair of its sections or paragraphs, one for each
sentence and source. Its values: five grades, the mean over pairs, the mean over labels; the metric.

drretail/addons/publications/README.md gives each formula with its source.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from random import Random
from typing import Annotated, Literal

from pydantic import field_validator

from drretail.addons.publications import DESCRIPTIONS
from drretail.eval.claims.claims import Content, SourceText, content_of, fitted, source_tags
from drretail.eval.claims.rulings import SOURCE_CUT, SupportJudge
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import UNFETCHED_PAGES, Metric, Value, description_of, gravest, no_value, reason_in, value_of
from drretail.eval.metrics.readings import report_and_sources
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record, Rules, sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.reading import WHOLE_NUMBER
from drretail.records.score import Verdict, VerdictState
from drretail.reports.citations import Known, scan
from drretail.reports.layout import Layout, Sentence, read_layout
from drretail.reports.page import blanked

Unit = Literal["section", "paragraph"]
UNITS: tuple[Unit, ...] = ("section", "paragraph")
MOST_PAIRS = 30
"""Pairs of one report, which grow with the square of its units."""
SHORTEST_RELEASED = 200
"""Characters; the released code drops shorter sections."""
FEWEST_PARAGRAPHS = 4
"""The released code skips reports with fewer paragraphs."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_RELEASED_HEADING = re.compile(r"^## .*$", re.MULTILINE)
_NO_CODE, _WITHIN = re.compile(r"`[ \t]*`"), re.compile(r"(?<=\S) {2,}")
_COMMAS = re.compile(r"(?<![ ,])(?>(?: *+,)+)(?= *+[.;:)|])")
_BEFORE_STOPS = re.compile(r"(?<! ) ++(?=[.,;:!?。，；：！？、\n]|$)")
_BOLD = 7
"""The level of a heading that is a bold line."""


@dataclass(frozen=True, slots=True)
class Units:
    """The parts of a report that are compared; ``lacking`` says why there are no pairs."""

    texts: tuple[str, ...]
    lacking: str = ""

    @property
    def possible(self) -> int:
        return len(self.texts) * (len(self.texts) - 1) // 2

    def pairs(self, seed: str) -> list[tuple[int, int]]:
        """All pairs by index or, of many, a sample of ``MOST_PAIRS`` that depends on the seed only."""
        every = list(combinations(range(len(self.texts)), 2))
        return every if len(every) <= MOST_PAIRS else sorted(Random(seed).sample(every, MOST_PAIRS))


def units_of(report: str, evidence: Known | None, unit: Unit) -> Units:
    """The units without the first (introduction) and the last (conclusion), and without links and source lists."""
    layout = read_layout(report, evidence)
    if unit == "section":
        parts = _sections(layout)
    else:
        headings = [(sentence.start, sentence.end) for sentence in layout.sentences if sentence.kind == "heading"]
        below = blanked(layout.text, headings)
        parts = [tidy(part) for part in _BLANK_LINE.split(below) if _says_something(part)]
    return _enough(parts[1:-1], f"fewer than two {unit}s between the first and the last of {len(parts)}")


def released_units(report: str) -> Units:
    """The sections that the released code compares: HKUDS/DeepResearch-Eval d57f8c9, judge_score.py."""
    paragraphs = [part for part in _BLANK_LINE.split(report.strip()) if part.strip()]
    if len(paragraphs) < FEWEST_PARAGRAPHS:
        return Units((), f"the released code skips reports of {len(paragraphs)} paragraphs")
    sections = list(_released_sections(report))
    if not sections:
        return Units((), "the released code skips reports without a line that begins with ##")
    inner = [section for section in sections[1:-1] if "https" not in section and len(section) >= SHORTEST_RELEASED]
    return _enough(inner[1:-1], f"the released code keeps fewer than two of {len(sections)} sections")


def _enough(texts: list[str], lacking: str) -> Units:
    return Units(tuple(texts), lacking if len(texts) < 2 else "")


def _sections(layout: Layout) -> list[str]:
    """The sections below the highest heading level with two units: a report may have one title, or two alike."""
    headings: list[tuple[Sentence, int]] = []
    for sentence in layout.sentences:
        line = layout.text[sentence.start : sentence.end]
        if sentence.kind == "heading":
            headings.append((sentence, len(line) - len(line.lstrip("#")) or _BOLD))
    below = blanked(layout.text, [(heading.start, heading.end) for heading, _ in headings])
    sections: list[str] = []
    for level in sorted({level for _, level in headings}):
        starts = [layout.text.rfind("\n", 0, heading.start) + 1 for heading, at in headings if at <= level]
        spans = pairwise([0, *starts, len(layout.text)])
        sections = [tidy(layout.text[start:end]) for start, end in spans if _says_something(below[start:end])]
        if len(sections) >= 4:
            break
    return sections


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)


def tidy(text: str) -> str:
    """The text without the spaces, commas and empty code quotes that removed marks leave behind."""
    text = _COMMAS.sub("", _WITHIN.sub(" ", _NO_CODE.sub(" ", text)))
    return _BEFORE_STOPS.sub("", text).strip()


def _released_sections(report: str) -> Iterator[str]:
    """The text before the first heading, and each heading with the text below it.

    The released code searches a heading by its words, and so may find it inside a lower heading of the same words.
    """
    headings = _RELEASED_HEADING.findall(report)
    spans: list[tuple[int, int]] = []
    for heading in headings:
        start = report.find(heading, spans[-1][1] if spans else 0)
        spans.append((start, start + len(heading)))
    if spans and spans[0][0]:
        yield report[: spans[0][0]].strip()
    ends = [start for start, _ in spans[1:]] + [len(report)]
    for heading, (_, start), end in zip(headings, spans, ends, strict=True) if spans else ():
        if start < len(report):
            yield f"{heading}\n{report[start:end].strip()}"


class CitedPair(Record):
    """A sentence and one of the pages or products that it cites: what one label is about."""

    item: str
    """Its number among the pairs, and a digest of sentence and source."""
    sentence: str
    """Without marks; a table's row has the table's head above it."""
    source: str
    """An evidence id, or the address of a page without evidence."""


def cited_sentences(report: str, evidence: Mapping[str, Evidence]) -> tuple[list[CitedPair], int]:
    """The pairs in the order of the text, and how many citations in sentences do not resolve.

    Sentences that cite only orders, profiles or calculations have no pair.
    """
    layout = read_layout(report, evidence)
    marks = scan(report, evidence).marks
    starts = [mark.start for mark in marks]
    pairs: list[CitedPair] = []
    unresolved = 0
    for sentence in layout.sentences:
        is_heading = sentence.kind in ("heading", "table_head")
        if is_heading or not _says_something(layout.text[sentence.start : sentence.end]):
            continue
        inside = marks[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        cited = {citation.source: citation for mark in inside for citation in mark.cited}
        unresolved += sum(citation.type == "unresolved" for citation in cited.values())
        spans = [*filter(None, [sentence.head]), (sentence.start, sentence.end)]
        text = "\n".join(" ".join(tidy(layout.text[start:end]).split()) for start, end in spans)
        for source in (citation.source for citation in cited.values() if citation.type in ("web", "product")):
            item = f"{len(pairs) + 1}-{sha256_of([text, source])[:6]}"
            pairs.append(CitedPair(item=item, sentence=text, source=source))
    return pairs, unresolved


RELEASED: Rules = "hkuds"
"""The rules of the released code."""
RULES: tuple[Rules, ...] = ("default", RELEASED)
DIMENSIONS = ("comprehensiveness", "coherence", "clarity", "insightfulness", "overall")
QUALITY, UNITS_STAGE, REDUNDANCY, CITED, FACTUALITY = "quality", "units", "redundancy", "cited", "factuality"
"""Stages: grades; judged pairs by unit, and each pair's score; sentences that cite sources, and their labels."""
REPORT = "report"
"""The item of the stage ``CITED``."""


Grade = Annotated[Literal[0, 1, 2, 3, 4], WHOLE_NUMBER]
Label = Annotated[Literal[-1, 0, 1], WHOLE_NUMBER]


class Reasons(Record):
    """Why each grade is what it is."""

    comprehensiveness: str
    coherence: str
    clarity: str
    insightfulness: str
    overall: str


class Grades(Record):
    """The grades of a report, after their reasons."""

    reason: Reasons
    comprehensiveness: Grade
    coherence: Grade
    clarity: Grade
    insightfulness: Grade
    overall: Grade

    @field_validator("reason", mode="before")
    @classmethod
    def _one_for_all(cls, reason: object) -> object:
        """Accepts one reason for all grades, which judges often give to the released prompt."""
        return dict.fromkeys(DIMENSIONS, reason) if isinstance(reason, str) else reason


class Repetition(Record):
    """How much two units say twice, 4 for nothing."""

    repetitions_found: list[str]
    explanation: str
    confidence: str
    score: Grade


class Factuality(Record):
    """Whether a source supports a sentence: fully, partly, not."""

    explanation: str
    label: Label


def prompts() -> Mapping[str, Prompt]:
    """The prompts by stage; the questions about a source's sentences share the source."""
    texts = {name: load_prompt(__file__, name) for name in (QUALITY, REDUNDANCY, FACTUALITY)}
    source = load_prompt(__file__, "factuality_source")
    return {**texts, FACTUALITY: replace(texts[FACTUALITY], shared=source.text)}


def _pair_item(unit: Unit, pair: tuple[int, int]) -> str:
    return f"{unit}:{pair[0]}~{pair[1]}"


async def judge(subject: Subject, judge_session: JudgeSession, unit: Unit) -> None:
    """Asks for all missing verdicts. A report that the released code skips is asked only about factuality."""
    is_released = judge_session.rules == RELEASED
    report = subject.report or ""
    units = released_units(report) if is_released else units_of(report, subject.evidence, unit)
    if not (is_released and units.lacking):
        await _grade(subject, judge_session)
    await _compare(units, unit, subject, judge_session)
    await _check(subject, judge_session)


async def _grade(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the five grades, by one question. Under the released rules the report is shown as written."""
    is_released = judge_session.rules == RELEASED
    report = tagged("report", subject.report or "") if is_released else report_and_sources(subject)[0]
    material = {"query": tagged("query", subject.query.text), "report": report}

    def read(grades: Grades) -> dict[str, Ruling]:
        return {
            dimension: Ruling(getattr(grades, dimension), getattr(grades.reason, dimension).strip())
            for dimension in DIMENSIONS
        }

    def check(grades: Grades) -> str | None:
        empty = [dimension for dimension in DIMENSIONS if not getattr(grades.reason, dimension).strip()]
        return f"reason: it is empty for {', '.join(empty)}" if empty else None

    prompt = prompts()[QUALITY]
    await judge_session.ask_and_record(
        JudgeQuestion(QUALITY, REPORT, prompt, material, Grades, read, check, items=DIMENSIONS)
    )


async def _compare(units: Units, unit: Unit, subject: Subject, judge_session: JudgeSession) -> None:
    """Records the pairs, and a score for each judged pair. The sample depends on report and unit only."""
    pairs = units.pairs(f"{unit} {subject.report_sha}")
    details = {"units": len(units.texts), "possible": units.possible, "pairs": [[*pair] for pair in pairs]}
    state: VerdictState = "na" if units.lacking else "scored"
    judge_session.record_if_missing(UNITS_STAGE, unit, state, details, reason=units.lacking)
    prompt = prompts()[REDUNDANCY]

    def question(pair: tuple[int, int]) -> JudgeQuestion[Repetition]:
        passages = "\n\n".join(tagged("part", units.texts[index], id=str(n)) for n, index in enumerate(pair, 1))
        # No shared beginning: pairs share only the instructions, which are too short for a provider's cache.
        return JudgeQuestion(REDUNDANCY, _pair_item(unit, pair), prompt, {"passages": passages}, Repetition, read)

    def read(answer: Repetition) -> Ruling:
        notes = (f"confidence {answer.confidence.strip()}",)
        return Ruling(answer.score, answer.explanation.strip(), "", answer.repetitions_found, notes)

    await judge_session.ask_and_record(*map(question, pairs))


async def _check(subject: Subject, judge_session: JudgeSession) -> None:
    """Records which sentences cite which sources, and a label for each sentence and readable source."""
    pairs, unresolved = cited_sentences(subject.report or "", subject.evidence)
    details = {"pairs": [pair.model_dump() for pair in pairs], "unresolved": unresolved}
    reason = "" if pairs else "no sentence cites a page or a product that can be told"
    judge_session.record_if_missing(CITED, REPORT, "scored" if pairs else "na", details, reason=reason)
    prompt, support_judge = prompts()[FACTUALITY], SupportJudge(subject, judge_session, subject.evidence)
    questions: list[JudgeQuestion[Factuality]] = []
    for pair in pairs:
        content = content_of([pair.source], subject.evidence)
        if judge_session.rules == RELEASED and content.unreadable:
            # The released code shows its judge the text "None" for an unreadable page.
            text = EvidenceText(form="page", text="None", shown=False, path="0", seq=0)
            content = Content((SourceText(pair.source, text),))
        if content.texts:
            texts = fitted(content.texts, [pair.sentence], judge_session.room)
            questions.append(
                JudgeQuestion(
                    FACTUALITY,
                    pair.item,
                    prompt,
                    {"source": source_tags(texts), "sentence": tagged("claim", pair.sentence)},
                    Factuality,
                    lambda answer: Ruling(answer.label, answer.explanation.strip()),
                    begins_with=pair.source,
                    sources=[text.ref for text in texts],
                    notes=[SOURCE_CUT] if any(text.share is not None for text in texts) else [],
                )
            )
        else:
            state, reason = support_judge.unread(content)
            judge_session.record_if_missing(FACTUALITY, pair.item, state, reason=reason)
    await judge_session.ask_and_record(*questions)


POSSIBLE, SCORED = "pairs_possible", "pairs_scored"
SUPPORT, STRONG, PARTIAL, NONE = "support", "strong_support", "partial_support", "no_support"
FACTUAL = (SUPPORT, STRONG, PARTIAL, NONE)
_OF_UNIT: Mapping[Unit, str] = {"section": "", "paragraph": "_paragraph"}
OF_UNITS = tuple(f"{name}{_OF_UNIT[unit]}" for unit in UNITS for name in (REDUNDANCY, POSSIBLE, SCORED))
"""Variants of a unit that was not judged are left out."""
VARIANTS = (*DIMENSIONS, *OF_UNITS, *FACTUAL)


def values(verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    """One report's values, in the order of ``VARIANTS``."""
    by_place = {(verdict.stage, verdict.item): verdict for verdict in verdicts}
    units: tuple[Unit, ...] = ("section",) if rules == RELEASED else UNITS
    shown = [
        *[value_of(dimension, by_place.get((QUALITY, dimension))) for dimension in DIMENSIONS],
        *(value for unit in units for value in _redundancy(by_place, unit)),
    ]
    return [*(_released(shown) if rules == RELEASED else shown), *_factuality(by_place)]


ByPlace = Mapping[tuple[str, str], Verdict]


def _redundancy(by_place: ByPlace, unit: Unit) -> list[Value]:
    """The mean score of the judged pairs, 4 without repetitions; nothing for a unit that was not judged."""
    cut = by_place.get((UNITS_STAGE, unit))
    if cut is None:
        return []
    judged = [by_place.get((REDUNDANCY, _pair_item(unit, (first, second)))) for first, second in cut.value["pairs"]]
    scores = [float(verdict.value) for verdict in judged if verdict is not None and verdict.state == "scored"]
    counts = {"units": cut.value["units"], POSSIBLE: cut.value["possible"], SCORED: len(scores)}
    state, mean = _mean(scores, _states(judged))
    if None in judged:  # not judged completely: the first pairs are no random sample
        state, mean = "failed", None
    counts |= {"pairs_failed": len(judged) - len(scores), **no_value(REDUNDANCY, state, cut.reason).items}
    redundancy, possible, scored = (f"{name}{_OF_UNIT[unit]}" for name in (REDUNDANCY, POSSIBLE, SCORED))
    return [
        Value(redundancy, state, mean, counts),
        Value(possible, "scored", float(counts[POSSIBLE])),
        Value(scored, "scored", float(counts[SCORED])),
    ]


def _released(shown: Sequence[Value]) -> list[Value]:
    """The same by the released code, which discards a report without grades or without a scored pair."""
    whole = {value.variant: value for value in shown}
    skipped = REDUNDANCY not in whole or whole[REDUNDANCY].state == "na"
    lacks = any(whole[name].state != "scored" for name in (*DIMENSIONS, REDUNDANCY) if name in whole)
    if not lacks and not skipped:
        return list(shown)
    state: VerdictState = "na" if skipped else "failed"
    why = no_value(REDUNDANCY, state, reason_in(shown)).items
    dropped = (*DIMENSIONS, REDUNDANCY)
    return [
        Value(value.variant, state, None, {**value.items, **why}) if value.variant in dropped else value
        for value in shown
    ]


def _factuality(by_place: ByPlace) -> list[Value]:
    """The mean label, and the share of each label; pairs that could not be read or judged do not count."""
    cited = by_place.get((CITED, REPORT))
    if cited is None:
        return [Value(name, "failed") for name in FACTUAL]
    judged = [by_place.get((FACTUALITY, pair["item"])) for pair in cited.value["pairs"]]
    labels = [float(verdict.value) for verdict in judged if verdict is not None and verdict.state == "scored"]
    states = _states(judged)
    by_label = Counter(labels)
    items: dict[str, float] = {
        "pairs": len(judged),
        "scored": len(labels),
        "full": by_label[1],
        "partial": by_label[0],
        "none": by_label[-1],
        "unverifiable": states.count("unverifiable"),
        "unfetched": states.count("na"),
        "failed": states.count("failed"),
        "unresolved": cited.value["unresolved"],
    }
    state, mean = _mean(labels, states)
    if None in judged or mean is None:
        state = "failed" if None in judged else state
        items |= no_value(SUPPORT, state, UNFETCHED_PAGES if judged else cited.reason).items
        return [Value(name, state, None, items) for name in FACTUAL]
    shares = {STRONG: by_label[1], PARTIAL: by_label[0], NONE: by_label[-1]}
    return [
        Value(SUPPORT, "scored", mean, items),
        *(Value(name, "scored", count / len(labels)) for name, count in shares.items()),
    ]


def _states(judged: Sequence[Verdict | None]) -> list[VerdictState]:
    return ["failed" if verdict is None else verdict.state for verdict in judged]


def _mean(numbers: Sequence[float], states: Sequence[VerdictState]) -> tuple[VerdictState, float | None]:
    if numbers:
        return "scored", sum(numbers) / len(numbers)
    return gravest(states) or "na", None


DESCRIPTION = description_of("report_eval", DESCRIPTIONS)


def _metric(unit: Unit) -> Metric:
    """The framework of arXiv 2510.07861. The pairs of this unit are judged; verdicts of both units are read."""
    return Metric(
        "report_eval",
        1,
        lambda subject, judge_session: judge(subject, judge_session, unit),
        lambda subject, verdicts, rules: values(verdicts, rules),
        VARIANTS,
        DESCRIPTION,
        lambda: prompts().values(),
        rules=RULES if unit == "section" else ("default",),  # the released code knows sections alone
        is_opinion=True,
    )


METRIC = _metric("section")
BY_PARAGRAPHS = _metric("paragraph")
"""The same metric, comparing pairs of paragraphs."""
