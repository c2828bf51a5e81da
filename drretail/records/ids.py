"""Which ids a shop may have, and names of files that are made of texts which others chose."""

import hashlib
import re

SAFE_ID = "[A-Za-z0-9_#@-][A-Za-z0-9_#@.:+=~-]{0,127}"
"""As every engine's regular expressions read it. Amazon's ids are of capitals and digits; other shops have "#W2378156",
"sara_doe_496", or addresses of mail."""
ID_RULE = "1 to 128 letters, digits and _#@.:+=~-, of which .:+=~ do not come first"
_SAFE_ID = re.compile(SAFE_ID)
_LONGEST_NAME = 200
"""Bytes; endings, and what marks a file as unfinished, fit into the 255 that a name may have."""


def is_safe_id(text: str) -> bool:
    """True for an id that is the same on every engine, in every file and in every file's name."""
    return _SAFE_ID.fullmatch(text) is not None


def file_name(text: str) -> str:
    """A name for a file or folder of its own for every text: the text itself wherever it can be one.

    Raw rows and records from elsewhere may say "../../x": of what is no name, what can be read is kept, with a hash.
    """
    if _is_file_name(text):
        return text
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", text)[:40].strip("-")
    return f"~{readable}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _is_file_name(text: str) -> bool:
    if not text or text[0] in ".~" or "/" in text or "\\" in text:
        return False
    return text.isprintable() and len(text.encode("utf-8")) <= _LONGEST_NAME
