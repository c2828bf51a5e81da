"""What nobody could look up because the tools were missing, and the words in which one report tells it to another."""

from collections.abc import Iterable

from drretail.llm.offline.shopper.situation import ORDERS, PROFILE, SEARCH, STATISTICS, WEB

NO_SHOP, NO_WEB, NO_RECORD = (
    "could not search the shop",
    "could not search the web",
    "could not look at the shopper's record",
)
_TOLD = {NO_SHOP: (SEARCH,), NO_WEB: (WEB,), NO_RECORD: (PROFILE, ORDERS, STATISTICS)}


def tools_missing_in(told: Iterable[str]) -> frozenset[str]:
    """The tools that researchers say they lacked, whoever they are."""
    text = "\n".join(told).casefold()
    return frozenset(tool for words, tools in _TOLD.items() if words in text for tool in tools)


def tells_of_missing_tools(text: str) -> bool:
    return bool(tools_missing_in([text]))
