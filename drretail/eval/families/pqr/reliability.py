"""Reliability of PQR (000 equations 3 to 5): how many facts cite something, and how many are borne out. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from drretail.eval.triplets.facts import Fact, JudgedFacts, JudgedReference
from drretail.eval.values import UNFETCHED_PAGES, Value, gravest, lacking
from drretail.records.base import Rules
from drretail.records.score import VerdictState

FA, CC, FA_STRICT, N_TOTAL, N_CITED = "FA", "CC", "FA_strict", "N_total", "N_cited"
LITERAL = "_triplets"
"""What ends the names of variants by the paper's counting: each (fact, reference) once, whatever can't be read 0."""
TOP = 10
NO_FACT = "it states no fact that could be checked"
NO_CITED_FACT = "no fact of the report cites a source"


def reliability_values(judged: JudgedFacts | None, rules: Rules) -> list[Value]:
    """FA and CC by the rules asked for and by the paper's counting, and how many facts there are."""
    names = (FA, CC, FA_STRICT, f"{FA}{LITERAL}", f"{CC}{LITERAL}", N_TOTAL, N_CITED)
    if judged is None:
        return [Value(name, "failed") for name in names]
    ours, literal = _by_fact(judged), _by_triplet(judged)
    chosen = literal if rules == "paper" else ours
    why = NO_FACT if not judged.facts else UNFETCHED_PAGES if any(judged.pairs) else NO_CITED_FACT

    # A report that states or cites nothing earns no reliability; pages that nobody fetched are not its fault.
    earns = None if why == UNFETCHED_PAGES else 0.0

    def made(variant: str, state: VerdictState, value: float | None) -> Value:
        return lacking(variant, state, why, earns=earns) if value is None else Value(variant, state, value)

    return [
        made(FA, *chosen.accuracy),
        made(CC, *chosen.coverage),
        made(FA_STRICT, *_accuracy([_strict(*each) for each in _each(judged)], "na")),
        made(f"{FA}{LITERAL}", *literal.accuracy),
        made(f"{CC}{LITERAL}", *literal.coverage),
        Value(N_TOTAL, "scored", float(chosen.total)),
        Value(N_CITED, "scored", float(chosen.cited)),
    ]


Outcome = tuple[VerdictState | None, float]
"""What became of one fact or triplet: its state, None where it was not judged, and v."""
Scored = tuple[VerdictState, float | None]


@dataclass(frozen=True, slots=True)
class _Counted:
    """A report's facts, or its triplets, as one rule counts them."""

    total: int
    cited: int
    accuracy: Scored

    @property
    def coverage(self) -> Scored:
        """CC = 10 · N_cited / N_total."""
        return ("scored", TOP * self.cited / self.total) if self.total else ("na", None)


def _each(judged: JudgedFacts) -> Iterable[tuple[Fact, Sequence[JudgedReference]]]:
    return zip(judged.facts, judged.pairs, strict=True)


def _by_fact(judged: JudgedFacts) -> _Counted:
    """Ours: each fact once, cited where a reference of it comes to something, v the mean over what could be read."""
    outcomes = [_readable(pairs) for pairs in judged.pairs if pairs]
    return _Counted(len(judged.facts), len(outcomes), _accuracy(outcomes, "na"))


def _by_triplet(judged: JudgedFacts) -> _Counted:
    """Equations 3 to 5 to the letter: a fact counts once for each reference, and what can't be read is unsupported."""
    outcomes = [
        outcome
        for fact, pairs in _each(judged)
        for outcome in (*(_as_zero(pair) for pair in pairs), *[_ZERO] * len(fact.unresolved))
    ]
    uncited = sum(not fact.sources and not fact.unresolved for fact in judged.facts)
    accuracy = _accuracy(outcomes, "scored" if uncited else "na")
    return _Counted(len(outcomes) + uncited, len(outcomes), accuracy)


_ZERO: Outcome = ("scored", 0.0)


def _v(pair: JudgedReference) -> float:
    """Equation 4: 1 where the source supports the fact, 0 where it does not or nobody knows."""
    return float(pair.support == 1)


def _readable(pairs: Sequence[JudgedReference]) -> Outcome:
    """Of a fact: the mean over sources that could be read."""
    return _mean([(pair.state, _v(pair)) for pair in pairs])


def _strict(fact: Fact, pairs: Sequence[JudgedReference]) -> Outcome:
    """The same, with sources that could not be read, and references that come to nothing, as 0."""
    return _mean([*(_as_zero(pair) for pair in pairs), *[_ZERO] * len(fact.unresolved)])


def _as_zero(pair: JudgedReference) -> Outcome:
    return _ZERO if pair.state == "unverifiable" else (pair.state, _v(pair))


def _accuracy(outcomes: Sequence[Outcome], without: VerdictState) -> Scored:
    """FA = 10 · Σ v / N_cited over what was judged; ``without`` any citation it is that state, 0 where it is scored."""
    state, mean = _mean(outcomes, without)
    if state is None:
        return "failed", None
    return state, TOP * mean if state == "scored" else None


def _mean(outcomes: Sequence[Outcome], without: VerdictState = "na") -> Outcome:
    """The mean v of what was scored, or the gravest reason for its absence; ``without`` any outcome it is that.

    What was not judged to the end has none: what was asked first is no sample of it.
    """
    states: set[VerdictState | None] = {state for state, _ in outcomes}
    if None in states:
        return None, 0.0
    if scored := [v for state, v in outcomes if state == "scored"]:
        return "scored", fmean(scored)
    return gravest(states) or without, 0.0
