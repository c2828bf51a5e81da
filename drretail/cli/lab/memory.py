"""``drretail lab memory``: what a model knows of a shop by heart."""

from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.options.systems import exit_code

if TYPE_CHECKING:
    from drretail.api.models import Opener
    from drretail.env.manifest import Manifest
    from drretail.eval.judging.session import Again, Judge
    from drretail.eval.judging.spending import Allowance
    from drretail.eval.lab.memory.asked_products import AskedProduct
    from drretail.eval.lab.trial_findings import MemoryFound
    from drretail.progress import Bar


@grouped
def memory(
    model: Annotated[
        list[str], typer.Option("--model", metavar="PROVIDER:MODEL", help="The agent's model; may be given again.")
    ],
    cap: flags.JudgingCap,
    output: flags.Output,
    to: Annotated[Path, typer.Option("--to", metavar="EXP", help="The experiment beside whose scores it stands.")],
    world: flags.World = "demo",
    n: Annotated[int, typer.Option("--n", min=1, metavar="N", help="Products, by lot.")] = 100,
    seed: flags.Seed = "42",
    base_url: flags.BaseUrl = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again where a model failed.")] = False,
    estimate: flags.Estimate = False,
) -> None:
    """Asks a model without tools for price, rating and brand of products by their titles, and counts what is right.

    It may say that it doesn't know. What was asked once is not asked again; the result is kept in EXP/lab/memory.json.
    Of a world by drretail synth --perturb nobody can know any. The exit code is 3 where there was no usable answer.
    """
    from drretail.api.models import Opener
    from drretail.cli.lab.asking import check_experiment
    from drretail.cli.spending import show_estimates
    from drretail.data_ingest.perturb.perturbed_world import FROM
    from drretail.eval.judging.spending import capped
    from drretail.eval.lab.kept_findings import keep
    from drretail.eval.lab.memory.recalled import remembered, with_others
    from drretail.eval.lab.memory.recollections import estimate_recall, memory_folder, recollections
    from drretail.progress import Waits
    from drretail.settings import read_settings
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_memory import print_remembered

    check_experiment(to)
    opener = Opener(read_settings(), base_url or [], keyless=estimate, tell=Waits(quiet=output.quiet))
    models = _opened(opener, model)
    folder = memory_folder(to)
    manifest, products = _drawn(world, n, seed, quiet=output.quiet)
    shop, year = manifest.fingerprint, manifest.now.year
    if estimate:
        found = [estimate_recall(folder, shop, year, products, it) for it in models]
        show_estimates("Products left to ask about", ["model", "to ask"], found, opener.prices, as_json=output.as_json)
        return
    opened = [it.model for it in models if it.model is not None]
    allowance = capped(folder, opened, opener.prices, cap.max_tokens, cap.max_dollars)
    again = "failed" if retry_failed else "nothing"
    closing = _asked(folder, shop, year, products, models, allowance, again, quiet=output.quiet)
    made = [
        remembered(
            products,
            recollections(folder, shop, products, it),
            model=it.ref,
            world=shop,
            perturbed_from=manifest.parameters.get(FROM),
            seed=seed,
        )
        for it in models
    ]
    document = keep(to, "memory", with_others(made, _before(to)), [])
    if output.as_json:
        print_json(document)
    else:
        for it in made:
            print_remembered(it)
    if closing:
        say(closing)
    exit_code(sum(it.failed + it.unasked for it in made))


def _opened(opener: "Opener", specs: list[str]) -> "list[Judge]":
    """The models to ask. Raises UserError for one that follows rules."""
    from drretail.errors import UserError
    from drretail.eval.judging.session import Judge
    from drretail.records.models import ModelChoice

    models = [Judge.of(it) for it in opener.open_all(dict.fromkeys(ModelChoice(model=spec) for spec in specs))]
    for it in models:
        if it.ref.kind == "rule_based":
            raise UserError(f"{it.ref.spec} follows rules and knows nothing by heart: name a language model.")
    return models


def _drawn(world: str, n: int, seed: str, *, quiet: bool) -> "tuple[Manifest, list[AskedProduct]]":
    from drretail.api.worlds import place_of, server_settings
    from drretail.env.rows import rows_of
    from drretail.eval.lab.memory.asked_products import asked_products
    from drretail.progress import busy

    place = place_of(world, quiet=quiet)
    with busy("drawing products", quiet=quiet), rows_of(place, server_settings()) as rows:
        return rows.manifest, asked_products(rows.products, n, seed)


def _asked(
    folder: Path,
    world: str,
    year: int,
    products: "list[AskedProduct]",
    models: "list[Judge]",
    allowance: "Allowance | None",
    again: "Again",
    *,
    quiet: bool,
) -> str | None:
    """Asks what is missing; gives a sentence where the cap was reached."""
    from functools import partial

    from drretail.cli.lab.asking import ask_all
    from drretail.eval.lab.memory.recollections import ask_products

    def lot(model: "Judge", allowance: "Allowance", bar: "Bar") -> Coroutine[Any, Any, None]:
        return ask_products(folder, world, year, products, model, again=again, allowance=allowance, bar=bar)

    lots = [partial(lot, model) for model in models]
    return ask_all(folder, "asking for products", len(models) * len(products), lots, allowance, quiet=quiet)


def _before(experiment: Path) -> "MemoryFound | None":
    """What earlier calls found; nothing where it cannot be read, since it is made again from the answers."""
    from pydantic import ValidationError

    from drretail.errors import UserError
    from drretail.eval.lab.trial_findings import MemoryFound
    from drretail.files import read_json

    path = experiment / "lab" / "memory.json"
    try:
        return MemoryFound.model_validate(read_json(path)) if path.is_file() else None
    except (UserError, ValidationError):
        return None
