"""What the reader is told of a report's own faults: the list of what was left out, and a budget that does not hold."""

import re
from collections.abc import Collection, Iterator, Sequence

from drretail.grounding.falling import OF_A_PART, OF_A_SECTION, OF_WHAT_WAS_STRUCK
from drretail.records.evidence import Finding

TITLE = "Left out of this report"
_OPENING = "These statements of the draft did not hold against what the shop and the sources say, and were taken out:"
_NOTHING_LEFT = "Nothing of the draft held against what the shop and the sources say."
_LONGEST = 200
_MARKS = re.compile(r"\s?[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]*[\]】](?:\([^()\s]*\))?")
_ALONG = (OF_WHAT_WAS_STRUCK, OF_A_SECTION)
_REASONS = {
    "price_wrong": {
        "the shop does not know it": "the shop lists no price for it",
        "none of the products named here has it": "none of the products named there has this price",
        "": "the shop's price is {found}",
    },
    "rating_wrong": {
        "the shop does not know it": "the shop knows no rating of it",
        "none of the products named here has it": "none of the products named there has this rating",
        "": "the shop's rating is {found} out of 5",
    },
    "rating_count_wrong": {
        "the shop does not know it": "the shop knows no number of ratings of it",
        "none of the products named here has it": "none of the products named there has this number of ratings",
        "": "the shop counts {found} ratings",
    },
    "total_wrong": {OF_A_PART: OF_A_PART, "": "its parts make {found}"},
    "over_budget": {"": "{found}"},
    "unwanted_brand": {"": "{found}, which you ruled out"},
    "recommended_although_owned": {
        "the user has ordered it before": "you have ordered it before",
        "": "you have it, and wanted nothing twice",
    },
    "not_in_catalog": {
        "only web pages are cited for it": "the shop does not have it, only web pages speak of it",
        "": "{found}",
    },
    "unresolved_citation": {"": "the research was handed no such source"},
    "wrong_place": {"": "your {found}"},
    "url_not_seen": {"": "the research never saw the page that it cites"},
}


def with_closing_section(report: str, struck: Sequence[Finding], known: Collection[str]) -> str:
    """The report with a section at its end that lists what was struck and why; ``known`` are ids that may be cited.

    The struck words stand as code, so that nobody takes them for what the report says. The same report where nothing
    was struck.
    """
    if not struck:
        return report
    items = list(dict.fromkeys(_items(struck, known)))
    body = report.rstrip() or _NOTHING_LEFT
    return f"{body}\n\n## {TITLE}\n\n{_OPENING}\n\n" + "\n".join(f"- {item}" for item in items) + "\n"


def _items(struck: Sequence[Finding], known: Collection[str]) -> Iterator[str]:
    repeated = [finding for finding in struck if finding.code == "repeated_section"]
    others = [finding for finding in struck if finding.code != "repeated_section"]
    for index, finding in enumerate(others):
        if finding.found in _ALONG and index:
            continue
        along = 0
        while index + along + 1 < len(others) and others[index + along + 1].found in _ALONG:
            along += 1
        reason = _reason(finding)
        cited = f" [{finding.evidence_id}]" if finding.evidence_id in known and finding.found not in _ALONG else ""
        more = "" if not along else f"; with it went {_counted(along)} about the same"
        yield f"{quoted(finding)}: {reason}{cited}{more}."
    if repeated:
        yield f"{_counted(len(repeated)).capitalize()} that said again what stands above."


def quoted(finding: Finding) -> str:
    """The struck words as code, on one line and without marks of citations, at most 200 characters."""
    words = re.sub(r"[`*#]+", "", finding.said)
    if finding.code not in ("unresolved_citation", "url_not_seen") or not _MARKS.sub("", words).strip(" .,;:"):
        words = _MARKS.sub("", words)
    words = ", ".join(part.strip() for part in " ".join(words.split()).strip("| ").split("|") if part.strip())
    words = words.strip().replace("…, ", "… ") or "a citation"
    return f"`{words}`" if len(words) <= _LONGEST else f"`{words[:_LONGEST].rsplit(' ', 1)[0]} …`"


def _reason(finding: Finding) -> str:
    found = finding.found or ""
    if found in _ALONG:
        return found
    reasons = _REASONS.get(finding.code, {})
    return reasons.get(found, reasons.get("", "{found}")).format(found=found)


def _counted(number: int) -> str:
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return f"{words[number - 1] if number <= len(words) else number} statement{'' if number == 1 else 's'}"
