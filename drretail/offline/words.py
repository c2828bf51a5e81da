"""offline:words, embeddings without a model: texts are close if they share content words, and only then."""

import hashlib
import math
from collections import Counter

from langchain_core.embeddings import Embeddings

from drretail.grounding.text.words import content_stems

DIMENSIONS = 1024


class WordEmbeddings(Embeddings):
    """Word stems hashed to ``DIMENSIONS`` places and weighted by 1 + ln(count); a pure function of the text."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return list(map(self.embed_query, texts))

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * DIMENSIONS
        for stem, count in Counter(content_stems(text)).items():
            digest = hashlib.sha256(stem.encode("utf-8", "surrogatepass")).digest()
            vector[int.from_bytes(digest[:4]) % DIMENSIONS] += (1 + math.log(count)) * (1 if digest[4] & 1 else -1)
        return vector
