"""A query's text and its other fields, from what it is about and what it demands."""

from collections.abc import Mapping

from drretail.querygen.drafts.case import Case, Draft, orders_of
from drretail.querygen.drafts.choosing import Chosen, choose
from drretail.querygen.drafts.extras import Extras, extras_of
from drretail.querygen.drafts.said import Person, Said
from drretail.querygen.needs import KINDS, Need, sayings
from drretail.querygen.occasions import next_season, season, when
from drretail.querygen.phrases import article, listed
from drretail.querygen.speech import told

MOST_WORDS = 110
# The text never names the place: an agent has to look it up, as for "my state" in the paper's Figure 9.
_PLACES = ("my state", "my area", "my region", "my part of the country")
# T what happened, W what is wanted, A what to find out, D demands, N how many and until when, B budget, R the record.
_LAYOUTS = ("TWDNABR", "TWADNBR", "TRWDANB", "TWNBDAR", "TWDNBRA", "TWRADNB", "TAWDNBR", "TAWRDNB")
# What is wanted is said of the two things just named.
_LAYOUTS_OF_TWO = tuple(layout for layout in _LAYOUTS if layout.startswith("TW"))
# What to find out about the things themselves comes behind their names.
_NAMED_FIRST = tuple(layout for layout in _LAYOUTS if layout.index("W") < layout.index("A"))


def draft(case: Case, need: Need) -> Draft | None:
    """A query of this need; None where the record or the shop does not support it."""
    chosen = choose(case, need)
    extras = extras_of(case, chosen) if chosen is not None else None
    if chosen is None or extras is None:
        return None
    return Draft(
        need=need.name,
        kind=KINDS[need.shape],
        about=chosen.about,
        text=_text(case, chosen, extras),
        rationale=f"The record shows {orders_of(chosen.purchase)}. {need.why}",
        expected_tools=_tools(need, extras),
        constraints=extras.constraints,
    )


def _tools(need: Need, extras: Extras) -> tuple[str, ...]:
    adds_up = extras.scope == "total" or need.calculator
    return (
        *(("get_user_profile",) if need.place else ()),
        *(("get_user_statistics",) if extras.constraints.budget is None or need.level > 0 else ()),
        *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
        *(("calculator",) if adds_up else ()),
    )


def _text(case: Case, chosen: Chosen, extras: Extras) -> str:
    need, rng = chosen.need, case.rng
    late = not chosen.purchase.lasts(case.history.today)
    slots = _slots(case, chosen)
    tell = rng.choice(need.late if late else need.tell).format_map(slots)
    after = slots | {"my": f"my {chosen.purchase.thing.name}"}
    layout, asks = _layout(case, chosen)
    parts = {
        "T": tell,
        "W": _wanted(case, chosen).format_map(after),
        "A": _asked(case, asks, slots, early=layout.index("A") < layout.index("W")),
        "D": told(*extras.demands),
        "N": told(*extras.amounts),
        "B": extras.budget,
        "R": _record(case, chosen) if rng.random() < 0.6 else "",
    }
    close = rng.choice(sayings().close) if rng.random() < 0.25 else ""
    text = told(*(parts[part] for part in layout), close)
    for part in ("close", "R"):
        if len(text.split()) > MOST_WORDS:
            parts[part] = ""
            text = told(*(parts[part] for part in layout))
    return text


def _wanted(case: Case, chosen: Chosen) -> str:
    """The need's own words twice as often as those of all needs of its shape."""
    own, shared = chosen.need.want, sayings().want.get(chosen.need.shape, ())
    return case.rng.choice(own if own and (not shared or case.rng.random() < 0.67) else shared)


def _record(case: Case, chosen: Chosen) -> str:
    said = sayings().record
    return case.rng.choice(said.get(chosen.need.shape, said["any"]))


def _layout(case: Case, chosen: Chosen) -> tuple[str, list[str]]:
    """The order of the parts, and what only the web knows: of the need or the pair, now and then of the kinds."""
    own = list(chosen.asks or chosen.need.ask)
    is_mine = chosen.need.shape in ("replace", "again")
    if own and case.rng.random() < 0.75:
        return case.rng.choice(_LAYOUTS_OF_TWO if chosen.need.shape == "either" else _LAYOUTS), own
    layouts = _LAYOUTS if is_mine else _LAYOUTS_OF_TWO if chosen.need.shape == "either" else _NAMED_FIRST
    return case.rng.choice(layouts), [case.question(thing) for thing in chosen.things]


def _asked(case: Case, asks: list[str], slots: Mapping[str, object], *, early: bool) -> str:
    web, rng = sayings().web, case.rng
    first = rng.choice(asks)
    others = [ask for ask in asks if ask != first]
    if others and not early and rng.random() < 0.3:
        pair = {"ask": first.format_map(slots), "ask2": rng.choice(others).format_map(slots)}
        return rng.choice(web.two).format(**pair)
    return rng.choice(web.early if early else web.one).format(ask=first.format_map(slots))


def _slots(case: Case, chosen: Chosen) -> dict[str, object]:
    today, country, thing = case.history.today, case.history.country, chosen.things[0]
    extra = case.rng.choice(chosen.things)
    seasons = {
        "place": case.rng.choice(_PLACES),
        "season": season(today, country),
        "next": next_season(today, country),
    }
    occasion = case.rng.choice(chosen.need.occasions)
    return {
        **seasons,
        **{name: text.format_map(seasons) for name, text in chosen.slots.items()},
        "have": case.having(chosen.purchase),
        "my": case.mine(chosen.purchase),
        "mine": Said(chosen.purchase.thing.phrase),
        "when": when(chosen.purchase.day, today),
        "brand": chosen.purchase.brand or "",
        "trouble": chosen.purchase.thing.phrase.fill(case.rng.choice(chosen.purchase.thing.talk.trouble)),
        "thing": Said(thing.phrase),
        "other": Said(chosen.things[-1].phrase),
        "things": listed([it.phrase.some for it in chosen.things]),
        "either": listed([it.phrase.some for it in chosen.things], "or"),
        "both": listed([it.phrase.some for it in chosen.things]),
        "extra": extra.name,
        "points": listed(case.points(thing)),
        "point": case.point(extra if chosen.need.shape == "together" else thing),
        "point2": case.point(chosen.things[-1]),
        "who": Person(case.rng.choice(chosen.need.who or ("friend",))),
        "occasion": occasion,
        "occasion_a": f"{article(occasion)} {occasion}",
    }
