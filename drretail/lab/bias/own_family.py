"""Are systems on the judge's own family of models rated higher than others rate them?"""

from collections import defaultdict
from collections.abc import Iterator
from statistics import fmean

from drretail.lab.bias.effects import by_query, difference, over_dimensions
from drretail.lab.bias.probe import Case, Effects, Probe, Report
from drretail.lab.opinions import RATING, opinions_of
from drretail.records.run import System

NAME = "own_family"
_FAMILIES = {
    "claude": "anthropic",
    "gpt": "openai",
    "chatgpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "gemini": "google",
    "gemma": "google",
    "llama": "meta",
    "mistral": "mistral",
    "mixtral": "mistral",
    "ministral": "mistral",
    "magistral": "mistral",
    "qwen": "qwen",
    "qwq": "qwen",
    "deepseek": "deepseek",
    "grok": "xai",
}
"""By how a model's name begins, whose it is: several providers serve one maker's models."""


def family_of(spec: str) -> str:
    """Whose model "provider:model" is, by its name; the provider where the name says nothing."""
    provider, _, model = spec.partition(":")
    name = model.rpartition("/")[2].casefold()
    return next((maker for begins, maker in _FAMILIES.items() if name.startswith(begins)), provider)


def is_of_family(system: System, family: str) -> bool:
    """Whether a model of the system is of that family."""
    return any(family_of(model.spec) == family for model in system.models.values())


def _find(case: Case) -> Effects | str:
    """How much more than others the judge gives its own family's reports, minus the same of all other reports."""
    family = family_of(case.judge.ref.spec)
    own = {subject.label: is_of_family(subject.system, family) for subject in case.reports.subjects}
    if len({*own.values()}) < 2:
        which = "every system is" if any(own.values()) else "no system is"
        return f"{which} on a model of {family}, the judge's own family"
    others = _others(case, family)
    if not others:
        return f"nobody else rated these reports: neither people nor a judge that is not of {family}"
    gaps = {
        dimension: by_query(_gaps(rated, others.get(dimension, {}), own)) for dimension, rated in case.ratings.items()
    }
    if not any(gaps.values()):
        return "on no query were reports of both kinds rated by the judge and by others"
    return [
        difference(f"{family}'s reports above the others'", values, dimension=dimension)
        for dimension, values in over_dimensions(gaps)
    ]


def _others(case: Case, family: str) -> dict[str, dict[Report, float]]:
    """By dimension the mean of what people and judges of other families gave each report."""
    given: dict[str, dict[Report, list[float]]] = defaultdict(lambda: defaultdict(list))
    shas = {(subject.run_id, subject.report_sha) for subject in case.reports.subjects}
    for opinion in opinions_of(case.experiment):
        is_other = opinion.kind == "person" or family_of(opinion.rater.partition(" ")[0]) != family
        if opinion.question.scale == RATING and is_other and tuple(opinion.item.split(" ")) in shas:
            given[opinion.question.dimension][opinion.system, opinion.query_id].append(opinion.value)
    return {dimension: {report: fmean(values) for report, values in of.items()} for dimension, of in given.items()}


def _gaps(rated: dict[Report, float], others: dict[Report, float], own: dict[str, bool]) -> Iterator[tuple[str, float]]:
    above: dict[str, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
    for (label, query), value in rated.items():
        if label in own and (label, query) in others:
            above[query][own[label]].append(value - others[label, query])
    yield from (
        (query, fmean(by_kind[True]) - fmean(by_kind[False]))
        for query, by_kind in above.items()
        if by_kind[True] and by_kind[False]
    )


PROBE = Probe(NAME, "Does it rate its own family's reports higher than others do?", ("quality",), _find)
