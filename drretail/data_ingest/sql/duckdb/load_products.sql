-- A broken line is a row of NULLs (ignore_errors); it goes in without a product id, to be counted and deleted.
INSERT INTO product_rows
SELECT
    $source,
    $category,
    CASE WHEN parent_asin <> '' AND title IS NOT NULL THEN parent_asin END
FROM read_json(
    $file,
    format = 'newline_delimited',
    ignore_errors = true,
    columns = {parent_asin: 'VARCHAR', title: 'VARCHAR'}
)
