"""What writing queries is likely to take: from what the file's earlier queries took, else from what would be sent."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from drretail.env.world import World
from drretail.journal import Effect, read_effects
from drretail.llm.budget import CHARACTERS_PER_TOKEN
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.registry import Model
from drretail.llm.structured import MAX_REPAIRS
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.targets import Target
from drretail.querygen.lint import Linter
from drretail.records.run import Usage

ANSWER = Range(350, 1_200)
"""Tokens of one answer: 40 to 120 words of text, and two to four times as much beside it, more for each want; more
where a model thinks first."""
# Of so many targets the prompts are measured.
_MEASURED = 20


def estimate_writing(world: World, model: Model, targets: Sequence[Target], journal: Path) -> Estimate:
    """What the queries that the journal doesn't hold are likely to take; nothing is sent."""
    known = [effect for effect in read_effects(journal) if effect.kind == "model"] if journal.exists() else []
    asked = {effect.scope for effect in known}
    ids = (target.query_id(number) for target in targets for number in range(1, target.count + 1))
    count = sum(f"{query_id}#1" not in asked for query_id in ids)
    calls, read, written, basis = _measured(known, model) or _by_prompts(world, targets)
    money = dollars_of(read, written, [] if model.price is None else [model.price])
    return Estimate(
        model.spec,
        count,
        calls.times(count),
        read.times(count),
        written.times(count),
        None if money is None else money.times(count),
        basis,
        () if model.price is not None else (model.spec,),
    )


def _measured(known: Sequence[Effect], model: Model) -> tuple[Range, Range, Range, str] | None:
    """Of one query, from those that this model wrote into the file before; None without any."""
    by_query: dict[str, Usage] = {}
    for effect in known:
        if effect.request["model"] == model.spec and effect.usage is not None:
            by_query[effect.scope] = by_query.get(effect.scope, Usage()).plus(Usage(**effect.usage))
    used = list(by_query.values())
    if not used:
        return None
    read = [usage.input_uncached + usage.cache_read + usage.cache_creation for usage in used]
    basis = f"{'1 query' if len(used) == 1 else f'{len(used):,} queries'} in this file's journal"
    return _range([usage.calls for usage in used]), _range(read), _range([usage.output for usage in used]), basis


def _by_prompts(world: World, targets: Sequence[Target]) -> tuple[Range, Range, Range, str]:
    """From one call without an earlier question up to all repairs, each of which sends the answer back as well."""
    prompts, most = PromptBuilder(world, Linter(world)), MAX_REPAIRS + 1
    lengths = [sum(len(message.text) for message in prompts.messages(target, [])) for target in targets[:_MEASURED]]
    once = mean(lengths) / CHARACTERS_PER_TOKEN
    read = Range(once, most * once + sum(range(most)) * ANSWER.high)
    basis = f"the prompts, and answers of {ANSWER.low:.0f} to {ANSWER.high:.0f} tokens with up to {MAX_REPAIRS} repairs"
    return Range(1, most), read, Range(ANSWER.low, most * ANSWER.high), basis


def _range(values: Sequence[int]) -> Range:
    """Mean ± standard deviation; of a single query, ± half of it."""
    return Range.around(mean(values), stdev(values) if len(values) > 1 else values[0] / 2)
