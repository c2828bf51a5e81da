-- The id of each row; a broken line is a row of NULLs (ignore_errors) and stays one, to be counted.
SELECT CASE WHEN regexp_full_match(parent_asin, $safe_id) AND title IS NOT NULL THEN parent_asin END AS product_id
FROM read_json(
    $file,
    format = 'newline_delimited',
    compression = 'none',
    ignore_errors = true,
    columns = {parent_asin: 'VARCHAR', title: 'VARCHAR'}
)
