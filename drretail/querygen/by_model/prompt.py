"""The messages that ask a model for a query: the paper's four inputs (section 3.2), in our own words.

The model sees kinds of products of the shop, their prices, the fields that matter, and what the user owns.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, TypeVar

from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.profile import may_be_shown
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.querygen.by_model.pages import Library, Material
from drretail.querygen.by_model.targets import Target, world_categories
from drretail.querygen.checks.case import Shopper
from drretail.querygen.lint import Linter
from drretail.querygen.rules.assortment import ENOUGH, KindOffers
from drretail.records.criteria import NEEDS, NeedOf
from drretail.records.figures import counted, percent
from drretail.records.query import Query
from drretail.records.wish import Wish
from drretail.remembered import remembered
from drretail.reports.layout import find_sentences
from drretail.reports.text.untrusted import harmless
from drretail.reports.text.wording import format_money
from drretail.shopping.basket import Candidates
from drretail.shopping.listing import Listing
from drretail.tools.registry import json_schemas

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

MOST_KINDS = 24
"""Kinds on a shelf."""
MOST_OWNED = 20
_HITS = 50
"""Products looked at per search."""
# The newest purchases show current interests; neighbouring kinds fill the rest of the shelf.
_NEAR = 16
_SHOWN = 2
_MOST_SHARES = 12
_MOST_OPTIONS = 20
# A shop without category paths has one kind per file; only titles say what the file holds.
_SHOWN_OF_A_FILE = 8
_LONGEST_TITLE = 90
T = TypeVar("T")


class Shelf:
    """The kinds of products of one shop, with cached searches. Intimate ones only if the question names them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._offers = Offers(world)
        self.library = Library(self._offers)

    def pages_for(self, query: Query) -> Material:
        """Pages about what the query wants, or about the kinds nearest to its words, and those that its wish names."""
        wish = query.wish or Wish()
        kinds = [kind for want in wish.wants for kind in want.kinds] or self._kinds_near(query.text)
        named = (source.url for limit in wish.every_limit for source in limit.sources if source.url)
        return self.library.about(kinds, named)

    def around(self, target: Target, shopper: Shopper | None, question: str = "") -> dict[str, str]:
        """A line per kind of product around the user's purchases, or in the target's category, nearest first, by name.

        A kind is left out if the user has nearly all of its products, since there would be no choice. Whole files are
        listed only if the shop has no kinds below them.
        """
        question = f"{question} {target.category}"
        bought = _newest(shopper, question) if shopper else []
        about = [name for name in (target.category, *target.category.split(", ")) if self._offers.has_category(name)]
        near = self._near(bought) if shopper else self._kinds_in(about) if about else self._kinds_near(target.category)
        names = list(dict.fromkeys(near))
        files = {listing.product.category for listing in bought}
        names = [name for name in names if name not in files] or names
        return self._lines(names, shopper.bought if shopper else frozenset[str](), question)

    def near(self, text: str) -> dict[str, str]:
        """A line per kind that is found by searching for the question and for each of its sentences, by name."""
        return self._lines(self._kinds_near(text), frozenset[str](), text)

    def _lines(self, names: Iterable[str], had: Collection[str], question: str) -> dict[str, str]:
        lines = ((name, line) for name in names if (line := self._line(name, had, question)))
        return dict(islice(lines, MOST_KINDS))

    def owned(self, shopper: Shopper, question: str = "", most: int = MOST_OWNED) -> str:
        """A line for each product that the user kept, newest first; intimate ones only if the question names them.

        "Size: Small (28%)" is a field that can carry a limit, with the share of the kind that has the value.
        """
        orders: dict[str, list[str]] = {}
        for order in shopper.kept:
            listing = shopper.products.get(order.product_id)
            if listing is not None and may_be_shown(listing.product, question):
                orders.setdefault(order.product_id, []).append(f"{order.order_date[:10]} in order {order.order_id}")
        lines: list[str] = []
        for product_id, ordered in islice(orders.items(), most):
            listing = shopper.products[product_id]
            facts = (_leaf_of(listing), _price_of(listing), f"ordered {', '.join(ordered)}", *self._fields(listing))
            lines.append(f"{product_id}: {_title_of(listing)} ({'; '.join(facts)})")
        more = len(orders) - most
        return "\n".join([*lines, *([f"… and {more} older ones"] if more > 0 else [])])

    def _fields(self, listing: Listing) -> Iterator[str]:
        """The product's values of the fields that can carry a limit."""
        details, offers = listing.product.details, self._all_of(_leaf_of(listing))
        for name, counts in offers.closed.items():
            if (value := str(details.get(name) or "").strip()) in counts:
                yield harmless(f"{name}: {value} ({percent(counts[value] / len(offers.offers))})")

    @remembered
    def _all_of(self, kind: str) -> KindOffers:
        return KindOffers(self._offers.of_kind(kind), kind)

    def _kinds_near(self, text: str) -> dict[str, list[Listing]]:
        """The products that these searches find, by kind; kinds with the most hits come first."""
        searches = [text, *(text[sentence.start : sentence.end] for sentence in find_sentences(text))]
        queries = [CatalogQuery(words, limit=_HITS) for words in dict.fromkeys(searches)]
        hits = [listing for query in queries for listing in self._search(query)[1]]
        shown = [listing for listing in hits if may_be_shown(listing.product, text)]
        kinds = Counter(map(_leaf_of, shown)).most_common(MOST_KINDS)
        different = {listing.product.product_id: listing for listing in shown}.values()
        return {kind: [listing for listing in different if _leaf_of(listing) == kind] for kind, _ in kinds}

    def _near(self, bought: Sequence[Listing]) -> Iterator[str]:
        """The kinds that were bought, then their siblings, then the kinds of ever larger parts of the shop."""
        paths = [_path_of(listing) for listing in bought]
        yield from (path[-1] for path in paths)
        for depth in range(2, max(map(len, paths), default=1) + 1):
            yield from self._kinds_in(dict.fromkeys(path[-depth] for path in paths if len(path) >= depth))

    def _kinds_in(self, categories: Iterable[str]) -> Iterator[str]:
        """The leaf categories of each category's most popular products, one from each category in turn."""
        return _in_turn(
            [dict.fromkeys(map(_leaf_of, self._most_popular(name)[1])) for name in dict.fromkeys(categories)]
        )

    def _line(self, name: str, had: Collection[str], question: str) -> str:
        """A kind in one line; empty if it leaves too little to choose from."""
        total, popular = self._most_popular(name)
        listings = [listing for listing in popular if may_be_shown(listing.product, question)]
        others = [listing for listing in listings if listing.product.product_id not in had]
        leaves = [listing for listing in listings if _leaf_of(listing) == name]
        if len(others) < ENOUGH or 2 * len(leaves) < len(listings):  # "Men" is no kind
            return ""
        part = Counter(_path_of(listing)[-2:-1] for listing in leaves).most_common(1)[0][0]
        size = ", ".join([*(f"in {name}" for name in part), counted(total, "product")])
        offers = KindOffers(Candidates(listings))
        return _kind_line(_kind_shown(name, listings), offers, size, _shown_of(others))

    @remembered
    def _most_popular(self, category: str) -> tuple[int, list[Listing]]:
        return self._search(CatalogQuery("", category=category, sort_by="popularity", limit=_HITS))

    def _search(self, query: CatalogQuery) -> tuple[int, list[Listing]]:
        page = self._world.catalog.search(query)
        return page.total, self._offers.listings([hit.product_id for hit in page.hits])


def _kind_line(name: str, offers: KindOffers, size: str, shown: Sequence[Listing]) -> str:
    """A kind with its prices, what tells its offers apart, and some titles.

    "- Bird Feeders: in Birds, 34 products, 80% with a price, $9.99 to $89.00, in the median $24.50; Material: cedar
    15%, steel 12%; such as …"
    """
    prices = "none with a price"
    if priced := offers.priced:
        least, middle, most = (_price_of(priced[place]) for place in (0, len(priced) // 2, -1))
        share = percent(len(priced) / len(offers.offers))
        prices = f"{share} with a price, {least} to {most}, in the median {middle}"
    titles = "; ".join(map(_title_of, shown))
    facts = (f"{size}, {prices}", *_options(offers.offers), *_closed(offers), f"such as {titles}")
    return f"- {name}: {'; '.join(facts)}"


def _options(listings: Iterable[Listing]) -> Iterator[str]:
    """The options of the products' variants with their values: "option Size: S, M, L"."""
    values: dict[str, dict[str, None]] = {}
    for name, value in (pair for listing in listings for offer in listing.offers for pair in offer.options.items()):
        values.setdefault(harmless(name), {})[harmless(value)] = None
    yield from (f"option {name}: {', '.join(islice(of_name, _MOST_OPTIONS))}" for name, of_name in values.items())


def _closed(offers: KindOffers) -> Iterator[str]:
    """The fields that can carry a limit, with the share of each value, and the makers: "Size: Small 28%, Large 31%"."""
    makers = Counter(offer.product.brand for offer in offers.offers if offer.product.brand)
    for name, counts in (*offers.closed.items(), *([("makers", makers)] if len(makers) > 1 else ())):
        shares = (f"{value} {percent(count / len(offers.offers))}" for value, count in counts.most_common(_MOST_SHARES))
        yield harmless(f"{name}: {', '.join(shares)}")


def _newest(shopper: Shopper, question: str) -> list[Listing]:
    """The products of the newest orders."""
    newest = {listing.product.product_id: listing for listing in shopper.listings}.values()
    return [*islice((listing for listing in newest if may_be_shown(listing.product, question)), _NEAR)]


def _in_turn(parts: Sequence[Iterable[T]]) -> Iterator[T]:
    for entries in zip_longest(*parts):
        yield from (entry for entry in entries if entry is not None)


def _shown_of(listings: Sequence[Listing]) -> Sequence[Listing]:
    return listings[: _SHOWN if len(listings[0].product.categories) > 1 else _SHOWN_OF_A_FILE]


def _title_of(listing: Listing) -> str:
    return harmless(listing.product.title[:_LONGEST_TITLE])


def _price_of(listing: Listing) -> str:
    return "no price" if listing.price is None else format_money(listing.price, listing.product.currency)


def _path_of(listing: Listing) -> tuple[str, ...]:
    """The category path: the file's category first, the leaf last."""
    return (listing.product.category, *listing.product.categories[1:])


def _leaf_of(listing: Listing) -> str:
    return _path_of(listing)[-1]


def _kind_shown(name: str, listings: Sequence[Listing]) -> str:
    """The name of a kind, with the part of the shop that it is in if others have one of that name; in parentheses if it
    is a whole file, whose products have no category below it.
    """
    paths = Counter(path for listing in listings if (path := _path_of(listing))[-1] == name).most_common()
    shown = " > ".join(paths[0][0][-2:]) if len(paths) > 1 else name
    return f"({name})" if name == listings[0].product.category else shown


# A shop of thousands of categories would fill the prompt.
_MOST_CATEGORIES = 60
# The owned products that a model sees when it types a wish: the question may mention any of them.
_MOST_OWNED = 100
NOTHING = "Nothing is known."
NAMES = (
    "instructions",
    "deep_research",
    "domain",
    "wish",
    "profile_aware",
    "generic",
    "typing",
    "second",
    "mend",
)
OPTIONAL = (
    *("language", "deep_research", "domain", "categories", "wish", "today"),
    *("count", "owned", "shelf", "needs", "pages", "stated", "second"),
)
"""Placeholders that a user's own version may leave out, as the paper's prompt (Table 6) has none for them."""


def _filled(prompt: Prompt, **values: str) -> str:
    """The prompt with its placeholders filled, of which a user's own version may lack the ``OPTIONAL`` ones."""
    return prompt.render(
        **{name: text for name, text in values.items() if name not in OPTIONAL or f"{{{{{name}}}}}" in prompt.text}
    )


def prompts() -> dict[str, Prompt]:
    """All prompts for queries and wishes, by name."""
    return {name: load_prompt(__file__, name) for name in NAMES}


class PromptBuilder:
    """Builds the messages for any target of one world. Parts that all targets share are rendered once."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._linter = linter
        self._summaries = Summaries(world)
        self._prompts = prompts()
        self._today = world.manifest.now.date().isoformat()
        tools: list[str] = []
        for schema in json_schemas():
            arguments = ", ".join(schema["parameters"]["properties"])
            purpose = " ".join(schema["description"].partition("\n\nReturns:")[0].split())
            tools.append(f"- {schema['name']}({arguments}): {purpose}")
        self.shelf = Shelf(world)
        """The kinds of products of the shop; other askers for queries may use it too."""
        self.instructions = _filled(
            self._prompts["instructions"],
            language=world.manifest.language.title(),
            deep_research=self._prompts["deep_research"].text.strip(),
            domain=_filled(self._prompts["domain"], today=self._today).strip(),
            tools=tagged("tools", "\n".join(tools)),
            categories=tagged("categories", "\n".join(world_categories(world)[:_MOST_CATEGORIES])),
            wish=self._prompts["wish"].text.strip(),
        )
        """The system message, which is the same for every query."""

    def messages(self, target: Target) -> "list[BaseMessage]":
        """The messages for a target's queries."""
        from langchain_core.messages import HumanMessage, SystemMessage

        shopper = self._linter.shopper(target.user_id)
        kinds, asked = self.shelf.around(target, shopper), [_SOURCES[need] for need in NEEDS if need in target.needs]
        shown = {
            "count": counted(target.count, "question"),
            "needs": _NEEDED.format(needs=" and ".join(asked)) if asked else "",
            "shelf": tagged("shelf", "\n".join(kinds.values()) or NOTHING),
            **_shown(self.shelf.library.about(kinds)),
        }
        if target.user_id is None or shopper is None:
            request = _filled(self._prompts["generic"], category=tagged("category", target.category), **shown)
        else:
            profile = tagged("profile", self._summaries.of(target.user_id).text)
            owned = tagged("owned", self.shelf.owned(shopper))
            request = _filled(self._prompts["profile_aware"], profile=profile, owned=owned, **shown)
        return [SystemMessage(self.instructions), HumanMessage(request)]

    def text_to_type(self, query: Query, material: Material, *, again: bool = False) -> str:
        """What asks for the wish of a question that somebody else wrote, or for a second typing of it."""
        shopper, kinds = self._linter.shopper(query.user_id), self.shelf.near(query.text)
        return _filled(
            self._prompts["typing"],
            today=self._today,
            wish=self._prompts["wish"].text.strip(),
            shelf=tagged("shelf", "\n".join(kinds.values()) or NOTHING),
            owned=tagged("owned", self.shelf.owned(shopper, query.text, _MOST_OWNED) if shopper else NOTHING),
            question=tagged("question", query.text),
            second=self._prompts["second"].text.strip() if again else "",
            **_shown(material),
        )


_SOURCES: Mapping[NeedOf, str] = {"profile": "the shopper's record", "web": "a page"}
_NEEDED = "Each question has to need {needs}: a limit of it rests on that, and is gone without."


def _shown(material: Material) -> dict[str, str]:
    stated = tagged("record", "\n".join(material.sentences) or NOTHING)
    return {"pages": material.pages or tagged("page", "None."), "stated": stated}
