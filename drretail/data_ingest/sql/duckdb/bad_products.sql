-- The numbers of the rows that read_products refuses; the reader keeps the order of lines and leaves out blank ones.
SELECT number
FROM (
    SELECT row_number() OVER () AS number, parent_asin, title
    FROM read_json(
        $file,
        format = 'newline_delimited',
        compression = 'none',
        ignore_errors = true,
        columns = {parent_asin: 'VARCHAR', title: 'VARCHAR'}
    )
)
WHERE NOT coalesce(regexp_full_match(parent_asin, $safe_id) AND title IS NOT NULL, false)
ORDER BY number
