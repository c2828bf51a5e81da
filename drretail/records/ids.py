"""The ids that a shop may have, and file names made from texts that come from elsewhere."""

import hashlib
import re

SAFE_ID = "[A-Za-z0-9_#@-][A-Za-z0-9_#@.:+=~-]{0,127}"
"""The pattern of an id, in terms that all engines' regular expressions share. Amazon's ids are capitals and digits;
other shops have "#W2378156", "sara_doe_496", or e-mail addresses.
"""
ID_RULE = "1 to 128 letters, digits and _#@.:+=~-, of which .:+=~ do not come first"
NO_ID = ("nan", "null", "none", "undefined")
"""What programs write where an id is missing, in any case. As a user's id it would make one shopper of many."""
_SAFE_ID = re.compile(SAFE_ID)
_LONGEST_NAME = 200
"""Bytes. With an ending and the mark of an unfinished file, a name stays within the 255 that are allowed."""


def is_safe_id(text: str) -> bool:
    """True if an id is the same on every engine, in every file and in every file's name."""
    return _SAFE_ID.fullmatch(text) is not None


def file_name(text: str) -> str:
    """A distinct name of a file or folder for every text: the text itself if it can be one.

    Raw rows and records from elsewhere may say "../../x". If a text can't be a name, its readable part is kept, with a
    hash.
    """
    is_name = text.isprintable() and text and text[0] not in ".~" and "/" not in text and "\\" not in text
    if is_name and len(text.encode("utf-8")) <= _LONGEST_NAME:
        return text
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", text)[:40].strip("-")
    return f"~{readable}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
