-- The lines of the review files. Where a line is plain, user, product and time are read here; where it is not, they
-- are NULL and the line goes to the reader of DuckDB, whose verdict is the same on every engine. Plain is stricter than
-- any JSON reader: one object with each of the three keys once, ids of letters and digits (so that no reader can spell
-- them otherwise: 1.50, 1e5, broken UTF-8), and a whole number of milliseconds.
SELECT
    source,
    block,
    id,
    value,
    CASE WHEN plain THEN row.user_id END AS user_id,
    CASE WHEN plain THEN row.parent_asin END AS product_id,
    CASE WHEN plain THEN row.timestamp END AS milliseconds
FROM (
    SELECT
        source,
        block,
        id,
        value,
        row,
        coalesce(
            row.user_id RLIKE r'^([A-Za-z_][A-Za-z0-9_.:-]*|[0-9]{1,18}|[0-9][A-Za-z0-9_]*)\z'
            AND NOT row.user_id RLIKE r'^[0-9]+[eE][0-9]+\z'
            AND lower(row.user_id) NOT IN ($no_id)
            AND row.parent_asin RLIKE r'^([A-Za-z_][A-Za-z0-9_.:-]*|[0-9]{1,18}|[0-9][A-Za-z0-9_]*)\z'
            AND NOT row.parent_asin RLIKE r'^[0-9]+[eE][0-9]+\z'
            AND row.user_id RLIKE concat('^', $safe_id, r'\z')
            AND row.parent_asin RLIKE concat('^', $safe_id, r'\z')
            AND row.timestamp BETWEEN 0 AND $until
            AND octet_length(value) - octet_length(replace(value, '"user_id"', '')) = 9
            AND octet_length(value) - octet_length(replace(value, '"parent_asin"', '')) = 13
            AND octet_length(value) - octet_length(replace(value, '"timestamp"', '')) = 11,
            false
        ) AS plain
    FROM (
        SELECT source, block, id, value, CASE WHEN size(lone) = 1 THEN get(lone, 0) END AS row
        FROM (
            SELECT
                source,
                block,
                id,
                value,
                -- The frame makes what follows the object, which the reader would pass over, an error.
                from_json(
                    concat('{"row":[', value, ']}'),
                    'row ARRAY<STRUCT<user_id: STRING, parent_asin: STRING, timestamp: BIGINT>>',
                    map('allowSingleQuotes', 'false', 'allowNonNumericNumbers', 'false')
                ).row AS lone
            FROM reviews_text
        )
    )
)
