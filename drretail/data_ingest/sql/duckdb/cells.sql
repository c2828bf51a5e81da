-- How a text of a shop's own table is read. raw/cells.py fills in the signs and the words of currencies.

-- Whole numbers lose the ".0" that they have in a column of floats.
CREATE TEMP MACRO whole(plain) AS regexp_replace(plain, '\.0+$', '');

-- A text as an id: each character but letters, digits, _ and - becomes a hyphen.
CREATE TEMP MACRO citable(said) AS nullif(ltrim(regexp_replace(said, '[^A-Za-z0-9_-]', '-', 'g'), '-_'), '');

-- Remarks on tax, as in "1,280円（税込）" and "9,90 € inkl. MwSt.".
CREATE TEMP MACRO tax_remark() AS
    '\s*[(（]?\s*(?:税込み?|税抜き?|税別|含税|TTC|HT|(?:IVA|VAT|GST|tax)\s+incl\w*'
    || '|(?:in[ck]l?|ex[ck]?l?|zzgl|plus)\w{0,6}\.?\s+(?:MwSt|USt|VAT|GST|tax|BTW|TVA|IVA|moms)\.?)\s*[)）]?$';

-- A number with its tax remark, and with its words for "from" in English.
CREATE TEMP MACRO said_number(said) AS
    translate(said, '０１２３４５６７８９，．', '0123456789,.')
    .regexp_replace('(?i)' || tax_remark(), '')
    .regexp_replace('^(.*\d.*?)\s*(?:[~〜～]|から|起)$', 'from \1')
    .regexp_replace('(?i)^(?:ab|desde|a partir de|à partir de|dès|da|vanaf|fra|från|od|от)\s+', 'from ');

-- Without currency: signs made of letters stand directly before or after the digits.
CREATE TEMP MACRO bare_number(said) AS
    trim(regexp_replace(said, '\b[A-Z]{3}\b|$signs', '', 'g'), ' ' || chr(160) || chr(8239))
    .regexp_replace('(?i)^(?:$words)\.?\s*(\d)', '\1')
    .regexp_replace('(?i)(\d[.,]?[–—-]*)\s*(?:$words)\.?$', '\1');

-- A dot or a comma before the cents, as it is written, and no spaces or apostrophes between thousands. "9.–" is a price
-- without cents.
CREATE TEMP MACRO read_number(said) AS
    trim(regexp_replace(bare_number(said_number(said)), '[.,]\s*[–—-]+$', ''), ' ' || chr(160) || chr(8239))
    .regexp_replace('(\d)[ \x{a0}\x{202f}''’](\d{3})\b', '\1\2', 'g');

-- The first number in a price.
CREATE TEMP MACRO amount_of(price) AS
    TRY_CAST(replace(regexp_extract(CAST(price AS VARCHAR), '[0-9.,]+'), ',', '') AS DOUBLE);

-- The currency that a price names, by its sign, its code or its word.
CREATE TEMP MACRO named_currency(price) AS coalesce(
    nullif(regexp_extract(price, '$signs|\b[A-Z]{3}\b'), ''),
    nullif(regexp_extract(price, '(?i)^($words)\.?\s*\d', 1), ''),
    nullif(regexp_extract(
        price, '(?i)[\d０-９][.,]?[–—-]*\s*($words)\.?(?:' || tax_remark() || '|\s*[~〜～]?$)', 1
    ), '')
);

CREATE TEMP MACRO within_time(ms) AS list_extract([each FOR each IN [ms] IF each BETWEEN 0 AND $last_millisecond], 1);

-- The moment of a text in a format of strptime, in milliseconds UTC.
CREATE TEMP MACRO moment_in(said, form) AS within_time(epoch_ms(try_strptime(said, form)));

-- The moment of seconds, of milliseconds, or of an ISO date. DuckDB does not read the zone in "12:00 +0200".
CREATE TEMP MACRO read_moment(said) AS within_time(
    CASE
        WHEN regexp_full_match(said, '\d{12,14}') THEN CAST(said AS BIGINT)
        WHEN regexp_full_match(said, '\d{9,11}(\.\d+)?') THEN CAST(floor(CAST(said AS DOUBLE) * 1000) AS BIGINT)
        ELSE epoch_ms(TRY_CAST(regexp_replace(said, '\s*([+-]\d\d):?(\d\d)$', '\1:\2') AS TIMESTAMPTZ))
    END
);

-- The minutes that the clock of a time was ahead of UTC, as the text says; none where it says no zone.
CREATE TEMP MACRO read_offset(said) AS CASE
    WHEN regexp_matches(said, ':\d\d(\.\d+)?\s*[+-]\d\d(:?\d\d)?$') THEN
        CASE WHEN regexp_extract(said, '\s*([+-])\d\d(:?\d\d)?$', 1) = '-' THEN -1 ELSE 1 END * (
            60 * CAST(regexp_extract(said, '[+-](\d\d)(:?\d\d)?$', 1) AS INTEGER)
            + coalesce(TRY_CAST(regexp_extract(said, '[+-]\d\d:?(\d\d)$', 1) AS INTEGER), 0)
        )
    ELSE 0
END;

-- The category paths in a cell. Within a name, the mark between paths is escaped by a backslash.
CREATE TEMP MACRO paths_in(said, mark, separator) AS [
    [trim(replace(x, chr(1), mark)) FOR x IN string_split(p, separator)]
    FOR p IN string_split(replace(said, chr(92) || mark, chr(1)), mark) IF trim(p) <> ''
];

CREATE TEMP MACRO longest(paths) AS list_reduce(paths, lambda a, b: CASE WHEN len(b) > len(a) THEN b ELSE a END);

-- The longest of several paths, with the other paths' parts inserted after its root.
CREATE TEMP MACRO merged_path(paths) AS CASE
    WHEN len(paths) > 0 THEN list_concat(
        longest(paths)[:1],
        list_sort(list_distinct([x FOR x IN flatten(paths) IF NOT list_contains(longest(paths), x)])),
        longest(paths)[2:]
    )
    ELSE CAST([] AS VARCHAR[])
END;
