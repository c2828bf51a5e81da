"""Whether a shopper asks for what goes with the thing that they have, rather than for another such thing."""

import re

_COMPANY = re.compile(
    r"\b(?:what|something|anything|things?|more)(?: else)? (?:(?!you\b)[\w'’]+ ){0,3}?"
    r"(?:go(?:es)?|pairs?|work|match|matches|combines?)(?: \w+){0,2} with\b"
    r"|\b(?:to go with|goes? (?:well )?with|alongside|companions?|accessor(?:y|ies)|complements?|to match)\b"
    r"|\bwhat else (?:do|should|can|could|might|would|will|am|is|belongs)(?! you have)\b"
    r"|\b(?:something|anything|nothing) (?:else|other)\b"
    r"|\bwhat (?:should|do|could|can) (?:i|we) (?:buy|get|need|add) next\b"
    r"|\b(?:complet\w+|round(?:ing)? out|add(?:ing)? to|build(?:ing)? on|set(?:ting)? up|equip|furnish)\b"
    r"|\b(?:besides|in addition to|beyond|other than) (?:my|our|the)\b|\b(?:not only|more than just)\b",
    re.IGNORECASE,
)


def asks_for_company(query: str) -> bool:
    """True for "what goes with my bird feeder?", False for "my bird feeder is too small"."""
    return _COMPANY.search(query) is not None
