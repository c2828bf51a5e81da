-- The orders of one's own shop, which were written as lines of the dataset with what an order says of itself.
SELECT
    CASE WHEN timestamp >= $since THEN user_id END AS user_id,
    parent_asin AS product_id,
    timestamp AS milliseconds,
    order_id,
    quantity,
    order_status,
    utc_offset
FROM read_json(
    $file,
    format = 'newline_delimited',
    compression = 'none',
    columns = {
        user_id: 'VARCHAR',
        parent_asin: 'VARCHAR',
        timestamp: 'BIGINT',
        order_id: 'VARCHAR',
        quantity: 'INTEGER',
        order_status: 'VARCHAR',
        utc_offset: 'INTEGER'
    }
)
