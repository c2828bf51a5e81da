"""What real files do to their rows; each quirk with the share of rows that it happens to.

The shares follow counts in samples of Amazon Reviews 2023, but for prices: a shop to show has them.
"""

from collections.abc import Callable
from random import Random
from typing import Any

Row = dict[str, Any]
Quirk = Callable[[Row, Random], bool | None]
"""Changes a row; False says that it could not."""


def _price_null(row: Row, random: Random) -> None:
    row["price"] = None


def _price_dash(row: Row, random: Random) -> bool:
    known = isinstance(row["price"], float)
    row["price"] = "—" if known else row["price"]
    return known


def _price_from(row: Row, random: Random) -> bool:
    known = isinstance(row["price"], float)
    row["price"] = f"from {row['price']:.2f}" if known else row["price"]
    return known


def _no_features(row: Row, random: Random) -> None:
    row["features"] = []


def _no_description(row: Row, random: Random) -> None:
    row["description"] = []


def _no_store(row: Row, random: Random) -> None:
    row["store"] = None


def _no_categories(row: Row, random: Random) -> None:
    row["categories"] = []


def _no_rank(row: Row, random: Random) -> None:
    row["details"].pop("Best Sellers Rank")


def _no_details(row: Row, random: Random) -> None:
    row["details"] = {}


def _dotted_key(row: Row, random: Random) -> None:
    row["details"]["Min. Recommended Age"] = "36 months"


def _no_main_category(row: Row, random: Random) -> None:
    row["main_category"] = None


def _emoji(row: Row, random: Random) -> None:
    row["features"] = [f"{random.choice('✅🌿⭐🐾💡')}{text}" for text in row["features"]]


def _hard_spaces(row: Row, random: Random) -> None:
    row["title"] = row["title"].replace(" ", "\u00a0", 2)


def _entities(row: Row, random: Random) -> None:
    row["description"] = [text.replace("and", "&amp;").replace('"', "&#34;") for text in row["description"]]


def _tags(row: Row, random: Random) -> None:
    row["description"] = [f"<p><b>{row['store'] or 'About'}</b><br />{text}</p>" for text in row["description"]]


def _control_characters(row: Row, random: Random) -> None:
    row["features"] = [f"{text}\x0b\x7f" for text in row["features"]]


def _replacement_character(row: Row, random: Random) -> None:
    row["features"] = [text.replace("'", "\ufffd") for text in row["features"]]


def _line_break(row: Row, random: Random) -> None:
    row["text"] = row["text"].replace(". ", ".<br />", 1)


def _review_entity(row: Row, random: Random) -> None:
    row["text"] = f"{row['text']} 4&lt;5 stars, my &#34;rule&#34;."


def _video(row: Row, random: Random) -> None:
    row["text"] = f"[[VIDEOID:{random.getrandbits(128):032x}]] {row['text']}"


def _named_product(row: Row, random: Random) -> None:
    row["text"] = f"{row['text']} See also [[ASIN:{row['parent_asin']} this one]]."


def _empty_text(row: Row, random: Random) -> None:
    row["text"] = ""


def _unverified(row: Row, random: Random) -> None:
    row["verified_purchase"] = False


def _variant(row: Row, random: Random) -> None:
    row["asin"] = f"B0V{random.getrandbits(28):07X}"


def _whole_rating(row: Row, random: Random) -> None:
    row["rating"] = int(row["rating"])


PRODUCT_QUIRKS: dict[str, tuple[Quirk, float]] = {
    "price null": (_price_null, 0.06),
    "price —": (_price_dash, 0.01),
    "price from": (_price_from, 0.02),
    "no features": (_no_features, 0.04),
    "no description": (_no_description, 0.12),
    "no categories": (_no_categories, 0.02),
    "no rank in the details": (_no_rank, 0.15),
    "no details": (_no_details, 0.01),
    "a dotted key in the details": (_dotted_key, 0.03),
    "main category null": (_no_main_category, 0.03),
    "emoji": (_emoji, 0.05),
    "hard spaces": (_hard_spaces, 0.04),
    "entities": (_entities, 0.03),
    "tags": (_tags, 0.02),
    "control characters": (_control_characters, 0.02),
    "a replacement character": (_replacement_character, 0.02),
    # After all that read the store.
    "store null": (_no_store, 0.02),
}
REVIEW_QUIRKS: dict[str, tuple[Quirk, float]] = {
    "line break": (_line_break, 0.25),
    "entity": (_review_entity, 0.01),
    "video": (_video, 0.02),
    "named product": (_named_product, 0.005),
    "empty text": (_empty_text, 0.003),
    "unverified": (_unverified, 0.04),
    "asin of a variant": (_variant, 0.4),
    "rating without a point": (_whole_rating, 0.01),
}
DUPLICATE_REVIEWS = 0.004
ORPHAN_REVIEWS = 0.01
"""Reviews of products that no meta row describes."""
ONCE = (
    "a product described twice in one file",
    "a product described in two files",
    "a rating of 0.0",
    "a review file that is cut within its last line",
)


def afflict(row: Row, quirks: dict[str, tuple[Quirk, float]], random: Random) -> list[str]:
    """Lets quirks happen to a row, each by its share; gives the names of those that did."""
    happened: list[str] = []
    for name, (quirk, share) in quirks.items():
        if random.random() < share and quirk(row, random) is not False:
            happened.append(name)
    return happened
