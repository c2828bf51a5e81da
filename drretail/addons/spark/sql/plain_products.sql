-- The lines of the product files, as plain_reviews.sql has those of reviews: product_id is NULL where a line is not plain.
-- Here the whole row matters later, so that its text must be valid, too: UTF-8 without halves of surrogate pairs.
SELECT
    source,
    block,
    id,
    value,
    CASE
        WHEN row.parent_asin RLIKE r'^([A-Za-z_][A-Za-z0-9_.:-]*|[0-9]{1,18}|[0-9][A-Za-z0-9_]*)\z'
            AND NOT row.parent_asin RLIKE r'^[0-9]+[eE][0-9]+\z'
            AND row.parent_asin RLIKE concat('^', $safe_id, r'\z')
            AND row.title IS NOT NULL
            AND octet_length(value) - octet_length(replace(value, '"parent_asin"', '')) = 13
            AND is_valid_utf8(value)
            AND NOT (
                (contains(value, r'\ud') OR contains(value, r'\uD'))
                AND value RLIKE r'(?i)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}'
            )
            THEN row.parent_asin
    END AS product_id
FROM (
    SELECT source, block, id, value, CASE WHEN size(lone) = 1 THEN get(lone, 0) END AS row
    FROM (
        SELECT
            source,
            block,
            id,
            value,
            from_json(
                concat('{"row":[', value, ']}'),
                'row ARRAY<STRUCT<parent_asin: STRING, title: STRING>>',
                map('allowSingleQuotes', 'false', 'allowNonNumericNumbers', 'false')
            ).row AS lone
        FROM products_text
    )
)
