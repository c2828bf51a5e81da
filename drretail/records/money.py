"""An amount of money, exact to the cent."""

from decimal import Decimal, InvalidOperation
from typing import Self

from pydantic import field_validator

from drretail.records.base import Record

USD = "USD"
_DOLLARS = ("USD", "AUD", "CAD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP", "BRL")
SIGNS: dict[str, tuple[str, ...]] = {
    "$": _DOLLARS,
    **{"US$": ("USD",), "A$": ("AUD",), "AU$": ("AUD",), "C$": ("CAD",), "CA$": ("CAD",), "NZ$": ("NZD",)},
    **{"HK$": ("HKD",), "S$": ("SGD",), "NT$": ("TWD",), "MX$": ("MXN",), "R$": ("BRL",)},
    **{"€": ("EUR",), "£": ("GBP", "EGP", "GIP"), "¥": ("JPY", "CNY"), "￥": ("JPY", "CNY"), "円": ("JPY",)},
    **{"元": ("CNY", "TWD"), "₹": ("INR",), "₩": ("KRW",), "원": ("KRW",), "₽": ("RUB",), "₺": ("TRY",), "₴": ("UAH",)},
    **{"₫": ("VND",), "฿": ("THB",), "₪": ("ILS",), "₱": ("PHP",), "₦": ("NGN",), "₡": ("CRC",), "₸": ("KZT",)},
    **{"zł": ("PLN",), "Kč": ("CZK",), "Ft": ("HUF",), "kr": ("SEK", "NOK", "DKK", "ISK"), "Fr": ("CHF",)},
    **{"SFr": ("CHF",), "lei": ("RON", "MDL"), "лв": ("BGN",), "грн": ("UAH",), "руб": ("RUB",), "TL": ("TRY",)},
    **{"Rs": ("INR", "PKR", "LKR", "NPR"), "RM": ("MYR",), "Rp": ("IDR",), "R": ("ZAR",), "đ": ("VND",)},
}
"""The signs that shops print, as in CLDR, with the ISO 4217 codes that each may mean, the usual one first."""


def may_share_a_sign(one: str, other: str) -> bool:
    """True if two codes are the same, or some sign may mean both: what is written "$" may be Canadian."""
    return one == other or any(one in codes and other in codes for codes in SIGNS.values())


MOST_DIGITS = 15
"""Digits before the point. Larger amounts are not prices, and would need more than the usual precision to be exact to
the cent.
"""


class Money(Record):
    """``amount`` is a decimal string such as "120" or "19.99"; ``currency`` an ISO 4217 code."""

    amount: str
    currency: str = USD

    @field_validator("amount")
    @classmethod
    def _is_a_decimal(cls, amount: str) -> str:
        try:
            value = Decimal(amount)
        except InvalidOperation:  # an ArithmeticError, which pydantic would let through
            raise ValueError(f"{amount!r} is not a decimal number") from None
        if not value.is_finite() or value < 0 or value.adjusted() >= MOST_DIGITS:
            raise ValueError(f"{amount!r} is not an amount of money")
        return amount

    @property
    def value(self) -> Decimal:
        return Decimal(self.amount)

    @classmethod
    def of(cls, value: Decimal | float | int | str, currency: str = USD) -> Self:
        """Money from a number, rounded to cents, trailing zeros of whole amounts dropped."""
        cents = Decimal(str(value)).quantize(Decimal("0.01"))
        whole = cents == cents.to_integral_value()
        return cls(amount=str(cents.to_integral_value() if whole else cents), currency=currency)
