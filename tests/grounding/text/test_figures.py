"""Figures with markup inside are the figures that a reader sees, in their own place."""

import pytest

from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.layout import plain_figures


@pytest.mark.parametrize(
    ("text", "figure", "value"),
    [
        ("for $**1**.03 each", "$**1**.03", "1.03"),
        ("for **$1**.03 each", "$1**.03", "1.03"),
        ("for $_1_.03 each", "$_1_.03", "1.03"),
        ("for $<b>1</b>.03 each", "$<b>1</b>.03", "1.03"),
        ("for $<!-- -->1.03 each", "$<!-- -->1.03", "1.03"),
        ("for &#36;1.03 each", "&#36;1.03", "1.03"),
        ("for $1&#46;03 each", "$1&#46;03", "1.03"),
        ("for $1&period;03 each", "$1&period;03", "1.03"),
        ("for $1&#8203;.03 each", "$1&#8203;.03", "1.03"),
        ("for $1\\.03 each", "$1\\.03", "1.03"),
        ("for $1,**234**.50 each", "$1,**234**.50", "1234.50"),
    ],
)
def test_markup_inside_a_figure_changes_neither_its_value_nor_its_place(text: str, figure: str, value: str) -> None:
    plain = plain_figures(text)
    (amount,) = find_amounts(plain)
    assert (str(amount.low), text[amount.start : amount.end], amount.places) == (value, figure, 2)
    assert len(plain) == len(text)


@pytest.mark.parametrize(
    "text",
    ["**$19.99**, **4.5**/5", "2*3 = 6 and $19.99*2", "$19.99<sup>1</sup>", "&nbsp;5", "a=1&amp;b=2", "**1.** One"],
)
def test_other_figures_stay(text: str) -> None:
    assert plain_figures(text) == text
