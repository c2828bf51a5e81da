"""The tests that are corrected together: each system against one baseline, in every headline and in ``done``."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from drretail.errors import UserError
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.subject import Labels, research_labels, resolve_name
from drretail.eval.metric import Metric
from drretail.eval.numbers.contrast import DONE, OF_DONE, Contrasts, Measure, Unread, concluded, explored
from drretail.eval.numbers.gathering import Gathered
from drretail.eval.numbers.judges import BY_CODE, Assessor, judge_spec
from drretail.eval.numbers.wording import PREFERENCE, primary_variants
from drretail.eval.registry import CONVERSATION, PAIRWISE
from drretail.experiments.experiment import Definition
from drretail.records.comparison import ComparedRow, PairScore
from drretail.records.run import TURN_FLOORS, Place, place_of
from drretail.records.score import CODE

ALL_PAIRS = "all"
"""As a baseline: every system is compared with every other one."""


Family = Mapping[tuple[Measure, Labels], ComparedRow]
"""The concluded row of each headline and pair of systems."""
_Rows = dict[tuple[Measure, Labels], ComparedRow]


def assessors_of(gathered: Gathered, pairs: Iterable[PairScore] = (), judges: Sequence[str] = ()) -> list[Assessor]:
    """Whose numbers are compared: those who were asked last or, by all rules, the named ``judges``; and code, which
    knows what is ``done``.

    Code comes last. Raises as ``resolve_name`` does.
    """
    every = {*gathered.assessors(), *map(Assessor.of, pairs), OF_DONE.assessor}
    specs = {assessor.judge.spec for assessor in every} - {CODE}
    chosen = {resolve_name("judge with verdicts here", judge, specs) for judge in judges}
    compared = [
        assessor
        for assessor in every
        if (assessor.judge.spec in {*chosen, CODE} if chosen else gathered.board.has(*assessor))
    ]
    return sorted(compared, key=lambda assessor: (assessor.judge.spec == CODE, assessor.order))


def chosen_pairs(
    definition: Definition, a: str | None = None, b: str | None = None, baseline: str | None = None
) -> tuple[list[Labels], list[Labels]]:
    """The pairs that are shown, and all pairs whose tests are corrected together.

    Each system is compared with the baseline: ``b``, or ``baseline``, or the system that the experiment named first.
    The baseline "all" pairs each with each. With ``a``, that system alone is shown. Labels may be shortened to a
    beginning that no other label has. Null agents and the oracle are compared only by name. Raises UnknownName for a
    label that matches no system, and UserError if one matches several or if there is nothing to compare.
    """
    labels = research_labels(definition)
    if baseline == ALL_PAIRS and b is None:
        family = list(combinations(labels, 2))
        base = None
    else:
        other_label = b or baseline
        first = definition.baseline if definition.baseline in labels else next(iter(labels), "")
        base = resolve_name("system", other_label, definition.systems) if other_label is not None else first
        family = [(label, base) for label in labels if label != base]
    shown = family
    if a is not None:
        label = resolve_name("system", a, definition.systems)
        if label == base:
            raise UserError(f"{a!r} and the baseline are both {label}: name two systems, or another --baseline.")
        shown = [pair for pair in family if label in pair]
        if not shown and base is not None:
            shown = [(label, base)]
            family = [*family, *shown]
        shown = [(label_a, other) if label_a == label else (other, label_a) for label_a, other in shown]
    if not shown:
        present = ", ".join(sorted(definition.systems)) or "no system"
        raise UserError(f"The experiment holds {present}: nothing to compare. Run another system into it, or name two.")
    return shown, family


def family_of(
    gathered: Gathered,
    pairs: Collection[Labels],
    assessors: Sequence[Assessor],
    preferences: Sequence[PairScore] = (),
    metrics: Collection[str] | None = None,
) -> Family:
    """Tests these pairs in every headline of these judges, in overall preferences and in ``done``, all corrected
    together (Holm).
    """
    return corrected([uncorrected(gathered, pairs, assessors, preferences, metrics)], gathered)[0]


def uncorrected(
    gathered: Gathered,
    pairs: Collection[Labels],
    assessors: Sequence[Assessor],
    preferences: Sequence[PairScore] = (),
    metrics: Collection[str] | None = None,
) -> Family:
    """The rows of a family before their correction.

    Left out are headlines in which nothing was to be measured, and ``done`` where no run failed.
    """
    rows, contrasts = _Rows(), Contrasts(gathered)
    for assessor in assessors:
        for name, metric in gathered.metrics.items():
            if (metrics is not None and name not in metrics) or not gathered.rates(assessor, metric):
                continue
            for variant in primary_variants(metric):
                measure = Measure(assessor, name, variant)
                flat = _tells_nothing(contrasts, metric, measure)
                new_rows = {
                    (measure, pair): contrasts.row(measure, *pair, gathered.unread(assessor, name, pair) or flat)
                    for pair in pairs
                }
                rows |= new_rows if any(row.n_due for row in new_rows.values()) else {}
    for row in (row for row in preferences if row.dimension == PRIMARY and row.note is None and row.n_scored):
        for pair in pairs:
            if {*pair} == {row.a, row.b}:
                rows[_preference(row), pair] = (row if row.a == pair[0] else row.turned).contrast
    ended = {(OF_DONE, pair): contrasts.row(OF_DONE, *pair) for pair in pairs}
    rows |= {key: row for key, row in ended.items() if (row.mean_a, row.mean_b) != (1, 1)}
    return rows


def corrected(parts: Sequence[Family], gathered: Gathered) -> list[Family]:
    """The rows of all parts of the queries, or of one, with what follows from them: corrected for each other, whoever
    judged them.
    """
    keys = [(at, *key) for at, part in enumerate(parts) for key in part]
    rows = concluded([parts[at][headline, pair] for at, headline, pair in keys], gathered.clusters)
    families: list[_Rows] = [{} for _ in parts]
    for (at, headline, (a, b)), row in zip(keys, rows, strict=True):
        assessor = headline.assessor
        rules = "" if assessor.rules == "default" else f" (rules {assessor.rules})"
        about = {"a": a, "b": b, "judge": f"{judge_spec(assessor.judge)}{rules}"}
        families[at][headline, (a, b)] = row.model_copy(update=about)
    return [*families]


def _bounds(label: str, gathered: Gathered, metric: Metric) -> Place | None:
    """A system's place; None for a floor of conversations where it is the oracle: in other metrics, and first turns."""
    systems = gathered.definition.systems
    is_told = metric.name != CONVERSATION or not any(plan.query.after for plan in gathered.plans)
    is_of_turns = label in systems and systems[label].agent in TURN_FLOORS
    return None if is_of_turns and is_told else place_of(label, systems)


def floors_of(gathered: Gathered) -> Family:
    """Tests each system that researches against the best null agent in the first headline by code that oracles bound,
    corrected for each other; empty without such a headline or agent. Of equal null agents, the metric's other successes
    decide: hardly any gets a whole conversation right.
    """
    contrasts = Contrasts(gathered)
    bounded = [metric for metric in gathered.metrics.values() if metric.description.bounded_by_oracle]
    for metric in (metric for metric in bounded if primary_variants(metric)):
        variant = primary_variants(metric)[0]
        measures = [Measure(BY_CODE, metric.name, name) for name in (variant, *metric.description.success)]
        means = {
            label: [contrasts.sides(measure)[label].mean or 0.0 for measure in measures]
            for label, side in contrasts.sides(measures[0]).items()
            if _bounds(label, gathered, metric) == "floor" and side.mean is not None
        }
        if means:
            best = max(means, key=lambda label: means[label])
            pairs = [(label, best) for label in research_labels(gathered.definition)]
            family = family_of(gathered, pairs, [BY_CODE], metrics=[metric.name])
            return {key: row for key, row in family.items() if key[0].variant == variant}
    return {}


def _tells_nothing(contrasts: Contrasts, metric: Metric, measure: Measure) -> Unread:
    """Why nothing is concluded where a null agent does as well as the oracle: such queries tell no systems apart."""
    if not metric.description.bounded_by_oracle:
        return None
    means: dict[str, dict[str, float]] = {"floor": {}, "ceiling": {}}
    for label, side in contrasts.sides(measure).items():
        place, mean = _bounds(label, contrasts.gathered, metric), side.mean
        if place in means and mean is not None:
            means[place][label] = mean
    most = max(means["ceiling"].values(), default=None)
    best = max(means["floor"], key=lambda label: means["floor"][label], default="")
    if most is None or not best or means["floor"][best] < most:
        return None
    return "missing", f"{best} does as well as the oracle ({most:.2f}), so these queries tell no systems apart"


def tested(family: Family, headline: Measure, a: str, b: str) -> ComparedRow | None:
    """The row of two systems in a headline, whichever is the baseline; None if it is not tested."""
    row, other = family.get((headline, (a, b))), family.get((headline, (b, a)))
    return row or (other and other.turned)


def with_conclusions(pairs: Sequence[PairScore], family: Family) -> tuple[PairScore, ...]:
    """The same rows, with overall preferences concluded as part of the family; the others are exploratory."""
    rows: list[PairScore] = []
    for row in pairs:
        concluded_row = tested(family, _preference(row), row.a, row.b) if row.dimension == PRIMARY else None
        rows.append(row.model_copy(update={"contrast": concluded_row or explored(row.contrast)}))
    return tuple(rows)


def _preference(row: PairScore) -> Measure:
    return Measure(Assessor.of(row), PAIRWISE, PRIMARY)


ALONE = "One system researches: there is nothing to compare it with."


def nothing_to_compare(gathered: Gathered) -> str:
    """Why no two systems are compared: only one researches, or every run failed; empty if systems can be compared.

    "All 20 runs failed (no_research): nothing was compared." is the reason only if no run left a report or is still to
    be made.
    """
    labels = research_labels(gathered.definition)
    plans = [plan for plan in gathered.plans if plan.label in labels]
    if plans and all(plan.status in ("failed", "spoiled") for plan in plans):
        kinds = ", ".join(dict.fromkeys(plan.error for plan in plans if plan.error))
        which = "The only run" if len(plans) == 1 else f"All {len(plans):,} runs"
        return f"{which} failed{f' ({kinds})' if kinds else ''}: nothing was compared."
    return "" if len(labels) > 1 else ALONE


def board_rows(
    gathered: Gathered, assessors: Sequence[Assessor], called: Mapping[tuple[str, str], str], family: Family
) -> Iterator[ComparedRow]:
    """The rows of the family for the board, measure by measure; none if ``nothing_to_compare`` gives a reason.

    Each metric is taken from the first of ``assessors`` that judged it. ``called`` gives a column's name by metric and
    variant. Preferences are by the first of the board's judges that has any.
    """
    if nothing_to_compare(gathered):
        return
    first = {
        name: next((assessor for assessor in assessors if assessor in gathered.assessors(name)), None)
        for name in gathered.metrics
    }
    first[DONE] = BY_CODE
    first[PAIRWISE] = gathered.board.first(key.assessor for key, _ in family if key.metric == PAIRWISE)
    for metric, assessor in first.items():
        for (headline, _), row in family.items():
            if (headline.metric, headline.assessor) == (metric, assessor):
                name = PREFERENCE if metric == PAIRWISE else called.get((metric, headline.variant), row.name)
                yield row.model_copy(update={"name": name})
