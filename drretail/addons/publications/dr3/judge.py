"""All questions about one report, and the criteria of its query."""

from functools import cache

from drretail.addons.publications.dr3 import citations, opinions
from drretail.eval.judging.criteria import STAGE as MAKING
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.readings import report_material
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.eval.metric import BY_RULES
from drretail.experiment import read_gold
from drretail.llm.prompt import Prompt
from drretail.records.base import sha256_of
from drretail.records.criteria import Criteria, KnownAnswer

NAME, VERSION = "dr3", 1
REPORT = "report"
NO_CRITERIA = "no checklist and no rubric were made of this query"
NO_RUBRIC = "the criteria of this query have no rubric of depth"


def gold_of(subject: Subject) -> KnownAnswer | None:
    """What a good answer to this run's query is known to contain, or None."""
    return None if subject.folder is None else read_gold(subject.folder, subject.query.query_id)


async def prepare(task: Task, judge_session: JudgeSession) -> Criteria | str:
    """A query's checklist and its rubric of depth, or why the judge made none."""
    if judge_session.judge.ref.kind == "rule_based":
        return BY_RULES
    groups = await opinions.make_groups(task, judge_session, MAKING)
    if isinstance(groups, str):
        return groups
    prompts = [prompt.hash for prompt in opinions.making_prompts()]
    return Criteria(
        metric=NAME,
        query_id=task.query.query_id,
        groups=groups,
        made_by=judge_session.judge.ref.spec,
        prompt_hash=sha256_of(prompts)[:16],
    )


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records all missing verdicts, except those for which gold or criteria are missing."""
    gold = gold_of(subject)
    if gold is not None:
        citations.judge_documents(gold, subject, judge_session)
    await citations.judge_accuracy(subject, judge_session)
    if judge_session.judge.ref.kind == "rule_based":
        for stage in opinions.STAGES:
            judge_session.record_if_missing(stage, REPORT, "na", reason=BY_RULES)
        return
    material = cache(lambda: report_material(subject))
    if gold is not None:
        await opinions.judge_insights(gold, judge_session, material)
    criteria = criteria_of(subject, NAME)
    if criteria is not None:
        await opinions.judge_requirements(criteria, judge_session, material)
    rubric = None if criteria is None else criteria.group(opinions.RUBRIC)
    if judge_session.rules == "dr3" or rubric is not None:
        await opinions.judge_depth(None if judge_session.rules == "dr3" else rubric, judge_session, material)


def prompts() -> list[Prompt]:
    """The prompts of all rules."""
    opinion_prompts = [
        opinions.opinion_prompt(stage, rules) for stage in opinions.STAGES for rules in ("default", "dr3")
    ]
    return [*opinion_prompts, *opinions.making_prompts(), *citations.prompts()]
