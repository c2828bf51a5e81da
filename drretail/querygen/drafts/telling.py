"""Which sentences of a need a shopper may say: those that the record bears out and no other query denies."""

from collections.abc import Iterable

from drretail.querygen.drafts.case import Case
from drretail.querygen.drafts.choosing import Chosen
from drretail.querygen.facts import agree
from drretail.querygen.needs import Saying


def sayable(case: Case, chosen: Chosen, sayings: Iterable[Saying]) -> list[Saying]:
    """Those of the sentences that are true of this user, as far as anybody can tell, in their order."""
    return [saying for saying in sayings if _is_true(case, chosen, saying)]


def said_by(case: Case, sayings: list[Saying]) -> Saying:
    """One of the sentences, if possible one that no other query of the user has."""
    text = case.say([saying.say for saying in sayings])
    return next(saying for saying in sayings if saying.say == text)


def _is_true(case: Case, chosen: Chosen, saying: Saying) -> bool:
    history, mine = case.history, chosen.purchase.thing.name
    age = (history.today - chosen.purchase.day).days
    return (
        history.orders >= saying.orders
        and saying.days <= age <= saying.within
        and (not saying.mine or mine in saying.mine)
        and (not saying.times or history.times(mine) >= saying.times)
        and (not saying.one_make or len(history.makers(mine)) == 1)
        and agree(case.facts, saying.claims)
        and (not saying.alone or all(history.lacks(name) for name in chosen.family if name != mine))
    )
