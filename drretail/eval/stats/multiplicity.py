"""Several tests at once: the more dimensions are looked at, the sooner one differs by chance."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values, in the order given: the smallest times m, the next times m − 1, …, never falling.

    One up to the level alpha may be believed with a risk of alpha that any of them errs. None is no test: it stays None
    and doesn't count.
    """
    made = [p for p in p_values if p is not None]
    order = sorted(
        (index for index, p in enumerate(p_values) if p is not None), key=lambda at: (p_values[at] or 0.0, at)
    )
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(made) - place) * (p_values[index] or 0.0)))
        adjusted[index] = highest
    return adjusted
