-- The whole rows of kept products in one part of a file. The numbers of rows go on from those of the parts before it.
SELECT
    CAST($source AS INTEGER) AS source,
    CAST($before + f.number AS BIGINT) AS number,
    k.product_id,
    CAST(k.category AS INTEGER) AS category,
    $fields
FROM (
    SELECT row_number() OVER () AS number, *
    FROM read_json(
        $file,
        format = 'newline_delimited',
        compression = 'none',
        ignore_errors = true,
        columns = {parent_asin: 'VARCHAR', $columns}
    )
) f
JOIN kept k ON k.product_id = f.parent_asin
WHERE f.title IS NOT NULL AND f.title <> 'null'
