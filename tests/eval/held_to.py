"""A metric family whose reports are held to criteria of their query, for tests."""

from collections.abc import Sequence

from drretail.eval.family import Family
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.eval.values import Value
from drretail.prompts import Prompt
from drretail.records.base import Record
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.score import Rules, Verdict

NAME = "held_to"
ASK = Prompt("ask", "What is to be looked for? {{question}}")


class Looked(Record):
    wanted: str


async def _prepare(task: Task, judge_session: JudgeSession) -> Criteria | str:
    result = await judge_session.ask("criteria", task.query.query_id, ASK, {"question": task.query.text}, Looked)
    if result.answer is None:
        return f"the judge named nothing: {result.error}"
    group = CriteriaGroup(name="all", criteria=(Criterion(text=result.answer.wanted),))
    spec = judge_session.judge.ref.spec
    return Criteria(family=NAME, query_id=task.query.query_id, groups=(group,), made_by=spec, prompt_hash=ASK.hash)


async def _judge(subject: Subject, judge_session: JudgeSession) -> None:
    held = criteria_of(subject, NAME)
    if held is None:
        judge_session.record("look", "all", "failed", error="no criteria")
    elif judge_session.existing("look", f"all@{held.hash}") is None:
        wanted = held.groups[0].criteria[0].text
        judge_session.record("look", f"all@{held.hash}", "scored", float(wanted in (subject.report or "")))


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    held = criteria_of(subject, NAME)
    found = [verdict for verdict in verdicts if held is not None and verdict.item.endswith(held.hash)]
    return [Value("all", found[-1].state, found[-1].value) if found else Value("all", "failed")]


# 1 where a report holds what its query's one criterion says.
METRIC = Family(NAME, 1, _judge, _values, ("all",), prompts=lambda: [ASK], is_opinion=True, prepare=_prepare)
