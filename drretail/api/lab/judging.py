"""The judges of ``lab``, opened once with their options, and the results of its functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from drretail.api.judges import judges_for
from drretail.api.models import Opener
from drretail.api.options.lab import JudgeCalls
from drretail.api.options.shared import texts_in
from drretail.api.score import failed_answers, unfetched_claims
from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.estimate import estimate_judging
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.spending import Allowance, capped
from drretail.eval.scoring import score
from drretail.event_loop import run_loop
from drretail.lab.card import card_lines
from drretail.llm.estimates import Estimate
from drretail.llm.prices import PriceTable
from drretail.llm.registry import Model
from drretail.progress import Waits, choose_progress
from drretail.settings import Settings, read_settings

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class LabResult(Generic[F]):
    """The finding of a command of ``lab``, with what is printed beside it."""

    finding: F
    document: dict[str, Any]
    """What --json prints."""
    left: int = 0
    """Answers that are missing or unusable, plus one if the cap was reached."""
    notes: Sequence[str] = ()
    """Sentences on the answers that are left, and on how to ask for them."""
    hint: str = ""
    """What a person may look at or do next."""


@dataclass(frozen=True, slots=True)
class LabEstimate:
    """What a command of ``lab`` is likely to take."""

    title: str
    estimates: list[Estimate]
    prices: PriceTable
    columns: Sequence[str] = ("what", "to judge")


@dataclass(frozen=True, slots=True)
class Judging:
    """Judges, opened once, with the settings and options of their calls."""

    families: Sequence[str]
    judges: Sequence[Judge]
    opener: Opener
    settings: Settings
    options: JudgeCalls

    @classmethod
    def of(
        cls,
        families: Sequence[str],
        given: str | Model | Iterable[str | Model],
        options: JudgeCalls,
        *,
        keyless: bool,
    ) -> "Judging":
        settings = read_settings()
        opener = Opener(settings, texts_in(options.base_url), keyless=keyless, tell=Waits())
        judges = judges_for(families, given, opener, options.model_profile)
        return cls(families, judges, opener, settings, options)

    def estimate(
        self,
        folder: Path,
        *,
        pairs: Sequence[str] = (),
        rate_floors: bool = False,
        more: Iterable[Estimate] = (),
    ) -> LabEstimate:
        """What judging the reports in this folder would take, together with the estimates in ``more``."""
        estimates = estimate_judging(folder, self.families, self.judges, pairs=pairs, rate_floors=rate_floors)
        return LabEstimate(f"What is left to judge in {folder}", [*estimates, *more], self.opener.prices)

    def allowance(self, folders: Sequence[Path]) -> Allowance | None:
        """One allowance for all judging in these folders, less what was spent there before; None without a cap."""
        tokens, dollars = self.options.max_tokens, self.options.max_dollars
        models = [judge.model for judge in self.judges if judge.model is not None]
        found = [capped(folder, models, self.opener.prices, tokens, dollars) for folder in folders]
        allowances = [allowance for allowance in found if allowance is not None]
        if not allowances:
            return None
        whole, *others = allowances
        for other in others:
            whole.spent_tokens += other.spent_tokens
            whole.spent_dollars += other.spent_dollars
        return whole

    def score(
        self,
        folder: Path,
        store: Store | None,
        allowance: Allowance | None,
        *,
        pairs: Sequence[str] = (),
        rate_floors: bool = False,
    ) -> tuple[int, list[str]]:
        """Judges what is not judged yet. Returns how many answers are left, and sentences about them."""
        scores = run_loop(
            score(
                folder,
                self.families,
                self.judges,
                store=store,
                progress=choose_progress(),
                page_age=self.settings.page_age,
                again=again_of(self.options.retry),
                allowance=allowance,
                pairs=pairs,
                rate_floors=rate_floors,
                prices=self.opener.prices,
                judge_notes=card_lines,
            )
        )
        closing = None if allowance is None else allowance.closing
        notes = [] if closing is None else [closing]
        if unfetched := unfetched_claims(scores):
            notes.append(
                f"Claims on pages that nobody fetched: {unfetched:,}, which nobody could judge. `drretail score EXP "
                "--fetch-sources`, before this command, fetches them."
            )
        compared = [(row.a, row.b) for row in scores.pairs]
        failed = failed_answers(scores, self.families, [judge.ref for judge in self.judges], "default", compared)
        if failed:
            notes.append(
                f"A judge gave no usable answer {failed:,} times: the same command with --retry failed asks again."
            )
        return failed + (closing is not None), notes


def again_of(retry: str | None) -> Again:
    """Which verdicts are asked again. Raises UserError for any value but "failed"."""
    if retry not in (None, "failed"):
        raise UserError(f"--retry {retry}: only failed is asked again.")
    return "failed" if retry else "nothing"
