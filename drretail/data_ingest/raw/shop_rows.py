"""The tables of your own shop, and their rows as rows of the dataset: products with their variants, lines of orders."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from drretail.data_ingest.raw.columns import (
    Mapping,
    OrderColumns,
    ProductColumns,
    columns_named,
    columns_of,
    read_mapping,
)
from drretail.data_ingest.raw.lines import LONGEST_SHOWN, SHOWN, Saved, later_than, utc_day
from drretail.data_ingest.raw.products import address_in
from drretail.data_ingest.raw.sources import RawFile
from drretail.data_ingest.raw.values import Price, days_in, moment_of, price_in
from drretail.errors import UserError, nearest_names
from drretail.parsing import numbered_cells
from drretail.records.base import NO_ID, is_safe_id
from drretail.records.figures import counted, first_few
from drretail.records.shop import LIST_PRICE, ORDER_STATUSES, OTHER_TITLES, STOCK, USD, VARIANTS

Row = dict[str, Any]
# Characters: with the number of an order's line, an id stays within the 64 that a citation may have.
_LONGEST_ID = 60
_CITED_BY = "reports cite by letters, digits, _ and -"
_HIDDEN = frozenset({"draft", "archived", "unlisted", "false", "no", "0", "-1", "hidden", "private", "pending"})
_SHOWN = frozenset({"active", "true", "yes", "1", "visible", "catalog", "search", "publish", "published", "public"})
_NAMED_COLUMNS = 60
_YES = frozenset({"1", "yes", "true", "continue", "notify", "allow"})
_NO = frozenset({"0", "no", "false", "deny"})
_STOCK_WORDS, _SOLD_OUT = frozenset({"in stock", "available", "preorder", "backorder"}), {"out of stock", "sold out"}
_BEST_RATING = 5
NOT_PUBLISHED = "not published"
# "1,000" may be a thousand.
_COUNT = re.compile(r"([1-9][0-9]{0,8})(?:[.,](?!000$)0+)?")
_encode = json.JSONEncoder(ensure_ascii=False).encode
Cells = dict[str, str]
"""The cells of a row that are not empty, by their columns."""


def is_mapping(paths: Sequence[Path]) -> bool:
    """True if the paths are the one mapping file of your own shop."""
    return len(paths) == 1 and paths[0].suffix.lower() == ".toml"


def shop_sources(path: Path) -> tuple[Mapping, list[RawFile]]:
    """The mapping in a file, and its tables as sources. Raises UserError if a named table or column is missing."""
    mapping = read_mapping(path)
    products = _table_of(path, mapping.products)
    sources = [RawFile(products, packed=False, shape="products", layout="table", mapping=mapping)]
    if mapping.orders is not None:
        orders = _table_of(path, mapping.orders)
        sources.append(RawFile(orders, False, "reviews", "table", mapping=mapping, beside=(products,)))
    return mapping, sources


def _table_of(path: Path, part: ProductColumns | OrderColumns) -> Path:
    table = path.parent / part.file
    columns = columns_of(table)
    for key, column in columns_named(part):
        if columns.count(column) != 1:
            nearest = [] if column in columns else nearest_names(column, columns)
            hint = f" Did you mean {', '.join(map(repr, nearest))}?" if nearest else ""
            raise UserError(
                f"{path}: {key} = {column!r} names {columns.count(column)} columns of {part.file}, which has "
                f"{first_few(columns, _NAMED_COLUMNS)}.{hint}"
            )
    return table.absolute()


def save_table(source: RawFile, target: Path, until_ms: int) -> Saved:
    """Writes the good rows of a table as lines of JSON in the dataset's form, and counts the others.

    Raises UserError if the mapping does not fit the rows: several currencies, statuses that it does not name, or bytes
    that are not UTF-8.
    """
    assert source.mapping is not None, "a table has a mapping"
    saved, read = Saved(), _products if source.shape == "products" else _orders
    with target.open("w", encoding="utf-8") as file:
        for row in read(source, source.mapping, saved, until_ms):
            saved.account.use()
            saved.first += [row] if len(saved.first) < SHOWN else []
            file.write(f"{_encode(row)}\n")
    for meaning, fate in saved.cells.left_out.items():
        saved.notes.append(f"{counted(fate.count, 'row')} {meaning}, first in {fate.first}")
    return saved


@cache
def citable(text: str) -> str | None:
    """A text as an id: other characters than letters, digits, _ and - become hyphens, and a long one ends in a hash."""
    own = re.sub(r"[^A-Za-z0-9_-]", "-", text).lstrip("-_")
    if len(own) > _LONGEST_ID:
        own = f"{own[: _LONGEST_ID - 9]}-{hashlib.md5(text.encode()).hexdigest()[:8]}"  # noqa: S324 -- no secret
    return own or None


def _first(cells: Cells, columns: Sequence[str]) -> str | None:
    return next((cells[column] for column in columns if column in cells), None)


def _read(path: Path, part: ProductColumns | OrderColumns, mapping: Mapping, saved: Saved) -> list[tuple[int, Cells]]:
    """The rows that can be read, each with its line. Of an export, it notes which columns are not read."""
    heading, rows = columns_of(path), list[tuple[int, Cells]]()
    wanted = dict.fromkeys(column for _, column in columns_named(part))
    wanted |= dict.fromkeys(part.options) if isinstance(part, ProductColumns) else {}
    if mapping.format and (unread := [column for column in heading if column and column not in wanted]):
        saved.notes.append(f"columns that are not read: {first_few(unread, 12)}")
    places = [(name, heading.index(name)) for name in wanted if name in heading]
    for line, cells in islice(numbered_cells(path), 1, None):
        saved.account.take(1 if cells else 0)
        if len(cells) == len(heading):
            rows.append((line, {name: text for name, place in places if (text := cells[place].strip())}))
        elif any("\n" in cell for cell in cells):
            raise UserError(f"{path}, line {line:,}: a quote is not closed, which hides the rows after it: close it.")
        elif cells:
            saved.reject(line, f"{'more' if len(cells) > len(heading) else 'fewer'} values than the header has columns")
    return rows


class _Line(NamedTuple):
    """A row of a table of products."""

    number: int
    """That of its line."""
    cells: Cells
    filled: Cells
    """Its cells, with those of its product where it leaves them empty."""
    own: str | None
    """Its own id."""
    is_own: bool
    """True if it is the product itself and no variant."""


def _families(source: Path, mapping: Mapping, saved: Saved) -> dict[str, list[_Line]]:
    """The published rows of a table of products, by the id of their product as written; by "" those without one.

    The product itself comes first, or else the row that has its title.
    """
    columns = mapping.products
    rows = _read(source, columns, mapping, saved)
    # "id:44" names a parent by the last of several id columns; products go by the first.
    numbers = {f"id:{row[columns.id[-1]]}": _first(row, columns.id) for _, row in rows if columns.id[-1] in row}
    families: dict[str, list[_Line]] = defaultdict(list)
    has_parents = any(_first(row, columns.parent) for _, row in rows)
    for line, row in rows:
        own, parent = _first(row, columns.id), _first(row, columns.parent) or ""
        parent = numbers.get(parent) or parent.removeprefix("id:")
        families[parent or own or ""].append(_Line(line, row, row, own, has_parents and not parent))
    kept = dict[str, list[_Line]]()
    for key, family in families.items():
        # A feed names a group by one of its variants. Of variants with options, the row without any is the product.
        if has_parents and any(_options(line, columns) for line in family):
            family = [
                line._replace(is_own=line.is_own or (line.own == key and not _options(line, columns)))
                for line in family
            ]
        family.sort(key=lambda line: (not line.is_own, _first(line.cells, columns.title) is None))
        shown = _published(family, columns, saved, is_one=bool(key))
        # Feeds and Shopify name groups that have no row of their own.
        is_known = mapping.format in ("merchant", "shopify") or any(line.is_own or line.own == key for line in family)
        for line in shown if has_parents and not is_known else ():
            parent = _first(line.cells, columns.parent) or ""
            saved.doubt(f"of a product without a row of its own ({', '.join(columns.parent)})", line.number, parent)
        if key and has_parents:
            of_product = {name: text for line in reversed(shown) for name, text in line.cells.items()}
            shown = [line._replace(filled=of_product | line.cells) for line in shown]
        if shown:
            kept[key] = shown
    return kept


def _published(family: list[_Line], columns: ProductColumns, saved: Saved, *, is_one: bool) -> list[_Line]:
    """The rows that are published; none of one product if no row of the product itself is.

    A word that can't be read is no yes.
    """
    shown, named = list[_Line](), ", ".join(columns.published)

    def words_of(line: _Line) -> set[str]:
        return {line.cells.get(name, "").lower() for name in columns.published} - {""}

    # Rows that share an id and are no variants stand for the product each; without a parent's column, options say that
    # rows are variants.
    heads = [line for line in family if not (_first(line.cells, columns.parent) if columns.parent else columns.options)]
    heads = heads or family[:1]
    # After one that hides the product, an empty cell does not show it.
    hides = is_one and not any(words_of(head) <= _SHOWN and (not at or words_of(head)) for at, head in enumerate(heads))
    for line in family:
        words = words_of(heads[0] if hides else line)
        if words <= _SHOWN:
            shown.append(line)
        elif words & _HIDDEN:
            saved.account.leave_out(f"{NOT_PUBLISHED} ({named})", str(line.number))
        else:
            saved.reject(line.number, f"not known to be published ({named})", repr(min(words - _SHOWN)))
    return shown


def _products(source: RawFile, mapping: Mapping, saved: Saved, until_ms: int) -> Iterator[Row]:
    columns, path = mapping.products, source.path
    families = _families(path, mapping, saved)
    lines, named = [*chain(*families.values())], (*columns.price, *columns.sale_price)
    texts = [(line.number, line.cells[name]) for line in lines for name in named if name in line.cells]
    decimal, currency = _notation(path, mapping, texts, saved)
    said = list[tuple[str, str]]()
    for key, family in families.items():
        own, good = citable(key), list[tuple[_Line, Row]]()
        for line in family:
            row = _fields(line, key, mapping, decimal, until_ms, saved)
            if own is None or row["title"] is None:
                _reject(saved, line.number, "id" if own is None else "title", columns, line.cells)
            else:
                good.append((line, row))
        if not good or own is None:
            continue
        said.append((key, own))
        is_one = columns.parent or columns.options
        rows = [_merged(good, own, columns, saved)] if is_one else [row for _, row in good]
        for row in rows:
            del row["stock"]
            yield {"parent_asin": own, **row, "shop_currency": currency}
    _check_ids(path, said, saved)


def _reject(saved: Saved, line: int, field: str, part: ProductColumns | OrderColumns, cells: Cells) -> None:
    columns: tuple[str, ...] = getattr(part, field)
    form = " in ISO's form, or see date_format" if field == "date" else ""
    written = _first(cells, columns)
    said = "" if written is None else repr(written[:LONGEST_SHOWN])
    saved.reject(line, f"no {field} ({' or '.join(columns)}){form if written else ''}", said)


def _fields(line: _Line, key: str, mapping: Mapping, decimal: str, until_ms: int, saved: Saved) -> Row:
    """What a row says, in the dataset's form, and its "stock". What can't be read is told to ``saved``."""
    columns, cells, filled = mapping.products, line.cells, line.filled

    def words(names: Sequence[str]) -> list[str]:
        texts = [filled[name] for name in names if name in filled]
        return [text.replace("\\n", "\n") for text in texts] if mapping.format == "woocommerce" else texts

    def number(what: str, names: Sequence[str], most: float) -> float | None:
        found = price_in(_first(filled, names), decimal)
        if found is not None and found.amount <= most:
            return found.amount
        if text := _first(cells, names):
            saved.doubt(f"of unknown {what} ({', '.join(names)})", line.number, text)
        return None

    price, list_price = _prices(line, mapping, decimal, until_ms, saved)
    stock, title = _stock(line, columns, saved), words(columns.title)
    details: Row = {name: cells[column] for name, column in columns.details.items() if column in cells}
    if stock is not None:
        details[STOCK] = int(stock) if re.fullmatch(r"[+-]?\d+", stock) else stock
    if price and list_price and list_price.amount > price.amount:
        details[LIST_PRICE] = list_price.amount
    if (link := _first(cells, columns.link)) and not address_in(link):
        saved.doubt(f"of no web address ({', '.join(columns.link)})", line.number, link)
    form = mapping.product_url
    page = form and re.sub(r"\{(?:handle|id)\}", lambda _: quote(key, safe=""), form)
    return {
        "title": title[0] if title else None,
        "average_rating": number("rating", columns.rating, _BEST_RATING),
        "rating_number": number("number of ratings", columns.ratings, inf),
        "features": words(columns.features) or None,
        "description": words(columns.description) or None,
        "price": price and price.amount,
        "store": _first(filled, columns.store),
        "categories": _path(filled, columns.category, is_list=mapping.format == "woocommerce") or None,
        "details": details,
        "images": _first(filled, columns.image),
        "product_url": address_in(_first(filled, columns.link)) or page,
        "stock": stock,
    }


def _options(line: _Line, columns: ProductColumns) -> dict[str, str]:
    """How a variant differs. Shopify names an option on a product's first row, and an only variant Default Title."""
    chosen: dict[str, str] = {}
    for name, column in columns.options.items():
        own, value = name if name == column else line.filled.get(name, column), line.cells.get(column)
        if own and value and value != "Default Title":
            chosen.setdefault(own, value)
    return chosen


def _prices(
    line: _Line, mapping: Mapping, decimal: str, until_ms: int, saved: Saved
) -> tuple[Price | None, Price | None]:
    """The price, and the earlier one. A sale price counts on the days planned for it, if they can be read."""
    columns, cells = mapping.products, line.cells
    price, earlier = (price_in(_first(cells, names), decimal) for names in (columns.price, columns.list_price))
    if earlier is None and (text := _first(cells, columns.list_price)):
        saved.doubt(f"no list price ({', '.join(columns.list_price)})", line.number, text)
    sale = price_in(_first(cells, columns.sale_price), decimal)
    if price and not price.amount:
        text = _first(cells, columns.price) or ""
        saved.doubt(f"of a price of 0, which counts as none ({', '.join(columns.price)})", line.number, text)
        price = None
    if sale is None or not sale.amount:
        return price, earlier
    if price and sale.amount > price.amount:
        text = _first(cells, columns.sale_price) or ""
        saved.doubt("no sale, since its price is above the price", line.number, text)
        return price, earlier
    ends = (columns.sale_from, columns.sale_to) if columns.sale_to else (columns.sale_from,)
    texts = [_first(cells, names) or "" for names in ends]
    days, today = days_in(texts, mapping.date_format), utc_day(until_ms)
    if days is None:
        saved.doubt("no sale, since its days can't be read", line.number, *filter(None, texts))
    elif (days[0] or today) > today or today > (days[1] or today):
        saved.doubt("no sale today", line.number, *filter(None, texts))
    else:
        return sale, price
    return price, earlier


def _stock(line: _Line, columns: ProductColumns, saved: Saved) -> str | None:
    """The stock as text; None if it is not counted, or does not end the sale.

    A word that can't be read stands for itself, and is no yes.
    """
    cells = line.cells
    is_untracked = columns.tracker and _first(cells, columns.tracker) is None
    backorders, available = (_first(cells, names) for names in (columns.backorders, columns.available))
    if backorders and backorders.lower() not in _YES | _NO:
        saved.doubt("not sold without stock, since it can't be read", line.number, backorders)
    if is_untracked or (backorders or "").lower() in _YES:
        return None
    word = (available or "").lower().replace("_", " ")
    if available and word in _NO | _SOLD_OUT:
        return "sold out"
    if available and word not in _YES | _STOCK_WORDS:
        saved.doubt("of unknown availability", line.number, available)
        return available
    stock = _first(cells, columns.stock)
    words = _STOCK_WORDS | _SOLD_OUT
    if stock and not re.fullmatch(r"[+-]?\d+", stock) and stock.lower().replace("_", " ") not in words:
        saved.doubt("of unknown stock", line.number, stock)
    return stock


def _path(cells: Cells, columns: Sequence[str], *, is_list: bool) -> list[str]:
    """The parts of a category path, from the root on. A further column adds the parts that no column before it has.

    Of several paths in a cell (``is_list``) the longest counts, with the other paths' parts behind its root.
    """
    path: list[str] = []
    for text in filter(None, map(cells.get, columns)):
        texts = re.split(r"(?<!\\),", text) if is_list else [text]
        paths = [[part for each in one.replace("\\,", ",").split(">") if (part := each.strip())] for one in texts]
        longest = max(paths, key=len)
        others = sorted({*chain(*paths)} - {*longest})
        path += [part for part in (*longest[:1], *others, *longest[1:]) if part not in path]
    return path


_Variant = tuple[str | None, dict[str, str], _Line, Row]
"""Its SKU, its options, and its row."""


def _merged(good: list[tuple[_Line, Row]], own: str, columns: ProductColumns, saved: Saved) -> Row:
    """The rows of a product as one, with options in its details, its variants there, and the lowest price."""
    seen, others = defaultdict[str | None, list[tuple[dict[str, str], str]]](list), dict[str, None]()
    amounts, variants = (set[float](), set[float]()), list[_Variant]()
    first, base = good[0]
    for line, row in good:
        sku, title = None if line.is_own else citable(line.own or ""), row["title"]
        chosen = {} if line.is_own else _options(line, columns)
        if any(_is_in_another_language(chosen, title, *each, by_sku=sku is not None) for each in seen[sku]):
            others[title] = None
            is_other = row["price"] not in (None, *amounts[line.is_own])
            saved.merge(f"the same id as another row{', at another price' if is_other else ''}", line.number)
            continue
        amounts[line.is_own].update({row["price"]} - {None})
        if sku is None and not chosen:
            # A row without data of its own, such as one for a further picture, is no variant.
            if line is not first:
                saved.merge("a further row of its product", line.number)
        elif any(chosen == before for before, _ in seen[sku]):
            saved.merge("the same variant again", line.number)
        else:
            variants.append((sku, chosen, line, row))
            if line is not first:
                saved.merge("a variant of its product", line.number)
        seen[sku].append((chosen, title))
    base["details"] |= {OTHER_TITLES: [*others]} if others else {}
    has_variants = len(variants) > 1 or (first.is_own and bool(variants))
    prices = sorted(amounts[False] if has_variants else amounts[False] | amounts[True])
    price = prices[0] if len(prices) == 1 else f"from {prices[0]}" if prices else None
    if not has_variants:
        return base | {"price": price, "details": base["details"] | _options(first, columns)}
    details = {
        name: value for name, value in base["details"].items() if first.is_own or name not in (STOCK, LIST_PRICE)
    }
    details |= _options(first, columns) if first.is_own else {}
    return base | {"price": price, "details": details | {VARIANTS: [*_offers(own, variants, saved)]}}


def _is_in_another_language(
    options: dict[str, str], title: str, before: dict[str, str], other: str, *, by_sku: bool
) -> bool:
    """True if a row has the SKU and the options of another, or other options, in another language.

    Shops name a variant by its product and its options, so variants that share a SKU differ in nothing else.
    """
    if options == before:
        return title != other
    is_same = title == other or _without(title, options) == _without(other, before)
    return by_sku and not (is_same and (options.keys() & before.keys() or not options or not before))


def _without(title: str, options: dict[str, str]) -> list[str]:
    for value in sorted(options.values(), key=len, reverse=True):
        title = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ", title, flags=re.IGNORECASE)
    return title.split()


def _offers(own: str, variants: Sequence[_Variant], saved: Saved) -> Iterator[Row]:
    """The variants of a product in its details. A variant's id is its SKU, where no other variant has it, nor the
    product; else the product's id and its options, or a hash of them where their letters are none of an id. The order
    of the rows does not matter.
    """
    by_options = [citable("-".join((own, *options.values()))) or own for _, options, _, _ in variants]
    hashes = [
        f"{own[:50]}-{hashlib.sha256(_encode([sku, *options.items()]).encode()).hexdigest()[:8]}"
        for sku, options, _, _ in variants
    ]
    ids = [sku or name for (sku, *_), name in zip(variants, by_options, strict=True)]
    for names in (by_options, hashes):
        counts = Counter(ids)
        ids = [each if counts[each] == 1 and each != own else name for each, name in zip(ids, names, strict=True)]
    for name, (sku, options, line, row) in zip(ids, variants, strict=True):
        offer = {"id": name, **options, "price": row["price"], "stock": row["stock"]}
        offer["list_price"] = row["details"].get(LIST_PRICE)
        if sku not in (None, name):
            offer["sku"] = line.own
            saved.doubt("named by their options, since their SKU is not theirs alone", line.number, line.own or "")
        yield {key: value for key, value in offer.items() if value is not None}


def _check_ids(path: Path, said: Iterable[tuple[str, str]], saved: Saved) -> None:
    """Notes ids that are written otherwise. Raises UserError if two different ones would become one."""
    by_own = dict[str, str]()
    for written, own in said:
        if (other := by_own.setdefault(own, written)) != written:
            raise UserError(
                f"{path} has the ids {other!r} and {written!r}, which would both be {own!r} ({_CITED_BY}): give one of "
                "them another id."
            )
    if changed := [f"{written[:LONGEST_SHOWN]!r} as {own!r}" for own, written in by_own.items() if written != own]:
        saved.notes.append(f"{counted(len(changed), 'id')} written otherwise, such as {changed[0]}: {_CITED_BY}")


def _notation(path: Path, mapping: Mapping, cells: Sequence[tuple[int, str]], saved: Saved) -> tuple[str, str]:
    """The mark before the cents of these prices, each with its line, and their one currency.

    Notes prices that cannot be read or may mean something else. Raises UserError if some name another currency, by its
    code or by a sign that cannot mean this one.
    """
    texts = [text for _, text in cells]
    marks = {mark[1] for text in texts if (mark := re.search(r"\d([.,])\d{1,2}(?![\d.,])", text))}
    decimal = mapping.decimal or ("," if marks == {","} else ".")
    prices = [(text, price_in(text, decimal)) for text in texts]
    for line, text in cells:
        if price_in(text, decimal) is None:
            saved.doubt("of unknown price", line, text)
    read = [(text, price) for text, price in prices if price]
    if odd := [text for text, _ in read if re.search(rf"(?<![\d.,])\d{{1,3}}[{decimal}]\d{{3}}(?![\d.,])", text)]:
        saved.notes.append(
            f"{counted(len(odd), 'price')} with three decimals, such as {odd[0]!r}: where that means thousands, write "
            f"decimal = {'.' if decimal == ',' else ','!r}"
        )
    named = Counter(price.currencies for _, price in read if price.currencies).most_common(1)
    codes = named[0][0] if named else (USD,)
    currency = mapping.currency or codes[0]
    if mapping.currency is None and (not named or len(codes) > 1):
        example = next((text for text, price in read if price.currencies == codes), None)
        which = "that name no currency" if example is None else f"such as {example[:LONGEST_SHOWN]!r}"
        saved.notes.append(f'prices {which} are taken as {currency}: write currency = "EUR" for another')
    if strange := [text for text, price in read if price.currencies and currency not in price.currencies]:
        raise UserError(
            f"{path} has {counted(len(strange), 'price')} such as {strange[0][:LONGEST_SHOWN]!r}, and the world's "
            f"currency is {currency}: say another in the mapping, or convert those prices."
        )
    return decimal, currency


def _orders(source: RawFile, mapping: Mapping, saved: Saved, until_ms: int) -> Iterator[Row]:
    orders = mapping.orders
    assert orders is not None, "a mapping without orders names no file of them"
    rows = _read(source.path, orders, mapping, saved)
    if mapping.format is not None:
        _fill_down(rows, orders)
    aliases = _aliases(source, mapping) if mapping.products.parent or len(orders.product) > 1 else {}
    meanings = {word.lower(): word for word in ORDER_STATUSES}
    meanings |= {word.strip().lower(): ours for word, ours in mapping.status.items()}
    strange, said = Counter[str](), dict[tuple[str, str], None]()

    @cache
    def user_of(text: str) -> str:
        if text.lower() in ("", *NO_ID):
            return ""
        is_kept = is_safe_id(text) and not orders.hash_users
        return text if is_kept else f"u{hashlib.sha256(text.lower().encode()).hexdigest()[:12]}"

    for line, row in rows:
        user, order = user_of(_first(row, orders.user) or ""), _first(row, orders.id)
        names = [row[column] for column in orders.product if column in row]
        item = next((aliases[name] for name in names if name in aliases), citable(names[0]) if names else None)
        own, moment = citable(order or ""), moment_of(_first(row, orders.date), mapping.date_format)
        number = _COUNT.fullmatch(_first(row, orders.quantity) or "" if orders.quantity else "1")
        needed = {"user": user, "product": item, "date": moment, "id": own or not orders.id, "quantity": number}
        lacking = next((field for field, value in needed.items() if not value), None)
        if lacking is not None:
            _reject(saved, line, lacking, orders, row)
        elif moment is not None and moment[0] > until_ms:
            saved.reject(line, later_than(until_ms), repr(_first(row, orders.date)))
        elif moment is not None and number is not None:
            if order and own:
                said[order, own] = None
            yield {
                "user_id": user,
                "parent_asin": item,
                "timestamp": moment[0],
                "order_id": own,
                "quantity": int(number[1]) if orders.quantity else None,
                "order_status": _status(row, orders, meanings, strange),
                "utc_offset": moment[1],
            }
    _check_ids(source.path, said, saved)
    if strange:
        counts = strange.most_common()
        raise UserError(
            f"{source.path} has statuses that the mapping does not know: "
            f"{first_few([f'{word!r} ({rows:,})' for word, rows in counts], 5)}. Write in [status] which of "
            f'{", ".join(ORDER_STATUSES)} each of them is, such as {counts[0][0]!r} = "Delivered".'
        )


def _fill_down(rows: list[tuple[int, Cells]], orders: OrderColumns) -> None:
    """Gives the rows of an order what only its first row says."""
    said = defaultdict[str, Cells](dict)
    names = (*orders.user, *orders.date, *orders.status, *orders.cancelled)
    keyed = [(key, row) for _, row in rows if (key := _first(row, orders.id))]
    for key, row in keyed:
        said[key] = row | said[key]
    for key, row in keyed:
        row |= {name: said[key][name] for name in names if name in said[key] and name not in row}


def _status(cells: Cells, orders: OrderColumns, meanings: dict[str, str], strange: Counter[str]) -> str | None:
    """What became of an order; counts a word without a meaning."""
    if _first(cells, orders.cancelled) is not None:
        return "Cancelled"
    if not orders.status:
        return "Delivered" if orders.cancelled else None
    words = [cells.get(column, "").lower() for column in orders.status]
    unknown = next((word for word in words if word and word not in meanings), None)
    status = next((meanings[word] for word in words if word and meanings.get(word)), meanings.get(""))
    if unknown is not None or not status:
        strange[words[-1] if unknown is None else unknown] += 1
    return status


def _aliases(source: RawFile, mapping: Mapping) -> dict[str, str]:
    """The names by which orders may call a product: its variants' ids and titles, each if it is one product's alone."""
    owners = defaultdict[str, set[str]](set)
    for key, family in _families(source.beside[0], mapping, Saved()).items():
        for line in family:
            title, options = _first(line.filled, mapping.products.title), _options(line, mapping.products)
            names = [line.own, title, f"{title} - {' / '.join(options.values())}" if options else None]
            for name in filter(None, names if title else ()):
                owners[name].add(citable(key) or "")
    return {name: next(iter(products)) for name, products in owners.items() if len(products) == 1}
