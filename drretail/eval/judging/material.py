"""What a judge of whole reports reads, in tags: question and shopper, a report, its sources, its picks with prices."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal

from drretail.eval.judging.readings import picks_of
from drretail.eval.judging.subject import Subject, Task
from drretail.grounding.report.render import Reference, render_report
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.records import Ledger, read_ledger, record_of
from drretail.prompts import tagged
from drretail.records.base import Rules
from drretail.records.evidence import Evidence
from drretail.records.reading import Pick
from drretail.records.shop import SHOP_URL

NO_PROFILE = "Nothing is known of this shopper."
NO_SOURCES = "The report refers to none."
NO_PICKS = "Nothing is to be bought."


def shopper_context(subject: Subject) -> dict[str, str]:
    """The shop's address and its today, the shopper and the question."""
    profile = NO_PROFILE if subject.profile is None else subject.profile.text
    return {
        "shop_url": SHOP_URL,
        "today": subject.today,
        "query": tagged("query", subject.query.text),
        "profile": tagged("profile", profile),
    }


def report_material(subject: Subject) -> dict[str, str]:
    """The day, the question, the report and its sources, for questions that say nothing of the shopper."""
    report, sources = report_and_sources(subject)
    return {"today": subject.today, "query": tagged("query", subject.query.text), "report": report, "sources": sources}


def task_material(task: Task) -> dict[str, str]:
    """The question and what is known of who puts it, for whoever makes criteria of it."""
    known = "Nothing is known of who asks." if task.profile is None else task.profile.text
    return {"query": tagged("query", task.query.text), "profile": tagged("profile", known)}


def report_and_sources(subject: Subject, **attributes: str) -> tuple[str, str]:
    """The report with numbered references, and what they stand for: evidence ids would only puzzle a judge.

    The list is apart from the report, so that none which a report writes itself is taken for it.
    """
    rendered = render_report(subject.report or "", subject.evidence.values(), style="plain")
    body = rendered.text.rpartition("\n\n## Sources\n")[0] if rendered.references else rendered.text
    listed = "\n".join(_entry(reference, subject.evidence) for reference in rendered.references)
    return tagged("report", body, **attributes), tagged("sources", listed or NO_SOURCES, **attributes)


def picks_with_prices(subject: Subject, rules: Rules, **attributes: str) -> str:
    """What the report puts into the cart, at the prices that the run's own records have.

    Empty where that is not known, and under a publication's rules, which show no such list. The world is left out: a
    judge is shown the same whether it is at hand or not.
    """
    picks = picks_of(replace(subject, store=None))[0] if rules == "default" else None
    if picks is None:
        return ""
    ledger = read_ledger(subject.evidence, picks=picks)
    return tagged("picks", "\n".join([*_lines(picks, ledger), *_total(ledger)]) or NO_PICKS, **attributes)


def _entry(reference: Reference, evidence: Mapping[str, Evidence]) -> str:
    """A line of the list; of an order with what it was of, since its number says nothing."""
    entry = evidence.get(reference.evidence_id or "")
    texts = entry.texts if entry is not None and entry.kind == "order" else ()
    order = next((found for text in texts if (found := record_of(text.text)) and "order_date" in found), None)
    of = ""
    if order is not None:
        status = f" ({order['order_status']})" if order.get("order_status") else ""
        what = order.get("product_title") or order.get("product_id")
        of = f"{str(order['order_date'])[:10]}: {order.get('quantity', 1)} × {what}{status}"
    number = "-" if reference.number is None else f"{reference.number}."
    return f"{number} {' — '.join(dict.fromkeys(filter(None, (reference.title, reference.url, of))))}"


def _lines(picks: tuple[Pick, ...], ledger: Ledger) -> Iterator[str]:
    for pick in picks:
        product, price = ledger.products.get(pick.product), ledger.price(pick.product)
        line = f"- {pick.quantity} × {pick.product if product is None else product.title}: "
        if product is None or price is None:
            yield line + "price not known"
        else:
            each = f"{format_money(price, product.currency)} each, " if pick.quantity > 1 else ""
            yield line + each + format_money(price * Decimal(pick.quantity), product.currency)


def _total(ledger: Ledger) -> Iterator[str]:
    """The sum, where every price is known and all are in one currency."""
    currencies = {
        ledger.products[pick.product].currency for pick in ledger.picks or () if pick.product in ledger.products
    }
    if ledger.total is not None and len(currencies) == 1:
        yield f"Total: {format_money(ledger.total, currencies.pop())}"
