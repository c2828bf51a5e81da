"""The statements of an intermediate report: what a report would say of a sub-problem, a paragraph a statement."""

import re
from collections.abc import Iterable

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.report.advice import advice_sections
from drretail.llm.offline.shopper.report.naming import Names, cut_title, day_text, price_text, rating_text
from drretail.llm.offline.shopper.report.picks import pick_sections
from drretail.llm.offline.shopper.roles.records import orders_that_bear
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import joined
from drretail.records.research import Insight

_CITED = re.compile(r"\s*\[(?P<id>[A-Z]:[^\]\s]+)\]")
_MARKUP = re.compile(r"\*\*|(?<!\w)\*|\*(?!\w)|^- ", re.MULTILINE)


def statements(study: Study, names: Names, *, with_record: bool) -> list[Insight]:
    """What was found of the shopper, then of each need, then on the web."""
    insights = [*(_of_shopper(study) if with_record else []), *_of_picks(study, names), *_of_web(study)]
    return list({insight.statement: insight for insight in insights}.values())


def insight_of(paragraph: str) -> Insight | None:
    """A paragraph of a report without its markup, its citations apart; None for one that says nothing."""
    text = " ".join(_MARKUP.sub("", _CITED.sub("", paragraph)).split())
    return Insight(statement=text, citations=tuple(dict.fromkeys(_CITED.findall(paragraph)))) if text else None


def _of_picks(study: Study, names: Names) -> Iterable[Insight]:
    for need, pick in zip(study.needs, study.basket.picks, strict=True):
        if pick is not None:
            product = pick.product
            text = f"Best {need.name}: {names.of(product)}, {price_text(product)}, {rating_text(product)}."
            yield Insight(statement=text, citations=(product.evidence,))
    yield from _paragraphs(pick_sections(study, names))


def _of_web(study: Study) -> Iterable[Insight]:
    return _paragraphs(advice_sections(study))


def _paragraphs(blocks: list[str]) -> Iterable[Insight]:
    """One insight for each paragraph and each bullet; what stands below a heading of a product names it."""
    about = ""
    for block in blocks:
        if block.startswith("## "):
            about = block.removeprefix("## ").rpartition(": ")[2] if ": " in block else ""
            continue
        for paragraph in block.splitlines():
            insight = insight_of(paragraph)
            if insight is not None:
                named = f"{about}: {insight.statement}" if about and about not in insight.statement else None
                yield insight.model_copy(update={"statement": named}) if named else insight


def _of_shopper(study: Study) -> Iterable[Insight]:
    customer = study.customer
    place = ", ".join(part for part in (customer.city, customer.state) if part)
    if customer.profile_evidence and place:
        yield Insight(statement=f"The shopper lives in {place}.", citations=(customer.profile_evidence,))
    if customer.statistics_evidence and customer.mean_order is not None:
        text = f"Their orders come to {format_money(customer.mean_order)} on average."
        yield Insight(statement=text, citations=(customer.statistics_evidence,))
    if customer.statistics_evidence and customer.favourite_brands:
        text = f"They have ordered {joined(list(customer.favourite_brands))} more than once."
        yield Insight(statement=text, citations=(customer.statistics_evidence,))
    orders = orders_that_bear(study, study.situation.query)
    for order in orders:
        fate = "ordered" if not order.void else order.status.casefold()
        text = (
            f"{cut_title(order.title, 80)}: {fate} on {day_text(order.date)}."
            if not order.void
            else (f"{cut_title(order.title, 80)}: ordered on {day_text(order.date)}, then {fate}.")
        )
        yield Insight(statement=text, citations=(order.evidence,))
    if customer.orders and not orders and customer.statistics_evidence:
        text = f"None of the {len(customer.orders)} orders read bears on this."
        yield Insight(statement=text, citations=(customer.statistics_evidence,))
