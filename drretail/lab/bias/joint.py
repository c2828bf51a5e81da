"""Does the judge rate all dimensions in one call as it does in a call each?"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, partial

from drretail.eval.families.quality.score import Rating, criteria, prompt_for
from drretail.eval.judging.dimensions import DIMENSIONS, PERSONALIZATION, criterion_of
from drretail.eval.judging.material import picks_with_prices, report_material, shopper_context
from drretail.eval.judging.subject import Subject
from drretail.lab.bias.effects import by_query, differences, drawn
from drretail.lab.bias.probe import Case, Effects, Probe, ProbeQuestion, QuestionPlace, Report
from drretail.prompts import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.score import Rules
from drretail.stats.agreement import pearson_of_sums, pearson_sums

NAME = "joint"
RULES: Rules = "default"


class SixRatings(Record):
    """What a report gets under the criteria that need no profile."""

    clarity: Rating
    depth: Rating
    breadth: Rating
    insightfulness: Rating
    constraint_following: Rating
    overall: Rating


class SevenRatings(SixRatings):
    """What a report gets under all criteria."""

    personalization: Rating


@cache
def joint_prompt(*, with_profile: bool) -> Prompt:
    """All criteria behind what each dimension's own question begins with."""
    dimensions = [dimension for dimension in DIMENSIONS if with_profile or dimension != PERSONALIZATION]
    sections = (
        f"## {dimension}\n{criterion_of(criteria()[dimension], RULES)}\n{criteria()[dimension]['anchors']}"
        for dimension in dimensions
    )
    text = load_prompt(__file__, "joint").text.replace("{{criteria}}", "\n\n".join(sections))
    return Prompt("joint", text, prompt_for("overall").shared)


def _questions(case: Case) -> list[ProbeQuestion]:
    def values(subject: Subject) -> Mapping[str, str]:
        return {**shopper_context(subject), **report_material(subject), "picks": picks_with_prices(subject, RULES)}

    return [
        ProbeQuestion(
            QuestionPlace.of(subject),
            "all",
            joint_prompt(with_profile=subject.profile is not None),
            partial(values, subject),
            SixRatings if subject.profile is None else SevenRatings,
            lambda answer: {name: float(rating["rating"]) for name, rating in answer.model_dump().items()},
        )
        for subject in case.reports.subjects
    ]


def _find(case: Case) -> Effects | str:
    """By how much ratings of one call are above those of single calls, and how the two go together."""
    pairs: dict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for question, together in case.answers(NAME, _questions(case)):
        place: Report = question.about.label, question.about.run.rpartition("-r")[0]
        for dimension in DIMENSIONS:
            alone = case.ratings[dimension].get(place)
            if alone is not None and dimension in together:
                pairs[dimension].append((place[1], float(together[dimension]), alone))
    if not pairs:
        return "no report was rated both ways"
    above = {dimension: by_query((query, one - other) for query, one, other in of) for dimension, of in pairs.items()}
    rated_twice = {"all": [pair for of in pairs.values() for pair in of], **pairs}
    sums = {dimension: pearson_sums(sorted(of)) for dimension, of in rated_twice.items()}
    return [
        *differences("in one call minus in single calls", above),
        *(
            drawn(
                "correlation", of, pearson_of_sums, case.seed, dimension=dimension, n_items=len(rated_twice[dimension])
            )
            for dimension, of in sums.items()
        ),
    ]


PROBE = Probe(NAME, "Does it rate dimensions together as it does apart?", ("quality",), _find, _questions)
