"""What the reader is told of a report's own faults: the list of what was left out, and a budget that does not hold."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from drretail.grounding.falling import OF_A_PART, OF_A_SECTION, OF_WHAT_WAS_STRUCK
from drretail.grounding.repeated_sentences import REPEATED_SENTENCE
from drretail.grounding.repetition import REPEATED
from drretail.records.evidence import Finding

TITLE = "Left out of this report"
_OPENING = "These statements of the draft did not hold against what the shop and the sources say, and were taken out."
_OF_CUTS = (
    " Where a quote begins with …, only its last words were: the rest of the sentence, heading or row still stands."
)
_NOTHING_LEFT = "Nothing of the draft held against what the shop and the sources say."
_LONGEST = 200
_MARKS = re.compile(r"\s?[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]*[\]】](?:\([^()\s]*\))?")
_AGAIN = (REPEATED, REPEATED_SENTENCE)
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
    opening = _OPENING + (_OF_CUTS if any(finding.said.startswith("…") for finding in struck) else "")
    return f"{body}\n\n## {TITLE}\n\n{opening}\n\n" + "\n".join(f"- {item}" for item in items) + "\n"


def _items(struck: Sequence[Finding], known: Collection[str]) -> Iterator[str]:
    repeated = [finding for finding in struck if finding.code in _AGAIN]
    entries = _grouped([finding for finding in struck if finding.code not in _AGAIN])
    for entry in entries:
        reasons = dict.fromkeys(f"{_reason(it)}{_cited(it, known)}" for it in entry.findings)
        yield f"{quoted(entry.findings[0])}: {'; '.join(reasons)}{_along(entry)}."
    if repeated:
        yield f"{_counted(len(repeated)).capitalize()} that said again what stands above."


@dataclass(frozen=True, slots=True)
class _Entry:
    """One struck statement with all that was wrong in it, and what went only because it did."""

    findings: list[Finding]
    along: list[Finding] = field(default_factory=list[Finding])


def _grouped(struck: Sequence[Finding]) -> list[_Entry]:
    """What fell stands with the statement that it fell with: the nearest one above that was struck for that reason."""
    entries: list[_Entry] = []
    for finding in struck:
        cause = (finding.code, finding.evidence_id)
        if finding.found in _ALONG:
            causes = [it for it in reversed(entries) if cause in _causes(it)]
            headings = [it for it in causes if finding.found == OF_A_SECTION and it.findings[0].said.startswith("#")]
            of = next(iter([*headings, *causes]), None)
            if of is not None:
                of.along.append(finding)
                continue
        same = next((it for it in entries if it.findings[0].said == finding.said), None)
        if same is not None and finding.found not in _ALONG:
            same.findings.append(finding)
        else:
            entries.append(_Entry([finding]))
    return entries


def _causes(entry: _Entry) -> set[tuple[str, str | None]]:
    return {(it.code, it.evidence_id) for it in entry.findings}


def _along(entry: _Entry) -> str:
    parts = [
        f"{_counted(number)} {words if number > 1 else words.replace('speak', 'speaks')}"
        for found, words in ((OF_WHAT_WAS_STRUCK, "that speak of it"), (OF_A_SECTION, "below it"))
        if (number := sum(it.found == found for it in entry.along))
    ]
    return f"; with it went {' and '.join(parts)}" if parts else ""


def _cited(finding: Finding, known: Collection[str]) -> str:
    return f" [{finding.evidence_id}]" if finding.evidence_id in known and finding.found not in _ALONG else ""


def quoted(finding: Finding) -> str:
    """The struck words as code, on one line and without marks of citations, at most 200 characters."""
    words = re.sub(r"(?m)^\s*#{1,6}\s+|\*\*", "", finding.said)
    if finding.code not in ("unresolved_citation", "url_not_seen") or not _MARKS.sub("", words).strip(" .,;:|…"):
        words = _MARKS.sub("", words)
    words = " ".join(words.split())
    if words.startswith("|") and words.endswith("|"):  # a row of a table
        words = " | ".join(part.strip() for part in words.strip("|").split("|") if part.strip())
    words = words.strip(" |") or "a citation"
    if len(words) > _LONGEST:
        words = f"{words[:_LONGEST].rsplit(' ', 1)[0]} …"
    longest = max((len(run) for run in re.findall(r"`+", words)), default=0)
    fence, space = "`" * (longest + 1), " " if words[0] == "`" or words[-1] == "`" else ""
    return f"{fence}{space}{words}{space}{fence}"


def _reason(finding: Finding) -> str:
    found = finding.found or ""
    if found in _ALONG:
        return found
    reasons = _REASONS.get(finding.code, {})
    return reasons.get(found, reasons.get("", "{found}")).format(found=found)


def _counted(number: int) -> str:
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return f"{words[number - 1] if number <= len(words) else number} statement{'' if number == 1 else 's'}"
