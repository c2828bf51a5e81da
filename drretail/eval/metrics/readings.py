"""A run's report as it is read: by metrics by code, in a reading that is kept beside the runs; by judges of whole
reports, in tags with question, shopper, sources and picks.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

from pydantic import ValidationError

from drretail.eval.claims.claims import EXTRACT, FAITHFULNESS, claims_in
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.extraction import extraction_prompts
from drretail.eval.claims.typed_values import reading_by, second_look
from drretail.eval.judging.question import VerdictFile, judges_in, verdict_path
from drretail.eval.judging.subject import CriteriaTask, Subject
from drretail.eval.metrics.reading import BY_FORM, ITEM, NAME, STAGE, VERSION, prompts
from drretail.files import write_json
from drretail.llm.prompt import Prompt, tagged
from drretail.records.base import Rules, file_name
from drretail.records.reading import DECLARED, Pick, Reading
from drretail.records.score import Verdict
from drretail.records.shop import variant_title
from drretail.reports.render import render_report
from drretail.reports.text.wording import format_money
from drretail.shopping.verify.checks import read_picks, read_report
from drretail.shopping.verify.records import record_of


def reading_of(subject: Subject) -> Reading:
    """The report's picks (declared, or a judge's, or by form) and its verified values. Writes nothing."""
    return read_report(subject.case, judges_reading(subject))


def picks_of(subject: Subject) -> tuple[tuple[Pick, ...] | None, str]:
    """The report's picks and their reader, as in its reading; declared picks are known without one."""
    if subject.run is not None and subject.run.picks is not None:
        return subject.run.picks, DECLARED
    return read_picks(subject.case, judges_reading(subject))


def keep_reading(subject: Subject, reading: Reading) -> None:
    """Writes exp/readings/<reader>/<label>/<query_id>-r<k>.json if it is new or changed."""
    if subject.folder is None:
        return
    folder = subject.folder / "readings" / file_name(reading.reader) / file_name(subject.label)
    path, existing = folder / f"{file_name(subject.run_name)}.json", None
    if path.exists():
        with suppress(ValidationError):  # a damaged one is made again
            existing = Reading.model_validate_json(path.read_bytes())
    if existing != reading:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, reading.model_dump(mode="json", exclude_none=True))


def judges_reading(subject: Subject) -> Reading | None:
    """The reading of this report by the first judge, in the order of their folders; None if no judge read it."""
    if subject.folder is None or subject.report_sha is None:
        return None
    for judge in judges_in(subject.folder, NAME):
        in_reading = _living(subject, NAME, judge, prompts())
        of_picks = (
            verdict
            for verdict in in_reading
            if (verdict.version, verdict.stage, verdict.item) == (VERSION, STAGE, ITEM)
        )
        picks = next(of_picks, None)
        if picks is None or picks.reason == BY_FORM:
            continue
        of_claims = (
            verdict
            for verdict in _living(subject, FAITHFULNESS, judge, extraction_prompts())
            if (verdict.version, verdict.stage, verdict.item) == (FAITHFULNESS_VERSION, EXTRACT, ITEM)
        )
        claims = next(of_claims, None)
        if claims is not None or picks.state == "scored":
            read = claims_in(claims) if claims is not None else None
            return reading_by(judge, read or (), picks, second_look(in_reading, subject.case.report))
    return None


def _living(subject: Subject, metric: str, judge: str, prompts: Iterable[Prompt]) -> list[Verdict]:
    """The current verdicts of a judge on this report in a metric, by these prompts or without a prompt."""
    assert subject.folder is not None
    path = verdict_path(subject.folder, metric, judge, subject.label, subject.run_name)
    return VerdictFile(path).living(subject.report_sha or "", frozenset({"", *(prompt.hash for prompt in prompts)}))


def how_read(reading: Reading) -> str:
    """ "31 of 44 numbers checked, picks declared"."""
    by = picks_by(reading.picks, reading.reader)
    return f"{reading.looked_at.in_words}, {by}{' (none)' if reading.picks == () else ''}"


def picks_by(picks: tuple[Pick, ...] | None, reader: str) -> str:
    """Who read the picks: "picks declared", "picks by form", "picks by model:…", "picks unknown"."""
    if picks is None:
        return "picks unknown"
    return "picks declared" if reader == DECLARED else f"picks by {reader}"


NO_PROFILE = "Nothing is known of this shopper."
NO_SOURCES = "The report refers to none."
NO_PICKS = "Nothing is to be bought."


def judge_context(subject: Subject, rules: Rules = "default") -> dict[str, str]:
    """The shop's address, the shopper and the question, and under the default rules the shop's current date."""
    profile = (NO_PROFILE if rules == "default" else "") if subject.profile is None else subject.profile.text
    return {
        "shop_url": subject.shop_url,
        **({"today": subject.today} if rules == "default" else {}),
        "query": tagged("query", subject.query.text),
        "profile": tagged("profile", profile),
    }


def report_as_read(subject: Subject, **attributes: str) -> str:
    """The report as publications' rules show it: with numbers and a list of sources, as its reader sees it, and without
    a word of ours: marks that lead to no address stand as they are written.
    """
    text = render_report(subject.report or "", subject.evidence.values(), style="plain", as_written=True).text
    return tagged("report", text, **attributes)


def report_material(subject: Subject) -> dict[str, str]:
    """The date, the question, the report and its sources, for questions without the shopper."""
    report, sources = report_and_sources(subject)
    return {"today": subject.today, "query": tagged("query", subject.query.text), "report": report, "sources": sources}


def task_material(task: CriteriaTask) -> dict[str, str]:
    """The question and what is known of the user who asks it, for making criteria."""
    profile = "Nothing is known of who asks." if task.profile is None else task.profile.text
    return {"query": tagged("query", task.query.text), "profile": tagged("profile", profile)}


def report_and_sources(subject: Subject, **attributes: str) -> tuple[str, str]:
    """The report with numbered references, and their list; evidence ids would only confuse a judge.

    The list is separate from the report, so that a list in the report itself is not mistaken for it.
    """
    rendered = subject.rendered
    lines: list[str] = []
    for reference in rendered.references:
        entry = subject.evidence.get(reference.evidence_id or "")
        texts = entry.texts if entry is not None and entry.kind == "order" else ()
        order = next((record for text in texts if (record := record_of(text.text)) and "order_date" in record), None)
        of = ""
        if order is not None:  # an order's line says what was ordered, since its number says nothing
            status = f" ({order['order_status']})" if order.get("order_status") else ""
            thing = order.get("product_title") or order.get("product_id")
            of = f"{str(order['order_date'])[:10]}: {order.get('quantity', 1)} × {thing}{status}"
        number = f"{reference.label}." if reference.label else "-"
        lines.append(f"{number} {' — '.join(dict.fromkeys(filter(None, (reference.title, reference.url, of))))}")
    sources = "\n".join(lines) or NO_SOURCES
    return tagged("report", rendered.body, **attributes), tagged("sources", sources, **attributes)


def picks_with_prices(subject: Subject, rules: Rules, **attributes: str) -> str:
    """The report's picks, at the prices in the run's own records.

    Empty if the picks are unknown, and under a publication's rules, which show no such list. The world is not used, so
    that a judge is shown the same with and without it. The sum is shown if every price is known and in one currency.
    """
    picks = picks_of(replace(subject, store=None))[0] if rules == "default" else None
    if picks is None:
        return ""
    ledger = replace(subject.ledger, picks=picks)
    lines: list[str] = []
    for pick in picks:
        product, price = ledger.products.get(pick.product), ledger.price_of(pick)
        cost = "price not known"
        if product is not None and price is not None:
            price_each = f"{format_money(price, product.currency)} each, " if pick.quantity > 1 else ""
            cost = price_each + format_money(price * Decimal(pick.quantity), product.currency)
        offer, title = ledger.offer(pick), pick.product if product is None else product.title
        lines.append(f"- {pick.quantity} × {variant_title(title, '' if offer is None else offer.name)}: {cost}")
    currencies = {ledger.products[pick.product].currency for pick in picks if pick.product in ledger.products}
    if ledger.total is not None and len(currencies) == 1:
        lines.append(f"Total: {format_money(ledger.total, currencies.pop())}")
    return tagged("picks", "\n".join(lines) or NO_PICKS, **attributes)
