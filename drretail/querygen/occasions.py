"""When something was bought, as one says it, and the seasons."""

from datetime import date

# strftime("%B") would follow the machine's locale.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SEASONS = ("winter", "spring", "summer", "fall")
_SOUTHERN = frozenset({"AR", "AU", "BR", "CL", "NZ", "ZA"})


def when(day: date, today: date) -> str:
    """When it was, seen from today: "a few weeks ago", "in March", "in March last year", "back in 2021"."""
    days = (today - day).days
    if days <= 6:
        return "a few days ago"
    if days <= 45:
        return "a few weeks ago"
    if day.year == today.year:
        return f"in {_MONTHS[day.month - 1]}"
    if day.year == today.year - 1:
        return f"in {_MONTHS[day.month - 1]} last year"
    return f"back in {day.year}"


def how_long(day: date, today: date) -> str:
    """For how long one has had it: "for a few weeks", "since March", "since 2021"."""
    days = (today - day).days
    if days <= 6:
        return "for a few days"
    if days <= 45:
        return "for a few weeks"
    if day.year == today.year:
        return f"since {_MONTHS[day.month - 1]}"
    if day.year == today.year - 1:
        return f"since {_MONTHS[day.month - 1]} last year"
    return f"since {day.year}"


def day_named(day: date) -> str:
    """ "October 12"."""
    return f"{_MONTHS[day.month - 1]} {day.day}"


def season(today: date, country: str) -> str:
    return _SEASONS[_season_index(today, country)]


def next_season(today: date, country: str) -> str:
    return _SEASONS[(_season_index(today, country) + 1) % 4]


def _season_index(today: date, country: str) -> int:
    """0 from December to February, and so on; half a year off south of the equator."""
    return (today.month % 12 // 3 + (2 if country.upper() in _SOUTHERN else 0)) % 4
