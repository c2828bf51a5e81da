"""The cart that every agent is asked to declare, and the one question for picks that are missing."""

from dataclasses import replace
from functools import partial

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.information import agent_prompt
from drretail.env.store.base import Store
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.prompt import tagged
from drretail.records.query import Task
from drretail.records.reading import Outcome, Pick
from drretail.records.run import PICKS_MISSING, PICKS_UNASKED, PICKS_UNREADABLE, Answer, Role
from drretail.reports.picks import REFUSES_ALL, Declared, by_product, merged, outcome_of, take_picks

NO_BLOCK = "the report declares no picks"
_FENCES = ("```", "~~~")
asking_prompt = partial(agent_prompt, __file__, "ask_picks")
"""The prompt that asks the writer of a report for the picks that it did not declare."""


async def declared(report: str, task: Task, role: Role, models: Models) -> Declared:
    """A report without its block, with its picks. If these can't be read, the writer is asked for them once.

    They stay unknown if the model fails for good, or its answer can't be read either.
    """
    declaration = take_picks(report)
    if declaration.picks is not None or not declaration.report.strip():
        return declaration
    problem = declaration.problem or NO_BLOCK
    question = [tagged("query", task.text), tagged("report", declaration.report.strip()), tagged("problem", problem)]
    models.trajectory.count_setback("repairs", "picks")
    try:
        messages = [SystemMessage(asking_prompt().render()), HumanMessage("\n".join(question))]
        answer = await models.call(role, messages)
    except ModelError as failure:
        failed = f"asked for them, the model failed: {failure.kind}: {failure.message}"
        return replace(declaration, problem=f"{problem}; {failed}")
    again = take_picks(answer.text)
    if again.picks is None and again.problem is None and answer.text.strip():
        # It should be nothing but the block; a fence without its name is taken too.
        lines = [line for line in answer.text.splitlines() if not line.strip().startswith(_FENCES)]
        again = take_picks("\n".join(["```picks", *lines, "```"]))
    if again.picks is None:
        return replace(declaration, problem=f"{problem}; asked for them: {again.problem or 'no answer'}")
    return Declared(declaration.report, again.picks, outcome=again.outcome)


def picks_note(declaration: Declared, block: bool) -> str:
    """Why the picks of a report are unknown. ``block`` says whether it had a block of picks."""
    return f"{PICKS_UNREADABLE if block else PICKS_MISSING}: {declaration.problem or NO_BLOCK}"


def answer_with_picks(report: str) -> Answer:
    """A report without its block, with the picks that it declares. Nobody is asked for missing ones."""
    declaration = take_picks(report)
    text = report if declaration.report == report else declaration.report.strip()
    notes = () if declaration.picks is not None else (picks_note(declaration, text != report),)
    return Answer(report=text, picks=declaration.picks, outcome=declaration.outcome, notes=notes)


async def with_picks(answer: Answer, task: Task, role: Role | None, models: Models) -> Answer:
    """The answer with its picks, and with a report without their block. A note says if the picks are unknown.

    ``role`` wrote the report. It is asked once for missing picks, unless the answer notes that it was asked before.
    Picks in the answer itself win over a block, and an answer that decides to buy nothing has declared its picks.
    Raises ModelError of the kind ``no_report`` for a report that is nothing but its block.
    """
    declaration = take_picks(answer.report)
    report = answer.report if declaration.report == answer.report else declaration.report.strip()
    if answer.report.strip() and not report:
        raise ModelError("no_report", "the model wrote the picks and no report: nothing stands beside their block")
    is_refused = answer.outcome is not None and answer.outcome.decision == "none"
    if answer.picks is None and is_refused and declaration.picks is None:
        answer = answer.model_copy(update={"picks": ()})
    if answer.picks is not None or any(note.startswith((PICKS_MISSING, PICKS_UNREADABLE)) for note in answer.notes):
        picks = None if answer.picks is None else merged(answer.picks)
        return _deciding(answer.model_copy(update={"report": report}), picks, answer.outcome)
    if declaration.picks is None and role is not None:
        declaration = await declared(answer.report, task, role, models)
    is_known = declaration.picks is not None or any(note.startswith(PICKS_UNASKED) for note in answer.notes)
    notes = answer.notes if is_known else (*answer.notes, picks_note(declaration, report != answer.report))
    answer = answer.model_copy(update={"report": report, "notes": notes})
    return _deciding(answer, declaration.picks, answer.outcome or declaration.outcome)


def of_offers(answer: Answer, store: Store) -> Answer:
    """The answer with its picks by product and variant, where one names a variant by its id alone, as tools show it."""
    nearest = [Pick(product=offer_id) for offer_id in (answer.outcome.nearest if answer.outcome else ())]
    products = store.products([pick.product for pick in (*(answer.picks or ()), *nearest)])
    picks = None if answer.picks is None else merged(by_product(pick, products) for pick in answer.picks)
    offer_ids = tuple(by_product(pick, products).offer_id for pick in nearest)
    outcome = answer.outcome and answer.outcome.model_copy(update={"nearest": offer_ids})
    return answer.model_copy(update={"picks": picks, "outcome": outcome})


def _deciding(answer: Answer, picks: tuple[Pick, ...] | None, outcome: Outcome | None) -> Answer:
    """The answer with its decision. Picks beside a refusal of everything are no decision: both stay unknown."""
    if picks and outcome is not None and outcome.decision == "none":
        notes = (*answer.notes, f"{PICKS_UNREADABLE}: {REFUSES_ALL}")
        return answer.model_copy(update={"picks": None, "outcome": None, "notes": notes})
    if picks is not None:
        outcome = outcome or outcome_of(picks)
        outcome = outcome if picks else outcome.model_copy(update={"decision": "none"})
    return answer.model_copy(update={"picks": picks, "outcome": None if picks is None else outcome})
