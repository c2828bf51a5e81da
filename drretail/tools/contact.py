"""What an e-mail address, a telephone number and a postal address may look like."""

import re
from typing import Any

from drretail.errors import ToolError
from drretail.records.shop import Address

_EMAIL = re.compile(r"[^\s@<>\"(),:;\\\[\]]{1,64}@(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W\d_]{2,}")
_PHONE = re.compile(r"\+?[0-9(][0-9()./ \-]*(?: ?(?:x|ext\.?) ?[0-9]{1,6})?", re.IGNORECASE)
_ZIP = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 -]{1,8}[A-Za-z0-9])")
_US_ZIP = re.compile(r"[0-9]{5}(?:-[0-9]{4})?")
_COUNTRY = re.compile(r"[A-Z]{2}")


def checked_email(email: str) -> str:
    """The address as given; ToolError when it has not the form name@domain.tld."""
    if len(email) > 254 or ".." in email or not _EMAIL.fullmatch(email):
        raise ToolError(
            "invalid_argument", f"{email!r} is not an e-mail address such as name@example.com.", field="email"
        )
    return email


def checked_phone(number: str) -> str:
    """The number as given; ToolError unless it has 7 to 15 digits, written in a usual way."""
    digits = sum(character.isdigit() for character in re.split("[xe]", number, flags=re.IGNORECASE)[0])
    if not _PHONE.fullmatch(number) or not 7 <= digits <= 15:
        message = f"{number!r} is not a telephone number of 7 to 15 digits such as 001-555-010-4477."
        raise ToolError("invalid_argument", message, field="phone_number")
    return number


def checked_address(before: Address, change: dict[str, Any]) -> Address:
    """The address with the given parts replaced; ToolError when country and zip don't go together."""
    after = before.model_copy(update=change)
    if not _COUNTRY.fullmatch(after.country):
        message = f"{after.country!r} is not a country code of two capital letters such as US."
        raise ToolError("invalid_argument", message, field="address.country")
    form = _US_ZIP if after.country == "US" else _ZIP
    if not form.fullmatch(after.zip):
        wanted = "12345 or 12345-6789" if after.country == "US" else "3 to 10 letters, digits, spaces and hyphens"
        message = f"{after.zip!r} is not a zip code of {after.country}: it is written as {wanted}."
        raise ToolError("invalid_argument", message, field="address.zip")
    return after
