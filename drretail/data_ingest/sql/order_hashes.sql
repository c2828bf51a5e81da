-- One row an order. Its base_id is the shop's id, or md5(seed|user|product|milliseconds) mod 10^9 in nine digits, summed
-- by eight hex digits because no 128-bit number is portable (each factor is 16^8n mod 10^9). Where quantity and status
-- are drawn, the draws are the numbers 0 to 65535 in four hex digits of a second digest, mod 100.
SELECT
    q.user_id,
    q.product_id,
    q.milliseconds,
    q.category,
    q.order_id,
    q.quantity,
    q.order_status,
    q.utc_offset,
    CAST(conv(substr(q.draw, 1, 4), 16, 10) AS BIGINT) % 100 AS quantity_draw,
    CAST(conv(substr(q.draw, 5, 4), 16, 10) AS BIGINT) % 100 AS status_draw,
    coalesce(q.order_id, lpad(CAST((
        543950336 * CAST(conv(substr(q.digest, 1, 8), 16, 10) AS BIGINT)
        + 709551616 * CAST(conv(substr(q.digest, 9, 8), 16, 10) AS BIGINT)
        + 294967296 * CAST(conv(substr(q.digest, 17, 8), 16, 10) AS BIGINT)
        + 1 * CAST(conv(substr(q.digest, 25, 8), 16, 10) AS BIGINT)
    ) % 1000000000 AS STRING), 9, '0')) AS base_id
FROM (
    SELECT
        i.*,
        CASE
            WHEN a.vary_orders
                THEN md5(concat(a.seed, '|vary|', i.user_id, '|', i.product_id, '|', CAST(i.milliseconds AS STRING)))
        END AS draw,
        md5(concat(a.seed, '|', i.user_id, '|', i.product_id, '|', CAST(i.milliseconds AS STRING))) AS digest
    FROM interactions i
    CROSS JOIN parameters a
) q
