"""The words of Unicode's text segmentation (UAX #29), as Lucene's ``standard`` tokenizer cuts them, in one regular
expression of Rust's dialect.

    python scripts/word_pattern.py > drretail/env/catalog/words.regex

The package ships the file, so that what an index was built with can be read, and a change of it shows in a diff.
"""

MARKS = r"[\p{WB=Extend}\p{WB=Format}\x{200D}]*"
"""Rule WB4: combining marks, format characters and joiners belong to the character before them."""
LETTER = r"\p{WB=ALetter}"
HEBREW = r"\p{WB=Hebrew_Letter}"
KATAKANA = r"\p{WB=Katakana}"
DIGIT = r"[\p{WB=Numeric}０-９]"
CONNECTOR = r"\p{WB=ExtendNumLet}"
MID_LETTER = r"[\p{WB=MidLetter}\p{WB=MidNumLet}\p{WB=Single_Quote}:]"
MID_DIGIT = r"[\p{WB=MidNum}\p{WB=MidNumLet}\p{WB=Single_Quote}]"
COMPLEX_SCRIPTS = ("Thai", "Lao", "Khmer", "Myanmar", "Tai_Le", "New_Tai_Lue", "Tai_Tham", "Tai_Viet", "Ahom")


def marked(characters: str) -> str:
    """One of ``characters`` with its marks."""
    return characters + MARKS


def joined(item: str, *joints: str) -> str:
    """Items with one of the joints between each two."""
    return rf"{item}(?:(?:{'|'.join(joints)}){item})*"


def word_pattern() -> str:
    """All kinds of words; the first alternative that matches wins."""
    flag = marked(r"\p{WB=Regional_Indicator}") * 2
    keycap = rf"[#*]{styled()}\x{{FE0F}}?\x{{20E3}}{styled()}"
    # A Chinese character or a hiragana sign: each a word of its own
    ideograph = marked(r"[\p{Han}\p{Hiragana}]")
    return "|".join((flag, keycap, pictographs(), ideograph, word(), complex_run()))


def word() -> str:
    """Letters, digits and katakana, held together by underscores; letters and digits also touch without one."""
    connector = f"(?:{marked(CONNECTOR)})"
    letters = joined(letter(), f"{connector}*", marked(MID_LETTER))
    digits = joined(marked(DIGIT), f"{connector}*", marked(MID_DIGIT))
    kana = marked(KATAKANA)
    part = f"(?:{kana}(?:{connector}*{kana})*|(?:{digits}|{letters})+)"
    return f"{connector}*{part}(?:{connector}+{part})*{connector}*"


def letter() -> str:
    """A letter; a Hebrew one may end in a single quote or hold a double quote before the next."""
    hebrew = marked(HEBREW)
    return rf"(?:{marked(LETTER)}|{hebrew}(?:\"{MARKS}{hebrew}|'{MARKS})?)"


def pictographs() -> str:
    """Emoji, ® © ™ among them, with their modifiers; joiners make one token of a sequence."""
    tail = styled()
    one = rf"(?:\x{{200D}}*\p{{Extended_Pictographic}}{tail}\x{{FE0F}}?|\p{{Emoji_Modifier}}{tail})"
    return rf"(?:{one}\x{{200D}})*{one}"


def styled() -> str:
    """Marks without the two variation selectors, which end an emoji."""
    return rf"[{MARKS.removesuffix('*')}--\x{{FE0E}}\x{{FE0F}}]*"


def complex_run() -> str:
    """Scripts that write no spaces stay in one piece."""
    scripts = "".join(rf"\p{{{script}}}" for script in COMPLEX_SCRIPTS)
    sign = rf"[[{scripts}]&&[\p{{L}}\p{{M}}]]"
    return f"(?:{marked(sign)})+"


if __name__ == "__main__":
    print(word_pattern())
