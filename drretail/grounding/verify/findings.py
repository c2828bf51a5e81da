"""What is wrong with a report: contradicted values, unknown sources, wrong picks."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from urllib.parse import urlsplit

from drretail.grounding.basket.cart import Cart
from drretail.grounding.constraints.fits import is_below, is_too_dear
from drretail.grounding.constraints.kinds import shares_the_noun
from drretail.grounding.constraints.listing import Listing, is_of_brand, listing_of, pieces_in
from drretail.grounding.text.wording import format_amount, format_money
from drretail.grounding.verify.records import Ledger
from drretail.records.criteria import FactKind
from drretail.records.evidence import Citation, Finding
from drretail.records.query import Fit, Reference, WantedThing
from drretail.records.reading import OF_CALCULATIONS, OF_FIELDS, SUPERLATIVES, Pick, ReadValue, ValueKind
from drretail.records.shop import SHOP_URL, Product
from drretail.records.wish import Want, Wish

CODES: dict[ValueKind, str] = {
    "price": "price_wrong",
    "stock": "stock_wrong",
    "product": "not_in_catalog",
    "policy": "policy_wrong",
    "rating": "rating_wrong",
    "rating_count": "rating_count_wrong",
    "total": "total_wrong",
    "date": "order_date_wrong",
    "brand": "brand_wrong",
    "place": "place_wrong",
    "order_status": "status_wrong",
    **dict.fromkeys(OF_FIELDS, "property_wrong"),
    **dict.fromkeys(OF_CALCULATIONS, "calculation_wrong"),
    **dict.fromkeys(SUPERLATIVES, "superlative_wrong"),
}
"""The finding of a contradicted value, by its kind."""
_FACTS: dict[FactKind, str] = {
    "recalled": "it was recalled",
    "failed": "it fails what is demanded",
    "dearer": "it costs more than older pages say",
}
_PRODUCT = re.compile(r"\bP:([A-Za-z0-9][A-Za-z0-9_-]*)")
_AVAILABILITY = re.compile(r"availab|in stock|stock status", re.I)
_UNAVAILABLE = re.compile(r"\b(?:unavailable|out of stock|sold out|discontinued|no longer|not available)\b", re.I)


def value_findings(report: str, values: Iterable[ReadValue]) -> Iterator[Finding]:
    """One error for each contradicted value."""
    for value in values:
        if value.state == "contradicted":
            found, source = value.derivation, value.of[0] if value.of else None
            is_of_field = value.kind == "date" and f"{source}"[:2] == "P:"
            code = "property_wrong" if is_of_field else CODES[value.kind]
            start, end, text = value.start, value.end, report[value.start : value.end]
            yield Finding(code=code, severity="error", start=start, end=end, text=text, found=found, evidence_id=source)


def products_of(citation: Citation) -> list[str]:
    """The ids of the products that a citation names, by evidence ids or by an address of the shop.

    A mark that leads nowhere has its ids only in its words: "[see P:B1; P:B2]", ".../B1?ref=list".
    """
    address = citation.url or ""
    if citation.evidence_id is None and address.startswith(f"{SHOP_URL}/"):
        path = urlsplit(address).path.strip("/")
        return [path] if path else []
    return _PRODUCT.findall(citation.evidence_id or citation.marker)


def source_findings(
    citations: Iterable[Citation], catalog: Collection[str] | None, *, unknown_kinds: str = ""
) -> Iterator[Finding]:
    """Citations of what the run never received, and of products that the shop does not have.

    ``catalog`` has the cited product ids that exist; None without the world. Where nobody knows what the run received,
    an evidence id that begins with one of the ``unknown_kinds`` is a warning.
    """
    for citation in citations:
        fault = partial(Finding, severity="error", start=citation.start, end=citation.end, text=citation.marker)
        if citation.type == "unresolved":
            is_open = unknown_kinds and re.search(rf"\b[{unknown_kinds}]:\w", citation.marker)
            found = "what the run was handed is not known" if is_open else "the run was handed no such source"
            yield fault(code="unresolved_citation", found=found, severity="warning" if is_open else "error")
        if citation.type == "web" and citation.evidence_id is None:
            yield fault(code="url_not_seen", found="the run never saw this page")
        lacking = [name for name in products_of(citation) if catalog is not None and name not in catalog]
        if lacking:
            yield fault(code="not_in_catalog", found=f"the shop has no product {lacking[0]}")


def pick_findings(
    picks: Sequence[Pick],
    *,
    report: str,
    cited: Collection[str],
    wish: Wish | None,
    owned: Collection[str] = (),
    ledger: Ledger,
    catalog: Collection[str] | None = None,
    refusable: Mapping[str, bool] = MappingProxyType({}),
    are_certain: bool = True,
) -> list[Finding]:
    """What is wrong with the picks of a report, in their order, then with the whole cart.

    ``owned`` are products that the user has, ``cited`` the evidence ids that the report cites, ``catalog`` the ids of
    picks that the shop has, ``refusable`` the wants that may be left out, True if rightly. Of alternatives the first
    counts. Picks by form are not certain: they have no quantities, and may be only some of the picks, or what is named
    because it will not do. So they break no wish.
    """
    findings = [finding for pick in picks for finding in _of_any_pick(pick, report, cited, ledger, catalog)]
    if wish is None or not are_certain:
        return findings
    cart = cart_by_kind(wish, picks, ledger)
    findings += [finding for pick in picks for finding in _of_wanted_pick(pick, report, cart, owned, ledger)]
    findings += [*_quantities(cart, report), *_left_out(cart, refusable)]
    if wish.budget is not None and cart.is_over:
        limit, cost = format_amount(wish.budget), format_money(cart.known_cost, wish.budget.currency)
        words = ", ".join(_words(pick, report) for pick in picks)
        found = f"the budget is {limit}, and the picks cost {cost}"
        findings.append(Finding(code="over_budget", severity="error", text=words, found=found))
    return findings


def _of_any_pick(
    pick: Pick, report: str, cited: Collection[str], ledger: Ledger, catalog: Collection[str] | None
) -> Iterator[Finding]:
    if catalog is not None and pick.product not in catalog:
        yield _finding("not_in_catalog", report, pick, f"the shop has no product {pick.product}")
        return
    if not any(f"P:{product}" in cited or product in cited for product in (pick.product, *pick.alternatives)):
        yield _finding("pick_not_argued", report, pick, "the report cites nothing of it")
    if (fact := ledger.decisions.excluded.get(pick.product)) is not None:
        yield _finding("unsafe_pick", report, pick, f"{_FACTS[fact.fact]}, says {fact.source}")
    item = ledger.products.get(pick.product)
    for name, value in () if item is None else item.details.items():
        if _AVAILABILITY.search(name) and _UNAVAILABLE.search(str(value)):
            yield _finding("unavailable", report, pick, f"{name}: {value}")


def cart_by_kind(wish: Wish, picks: Sequence[Pick], ledger: Ledger) -> Cart:
    """The cart, with every product of a kind assigned to its want: the want's other demands are checked separately."""
    records = {pick.product: item for pick in picks if (item := ledger.products.get(pick.product)) is not None}
    things = tuple(
        WantedThing(
            name=want.name,
            quantity=want.quantity,
            optional=want.optional,
            fits=tuple(
                Fit(product_id=key, worth=0, is_pack=pieces_in(item.title) > 1)
                for key, item in records.items()
                if ledger.decisions.is_of_kind(want, listing_of(item))
            ),
        )
        for want in wish.wants
    )
    return Cart(wish, Reference(query_id="of-kinds", things=things), tuple(picks), records)


def _of_wanted_pick(pick: Pick, report: str, cart: Cart, owned: Collection[str], ledger: Ledger) -> Iterator[Finding]:
    """What a pick breaks in every want that it may be for; a pick without a record breaks nothing known."""
    item = ledger.products.get(pick.product)
    if item is None:
        return
    wants = cart.wanted_for(pick.product)
    if not wants and not cart.wish.room:
        # If its title has the noun of what is wanted, whether it is of the kind may be debatable.
        is_close = shares_the_noun(item, [kind for want in cart.wish.wants for kind in want.kinds])
        names = ", ".join(want.name for want in cart.wish.wants)
        found = f"“{item.title}” is not {names}" if names else "nothing is to be bought"
        yield _finding("not_wanted", report, pick, found, severity="warning" if is_close else "error")
    if cart.wish.counts_money and listing_of(item).price is None:
        found = "the shop names no price, and the query limits what it may cost"
        yield _finding("price_unknown", report, pick, found, severity="warning")
    if not wants:
        return
    listing = listing_of(item)
    if pick.product in owned and not any(want.again for want in wants):
        yield _finding("recommended_although_owned", report, pick, "the user has it")
    made_by = f"the brand is {item.brand}"
    if all(any(is_of_brand(listing, brand) for brand in want.brands_unwanted) for want in wants):
        yield _finding("unwanted_brand", report, pick, made_by)
    brands = [want.brands_wanted for want in wants]
    if listing.makers and all(one and not any(is_of_brand(listing, brand) for brand in one) for one in brands):
        yield _finding("unwanted_brand", report, pick, f"{made_by}, wanted is {' or '.join(wants[0].brands_wanted)}")
    yield from _demands(pick, report, listing, wants, ledger)
    if all(is_too_dear(want, listing) for want in wants) and (most := wants[0].price_max) is not None:
        limit, price = format_amount(most), format_money(item.price or 0, item.currency)
        yield _finding("over_budget", report, pick, f"it costs {price}, and at most {limit} is allowed for one")
    yield from _below(pick, report, item, wants)


def _demands(pick: Pick, report: str, listing: Listing, wants: Sequence[Want], ledger: Ledger) -> Iterator[Finding]:
    """A demand that the pick breaks, or that its record leaves open, in every want that it may be for."""
    rulings = [
        [ruling for ruling in ledger.decisions.rulings(want, listing) if ruling.state != "met"] for want in wants
    ]
    broken = [next((ruling for ruling in of_want if ruling.state == "broken"), None) for of_want in rulings]
    if all(broken) and (first := broken[0]) is not None:
        found = f"its record speaks against {first.demand!r}" + (f" ({first.quote})" if first.quote else "")
        yield _finding("demand_broken", report, pick, found, severity="error" if first.is_sure else "warning")
    elif all(rulings):
        found = f"its record does not say {rulings[0][0].demand!r}"
        yield _finding("not_borne_out", report, pick, found, severity="warning")


def _below(pick: Pick, report: str, item: Product, wants: Sequence[Want]) -> Iterator[Finding]:
    """Fewer stars or ratings than every want that the pick may be for requires; a warning if they are unknown."""
    limits = (
        ("stars", item.average_rating, min(want.rating_min or 0 for want in wants)),
        ("ratings", item.rating_number, min(want.ratings_min or 0 for want in wants)),
    )
    for name, known, least in limits:
        if least and is_below(known, least, unknown=True):
            has = "no known" if known is None else f"{known:,g}"
            found = f"asked for are at least {least:,g} {name}, and it has {has}"
            yield _finding("below_rating", report, pick, found, severity="warning" if known is None else "error")


def _quantities(cart: Cart, report: str) -> Iterator[Finding]:
    """Wants whose quantity is not met, and pieces beyond it; for packs any number is right."""
    by_product = {pick.product: pick for pick in reversed(cart.picks)}
    for number, (thing, taken) in enumerate(zip(cart.things, cart.taken, strict=True)):
        if taken and not cart.is_covered(number):
            found = f"asked for are {thing.quantity}, declared {sum(of_want.pieces for of_want in taken)}"
            yield _finding("quantity_wrong", report, by_product[taken[0].fit.product_id], found)
    for product, pieces in cart.besides.items():
        wants = cart.wanted_for(product)
        if wants and not cart.wish.room and pieces_in(cart.products[product].title) == 1:
            pick, asked = by_product[product], sum(want.quantity for want in wants)
            code = "quantity_wrong" if pieces < pick.quantity else "not_wanted"
            names = ", ".join(want.name for want in wants)
            yield _finding(code, report, pick, f"asked for are {asked} × {names}, and the picks hold {pieces} more")


def _left_out(cart: Cart, refusable: Mapping[str, bool]) -> Iterator[Finding]:
    """Wants without a pick, in a cart with other picks; an empty cart means that nothing suits.

    A warning if a pick for no other want may be for it after all (its title has the noun, or its record is unknown), or
    if whether it can be had is not known.
    """
    if not cart.picks:
        return
    is_unknown = any(pick.product not in cart.products for pick in cart.picks)
    besides = [cart.products[product] for product in cart.besides if product in cart.products]
    for want, taken in zip(cart.wish.wants, cart.taken, strict=True):
        if not taken and not want.optional and not refusable.get(want.name):
            is_close = any(shares_the_noun(item, want.kinds) for item in besides)
            is_unsure = is_close or is_unknown or want.name in refusable
            found = f"no pick is of its kind ({' or '.join(want.kinds)})"
            severity = "warning" if is_unsure else "error"
            yield Finding(code="want_left_out", severity=severity, text=want.name, found=found)


def _finding(code: str, report: str, pick: Pick, found: str, *, severity: str = "error") -> Finding:
    place = {"start": pick.start, "end": pick.end, "text": _words(pick, report), "evidence_id": f"P:{pick.product}"}
    return Finding.model_validate({"code": code, "severity": severity, "found": found, **place})


def _words(pick: Pick, report: str) -> str:
    """The report's words for a pick, or the pick as declared."""
    if pick.start is None or pick.end is None:
        return f"P:{pick.product} x {pick.quantity}"
    return report[pick.start : pick.end].strip()
