"""The judges of ``lab``, opened once with their options."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.addons.lab.card import card_lines
from drretail.addons.lab.options import BiasOptions, CardOptions, ExploitsOptions, PlantOptions
from drretail.api.models import Opener
from drretail.api.score import failed_answers, judges_for, unfetched_claims
from drretail.api.settings import read_settings
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.baskets import made_references
from drretail.eval.estimate import estimate_judging
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.spending import Allowance, allowance_for
from drretail.eval.scoring import score
from drretail.llm.estimates import Estimate, Estimates
from drretail.llm.event_loop import run_loop
from drretail.progress import choose_progress


@dataclass(frozen=True, slots=True)
class Judging:
    """Judges, opened once, with the options of their calls."""

    metrics: Sequence[str]
    judges: Sequence[Judge]
    opener: Opener
    again: Again
    max_tokens: int | None
    max_dollars: float | None

    @classmethod
    def of(
        cls,
        metrics: Sequence[str],
        options: CardOptions | PlantOptions | ExploitsOptions | BiasOptions,
        *,
        keyless: bool = False,
    ) -> "Judging":
        """The judges of these options. Raises UserError for a wrong name, and for any ``retry`` but "failed"."""
        if options.retry not in (None, "failed"):
            raise UserError(f"--retry {options.retry}: only failed is asked again.")
        opener = Opener(read_settings(), options.base_url, keyless=keyless)
        judges = judges_for(metrics, options.judge, opener, options.model_profile)
        return cls(metrics, judges, opener, options.retry or "nothing", options.max_tokens, options.max_dollars)

    def estimate(
        self, folder: Path, *, pairs: Sequence[str] = (), rate_floors: bool = False, more: Iterable[Estimate] = ()
    ) -> Estimates:
        """What judging the reports in this folder would take, together with the estimates in ``more``."""
        estimates = estimate_judging(folder, self.metrics, self.judges, pairs=pairs, rate_floors=rate_floors)
        return Estimates(f"What is left to judge in {folder}", [*estimates, *more], self.opener.prices)

    def allowance(self, *folders: Path) -> Allowance:
        """One allowance for all judging in these folders, less what was spent there before."""
        models = [judge.model for judge in self.judges if judge.model is not None]
        return allowance_for(folders, models, self.opener.prices, self.max_tokens, self.max_dollars)

    def score(
        self,
        folder: Path,
        world: World | None,
        allowance: Allowance,
        *,
        pairs: Sequence[str] = (),
        rate_floors: bool = False,
    ) -> tuple[int, list[str]]:
        """Judges what is not judged yet. Returns how many answers are left, and sentences about them."""
        scores = run_loop(
            score(
                folder,
                self.metrics,
                self.judges,
                store=world and world.store,
                references=made_references(folder, world),
                progress=choose_progress(),
                page_age=self.opener.settings.page_age,
                again=self.again,
                allowance=allowance,
                pairs=pairs,
                rate_floors=rate_floors,
                prices=self.opener.prices,
                judge_notes=card_lines,
            )
        )
        closing = allowance.closing
        notes = [] if closing is None else [closing]
        if unfetched := unfetched_claims(scores):
            notes.append(
                f"Claims on pages that nobody fetched: {unfetched:,}, which nobody could judge. `drretail score EXP "
                "--fetch-sources`, before this command, fetches them."
            )
        compared = [(row.a, row.b) for row in scores.pairs]
        failed = failed_answers(scores, self.metrics, [judge.ref for judge in self.judges], "default", compared)
        if failed:
            notes.append(
                f"A judge gave no usable answer {failed:,} times: the same command with --retry failed asks again."
            )
        return failed + (closing is not None), notes
