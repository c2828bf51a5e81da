"""What a judge of whole reports reads, in tags: question and shopper, a report, its sources, its picks with prices."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from drretail.eval.judging.readings import picks_of
from drretail.eval.judging.subject import Subject, Task
from drretail.grounding.report.render import Reference, render_report
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.records import read_ledger, record_of
from drretail.llm.prompts.prompt import tagged
from drretail.records.base import Rules
from drretail.records.evidence import Evidence
from drretail.records.shop import SHOP_URL

NO_PROFILE = "Nothing is known of this shopper."
NO_SOURCES = "The report refers to none."
NO_PICKS = "Nothing is to be bought."


def shopper_context(subject: Subject, rules: Rules = "default") -> dict[str, str]:
    """The shop's address, the shopper and the question, and under the default rules the shop's current date."""
    profile = NO_PROFILE if subject.profile is None else subject.profile.text
    return {
        "shop_url": SHOP_URL,
        **({"today": subject.today} if rules == "default" else {}),
        "query": tagged("query", subject.query.text),
        "profile": tagged("profile", profile),
    }


def report_as_written(subject: Subject, **attributes: str) -> str:
    """The report as publications' rules show it: with its own marks, and nothing added."""
    return tagged("report", subject.report or "", **attributes)


def report_material(subject: Subject) -> dict[str, str]:
    """The date, the question, the report and its sources, for questions without the shopper."""
    report, sources = report_and_sources(subject)
    return {"today": subject.today, "query": tagged("query", subject.query.text), "report": report, "sources": sources}


def task_material(task: Task) -> dict[str, str]:
    """The question and what is known of the user who asks it, for making criteria."""
    known = "Nothing is known of who asks." if task.profile is None else task.profile.text
    return {"query": tagged("query", task.query.text), "profile": tagged("profile", known)}


def report_and_sources(subject: Subject, **attributes: str) -> tuple[str, str]:
    """The report with numbered references, and their list; evidence ids would only confuse a judge.

    The list is separate from the report, so that a list in the report itself is not mistaken for it.
    """
    rendered = render_report(subject.report or "", subject.evidence.values(), style="plain")
    body = rendered.text.rpartition("\n\n## Sources\n")[0] if rendered.references else rendered.text
    listed = "\n".join(_entry(reference, subject.evidence) for reference in rendered.references)
    return tagged("report", body, **attributes), tagged("sources", listed or NO_SOURCES, **attributes)


def picks_with_prices(subject: Subject, rules: Rules, **attributes: str) -> str:
    """The report's picks, at the prices in the run's own records.

    Empty if the picks are unknown, and under a publication's rules, which show no such list. The world is not used, so
    that a judge is shown the same with and without it. The sum is shown if every price is known and in one currency.
    """
    picks = picks_of(replace(subject, store=None))[0] if rules == "default" else None
    if picks is None:
        return ""
    ledger = read_ledger(subject.evidence, picks=picks)
    lines: list[str] = []
    for pick in picks:
        product, price = ledger.products.get(pick.product), ledger.price(pick.product)
        cost = "price not known"
        if product is not None and price is not None:
            each = f"{format_money(price, product.currency)} each, " if pick.quantity > 1 else ""
            cost = each + format_money(price * Decimal(pick.quantity), product.currency)
        lines.append(f"- {pick.quantity} × {pick.product if product is None else product.title}: {cost}")
    currencies = {ledger.products[pick.product].currency for pick in picks if pick.product in ledger.products}
    if ledger.total is not None and len(currencies) == 1:
        lines.append(f"Total: {format_money(ledger.total, currencies.pop())}")
    return tagged("picks", "\n".join(lines) or NO_PICKS, **attributes)


def _entry(reference: Reference, evidence: Mapping[str, Evidence]) -> str:
    """A line of the list; an order's line says what was ordered, since its number says nothing."""
    entry = evidence.get(reference.evidence_id or "")
    texts = entry.texts if entry is not None and entry.kind == "order" else ()
    order = next((record for text in texts if (record := record_of(text.text)) and "order_date" in record), None)
    of = ""
    if order is not None:
        status = f" ({order['order_status']})" if order.get("order_status") else ""
        thing = order.get("product_title") or order.get("product_id")
        of = f"{str(order['order_date'])[:10]}: {order.get('quantity', 1)} × {thing}{status}"
    number = "-" if reference.number is None else f"{reference.number}."
    return f"{number} {' — '.join(dict.fromkeys(filter(None, (reference.title, reference.url, of))))}"
