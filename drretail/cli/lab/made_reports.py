"""How reports that the lab made are judged: by the ordinary way, in their own experiment."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags

if TYPE_CHECKING:
    from drretail.api.models import Opener
    from drretail.env.store.base import Store
    from drretail.eval.judging.session import Judge
    from drretail.eval.judging.spending import Allowance
    from drretail.llm.estimates import Estimate
    from drretail.settings import Settings


@dataclass(frozen=True, slots=True)
class MadeReports:
    """Whose verdicts are wanted, and what they may cost."""

    seed: flags.Seed = "42"
    estimate: flags.Estimate = False
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again where a judge failed.")] = False


@dataclass(frozen=True, slots=True)
class Bench:
    """Judges, opened once, with what they need."""

    names: Sequence[str]
    judges: "Sequence[Judge]"
    opener: "Opener"
    settings: "Settings"

    @classmethod
    def of(cls, names: Sequence[str], by_whom: flags.Judges, *, estimate: bool, quiet: bool) -> "Bench":
        from drretail.api.models import Opener
        from drretail.cli.score import opened_judges
        from drretail.progress import Waits
        from drretail.settings import read_settings

        settings = read_settings()
        opener = Opener(settings, by_whom.base_url or [], keyless=estimate, tell=Waits(quiet=quiet))
        return cls(names, opened_judges(names, by_whom, opener), opener, settings)

    def print_estimate(
        self,
        folder: Path,
        *,
        as_json: bool,
        pairs: Sequence[str] = (),
        rate_floors: bool = False,
        more: "Sequence[Estimate]" = (),
    ) -> None:
        """What judging the reports would take, and what ``more`` says."""
        from drretail.cli.spending import show_estimates
        from drretail.eval.judging.estimate import estimate_judging

        estimates = estimate_judging(folder, self.names, self.judges, pairs=pairs, rate_floors=rate_floors)
        show_estimates(
            f"What is left to judge in {folder}",
            ["what", "to judge"],
            [*estimates, *more],
            self.opener.prices,
            as_json=as_json,
        )

    def allowance(self, folders: Sequence[Path], cap: flags.JudgingCap) -> "Allowance | None":
        """What all judging in these folders may take together; None without a cap."""
        from drretail.eval.judging.spending import capped

        if not cap.is_given:
            return None
        models = [judge.model for judge in self.judges if judge.model is not None]
        found = [capped(it, models, self.opener.prices, cap.max_tokens, cap.max_dollars) for it in folders]
        whole, *others = (it for it in found if it is not None)
        for other in others:
            whole.spent_tokens += other.spent_tokens
            whole.spent_dollars += other.spent_dollars
        return whole

    def score(
        self,
        folder: Path,
        store: "Store | None",
        allowance: "Allowance | None",
        *,
        retry_failed: bool,
        quiet: bool,
        pairs: Sequence[str] = (),
        rate_floors: bool = False,
    ) -> int:
        """Judges what is not judged yet; says what is left, and gives how much that is."""
        from drretail.cli.score import failed_answers, unfetched_claims
        from drretail.eval.scoring import score
        from drretail.event_loop import run_loop
        from drretail.progress import choose_progress
        from drretail.viewer.output import say

        scores = run_loop(
            score(
                folder,
                self.names,
                self.judges,
                store=store,
                progress=choose_progress("none" if quiet else None),
                page_age=self.settings.page_age,
                again="failed" if retry_failed else "nothing",
                allowance=allowance,
                pairs=pairs,
                rate_floors=rate_floors,
                prices=self.opener.prices,
            )
        )
        closing = None if allowance is None else allowance.closing
        if closing is not None:
            say(closing)
        if unfetched := unfetched_claims(scores):
            say(
                f"Claims on pages that nobody fetched: {unfetched:,}, which nobody could judge. `drretail score EXP "
                "--fetch-sources`, before this command, fetches them."
            )
        compared = [(row.a, row.b) for row in scores.pairs]
        failed = failed_answers(scores, self.names, [judge.ref for judge in self.judges], "default", compared)
        if failed:
            say(f"A judge gave no usable answer {failed:,} times: the same command with --retry-failed asks again.")
        return failed + (closing is not None)
