"""Pages of the world's web about kinds of products, and what records of these say already."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from drretail.env.offers import Offers
from drretail.llm.prompt import tagged
from drretail.remembered import remembered
from drretail.reports.layout import find_sentences
from drretail.reports.text.words import content_stems, content_words, stem
from drretail.shopping.listing import Listing

_KINDS, _PER_KIND, _LOOKED_AT, _LONGEST = 6, 3, 8, 2500
_SENTENCES, _SHARED = 6, 3
"""The most sentences of a kind's records, and the words that each shares with a page at least."""


_OTHER = re.compile(r"[\W\d_]+")


@dataclass(frozen=True, slots=True)
class Material:
    """What a question may rest on besides the shopper's orders."""

    pages: str = ""
    """Each page with its address."""
    sentences: tuple[str, ...] = ()
    """Of records: advice that needs no page."""


@dataclass(eq=False)
class Library:
    """The pages of one world. An open web has none: its pages change."""

    offers: Offers

    def about(self, kinds: Iterable[str], also: Iterable[str] = ()) -> Material:
        """Two or three pages for each kind and those at these addresses, and the sentences nearest to them."""
        if self.offers.world.web.corpus is None:
            return Material()
        kinds = [*islice(filter(self._found, dict.fromkeys(kinds)), _KINDS)]
        urls = sorted({*(url for kind in kinds for url in self._found(kind)), *also})
        fetched = {url: page for url in urls if (page := self.offers.world.web.fetch(url)).text}
        shown = (tagged("page", f"{url}\n{page.title}\n{page.text[:_LONGEST]}") for url, page in fetched.items())
        said = {*content_stems(" ".join(page.text for page in fetched.values()))}
        sentences = (text for kind in kinds for text in _nearest(said, self.offers.of_kind(kind)))
        return Material("\n".join(shown), tuple(dict.fromkeys(sentences)))

    @remembered
    def _found(self, kind: str) -> tuple[str, ...]:
        """The pages whose titles have words that most products of the kind have in theirs."""
        words = _words_of(self.offers.of_kind(kind))
        results = self.offers.world.web.search(" ".join(words), _LOOKED_AT) if words else ()
        stems, least = {*map(stem, words)}, min(2, len(words))
        near = (result.url for result in results if len(stems & {*content_stems(result.title)}) >= least)
        return tuple(islice(near, _PER_KIND))


def _words_of(listings: Sequence[Listing]) -> list[str]:
    """The words of most of their titles."""
    counts = Counter(word for listing in listings for word in {*content_words(listing.product.title)})
    return [word for word, count in counts.most_common() if count > len(listings) / 2]


def _nearest(said: set[str], listings: Sequence[Listing]) -> list[str]:
    """The sentences of features and descriptions that share most words with what pages say."""
    products, own = (listing.product for listing in listings), {*map(stem, _words_of(listings))}
    texts = dict.fromkeys(text for product in products for text in (*product.features, *product.description))
    every = (text[part.start : part.end].strip() for text in texts for part in find_sentences(text))
    different = {_OTHER.sub("", text): text for text in every}.values()  # one of many sizes
    shared = {text: len((said - own) & {*content_stems(text)}) for text in different}
    near = [text for text, count in shared.items() if count >= _SHARED]
    return sorted(near, key=lambda text: -shared[text])[:_SENTENCES]
