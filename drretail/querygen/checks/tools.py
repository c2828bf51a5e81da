"""Whether a query takes several tools, the user's record among them, and the web."""

import re
from collections.abc import Collection, Iterator

from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.tools.registry import TOOLS

CODES = {
    "tool_unknown": "an expected tool does not exist",
    "too_few_tools": "fewer than three tools are expected",
    "profile_tool_missing": "a profile-aware query expects no tool that reads the user's record",
    "shop_tool_missing": "no tool that searches or reads the catalog is expected",
    "web_not_needed": "the web is not expected to be searched, or the text asks nothing that only the web knows",
}

LEAST_TOOLS = 3
USER_TOOLS = frozenset({"get_user_profile", "get_user_orders", "get_user_statistics", "get_order_details"})
SHOP_TOOLS = frozenset({"product_catalog_search", "get_product_details"})
# What the catalog's fields cannot answer: reasons, methods, effects, other people's experience, seasons, places.
_FOR_THE_WEB = re.compile(
    r"\b(?:how (?!much does|much is|much are)|why|whether"
    r"|what (?!(?:else )?(?:i|we|you|your|do you|suits (?:me|us)|(?:is|are) the prices?)\b)\w+"
    r"|which \w+(?: \w+){0,3} (?:is|are|do|does|suits?|holds?|works?|needs?|lasts?|keeps?|makes?|causes?"
    r"|irritates?|helps?|changes?|matters?|differ|should|would|could|can)"
    r"|in (?:which|what) order|explanations?|mistakes?"
    r"|research|stud(?:y|ies)|experts?|guidance|guidelines?|guide|advice|tips|recommended by|dermatologists?"
    r"|doctors?|vets?|veterinarians?|pediatricians?|pharmacists?|stylists?|trainers?|safe(?:ty|ly)?|risks?|recalls?"
    r"|trends?|ends? up|people (?:who|with)|native|climate|weather|season\w*|find out|explain|understand)\b",
    re.IGNORECASE,
)


def check(case: Case) -> Iterator[Finding]:
    query = case.query
    expected = tuple(dict.fromkeys(query.expected_tools))
    for name in expected:
        if name not in TOOLS:
            yield found("tool_unknown", name, f"the tools are {', '.join(sorted(TOOLS))}")
    said = ", ".join(expected) or "no tool"
    if len(expected) < LEAST_TOOLS:
        yield found("too_few_tools", said, f"at least {LEAST_TOOLS} are asked for")
    if query.mode == "profile_aware" and not USER_TOOLS & set(expected):
        yield found("profile_tool_missing", said, f"one of {', '.join(sorted(USER_TOOLS))}")
    if not SHOP_TOOLS & set(expected):
        yield found("shop_tool_missing", said, f"one of {', '.join(sorted(SHOP_TOOLS))}")
    yield from _web(query.text, expected)


def _web(text: str, expected: Collection[str]) -> Iterator[Finding]:
    if "web_search" not in expected:
        yield found("web_not_needed", ", ".join(expected) or "no tool", "web_search is not among the expected tools")
    elif not asks_the_web(text):
        yield found("web_not_needed", text[:80], "the text asks no question that the catalog leaves open")


def asks_the_web(text: str) -> bool:
    """True when the text asks for reasons, methods, effects or experience, which no catalog holds."""
    return bool(_FOR_THE_WEB.search(text.replace("’", "'")))
