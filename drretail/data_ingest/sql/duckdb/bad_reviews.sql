-- The numbers of the rows that read_reviews refuses; the reader keeps the order of lines and leaves out blank ones.
SELECT number
FROM (
    SELECT row_number() OVER () AS number, user_id, parent_asin, timestamp
    FROM read_json(
        $file,
        format = 'newline_delimited',
        compression = 'none',
        ignore_errors = true,
        columns = {user_id: 'VARCHAR', parent_asin: 'VARCHAR', timestamp: 'BIGINT'}
    )
)
WHERE NOT coalesce(
    regexp_full_match(user_id, $safe_id)
    AND regexp_full_match(parent_asin, $safe_id)
    AND timestamp BETWEEN 0 AND 253402300799999,
    false
)
ORDER BY number
