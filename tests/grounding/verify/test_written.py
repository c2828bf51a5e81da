"""Sums that a text writes out, and words in quotation marks. Also tests grounding/text/quotes.py."""

from tests.goods import GERMAN, WEB, K, P, check_reading


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
