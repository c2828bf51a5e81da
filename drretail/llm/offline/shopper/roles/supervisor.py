"""The supervisor of hybrid: divides the question, reads what the researchers brought, and closes a gap."""

from langchain_core.messages import AIMessage

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.lookups import Call
from drretail.llm.offline.shopper.missing import NO_RECORD, NO_SHOP, NO_WEB
from drretail.llm.offline.shopper.report.naming import amount_text
from drretail.llm.offline.shopper.report.replies import answers_to
from drretail.llm.offline.shopper.roles.alone import calling
from drretail.llm.offline.shopper.roles.recall import recalled
from drretail.llm.offline.shopper.roles.researcher import FINALIZE, REASON
from drretail.llm.offline.shopper.roles.splitting import split, to_find
from drretail.llm.offline.shopper.situation import ORDERS, SEARCH, WEB, Lookup, Situation
from drretail.llm.offline.shopper.study import Study, study
from drretail.llm.offline.shopper.words import first_upper, joined, number_text
from drretail.offline.chat import Turn

LAUNCH = "LaunchResearcher"


def play(turn: Turn, situation: Situation) -> AIMessage:
    """A thought with launches, or with Finalize; the thought alone where nothing may be called."""
    launched = situation.made(LAUNCH)
    if not launched:
        known = study(situation)
        parts = split(known)
        thought = _plan(known, parts)
    else:
        reports = [lookup.value["report"] for lookup in launched if isinstance(lookup.value.get("report"), dict)]
        known = study(recalled(situation, reports))
        thought, parts = _next_look(situation, known, launched)
    thought = thought if parts else f"{thought} Nothing more is to be gained.".strip()
    calls: list[Call] = [(REASON, {"thought": thought}), *((LAUNCH, {"sub_problem": part}) for part in parts)]
    calls += [] if parts else [(FINALIZE, {})]
    calls = [call for call in calls if call[0] in turn.tool_names]
    return calling(calls) if calls else AIMessage(thought)


def _plan(known: Study, parts: list[str]) -> str:
    things = joined([need.counted for need in known.needs], last="or" if known.one_of else "and")
    about = [f"The shopper wants {things}" if things else "The shopper names nothing to buy"]
    if known.limits.total is not None and known.needs:
        about.append(f"for at most {format_money(known.limits.total)} in all")
    elif known.limits.each is not None and known.needs:
        about.append(f"for at most {format_money(known.limits.each)}{'' if known.one_of else ' each'}")
    asked = f" They ask {number_text(len(known.questions))} more questions." if len(known.questions) > 1 else ""
    asked = " They ask one more question." if len(known.questions) == 1 else asked
    many = "One researcher does it all" if len(parts) == 1 else f"{first_upper(number_text(len(parts)))} researchers"
    how = "." if len(parts) == 1 else " can work side by side: none needs what another finds."
    return f"{' '.join(about)}.{asked} {many}{how}"


def _next_look(situation: Situation, known: Study, launched: list[Lookup]) -> tuple[str, list[str]]:
    """First whoever could not be launched yet, then what is missing, once."""
    waiting = _refused(launched)
    if waiting:
        return "Not all could begin at once: now the next.", waiting[: max(1, len(launched) - len(waiting))]
    begun = [lookup for lookup in launched if lookup.error_type != "limit"]
    if len(begun) > len(split(study(situation))):
        return "", []
    thought, parts = _second_look(known, begun)
    asked = {lookup.args.get("sub_problem") for lookup in begun}
    return thought, [part for part in parts if part not in asked]


def _refused(launched: list[Lookup]) -> list[str]:
    """Sub-problems that were never begun because too many were launched in one turn."""
    begun = {str(lookup.args.get("sub_problem")) for lookup in launched if lookup.error_type != "limit"}
    asked = dict.fromkeys(str(lookup.args.get("sub_problem")) for lookup in launched)
    return [part for part in asked if part not in begun]


def _second_look(known: Study, launched: list[Lookup]) -> tuple[str, list[str]]:
    """What is missing, and the one sub-problem that may bring it."""
    stand = _stand(sum(_brought_something(lookup) for lookup in launched), len(launched))
    for gap in (_failed(launched), _from_orders(known), _unaffordable(known), _unanswered(known)):
        if gap is not None:
            return f"{stand} {gap[0]}", [gap[1]]
    return f"{stand} {_left_open(known)}", []


def _brought_something(lookup: Lookup) -> bool:
    report = lookup.value.get("report")
    return isinstance(report, dict) and bool(report.get("sources") or report.get("insights"))


def _stand(brought: int, launched: int) -> str:
    if launched == 1:
        return f"The researcher brought {'something' if brought else 'nothing'}."
    how_many = "All" if brought == launched else "None" if not brought else first_upper(number_text(brought))
    return f"{how_many} of the {number_text(launched)} researchers brought something."


def _left_open(known: Study) -> str:
    """What nothing was found for, and where nobody could look."""
    sought = ((SEARCH, NO_SHOP), (WEB, NO_WEB), (ORDERS, NO_RECORD))
    blind = [f"They {words}." for tool, words in sought if known.situation.could_not(tool)]
    answered = answers_to(known)
    things = [shelf.need.name for shelf in known.shelves if not (shelf.rivals or shelf.ruled_out)]
    missing = [*things, *(question.told for question in known.questions if question.label not in answered)]
    if missing:
        return " ".join([*blind, f"Without an answer: {joined(missing)}."])
    return " ".join(blind) or "Every part has an answer."


def _failed(launched: list[Lookup]) -> tuple[str, str] | None:
    """A researcher that brought nothing; in other words, since the same words failed."""
    failed = next((lookup for lookup in launched if "report" not in lookup.value), None)
    if failed is None:
        return None
    return (
        "One came back with nothing: once more.",
        f"{failed.args.get('sub_problem', '')} Begin with the plainest look-up.",
    )


def _from_orders(known: Study) -> tuple[str, str] | None:
    """What the orders suggest, where the question names nothing to buy."""
    if not known.from_orders or any(shelf.rivals for shelf in known.shelves):
        return None
    return "The orders suggest what could come next.", to_find(known, known.needs)


def _unaffordable(known: Study) -> tuple[str, str] | None:
    """Something for which the money that the other picks leave is too little for all that was brought."""
    total = known.limits.total
    if total is None:
        return None
    for need, pick, shelf in zip(known.needs, known.basket.picks, known.shelves, strict=True):
        left = total - known.basket.total
        # Within the whole of it everything was looked for already.
        if pick is None and shelf.rivals and 0 < left < total:
            most = f" for at most {amount_text(left)} in total"
            return f"The budget holds no {need.name} of those found.", to_find(known, [need], most)
    return None


def _unanswered(known: Study) -> tuple[str, str] | None:
    """A question of the shopper that no page answers yet, in its plainest words."""
    answered = answers_to(known)
    for question in () if known.situation.could_not(WEB) else known.questions:
        words = " ".join(question.words(known.customer)[:5])
        if question.label not in answered and words:
            return (
                f"No page answers {question.told} yet.",
                f"The web may still answer this: {first_upper(question.text.rstrip('?.'))}? "
                f"In other words: “{words}”, “{words} guide”.",
            )
    return None
