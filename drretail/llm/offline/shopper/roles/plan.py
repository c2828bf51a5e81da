"""plan_to_function (paper section 5.2): every look-up in one turn, planned from the query alone."""

from langchain_core.messages import AIMessage

from drretail.llm.offline.shopper.lookups import Call, about_customer, shop_search
from drretail.llm.offline.shopper.report.compose import write_report
from drretail.llm.offline.shopper.roles.alone import calling
from drretail.llm.offline.shopper.situation import SEARCH, WEB, Situation
from drretail.llm.offline.shopper.study import Study, study

MOST_WEB = 2


def play(situation: Situation) -> AIMessage:
    """The plan as calls; the report where nothing can be planned."""
    known = study(situation)
    calls = [(name, args) for name, args in _plan(known) if name in situation.tools]
    return calling(calls) if calls else AIMessage(write_report(known))


def _plan(known: Study) -> list[Call]:
    """Who asks, each thing in the shop, and the web: nothing that needs an id which only a result would tell."""
    shop = [(SEARCH, shop_search(known, need, need.search)) for need in known.needs]
    web = [(WEB, {"query": search.query}) for search in known.web if search.question is not None]
    web += [(WEB, {"query": search.query}) for search in known.web if search.question is None]
    return [*about_customer(known), *shop, *web[:MOST_WEB]]
