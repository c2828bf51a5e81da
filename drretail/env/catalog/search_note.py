"""The note beside a search's hits if the hits alone would mislead: how well they match, and what to ask next."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drretail.env.catalog.base import CatalogPage, CatalogQuery
from drretail.env.catalog.formulation import WordForms, other_texts
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.grounding.text.untrusted import harmless
from drretail.grounding.text.wording import short_title
from drretail.records.shop import Product

FIRST_PAGES = 30
"""The best matches whose categories are counted."""
BEST = 10
"""The best matches among which hidden products are looked for; nobody would have looked at later ones."""
FIRST = 5
"""The best matches of which a sorted page says how many it does not show."""
NAMED = 2
"""The most products that a note names."""
CATEGORIES = 3
ONE_KIND = 2 / 3
"""If one category holds a larger share of the best matches, the query is narrow enough."""
_EXCLUDING = re.compile(r"not|no|without|except|excluding|nicht|ohne|ni|sans|sin|-[^\W\d_].*")
"""Words by which people mean to exclude something, in English, German, French and Spanish. The note is true as well
where products say them ("no tears").
"""
TITLE = 50
"""The most letters of a title."""


@dataclass(frozen=True, slots=True)
class SearchNote:
    """Composes the note of one search; each part is a sentence, or empty if it does not help."""

    world: World
    query: CatalogQuery
    page: CatalogPage
    first_pages: CatalogPage | None = None
    """At least ``FIRST_PAGES`` of the best matches, if the caller has them."""

    @property
    def forms(self) -> WordForms:
        return WordForms(self.world.manifest.language)

    def text(self) -> str:
        """The note, in as many parts as help."""
        if self.query.offset or not self.forms.of(self.query.text):
            return ""
        return " ".join(part for part in self.parts() if part)

    def parts(self) -> Iterator[str]:
        """The note's sentences. If the catalog fails to answer a question, they end: the hits are there without it."""
        query, page = self.query, self.page
        if page.cut:
            yield (
                f"Only the {page.total} best of {page.total + page.cut:,} matches are sorted; the other {page.cut:,} "
                "fit the query less and are left out."
            )
        denied = [word for word in query.text.casefold().split() if _EXCLUDING.fullmatch(word)]
        if denied:
            yield f'"{denied[0]}" excludes nothing: words only say what to look for.'
        try:
            best = self.first_pages or self._search(self._by_relevance(query), FIRST_PAGES)
            first = {hit.product_id for hit in best.hits[:FIRST]}
            later = len(first - {hit.product_id for hit in page.hits})
            if query.sort_by != "relevance" and later:
                where = "is on a later page" if later == 1 else "are on later pages"
                yield f"{later} of the {len(first)} best matches {where}."
            yield self.spelling()
            yield self.words_matched()
            yield self.categories(best)
            yield self.hidden_by_filters()
        except ToolError:
            return

    def spelling(self) -> str:
        """Suggested spellings of words that no product holds, or hardly any."""
        pairs = [
            f'"{nearest}" for "{spelling.word}"'
            for spelling in self.world.catalog.spellings(self.query.text)
            if (nearest := self._as_written(spelling.nearest)) and nearest != spelling.word
        ]
        return f"Perhaps misspelt: try {', '.join(pairs)}." if pairs else ""

    def words_matched(self) -> str:
        """How many of the matches hold all words, if that is fewer than are shown."""
        forms = self.forms
        content = {word for word in forms.of(self.query.text) if not forms.is_stop_word(word)}
        if self.query.match != "any" or len(content) < 2 or not self.page.total:
            return ""
        holding_all = self._search(replace(self._by_relevance(self.query), match="all"), 1).total
        if holding_all >= min(self.page.total, self.query.limit):
            return ""
        count = "None" if not holding_all else f"Only {holding_all}"
        return f"{count} of {self.page.total} hold{'' if holding_all > 1 else 's'} all words."

    def categories(self, first_pages: CatalogPage) -> str:
        """The leaf categories of the best matches, if there are several."""
        if self.query.category is not None or not self.page.total:
            return ""
        best = self._products(replace(first_pages, hits=first_pages.hits[:FIRST_PAGES]))
        counts = Counter(product.leaf_category for product in best)
        forms = self.forms
        in_query = set(forms.stems(self.query.text))

        def place(name: str) -> tuple[bool, int]:
            # A category that the query names, such as "French Presses", holds what was meant.
            return not set(forms.stems(name)) <= in_query, -counts[name]

        # The sort is stable: among equals, the category of the better match comes first.
        named = [name for name in sorted(counts, key=place) if counts[name] > 1 or not place(name)[0]][:CATEGORIES]
        if not named or max(counts.values()) > ONE_KIND * len(best):
            return ""
        return f"Categories to filter by: {' | '.join(f'{harmless(name)} ({counts[name]})' for name in named)}."

    def hidden_by_filters(self) -> str:
        """The best matches that fail the filters: all of them if nothing passes, or those that lack a number."""
        query = self.query
        if not query.filters_numbers and (query.category is None or self.page.total):
            return ""
        without = replace(self._by_relevance(query), price_min=None, price_max=None, rating_min=None)
        if not self.page.total:
            unfiltered = self._search(replace(without, category=None), NAMED)
            best = self._products(unfiltered)
            return f"Without the filters {unfiltered.total} match, best {self._named(best)}." if best else ""
        if not self.page.hidden:
            return ""
        by_price, by_rating = query.price_min is not None or query.price_max is not None, query.rating_min is not None
        lacking = [
            product
            for product in self._products(self._search(without, BEST))
            if (by_price and product.price is None) or (by_rating and product.average_rating is None)
        ]
        return f"Hidden, but among the best: {self._named(lacking[:NAMED])}." if lacking else ""

    def _named(self, products: Sequence[Product]) -> str:
        return ", ".join(
            f'{product.product_id} "{short_title(harmless(product.title), TITLE)}"'
            + (f" ({product.price:.2f})" if product.price is not None else "")
            for product in products
        )

    def _as_written(self, indexed: str) -> str | None:
        """An indexed word as the best product for it writes it; None if that product does not hold it."""
        forms = self.forms
        for product in self._products(self._search(CatalogQuery(indexed), 1)):
            for text in (product.title, *other_texts(product)):
                for word in forms.of(text):
                    if indexed in (word, forms.stem(word)):
                        return word
        return None

    def _by_relevance(self, query: CatalogQuery) -> CatalogQuery:
        return replace(query, sort_by="relevance", order=None)

    def _search(self, query: CatalogQuery, limit: int) -> CatalogPage:
        return self.world.catalog.search(replace(query, limit=limit))

    def _products(self, page: CatalogPage) -> list[Product]:
        known = self.world.store.products([hit.product_id for hit in page.hits])
        return [known[hit.product_id] for hit in page.hits]
