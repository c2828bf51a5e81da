"""The verdicts of one report, counted: what every formula of faithfulness starts from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.faithfulness.extraction import (
    ALL,
    CITED,
    SUPPORT,
    SUPPORT_LIVE,
    Claim,
    Unit,
    source_type,
    units,
    unresolved_types,
)
from drretail.eval.faithfulness.support import NOTES
from drretail.records.score import Rules, Verdict


@dataclass(frozen=True, slots=True)
class Tally:
    """The units of one or more types: how many were scored, with which sum of support, and why others were not."""

    scored: int = 0
    support: float = 0.0
    unverifiable: int = 0
    failed: int = 0
    """By the judge, or never judged."""
    unresolved: int = 0
    """Claims with a source that comes to nothing; no units."""
    unasked: int = 0
    """Those of the failed ones that no judge was asked about, as when judging was cut."""

    @property
    def units(self) -> int:
        return self.scored + self.unverifiable + self.failed

    @property
    def mean(self) -> float | None:
        """Mean support of the scored units; None without any."""
        return self.support / self.scored if self.scored else None

    @property
    def strict(self) -> float | None:
        """Mean support with unverifiable and unresolved ones as 0; None without any."""
        count = self.scored + self.unverifiable + self.unresolved
        return self.support / count if count else None

    def plus(self, other: "Tally") -> "Tally":
        return Tally(
            self.scored + other.scored,
            self.support + other.support,
            self.unverifiable + other.unverifiable,
            self.failed + other.failed,
            self.unresolved + other.unresolved,
            self.unasked + other.unasked,
        )

    def items(self) -> dict[str, float]:
        """For scores.json; summed over reports there."""
        return {
            "units": self.units,
            "scored": self.scored,
            "support": self.support,
            "unverifiable": self.unverifiable,
            "failed": self.failed,
            "unresolved": self.unresolved,
        }


class ReportVerdicts:
    """One report's verdicts by stage, and what follows from them."""

    def __init__(self, verdicts: Iterable[Verdict], rules: Rules) -> None:
        found = list(verdicts)
        self._rules: Rules = rules
        self._extractions = {verdict.stage: verdict for verdict in found if verdict.stage in (CITED, ALL)}
        self._support = {verdict.item: verdict for verdict in found if verdict.stage == SUPPORT}
        self._live = {verdict.item: verdict for verdict in found if verdict.stage == SUPPORT_LIVE}
        # Every value of a report is made of the same claims and units.
        self._claims = {stage: _claims(verdict) for stage, verdict in self._extractions.items()}
        self._units = [unit for claim in self.claims(CITED) or () for unit in units(claim, self._rules)]

    def claims(self, stage: str) -> list[Claim] | None:
        """The claims of an extraction; None when it failed or never was."""
        return self._claims.get(stage)

    def units(self) -> list[Unit]:
        """All units of the cited claims; none when the extraction failed."""
        return self._units

    @property
    def is_judged_live(self) -> bool:
        """True when any cited page was looked at again at judging time."""
        return bool(self._live)

    def tally(self, kind: str, *, live: bool = False) -> Tally:
        """The units of one type, by the ledger or by pages as they were at judging time."""
        support = self._live if live else self._support
        verdicts = [support.get(unit.item) for unit in self.units() if unit.type == kind]
        scored = [float(verdict.value) for verdict in verdicts if verdict and verdict.state == "scored"]
        unverifiable = sum(1 for verdict in verdicts if verdict and verdict.state == "unverifiable")
        claims = self.claims(CITED) or ()
        return Tally(
            scored=len(scored),
            support=sum(scored),
            unverifiable=unverifiable,
            failed=len(verdicts) - len(scored) - unverifiable,
            unresolved=sum(1 for claim in claims if kind in unresolved_types(claim)),
            unasked=verdicts.count(None),
        )

    def notes(self, kinds: Sequence[str]) -> dict[str, float]:
        """How many units of these types carry each note."""
        held = self._held(kinds)
        return {note: sum(1 for verdict in held if note in verdict.notes) for note in NOTES}

    def labels(self, kinds: Sequence[str]) -> dict[str, float]:
        """How many units of these types are borne out wholly, in part, and not."""
        values = [verdict.value for verdict in self._held(kinds)]
        return {name: values.count(value) for name, value in (("full", 1), ("partial", 0.5), ("none", 0))}

    def _held(self, kinds: Sequence[str]) -> list[Verdict]:
        units = [unit for unit in self.units() if unit.type in kinds]
        return [verdict for unit in units if (verdict := self._support.get(unit.item)) is not None]


def pooled_tally(tallies: Mapping[str, Tally], kinds: Sequence[str]) -> Tally:
    """Several types as one."""
    total = Tally()
    for kind in kinds:
        total = total.plus(tallies[kind])
    return total


def has_url(claim: Claim) -> bool:
    """True when a web page or a product of the shop is among the claim's resolved sources (paper Table 9)."""
    return any(source_type(source) != "internal" for source in claim.sources)


def _claims(extraction: Verdict) -> list[Claim] | None:
    return None if extraction.state != "scored" else [Claim.model_validate(value) for value in extraction.value]
