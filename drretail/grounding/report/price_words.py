"""What the words beside an amount of money say that it is instead of a price of the whole, today, in this shop."""

import re

from drretail.grounding.text.amounts import Amount

_BEHIND = re.compile(
    r"[^\w:;.]{0,3}(?:/|\b(?:per|an?|each|apiece|more|less|cheaper|dearer|extra|off|left|over|under|below|above|short|shy|away"
    r"|to spare|saved|unspent|remain\w*|budget|limit|cap|ceiling|shipping|delivery|coupon|discount|rebate|deposit)\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:(?:was|were|sav\w+|from|than|off|your|the|my|elsewhere|once|used to be|instead of|worth|above|below"
    r"|leav\w+|paid|another|extra|additional)|(?:shipping|delivery|coupon|discount|budget|limit|cap|ceiling)(?:\s\w+)?)"
    r"\W{0,3}(?:an?\W)?$",
    re.IGNORECASE,
)


def is_another_amount(text: str, amount: Amount) -> bool:
    """True where it is said behind an amount: "$3 a towel", "$5 less", "$75 budget"."""
    return bool(_BEHIND.match(text, amount.end))


def says_no_price(text: str, amount: Amount) -> bool:
    """True where the words behind or before an amount say so: "was $59.99", "save $10". It is left alone, no error."""
    return is_another_amount(text, amount) or bool(_BEFORE.search(text[max(0, amount.start - 30) : amount.start]))
