"""Families by code that sort what another family's judge found wrong in a report: counts, and shares by kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from drretail.eval.family import RULES, ClaimMark, Family, Input, of_verdicts
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.registry import load_metric
from drretail.eval.values import Value, all_lacking, pooled_share, share
from drretail.records.score import MetricDescription, Rules, Verdict

ITEM = "report"
"""The item of the one verdict on a report."""


def breakdown(
    name: str,
    version: int,
    description: MetricDescription,
    *,
    follows: str,
    stage: str,
    sort: Callable[[Subject, JudgeSession, Sequence[Verdict]], CodeVerdict | None],
    counts: Callable[[Verdict], Sequence[Value]],
    counted: Sequence[str],
    kinds: Sequence[str],
    kinds_in: Callable[[Verdict], Sequence[str]],
    items: tuple[str, str],
    rules: tuple[Rules, ...] = RULES,
    marks: Callable[[Iterable[Verdict]], Mapping[str, ClaimMark]] | None = None,
    inputs: Mapping[str, Input] = MappingProxyType({}),
) -> Family:
    """A family that is scored beside each judge of the family ``follows``, and asks nobody.

    ``sort`` makes one verdict on a report of that judge's verdicts, recorded anew where it comes out differently; None
    leaves what is there. Of a scored verdict, ``counts`` gives the values of the variants ``counted``, and ``kinds_in``
    the kind of each fault; the variants ``kinds`` are the shares of these, under the names of ``items`` (those of a
    kind, and all).
    """
    variants = (*counted, *kinds)
    part, whole = items

    async def judge(subject: Subject, judge_session: JudgeSession) -> None:
        found = sort(subject, judge_session, judge_session.verdicts_of(load_metric(follows)))
        if found is not None:
            judge_session.record_if_changed(stage, ITEM, found)

    def values(verdicts: Sequence[Verdict]) -> list[Value]:
        verdict = next(iter(verdicts), None)
        if verdict is None or verdict.state != "scored":
            return all_lacking(verdict, variants)
        found = list(kinds_in(verdict))
        shares = (share(kind, (part, found.count(kind)), (whole, len(found))) for kind in kinds)
        return [*counts(verdict), *shares]

    return Family(
        name,
        version,
        judge,
        of_verdicts(values),
        variants,
        description,
        rules=rules,
        after=(follows,),
        pooled={kind: pooled_share(kind, part, whole) for kind in kinds},
        inputs=inputs,
        marks=marks,
    )
