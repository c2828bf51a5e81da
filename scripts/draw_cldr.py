"""Draws drretail/reports/text/cldr.toml, the names of the euro and of the months in the languages of labels.toml.

    python scripts/draw_cldr.py

They come from CLDR, as Babel has it. Names that mean different months in two languages are left out.
"""

import json
import tomllib
from pathlib import Path

from babel import Locale
from babel.numbers import get_currency_name

FILE = Path(__file__).parents[1] / "drretail/reports/text/cldr.toml"
LOCALES = (*tomllib.loads(FILE.with_name("labels.toml").read_text(encoding="utf-8")),)
FEWEST_LETTERS = 3
"""The shortest name in letters: shorter ones are words of other languages. "3月" has a digit."""


def months() -> dict[str, int]:
    """The number of each name, in lower case."""
    numbers: dict[str, set[int]] = {}
    for locale in map(Locale, LOCALES):
        for form in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in locale.months[form][width].items():
                    numbers.setdefault(name.casefold().strip(". "), set()).add(number)
    known = {name for name in numbers if len(name) >= FEWEST_LETTERS or not name.isascii()}
    return {name: min(numbers[name]) for name in sorted(known) if len(numbers[name]) == 1}


def euros() -> list[str]:
    """The names of the euro, in lower case: of one, of two and of many."""
    locales = map(Locale, LOCALES)
    return sorted({get_currency_name("EUR", count, locale).casefold() for locale in locales for count in (1, 2, 5)})


def main() -> None:
    lines = [
        "# Names of the euro and of months, with their abbreviations, in lower case; scripts/draw_cldr.py draws them.",
        f"euro = {json.dumps(euros(), ensure_ascii=False)}",
        "",
        "[month]",
    ]
    drawn = months()
    for number in range(1, 13):
        names = [name for name in drawn if drawn[name] == number]
        lines.append(f"{number} = {json.dumps(names, ensure_ascii=False)}")
    FILE.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
