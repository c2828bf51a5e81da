"""Whether the tools and orders that stand beside a query's text exist."""

import re
from collections.abc import Iterator

from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.tools.registry import TOOLS

CODES = {
    "tool_unknown": "an expected tool is none of the nine",
    "rationale_order_unknown": "the rationale names an order that the user does not have",
}

_ORDER_ID = re.compile(r"\b\d{10}\b")


def check(case: Case) -> Iterator[Finding]:
    for name in dict.fromkeys(case.query.expected_tools):
        if name not in TOOLS:
            yield found("tool_unknown", name, f"the tools are {', '.join(sorted(TOOLS))}")
    known = set[str]() if case.shopper is None else {order.order_id for order in case.shopper.orders}
    for order_id in dict.fromkeys(_ORDER_ID.findall(case.query.rationale)):
        if order_id not in known:
            yield found("rationale_order_unknown", order_id, "no order of the user has this id")
