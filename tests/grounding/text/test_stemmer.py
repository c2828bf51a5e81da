"""The stems of words are the same on every machine: what a search of a world finds depends on them."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

from drretail.grounding.text.words import stem

RECIPES = Path(__file__).parents[3] / "drretail" / "data_ingest" / "synth" / "recipes"
OTHER_STEMMER = """
import sys, types
class Stemmer:
    def __init__(self, language): pass
    def stemWord(self, word): return "other"
sys.modules["Stemmer"] = types.SimpleNamespace(Stemmer=Stemmer, algorithms=list)
from drretail.env.catalog.analysis import WordForms
print(WordForms("english").stem("harnesses"), WordForms("german").stem("leinen"))
"""


def test_pystemmer_is_not_taken_where_it_is_installed() -> None:
    found = subprocess.run([sys.executable, "-c", OTHER_STEMMER], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["har", "lein"]


def test_the_stems_of_a_shop_s_words_are_those_that_its_fingerprint_stands_for() -> None:
    """Where this fails after an update, worlds need a formulation with the next number."""
    texts = " ".join(path.read_text(encoding="utf-8").lower() for path in sorted(RECIPES.glob("*.toml")))
    words = sorted(set(re.findall(r"[a-z]+(?:'[a-z]+)*", texts)))
    digest = hashlib.sha256(" ".join(map(stem, words)).encode()).hexdigest()
    assert digest == "42c5998864d46902be7299e32594878604ddd34998180bf9875c208e769543d9"
