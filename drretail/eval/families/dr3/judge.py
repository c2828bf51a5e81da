"""All questions about one report, and before any report the criteria of its query."""

from functools import cache

from drretail.eval.families.dr3 import accuracy, checklist, coverage, depth, insights
from drretail.eval.family import BY_RULES
from drretail.eval.judging.criteria import STAGE as MAKING
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.material import report_material
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.experiment import read_gold
from drretail.prompts import Prompt
from drretail.records.base import sha256_of
from drretail.records.criteria import Criteria, Gold

FAMILY, VERSION = "dr3", 1
OPINIONS = (insights.STAGE, checklist.STAGE, depth.STAGE)
"""The stages that a judge which follows rules is not asked in."""
REPORT = "report"
NO_CRITERIA = "no checklist and no rubric were made of this query"
NO_RUBRIC = "the criteria of this query have no rubric of depth"


def gold_of(subject: Subject) -> Gold | None:
    """What is known beforehand of a good answer to this run's query; None where nobody knows."""
    return None if subject.folder is None else read_gold(subject.folder, subject.query.query_id)


async def prepare(task: Task, judge_session: JudgeSession) -> Criteria | str:
    """The checklist of a query and its rubric of depth; why there are none where the judge made none."""
    if judge_session.judge.ref.kind == "rule_based":
        return BY_RULES
    requirements = await checklist.make_checklist(task, judge_session, MAKING)
    if isinstance(requirements, str):
        return requirements
    rubric = await depth.make_rubric(task, judge_session, MAKING)
    if isinstance(rubric, str):
        return rubric
    prompts = [prompt.hash for prompt in (checklist.making_prompt(), depth.making_prompt())]
    return Criteria(
        family=FAMILY,
        query_id=task.query.query_id,
        groups=(*requirements, rubric),
        made_by=judge_session.judge.ref.spec,
        prompt_hash=sha256_of(prompts)[:16],
    )


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records all verdicts that are missing; what gold and criteria are wanting for is left unasked."""
    gold = gold_of(subject)
    if gold is not None:
        coverage.judge_documents(gold, subject, judge_session)
    await accuracy.judge_accuracy(subject, judge_session)
    if judge_session.judge.ref.kind == "rule_based":
        for stage in OPINIONS:
            judge_session.record_if_missing(stage, REPORT, "na", reason=BY_RULES)
        return
    material = cache(lambda: report_material(subject))
    if gold is not None:
        await insights.judge_insights(gold, judge_session, material)
    criteria = criteria_of(subject, FAMILY)
    if criteria is not None:
        await checklist.judge_requirements(criteria, judge_session, material)
    rubric = None if criteria is None else criteria.group(depth.GROUP)
    if judge_session.rules == "dr3" or rubric is not None:
        await depth.judge_depth(None if judge_session.rules == "dr3" else rubric, judge_session, material)


def prompts() -> list[Prompt]:
    """All of them, by all rules."""
    return [
        checklist.checklist_prompt(),
        checklist.making_prompt(),
        depth.making_prompt(),
        *(insights.insights_prompt(rules) for rules in ("default", "dr3")),
        *(depth.depth_prompt(rules) for rules in ("default", "dr3")),
        *accuracy.prompts(),
    ]
