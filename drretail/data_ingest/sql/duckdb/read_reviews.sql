-- The reviews of a part; a broken line is a row of NULLs (ignore_errors) and stays one, to be counted. What is older than
-- $since counts and nothing more, so its user is left out. What is later than $until is dated wrongly.
SELECT
    CASE WHEN timestamp >= $since THEN user_id END AS user_id,
    CASE
        WHEN
            regexp_full_match(user_id, $safe_id)
            AND lower(user_id) NOT IN ($no_id)
            AND regexp_full_match(parent_asin, $safe_id)
            AND timestamp BETWEEN 0 AND $until
            THEN parent_asin
    END AS product_id,
    timestamp AS milliseconds,
    CAST(NULL AS VARCHAR) AS order_id,
    CAST(NULL AS INTEGER) AS quantity,
    CAST(NULL AS VARCHAR) AS order_status,
    0 AS utc_offset
FROM read_json(
    $file,
    format = 'newline_delimited',
    compression = 'none',
    ignore_errors = true,
    columns = {user_id: 'VARCHAR', parent_asin: 'VARCHAR', timestamp: 'BIGINT'}
)
