"""Sums that a text writes out, and words in quotation marks. Also tests reports/text/quotes.py."""

from dataclasses import replace

from tests.goods import GERMAN, WEB, K, P, a_ledger, check_reading, in_words, values_in


def test_equations_and_words_in_quotation_marks_are_held_against_what_they_name() -> None:
    rows = {
        f"The kettle pours {K}. In all: $42.95 + $17.99 = $60.94.": "equation 60.94",
        f"The kettle pours {K}. In all: $42.95 + $17.99 = $66.94.": "equation 66.94!",
        f"The kettle pours {K}. In all: about $42.95 + $17.99 = $66.94.": "",
        f"The kettle pours {K}. In all: about $42.95 + $17.99 = $60.94.": "equation 60.94",
        f"Two cost 2 x $42.95 = $86.90 {K}.": "equation 86.90!",  # and it is no wrong price
        f"It is a “Harrowgill gooseneck kettle, 0.9 L” {K}.": "quotation Harrowgill gooseneck kettle, 0.9 L",
        f"It is a “Harrowgill gooseneck … stainless steel” {K}.": "quotation Harrowgill gooseneck … stainless steel",
        f"Buyers say “it never leaks on the table” {K}.": "quotation it never leaks on the table!",
        f"Buyers say “so very good” {K}.": "quotation so very good!",
        f"Buyers say “very good” {K}.": "",  # too few words
        f"Known as “the kettle of all kettles”, it pours {K}.": "",  # not before the mark
        f"„Dieser Kessel tropft niemals auf den Tisch“ {K}": "quotation Dieser Kessel tropft niemals auf den Tisch!",
    }
    check_reading(rows)
    # Other words of the shopper's language are a translation.
    check_reading({f"„Stahl hält sehr lange“ [{WEB}]": ""}, f"\n\n{GERMAN}")
    # Of several sources one that has the words is enough.
    several = f"“Harrowgill gooseneck kettle, 0.9 L” {K}{P}."
    check_reading({several: "quotation Harrowgill gooseneck kettle, 0.9 L"})


def test_a_short_record_is_in_the_language_of_its_shop() -> None:
    ledger, german = a_ledger(), {"description": (GERMAN,)}
    others = {key: item.model_copy(update=german) for key, item in ledger.products.items() if f"[P:{key}]" != K}
    of_shop = replace(ledger, products={**ledger.products, **others})
    said = [values_in(f"Er ist „sehr leise im Betrieb“ {K}.\n\n{GERMAN}", held) for held in (ledger, of_shop)]
    assert list(map(in_words, said)) == ["", "quotation sehr leise im Betrieb!"]
