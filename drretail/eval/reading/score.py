"""How many picks a judge reads of reports that declare none; its reading is used by the families by code."""

from collections.abc import Sequence

from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, OnlyMeans, Value
from drretail.eval.reading.judge import FAMILY, STAGE, VERSION, judge_reading, prompts
from drretail.records.score import MetricDescription, Rules, Verdict

PICKS_READ = "picks_read"
"""How many products a judge reads as picks; na where the agent declared its own."""


class ReadingFamily(OnlyMeans):
    """The ``Metric`` whose verdicts are readings of reports by a judge."""

    name, version = FAMILY, VERSION
    needs_judge = True
    is_opinion = False
    description = MetricDescription(
        title="Readings by a judge",
        meaning="How many things a report that declares no picks puts into the cart, as the judge reads it.",
        headlines=(PICKS_READ,),
        counts=(PICKS_READ,),
        higher_is_better=False,
    )

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        await judge_reading(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({"", *(it.hash for it in prompts())})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del subject, rules
        verdict = next((it for it in verdicts if it.stage == STAGE), None)
        if verdict is None or verdict.state != "scored":
            return [Value(PICKS_READ, "failed" if verdict is None else verdict.state)]
        return [Value(PICKS_READ, "scored", float(len(verdict.value)))]

    def variants(self) -> tuple[str, ...]:
        return (PICKS_READ,)


METRIC: Metric = ReadingFamily()
