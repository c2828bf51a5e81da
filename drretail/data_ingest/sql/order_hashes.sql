-- One row an order: h is md5(seed|user|product|milliseconds) mod 10^9, summed by eight hex digits because no 128-bit
-- number is portable (each factor is 16^8n mod 10^9); draw is a second digest, for quantity and status where they are
-- drawn. Lines of one's own shop bring along what they say of the order.
SELECT
    q.user_id,
    q.product_id,
    q.milliseconds,
    q.category,
    q.order_id,
    q.quantity,
    q.order_status,
    q.utc_offset,
    CASE
        WHEN q.vary_orders
            THEN md5(concat(q.seed, '|vary|', q.user_id, '|', q.product_id, '|', CAST(q.milliseconds AS STRING)))
        ELSE ''
    END AS draw,
    CAST((
        543950336 * CAST(conv(substr(q.digest, 1, 8), 16, 10) AS BIGINT)
        + 709551616 * CAST(conv(substr(q.digest, 9, 8), 16, 10) AS BIGINT)
        + 294967296 * CAST(conv(substr(q.digest, 17, 8), 16, 10) AS BIGINT)
        + 1 * CAST(conv(substr(q.digest, 25, 8), 16, 10) AS BIGINT)
    ) % 1000000000 AS BIGINT) AS h
FROM (
    SELECT
        i.user_id,
        i.product_id,
        i.milliseconds,
        i.category,
        i.order_id,
        i.quantity,
        i.order_status,
        i.utc_offset,
        a.seed,
        a.vary_orders,
        md5(concat(a.seed, '|', i.user_id, '|', i.product_id, '|', CAST(i.milliseconds AS STRING))) AS digest
    FROM interactions i
    CROSS JOIN parameters a
) q
