"""Whether a system refuses exactly the wishes that the shop can't meet, without a model (docs/scores.md)."""

from collections.abc import Callable, Mapping, Sequence

from drretail.eval.baskets import NOT_REQUIRED, Decided, decided_by
from drretail.eval.judging.question import NO_WORLD, CodeVerdict
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, all_lacking, by_code, description_of, of_verdicts
from drretail.records.query import NOT_TYPED, OF_TURNS, lack_in_words
from drretail.records.score import Verdict

OPEN = "whether the shop can meet the wish is neither proved nor refuted"


def decision(subject: Subject) -> CodeVerdict:
    """The report's decision, compared with the proof."""
    reference = subject.reference
    proof = None if reference is None else reference.proof
    if subject.is_turn or subject.query.wish is None:
        return CodeVerdict("na", None, OF_TURNS if subject.is_turn else NOT_TYPED)
    if not subject.query.wish.wants:
        return CodeVerdict("na", None, lack_in_words("no_things"))
    if subject.run is None or reference is None or proof is None:
        return CodeVerdict("na", None, NO_WORLD, keeps_existing=True)
    if proof.state == "open":
        return CodeVerdict("na", None, OPEN)
    if all(want.optional for want in subject.query.wish.wants):
        return CodeVerdict("na", None, NOT_REQUIRED)
    decided = decided_by(subject.case, reference)
    assert decided is not None
    declared = "nothing declared" if subject.run.outcome is None else subject.run.outcome.decision
    reason = f"{declared}; {proof.state} {proof.lack or ''}".strip()
    return CodeVerdict("scored", decided.model_dump(mode="json"), reason)


def _of(state: str, read: Callable[[Decided], bool]) -> Callable[[Decided], float | None]:
    """A reader of queries in one state; None for queries in the other."""
    return lambda decided: float(read(decided)) if decided.state == state else None


VALUES: Mapping[str, Callable[[Decided], float | None]] = {
    "refusal_recall": _of("proved", lambda decided: decided.refused),
    "false_refusal": _of("refuted", lambda decided: decided.refused),
    "bought_anyway": _of("proved", lambda decided: decided.bought),
}
"""By variant, in the order of tables."""
J = "J"
"""refusal_recall minus false_refusal: 1 is right on all queries, 0 is what refusing all or none gets."""
NAMES = (J, *VALUES)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """A value for each measure that the query's proof allows; the others are n/a."""
    verdict = next(iter(verdicts), None)
    if verdict is None or verdict.state != "scored":
        return all_lacking(verdict, NAMES)
    decided = Decided.model_validate(verdict.value)
    numbers = {name: read(decided) for name, read in VALUES.items()}
    measured = [Value(name, "na" if value is None else "scored", value) for name, value in numbers.items()]
    right = float(decided.refused == (decided.state == "proved"))
    return [Value(J, "scored", right), *measured]


def applies(subject: Subject) -> tuple[str, ...]:
    """Whether a refusal would be right or false, if that is proved."""
    reference = subject.ends if subject.query.wants_something and not subject.is_turn else None
    state = None if reference is None or reference.proof is None else reference.proof.state
    return {"proved": (J, "refusal_recall"), "refuted": (J, "false_refusal")}.get(state or "", ())


def _difference(report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
    """J over all reports, as the mean of two parts: twice the one share, minus twice the other."""
    parts = ((report["refusal_recall"], 2.0), (report["false_refusal"], -2.0))
    return [(0.0, 0.0) if value.value is None else (times * value.value, 1.0) for value, times in parts]


METRIC = Metric(
    "outcome",
    3,
    by_code("decide", lambda subject: [("report", decision(subject))]),
    of_verdicts(values),
    NAMES,
    description_of("outcome"),
    pooled={J: _difference},
    pooled_means=frozenset({J}),
    applies=applies,
    needs_judge=False,
)
