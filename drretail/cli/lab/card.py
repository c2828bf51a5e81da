"""``drretail lab card``: judges on claims that people labelled."""

from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.options.systems import exit_code

if TYPE_CHECKING:
    from drretail.api.models import Opener
    from drretail.eval.judging.session import Again, Judge
    from drretail.eval.judging.spending import Allowance
    from drretail.eval.lab.labelled_claims import LabelledSet
    from drretail.progress import Bar


@grouped
def card(
    by_whom: flags.Judges,
    cap: flags.JudgingCap,
    output: flags.Output,
    labels: Annotated[
        list[Path],
        typer.Option("--labels", metavar="FILE", help="Claims with sources and people's label; may be given again."),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="EXP", help="The experiment whose scores it stands beside.")],
    n: Annotated[int, typer.Option("--n", min=0, metavar="N", help="Claims of each file, by lot; 0: all.")] = 200,
    seed: flags.Seed = "42",
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again where a judge failed.")] = False,
    again: flags.Again = False,
    estimate: flags.Estimate = False,
) -> None:
    """Asks a judge about claims that people labelled, as score asks it, and says how often it is right.

    Files: AttributionBench, WiCE or LLM-AggreFact as JSON lines (also gzipped), or a CSV with the columns claim,
    source (source_2 …), label, and if there is one question. The card is kept in EXP/lab/cards and stands beside the
    judge's scores from the next drretail score on. The exit code is 3 where a judge gave no usable answer.
    """
    from drretail.api.judges import judges
    from drretail.api.models import Opener
    from drretail.cli.lab.asking import check_experiment
    from drretail.cli.spending import show_estimates
    from drretail.eval.judging.spending import capped
    from drretail.eval.lab.card import check_sets_stay
    from drretail.eval.lab.label_verdicts import cards_folder, estimate_labelled
    from drretail.eval.lab.labelled_claims import drawn, read_labelled
    from drretail.progress import Waits
    from drretail.settings import read_settings
    from drretail.viewer.output import say

    check_experiment(to)
    whole = _named([read_labelled(path) for path in labels])
    chosen = [drawn(it, n, seed) for it in whole]
    opener = Opener(read_settings(), by_whom.base_url or [], keyless=estimate, tell=Waits(quiet=output.quiet))
    asked = judges(by_whom.judge or [], opener, by_whom.model_profile, told_offline=lambda: say(OFFLINE_NOTE))
    folder = cards_folder(to)
    if estimate:
        estimates = [one for judge in asked for one in estimate_labelled(folder, chosen, judge)]
        show_estimates("Claims left to judge", ["what", "to judge"], estimates, opener.prices, as_json=output.as_json)
        return
    if not again:
        for judge in asked:
            check_sets_stay(to, judge, chosen, seed)
    models = [judge.model for judge in asked if judge.model is not None]
    allowance = capped(folder, models, opener.prices, cap.max_tokens, cap.max_dollars)
    asked_again = "failed" if retry_failed else "nothing"
    closing = _judged(folder, chosen, asked, allowance, asked_again, quiet=output.quiet)
    lacking = _show(to, list(zip(chosen, whole, strict=True)), asked, seed, opener, as_json=output.as_json)
    if closing:
        say(closing)
    exit_code(lacking)


OFFLINE_NOTE = "No --judge given: offline:judge is held against the labels."


def _named(sets: "list[LabelledSet]") -> "list[LabelledSet]":
    """The same with a name of its own for each."""
    from dataclasses import replace

    names = [it.name for it in sets]
    return [
        replace(it, name=f"{it.name} {names[:at].count(it.name) + 1}") if it.name in names[:at] else it
        for at, it in enumerate(sets)
    ]


def _judged(
    folder: Path,
    chosen: "list[LabelledSet]",
    asked: "list[Judge]",
    allowance: "Allowance | None",
    again: "Again",
    *,
    quiet: bool,
) -> str | None:
    """Asks what is missing; gives a sentence where the cap was reached."""
    from functools import partial

    from drretail.cli.lab.asking import ask_all
    from drretail.eval.lab.label_verdicts import judge_labelled

    def lot(judge: "Judge", labelled: "LabelledSet", allowance: "Allowance", bar: "Bar") -> Coroutine[Any, Any, None]:
        return judge_labelled(folder, labelled, judge, again=again, allowance=allowance, bar=bar)

    lots = [partial(lot, judge, labelled) for judge in asked for labelled in chosen]
    total = len(asked) * sum(len(it.claims) for it in chosen)
    return ask_all(folder, "judging labelled claims", total, lots, allowance, quiet=quiet)


def _show(
    experiment: Path,
    sets: "list[tuple[LabelledSet, LabelledSet]]",
    asked: "list[Judge]",
    seed: str,
    opener: "Opener",
    *,
    as_json: bool,
) -> int:
    """Keeps and prints the cards; gives how many claims have no verdict."""
    from drretail.eval.judging.spending import judging_costs
    from drretail.eval.lab.card import card_of, keep_card
    from drretail.eval.lab.label_verdicts import cards_folder
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_card import print_card

    folder = cards_folder(experiment)
    costs = {it.folder: it.cost.dollars for it in judging_costs(folder, opener.prices)}
    cards = [(judge, card_of(folder, sets, judge, seed, costs.get(judge.slug))) for judge in asked]
    paths = [keep_card(experiment, judge, made) for judge, made in cards]
    if as_json:
        print_json({"cards": [made.model_dump(mode="json", exclude_none=True) for _, made in cards]})
    else:
        for _, made in cards:
            print_card(made)
        say(f"Kept in {', '.join(map(str, paths))}; drretail score puts it beside every FP of the judge.")
    return sum(part.failed + part.unasked for _, made in cards for part in made.sets)
