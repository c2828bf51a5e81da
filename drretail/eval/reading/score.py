"""How far a judge's picks are the declared ones; its reading itself is used by the families by code."""

from collections.abc import Mapping, Sequence

from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value
from drretail.eval.reading.judge import FAMILY, VERSION, judge_reading, prompt
from drretail.records.reading import Reading
from drretail.records.score import MetricDescription, Rules, Verdict

AS_DECLARED = "picks_as_declared"
"""1 where a judge reads the very products that the agent declared, else 0; na where none were declared."""


class ReadingFamily:
    """The ``Metric`` whose verdicts are readings of reports by a judge."""

    name, version = FAMILY, VERSION
    needs_judge = True
    is_opinion = False
    description = MetricDescription(
        title="Readings by a judge",
        meaning="The share of reports in which the judge reads the very picks that the agent declared.",
        headlines=(AS_DECLARED,),
    )

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        await judge_reading(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({"", prompt().hash})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del rules
        verdict = next(iter(verdicts), None)
        if verdict is None or verdict.state != "scored":
            return [Value(AS_DECLARED, "failed" if verdict is None else verdict.state)]
        declared = None if subject.run is None else subject.run.picks
        read = Reading.model_validate(verdict.value).picks or ()
        if declared is None:
            return [Value(AS_DECLARED, "na")]
        alike = {it.product for it in declared} == {it.product for it in read}
        return [Value(AS_DECLARED, "scored", float(alike))]

    def variants(self) -> tuple[str, ...]:
        return (AS_DECLARED,)

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        raise KeyError(variant)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset()


METRIC: Metric = ReadingFamily()
