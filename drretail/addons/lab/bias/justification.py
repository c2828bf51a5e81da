"""Whether a judge's verdicts follow from its reasons: it is asked again, blind, with the reasons alone."""

from collections.abc import Mapping
from functools import cache
from typing import Literal

from drretail.addons.lab.bias.probe import (
    Case,
    Effects,
    Probe,
    ProbeQuestion,
    QuestionPlace,
    by_query,
    difference,
    differences,
    share,
    shares,
)
from drretail.eval.claims.claims import SUPPORT
from drretail.eval.judging.dimensions import DIMENSIONS, criterion_of
from drretail.eval.judging.subject import Subject
from drretail.eval.metrics.quality import STAGE, criteria
from drretail.eval.registry import load_metric
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.score import Verdict

NAME = "justification"
APART = 2
"""Points from which two ratings differ: a reader of a justification is as unsure by one point as its writer."""
_SUPPORTS: Mapping[str, float] = {"full_support": 1.0, "partial_support": 0.5, "no_support": 0.0, "contradicted": 0.0}


class DerivedRating(Record):
    """The rating that a justification leads to."""

    reading: str
    rating: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


class DerivedSupport(Record):
    """The label that a justification leads to."""

    reading: str
    label: Literal["full_support", "partial_support", "no_support", "contradicted"]


@cache
def rating_prompt(dimension: str) -> Prompt:
    """The prompt for a justification of a rating in this dimension; its hash covers the criterion's wording too."""
    criterion = criteria()[dimension]
    shown = criterion_of({name: text for name, text in criterion.items() if name != "picks"})
    text = load_prompt(__file__, "derive_rating").text.replace("{{criterion}}", shown)
    return Prompt("derive_rating", text.replace("{{anchors}}", criterion["anchors"]))


def _questions(case: Case) -> list[ProbeQuestion]:
    questions: list[ProbeQuestion] = []
    for subject in case.reports.subjects:
        verdicts = case.verdicts(load_metric("quality"), subject)
        rated = {verdict.item: verdict for verdict in verdicts if verdict.stage == STAGE}
        for dimension in DIMENSIONS:
            verdict = rated.get(dimension)
            reason = verdict.reason if verdict is not None and verdict.state == "scored" else ""
            if reason:
                prompt = rating_prompt(dimension)
                questions.append(_question(subject, f"{STAGE}/{dimension}", reason, prompt, DerivedRating))
        prompt = load_prompt(__file__, "derive_support")
        questions += [
            _question(subject, f"{SUPPORT}/{verdict.item}", verdict.reason, prompt, DerivedSupport)
            for verdict in _ruled(case, subject)
        ]
    return questions


def _ruled(case: Case, subject: Subject) -> list[Verdict]:
    ruled = case.verdicts(load_metric("faithfulness"), subject)
    return [verdict for verdict in ruled if verdict.stage == SUPPORT and verdict.state == "scored" and verdict.reason]


def _question(subject: Subject, place: str, reason: str, prompt: Prompt, answer: type[Record]) -> ProbeQuestion:
    """The item includes a hash of the reason, so that another reason is another question."""
    return ProbeQuestion(
        QuestionPlace.of(subject),
        f"{place}/{sha256_of(reason)[:12]}",
        prompt,
        lambda: {"justification": tagged("justification", reason)},
        answer,
        lambda answer: float(answer.rating) if isinstance(answer, DerivedRating) else _SUPPORTS[answer.label],
    )


def _find(case: Case) -> Effects | str:
    """How often a rating differs from the one that its reasons lead to, and by how much it is higher."""
    queries = {QuestionPlace.of(subject): subject.query.query_id for subject in case.reports.subjects}
    values: dict[tuple[QuestionPlace, str, str], float] = {}
    for subject in case.reports.subjects:
        rated = [verdict for verdict in case.verdicts(load_metric("quality"), subject) if verdict.state == "scored"]
        for verdict in (*rated, *_ruled(case, subject)):
            values[QuestionPlace.of(subject), verdict.stage, verdict.item] = float(verdict.value)
    above: dict[str, list[tuple[str, float]]] = {dimension: [] for dimension in (*DIMENSIONS, SUPPORT)}
    for question, derived in case.answers(NAME, _questions(case)):
        what, item = question.item.split("/")[:2]
        excess = values[question.about, what, item] - float(derived)
        above[item if what == STAGE else SUPPORT].append((queries[question.about], excess))
    ratings = {dimension: by_query(above[dimension]) for dimension in DIMENSIONS if above[dimension]}
    effects = []
    if ratings:
        apart = {
            rating: {q: [float(abs(v) >= APART) for v in its] for q, its in of.items()}
            for rating, of in ratings.items()
        }
        effects += shares(f"ratings {APART} points or more off", apart, case.clusters)
        effects += differences("rating minus what its reasons lead to", ratings, case.clusters)
    if above[SUPPORT]:
        support = by_query(above[SUPPORT])
        other = {query: [float(value != 0) for value in its] for query, its in support.items()}
        effects.append(share("labels of claims that are others", other, case.clusters, dimension=SUPPORT))
        name = "support minus what its reasons lead to"
        effects.append(difference(name, support, case.clusters, dimension=SUPPORT, unit="share"))
    return effects or "no verdict with a justification was looked at"


PROBE = Probe(NAME, "Does what it says follow from the reasons that it gives?", ("quality",), _find, _questions)
