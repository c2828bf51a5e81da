"""A query's text and its other fields, from what it is about and what it demands."""

from collections.abc import Mapping
from dataclasses import dataclass

from drretail.querygen.drafts.case import Case, Draft, orders_of
from drretail.querygen.drafts.choosing import Chosen, choose
from drretail.querygen.drafts.extras import Extras, extras_of
from drretail.querygen.drafts.said import Person, Said
from drretail.querygen.drafts.telling import said_by, sayable
from drretail.querygen.facts import agree, implied_by
from drretail.querygen.needs import KINDS, Need, Told, sayings
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


@dataclass(frozen=True, slots=True)
class _Worded:
    """What has been chosen of a text before its other sentences."""

    tell: str
    layout: str
    asks: tuple[str, ...]
    """One or two questions for the web, with slots."""
    who: str


def draft(case: Case, need: Need) -> Draft | None:
    """A query of this need; None where the record, the shop or what the user has said does not support it."""
    chosen = choose(case, need)
    tells = sayable(case, chosen, _tells(case, chosen)) if chosen is not None else []
    extras = extras_of(case, chosen) if chosen is not None and tells else None
    if chosen is None or extras is None:
        return None
    layout, asks = _layout(case, chosen)
    tell, who = said_by(case, tells), case.rng.choice(chosen.need.who or ("friend",))
    claims = {**implied_by(who), **tell.claims} if chosen.need.who else tell.claims
    if not asks or not agree(case.facts, claims):
        return None
    text = _text(case, chosen, extras, _Worded(tell.say, layout, _picked(case, asks, layout), who))
    return Draft(
        need=need.name,
        kind=KINDS[need.shape],
        about=chosen.about,
        mine=chosen.purchase.thing.name,
        text=text,
        rationale=f"The record shows {orders_of(chosen.purchase)}. {need.why}",
        expected_tools=_tools(need, extras),
        constraints=extras.constraints,
        asks=frozenset(asks) & frozenset(case.words),
        words=frozenset(case.words),
        claims=claims,
    )


def _tools(need: Need, extras: Extras) -> tuple[str, ...]:
    adds_up = extras.scope == "total" or need.calculator
    return (
        *(("get_user_profile",) if need.place else ()),
        *(("get_user_statistics",) if extras.constraints.budget is None or need.level > 0 else ()),
        *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
        *(("calculator",) if adds_up else ()),
    )


def _is_late(case: Case, chosen: Chosen) -> bool:
    """True for what must have been used up since it was bought."""
    return not chosen.purchase.lasts(case.history.today)


def _tells(case: Case, chosen: Chosen) -> Told:
    return chosen.need.late if _is_late(case, chosen) else chosen.need.tell


def _text(case: Case, chosen: Chosen, extras: Extras, worded: _Worded) -> str:
    rng, layout = case.rng, worded.layout
    wanted = _wanted(case, chosen, worded.tell)
    slots = _slots(case, chosen, worded.who, (wanted, *extras.constraints.must, *extras.constraints.must_not))
    after = slots | {"my": f"my {chosen.purchase.thing.name}"}
    parts = {
        "T": worded.tell.format_map(slots),
        "W": wanted.format_map(after),
        "A": _asked(case, worded.asks, slots, early=layout.index("A") < layout.index("W")),
        "D": told(*extras.demands),
        "N": told(*extras.amounts),
        "B": extras.budget,
        "R": _record(case, chosen) if rng.random() < 0.6 else "",
    }
    close = case.say(sayings().close) if rng.random() < 0.25 else ""
    text = told(*(parts[part] for part in layout), close)
    for part in ("close", "R"):
        if len(text.split()) > MOST_WORDS:
            parts[part] = ""
            text = told(*(parts[part] for part in layout))
    return text


def _wanted(case: Case, chosen: Chosen, tell: str) -> str:
    """The need's own words twice as often as those of all needs of its shape.

    Of what has been used up, no sentence but those of buying it again can say "my hair mask"; of what the user has,
    one of the two sentences must speak.
    """
    own = chosen.need.want
    shared = sayings().want.get(chosen.need.shape, ()) if chosen.need.shared_want else ()
    if _is_late(case, chosen) and chosen.need.shape != "again":
        own = tuple(text for text in own if not _speaks_of_mine(text))
    elif not _speaks_of_mine(tell):
        own, shared = tuple(text for text in own if _speaks_of_mine(text)), ()
    return case.say(own if own and (not shared or case.rng.random() < 0.67) else shared or own)


def _speaks_of_mine(text: str) -> bool:
    return any(slot in text for slot in ("{my}", "{mine", "{have}", "{trouble}"))


def _record(case: Case, chosen: Chosen) -> str:
    if _is_late(case, chosen) and chosen.need.shape != "again":
        return ""
    said = sayings().record
    sayable_now = sayable(case, chosen, said.get(chosen.need.shape, said["any"]))
    return said_by(case, sayable_now).say if sayable_now else ""


def _layout(case: Case, chosen: Chosen) -> tuple[str, list[str]]:
    """The order of the parts, and what only the web knows: of the need or the pair, now and then of the kinds.

    Nothing that another query of the user asks; there may be nothing left.
    """
    own = [ask for ask in chosen.asks or chosen.need.ask if ask not in case.heard]
    is_mine = chosen.need.shape in ("replace", "again")
    if own and case.rng.random() < 0.75:
        return case.rng.choice(_LAYOUTS_OF_TWO if chosen.need.shape == "either" else _LAYOUTS), own
    layouts = _LAYOUTS if is_mine else _LAYOUTS_OF_TWO if chosen.need.shape == "either" else _NAMED_FIRST
    of_kinds = [
        thing.phrase.fill(case.rng.choice(fresh))
        for thing in chosen.things
        if (fresh := [ask for ask in case.questions(thing) if thing.phrase.fill(ask) not in case.heard])
    ]
    return case.rng.choice(layouts), of_kinds or own


def _picked(case: Case, asks: list[str], layout: str) -> tuple[str, ...]:
    """One of the questions; two now and then where they come behind what is wanted."""
    early = layout.index("A") < layout.index("W")
    count = 2 if len(asks) > 1 and not early and case.rng.random() < 0.3 else 1
    picked = tuple(case.rng.sample(asks, count))
    case.words.extend(picked)
    return picked


def _asked(case: Case, asks: tuple[str, ...], slots: Mapping[str, object], *, early: bool) -> str:
    web = sayings().web
    filled = [ask.format_map(slots) for ask in asks]
    if len(filled) == 2:
        return case.say([text for text in web.two if all(_reads_well(text, ask) for ask in filled)] or web.two).format(
            ask=filled[0], ask2=filled[1]
        )
    options = [text for text in (web.early if early else web.one) if _reads_well(text, filled[0])]
    return case.say(options).format(ask=filled[0])


def _reads_well(text: str, ask: str) -> bool:
    """False for "what experts say about what studies say", and for "research on in which order"."""
    return not (" say " in text and " say" in ask) and not ("on {ask}" in text and ask.startswith("in "))


def _slots(case: Case, chosen: Chosen, who: str, against: tuple[str, ...]) -> dict[str, object]:
    """What stands in the slots of the sentences; points to weigh up are none that ``against`` names or settles."""
    today, country, thing = case.history.today, case.history.country, chosen.things[0]
    extra = case.rng.choice(chosen.things)
    seasons = {
        "place": case.rng.choice(_PLACES),
        "season": season(today, country),
        "next": next_season(today, country),
    }
    occasion = case.rng.choice(chosen.need.occasions)
    point = case.point(extra if chosen.need.shape == "together" else thing, against)
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
        "points": listed(case.points(thing, against)),
        "point": point,
        "point2": case.point(chosen.things[-1], (*against, point)),
        "who": Person(who),
        "occasion": occasion,
        "occasion_a": f"{article(occasion)} {occasion}",
    }
