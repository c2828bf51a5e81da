"""One sub-problem of hybrid: the look-ups that it calls for, each turn with a thought, then Finalize."""

from dataclasses import replace
from decimal import ROUND_DOWN, Decimal
from functools import partial

from langchain_core.messages import AIMessage

from drretail.llm.offline.shopper.choosing import Limits
from drretail.llm.offline.shopper.lookups import (
    ABOUT_CUSTOMER,
    BROADER_SEARCHES,
    CHEAPER_SEARCHES,
    COMPUTE,
    FIRST_SEARCHES,
    OPEN_RECORDS,
    UNLIMITED_SEARCHES,
    UNRATED_SEARCHES,
    Call,
    Step,
    compute,
    next_step,
    open_records,
    shop_search,
)
from drretail.llm.offline.shopper.report.compose import write_report
from drretail.llm.offline.shopper.roles.alone import calling
from drretail.llm.offline.shopper.roles.assignment import Assignment, read_assignment
from drretail.llm.offline.shopper.roles.records import orders_that_bear
from drretail.llm.offline.shopper.situation import DETAILS, ORDER, ORDERS, PROFILE, SEARCH, WEB, Situation
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import number_text
from drretail.offline.chat import Turn

REASON, FINALIZE = "Reason", "Finalize"
MOST_ORDERS_OPENED = 2
OPENED_PER_NEED = 5
"""A researcher of one thing reads more of it than one who does everything."""
_OPEN_RECORDS = replace(OPEN_RECORDS, calls=partial(open_records, per_need=OPENED_PER_NEED))


def play(turn: Turn, situation: Situation) -> AIMessage:
    """A thought with the next calls, or with Finalize; words alone where nothing may be called."""
    assignment = read_assignment(situation)
    known = assignment.study
    found = next_step(known, _steps(assignment))
    if found is None and not situation.lookups:
        return AIMessage(f"{_why_idle(assignment)}: {assignment.text}")
    thought: list[Call] = [(REASON, {"thought": _thought(known, found[0] if found else None)})]
    last: list[Call] = [(FINALIZE, {})]
    calls = [call for call in [*thought, *(found[1] if found else last)] if call[0] in turn.tool_names]
    if calls and (found or FINALIZE in turn.tool_names):
        return calling(calls)
    return AIMessage(write_report(known))


def _why_idle(assignment: Assignment) -> str:
    nothing = not (assignment.study.needs or assignment.study.web or assignment.record)
    return "I recognised nothing to look up in this" if nothing else "I have no means to look this up"


def _steps(assignment: Assignment) -> list[Step]:
    """The steps that the assignment calls for, in order."""
    steps: list[Step] = []
    if assignment.record:
        steps += [ABOUT_CUSTOMER, _open_orders(assignment)]
    elif assignment.place:
        steps.append(Step(_place, "read your profile", "read in the profile where the shopper lives"))
    if assignment.shop:
        steps += [_past_orders(assignment), FIRST_SEARCHES, _search_for_share(assignment), BROADER_SEARCHES]
        steps += [UNLIMITED_SEARCHES, UNRATED_SEARCHES, CHEAPER_SEARCHES, _OPEN_RECORDS, _sums(assignment)]
    elif assignment.web:
        steps.append(Step(_web_searches, "searched the web", "search the web, one search for each question"))
    return steps


def _thought(known: Study, step: Step | None) -> str:
    """Where the research stands, and what comes next."""
    situation = known.situation
    counts = [
        (len(known.seen), "product", "seen"),
        (len(situation.found(DETAILS)), "record", "opened"),
        (len(_pages(situation)), "page", "found"),
        (len(known.customer.orders), "order", "read"),
    ]
    so_far = [f"{number_text(n)} {noun}{'' if n == 1 else 's'} {what}" for n, noun, what in counts if n]
    stand = f"So far: {', '.join(so_far)}. " if so_far else ""
    return f"{stand}Next I {step.aim}." if step else f"{stand}Another look-up would not change the answer."


def _pages(situation: Situation) -> set[str]:
    return {str(page.get("evidence")) for web in situation.found(WEB) for page in web.value.get("results", [])}


def _place(study: Study) -> list[Call]:
    user_id = study.situation.user_id
    return [] if user_id is None or study.customer.state else [(PROFILE, {"user_id": user_id})]


def _web_searches(study: Study) -> list[Call]:
    return [(WEB, {"query": search.query}) for search in study.web if search.query]


def _past_orders(assignment: Assignment) -> Step:
    """The orders, where what is wanted depends on what the shopper had before."""

    def calls(study: Study) -> list[Call]:
        user_id = study.situation.user_id
        if user_id is None or assignment.record or not any(need.again or need.other for need in study.needs):
            return []
        return [(ORDERS, {"user_id": user_id, "limit": 50})]

    return Step(calls, "looked at your orders", "look up in the orders what the shopper had before")


def _open_orders(assignment: Assignment) -> Step:
    """The newest orders that bear on the sub-problem, with all that the shop knows of them."""

    def calls(study: Study) -> list[Call]:
        orders = orders_that_bear(study, assignment.text)
        return [(ORDER, {"order_id": order.order_id}) for order in orders[:MOST_ORDERS_OPENED]]

    return Step(calls, "opened your orders", "open the orders that bear on this")


def _search_for_share(assignment: Assignment) -> Step:
    """Once more with an equal share of the money, where it has to hold other things too."""

    def calls(study: Study) -> list[Call]:
        total = study.limits.total
        if total is None or assignment.shares < 2:
            return []
        share = replace(study, limits=replace(study.limits, total=_cents(total / assignment.shares)))
        return [(SEARCH, shop_search(share, need, need.name)) for need in study.needs]

    return Step(calls, "searched within a share of the budget", "search for ones that leave room for the other things")


def _sums(assignment: Assignment) -> Step:
    """What is to be computed: what a part leaves of money that is for other things too is of no use to anybody."""

    def calls(study: Study) -> list[Call]:
        return compute(replace(study, limits=Limits()) if assignment.shares > 1 else study)

    return replace(COMPUTE, calls=calls)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_DOWN)
