"""What is searched for: a model goes wide, then ten searches are chosen and sorted (paper 003, stage 2)."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from drretail.grounding.text.personal_data import People, personal_data
from drretail.prompts import load_prompt, tagged
from drretail.records.base import Record
from drretail.sandboxes.material import Keyword, Keywords
from drretail.sandboxes.search_based.asking import Asker

TEN = 10
FEWEST = 3
"""Of signals, and of noise."""
LONGEST = 120
"""Characters of a search."""
WIDE = 12


class SaidFacet(Record):
    facet: str
    keyword: str = Field(min_length=3, max_length=LONGEST)


class Divergence(Record):
    """What is to be found out, and searches that might bring it."""

    matter: str = Field(min_length=1)
    needs: list[str] = Field(min_length=2, max_length=8)
    keywords: list[SaidFacet] = Field(min_length=WIDE)


class SaidKeyword(Record):
    keyword: str
    kind: Literal["signal", "noise"]
    why: str


class Convergence(Record):
    """Ten of these searches, each sorted."""

    keywords: list[SaidKeyword]


async def keywords_of(
    asker: Asker, task: str, about: Sequence[str], people: People, today: str
) -> tuple[str, Keywords]:
    """What is to be found out in one sentence, and the ten searches for it.

    ``about`` is what is known of the question, the shopper and the files, in tags. Raises TaskFailed.
    """

    def names_nobody(said: Divergence) -> str | None:
        told = [it.keyword for it in said.keywords if personal_data(it.keyword, people)]
        return f"these searches tell who the shopper is: {'; '.join(told)}" if told else None

    wide = await asker.ask(
        f"{task}/diverge", load_prompt(__file__, "diverge"), about, Divergence, names_nobody, today=today
    )
    offered = list(dict.fromkeys(it.keyword.strip() for it in wide.keywords))
    needs = tuple(it.strip() for it in wide.needs)
    shown = [
        tagged("query", wide.matter),
        numbered_needs(needs),
        tagged("keywords", "\n".join(f"{it.keyword.strip()} – {it.facet}" for it in wide.keywords)),
    ]
    narrow = await asker.ask(
        f"{task}/converge", load_prompt(__file__, "converge"), shown, Convergence, lambda it: _unsorted(it, offered)
    )
    ten = tuple(Keyword(text=it.keyword.strip(), kind=it.kind, why=it.why.strip()) for it in narrow.keywords)
    made_by = asker.model.spec
    return wide.matter, Keywords(divergent=tuple(offered), convergent=ten, needs=needs, made_by=made_by)


def numbered_needs(needs: Sequence[str]) -> str:
    """The needs under their numbers, in their tag."""
    return tagged("needs", "\n".join(f"{number}. {it}" for number, it in enumerate(needs, 1)))


def _unsorted(said: Convergence, offered: Sequence[str]) -> str | None:
    chosen = [it.keyword.strip() for it in said.keywords]
    if strange := [it for it in chosen if it not in offered]:
        return f"these stand not among the searches, letter for letter: {'; '.join(strange)}"
    if len(set(chosen)) != TEN or len(chosen) != TEN:
        return f"there have to be ten different ones, and these are {len(set(chosen))}"
    signals = sum(it.kind == "signal" for it in said.keywords)
    if not FEWEST <= signals <= TEN - FEWEST:
        return f"{signals} are signals and {TEN - signals} noise: at least {FEWEST} have to be of each"
    return None
