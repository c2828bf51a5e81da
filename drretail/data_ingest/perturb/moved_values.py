"""Another price, rating and number of ratings for a product: plausible, and none that anybody could remember."""

from math import exp, log
from random import Random

from drretail.records.shop import Product

PRICE = (1.15, 1.6)
"""By which factor a price is moved, up or down."""
RATING = (0.3, 0.9)
"""By how many stars a rating is."""
COUNT = (1.25, 2.5)
WHOLE_FROM = 20
"""A price without cents stays one, from here on."""


def moved(product: Product, seed: str) -> Product:
    """The product with other values, by a seed and its id; what is not known stays so."""
    random = Random(f"{seed}|values|{product.product_id}")
    ups = [random.random() < 0.5 for _ in range(3)]
    price, rating, count = (random.uniform(log(low), log(high)) for low, high in (PRICE, RATING, COUNT))
    return product.model_copy(
        update={
            "price": None if product.price is None else _price(product.price, price if ups[0] else -price),
            "average_rating": None
            if product.average_rating is None
            else _rating(product.average_rating, exp(rating), up=ups[1]),
            "rating_number": None
            if product.rating_number is None
            else max(product.rating_number and 1, round(product.rating_number * exp(count if ups[2] else -count))),
        }
    )


def _price(price: float, by: float) -> float:
    digits = 0 if price == int(price) and price >= WHOLE_FROM else 2
    return max(0.01, round(price * exp(by), digits)) if price else price


def _rating(rating: float, by: float, *, up: bool) -> float:
    """Within 1 and 5: where one way leads out of it, the other way."""
    ways = (rating + by, rating - by) if up else (rating - by, rating + by)
    return round(next((way for way in ways if 1 <= way <= 5), rating), 1)
