-- A broken line is a row of NULLs (ignore_errors); it goes in without a product id, to be counted and deleted.
-- 253402300799999 is the last millisecond of the year 9999, where dates end.
INSERT INTO reviews
SELECT
    $source,
    user_id,
    CASE
        WHEN user_id <> '' AND parent_asin <> '' AND timestamp BETWEEN 0 AND 253402300799999 THEN parent_asin
    END,
    timestamp
FROM read_json(
    $file,
    format = 'newline_delimited',
    ignore_errors = true,
    columns = {user_id: 'VARCHAR', parent_asin: 'VARCHAR', timestamp: 'BIGINT'}
)
