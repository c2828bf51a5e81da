"""What stands below tables: how their numbers are to be read. The words are in notes.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

NOTES: Mapping[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""Sentences by what they are about; a note of several lines is a paragraph each."""
