"""What shoppers write: short texts that fit the product's kind and the stars given."""

from random import Random
from typing import Any

from drretail.data_ingest.synth.shelf import Article
from drretail.data_ingest.synth.shoppers import Purchase

TITLES = {
    5.0: ("Exactly what I needed", "Very happy with it", "Would buy again", "Better than expected", "Love it"),
    4.0: ("Good, not perfect", "Solid for the price", "Pleased overall", "Does the job"),
    3.0: ("It is okay", "Mixed feelings", "Fine for occasional use"),
    2.0: ("Disappointed", "Not what I hoped for", "Below average"),
    1.0: ("Sent it back", "Do not bother", "Broke within weeks"),
}
OPENINGS = {
    5.0: ("Bought in the spring, and in use ever since.", "My second order.", "Arrived quickly, well packed."),
    4.0: ("Good for what it costs.", "Two months in, and still pleased.", "Bought on a friend's advice."),
    3.0: ("Average.", "It works, mostly.", "I wanted to like this more."),
    2.0: ("I expected more.", "Looked nicer in the pictures."),
    1.0: ("Going back to the seller.", "Not worth the money."),
}
CLOSINGS = {
    5.0: ("Highly recommended.", "My sister wants one too.", ""),
    4.0: ("One star off for the packaging.", "I would still buy it again.", ""),
    3.0: ("Look around before you decide.", ""),
    2.0: ("There are better ones.", ""),
    1.0: ("Save your money.", "Customer service was kind, at least.", ""),
}


def review(purchase: Purchase, random: Random) -> dict[str, Any]:
    """A raw review row of ten fields for a purchase."""
    drawn = round(purchase.article.row["average_rating"] + random.gauss(0, 0.9))
    stars = float(min(5, max(1, drawn)))
    asin = purchase.article.product_id
    return {
        "rating": stars,
        "title": random.choice(TITLES[stars]),
        "text": _text(purchase.article, stars, random),
        "images": [],
        "asin": asin,
        "parent_asin": asin,
        "user_id": purchase.user_id,
        "timestamp": purchase.timestamp,
        "helpful_vote": int(random.paretovariate(1.3)) - 1 if random.random() < 0.28 else 0,
        "verified_purchase": True,
    }


def _text(article: Article, stars: float, random: Random) -> str:
    kind = article.kind
    parts = [random.choice(OPENINGS[stars])]
    if stars >= 3:
        parts.append(_sentence(random.choice(kind.praise)))
    if stars <= 4 and (stars < 4 or random.random() < 0.5):
        complaint = random.choice(kind.complaints)
        parts.append(f"But {complaint}." if stars >= 3 else _sentence(complaint))
    parts.append(random.choice(CLOSINGS[stars]))
    return " ".join(part for part in parts if part)


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."
