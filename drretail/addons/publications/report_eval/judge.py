"""One question for all grades of a report, one for each pair of its units, one for each sentence and source."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import field_validator

from drretail.addons.publications.report_eval.units import Unit, Units, cited_sentences, released_units, units_of
from drretail.eval.claims.claims import Content, SourceText, content_of, fitted, source_tags
from drretail.eval.claims.rulings import SOURCE_CUT, UNFETCHED
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.readings import report_and_sources
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record, Rules, sha256_of
from drretail.records.evidence import EvidenceText
from drretail.records.reading import WHOLE_NUMBER

RELEASED: Rules = "hkuds"
"""The rules of the released code."""
RULES: tuple[Rules, ...] = ("default", RELEASED)
DIMENSIONS = ("comprehensiveness", "coherence", "clarity", "insightfulness", "overall")
QUALITY, UNITS_STAGE, REDUNDANCY, CITED, FACTUALITY = "quality", "units", "redundancy", "cited", "factuality"
"""Stages: grades; the pairs that are judged, by unit, and each pair's score; sentences that cite sources, and their
labels.
"""
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


def pair_item(unit: Unit, pair: tuple[int, int]) -> str:
    """The item of a pair's score."""
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
    details: dict[str, Any] = {
        "units": len(units.texts),
        "possible": units.possible,
        "pairs": [[*pair] for pair in pairs],
    }
    judge_session.record_if_missing(
        UNITS_STAGE, unit, "na" if units.lacking else "scored", details, reason=units.lacking
    )
    prompt = prompts()[REDUNDANCY]

    def question(pair: tuple[int, int]) -> JudgeQuestion[Repetition]:
        passages = "\n\n".join(tagged("part", units.texts[index], id=str(n)) for n, index in enumerate(pair, 1))
        # No shared beginning: pairs share only the instructions, which are too short for a provider's cache.
        return JudgeQuestion(REDUNDANCY, pair_item(unit, pair), prompt, {"passages": passages}, Repetition, read)

    def read(answer: Repetition) -> Ruling:
        notes = (f"confidence {answer.confidence.strip()}",)
        return Ruling(answer.score, answer.explanation.strip(), "", answer.repetitions_found, notes)

    await judge_session.ask_and_record(*map(question, pairs))


async def _check(subject: Subject, judge_session: JudgeSession) -> None:
    """Records which sentences cite which sources, and a label for each sentence and readable source."""
    cited = cited_sentences(subject.report or "", subject.evidence)
    details = {"pairs": [cited_pair.model_dump() for cited_pair in cited.pairs], "unresolved": cited.unresolved}
    reason = "" if cited.pairs else "no sentence cites a page or a product that can be told"
    judge_session.record_if_missing(CITED, REPORT, "scored" if cited.pairs else "na", details, reason=reason)
    prompt = prompts()[FACTUALITY]
    questions: list[JudgeQuestion[Factuality]] = []
    for pair in cited.pairs:
        content = content_of([pair.source], subject.evidence)
        if judge_session.rules == RELEASED and content.unreadable:
            # The released code shows its judge the text "None" for an unreadable page.
            text = EvidenceText(sha256=sha256_of("None"), form="page", text="None", shown=False, path="0", seq=0)
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
        elif content.unfetched:
            reason = UNFETCHED.format(pages=pair.source)
            judge_session.record_if_missing(FACTUALITY, pair.item, "na", reason=reason)
        else:
            reason = f"{pair.source} could not be read"
            judge_session.record_if_missing(FACTUALITY, pair.item, "unverifiable", reason=reason)
    await judge_session.ask_and_record(*questions)
