"""Whether a report has its reader live where the shop's profile says."""

import re
from collections.abc import Iterator

from drretail.grounding.case import Case
from drretail.grounding.privacy import known_profiles
from drretail.grounding.states import STATES
from drretail.records.evidence import Finding
from drretail.records.shop import Address

_WORD = r"[A-Z][\w.'’-]*"
_PLACE = rf"(?P<place>{_WORD}(?:\s{_WORD}){{0,3}}(?:,\s{_WORD}(?:\s{_WORD}){{0,2}})?)"
# The words in front of a place that make it the reader's own.
_HOME = re.compile(
    r"\b(?:[Yy]our\s+(?:[a-z-]+\s+){0,2}(?:home|house|garden|yard|backyard|place|location|area|region|town|city|state"
    r"|climate|weather|address)\s+(?:in|is|of|at)|[Yy]ou(?:\s+are|['’]re)?\s+(?:live|living|based|located|at\s+home)\s+in"
    rf"|[Yy]our\s+profile\s+(?:says|shows|gives|places\s+you\s+in))\s+{_PLACE}"
)
_CODES = {name.casefold(): code for code, name in STATES.items()}


def wrong_places(case: Case) -> list[Finding]:
    """Statements that put the reader's home into another state, or another town, than the profile has.

    Only states of the USA and towns named with theirs are checked. Nothing without a profile that the run was handed.
    """
    profiles = [it for it in (*case.profiles, *known_profiles(case.evidence)) if it.user_id == case.query.user_id]
    return [] if not profiles else list(_wrong(case, profiles[-1].address))


def _wrong(case: Case, home: Address) -> Iterator[Finding]:
    for match in _HOME.finditer(case.structure.text):
        town, _, state = (part.strip(" .'’-") for part in match["place"].partition(","))
        code = _code(state) or _code(town)
        if code is None or not case.is_own(match.start("place")):
            continue
        of_another_town = _code(state) is not None and town.casefold() != home.city.casefold()
        if code != _code(home.state) or of_another_town:
            yield Finding(
                code="wrong_place",
                severity="error",
                start=match.start("place"),
                end=match.end("place"),
                said=case.report[match.start("place") : match.end("place")],
                found=f"profile says {home.city}, {home.state}",
                evidence_id="U:profile",
            )


def _code(name: str) -> str | None:
    """The code of a state by its name or code."""
    return name if name in STATES else _CODES.get(name.casefold())
