-- One row an order: h is md5(seed|user|product|milliseconds) mod 10^9, summed digit by digit because no 128-bit
-- number is portable (each factor is 16^n mod 10^9); draw is a second digest, for quantity and status where they are
-- drawn. Lines of one's own shop bring along what they say of the order.
SELECT
    q.user_id,
    q.product_id,
    q.milliseconds,
    q.category,
    q.order_id,
    q.quantity,
    q.order_status,
    CASE
        WHEN q.vary_orders
            THEN md5(concat(q.seed, '|vary|', q.user_id, '|', q.product_id, '|', CAST(q.milliseconds AS STRING)))
        ELSE ''
    END AS draw,
    CAST((
        485513216 * CAST(instr('0123456789abcdef', substr(q.digest, 1, 1)) - 1 AS BIGINT)
        + 280344576 * CAST(instr('0123456789abcdef', substr(q.digest, 2, 1)) - 1 AS BIGINT)
        + 267521536 * CAST(instr('0123456789abcdef', substr(q.digest, 3, 1)) - 1 AS BIGINT)
        + 329220096 * CAST(instr('0123456789abcdef', substr(q.digest, 4, 1)) - 1 AS BIGINT)
        + 20576256 * CAST(instr('0123456789abcdef', substr(q.digest, 5, 1)) - 1 AS BIGINT)
        + 251286016 * CAST(instr('0123456789abcdef', substr(q.digest, 6, 1)) - 1 AS BIGINT)
        + 703205376 * CAST(instr('0123456789abcdef', substr(q.digest, 7, 1)) - 1 AS BIGINT)
        + 543950336 * CAST(instr('0123456789abcdef', substr(q.digest, 8, 1)) - 1 AS BIGINT)
        + 596496896 * CAST(instr('0123456789abcdef', substr(q.digest, 9, 1)) - 1 AS BIGINT)
        + 724781056 * CAST(instr('0123456789abcdef', substr(q.digest, 10, 1)) - 1 AS BIGINT)
        + 795298816 * CAST(instr('0123456789abcdef', substr(q.digest, 11, 1)) - 1 AS BIGINT)
        + 174706176 * CAST(instr('0123456789abcdef', substr(q.digest, 12, 1)) - 1 AS BIGINT)
        + 323419136 * CAST(instr('0123456789abcdef', substr(q.digest, 13, 1)) - 1 AS BIGINT)
        + 645213696 * CAST(instr('0123456789abcdef', substr(q.digest, 14, 1)) - 1 AS BIGINT)
        + 352825856 * CAST(instr('0123456789abcdef', substr(q.digest, 15, 1)) - 1 AS BIGINT)
        + 709551616 * CAST(instr('0123456789abcdef', substr(q.digest, 16, 1)) - 1 AS BIGINT)
        + 606846976 * CAST(instr('0123456789abcdef', substr(q.digest, 17, 1)) - 1 AS BIGINT)
        + 37927936 * CAST(instr('0123456789abcdef', substr(q.digest, 18, 1)) - 1 AS BIGINT)
        + 627370496 * CAST(instr('0123456789abcdef', substr(q.digest, 19, 1)) - 1 AS BIGINT)
        + 976710656 * CAST(instr('0123456789abcdef', substr(q.digest, 20, 1)) - 1 AS BIGINT)
        + 186044416 * CAST(instr('0123456789abcdef', substr(q.digest, 21, 1)) - 1 AS BIGINT)
        + 511627776 * CAST(instr('0123456789abcdef', substr(q.digest, 22, 1)) - 1 AS BIGINT)
        + 719476736 * CAST(instr('0123456789abcdef', substr(q.digest, 23, 1)) - 1 AS BIGINT)
        + 294967296 * CAST(instr('0123456789abcdef', substr(q.digest, 24, 1)) - 1 AS BIGINT)
        + 268435456 * CAST(instr('0123456789abcdef', substr(q.digest, 25, 1)) - 1 AS BIGINT)
        + 16777216 * CAST(instr('0123456789abcdef', substr(q.digest, 26, 1)) - 1 AS BIGINT)
        + 1048576 * CAST(instr('0123456789abcdef', substr(q.digest, 27, 1)) - 1 AS BIGINT)
        + 65536 * CAST(instr('0123456789abcdef', substr(q.digest, 28, 1)) - 1 AS BIGINT)
        + 4096 * CAST(instr('0123456789abcdef', substr(q.digest, 29, 1)) - 1 AS BIGINT)
        + 256 * CAST(instr('0123456789abcdef', substr(q.digest, 30, 1)) - 1 AS BIGINT)
        + 16 * CAST(instr('0123456789abcdef', substr(q.digest, 31, 1)) - 1 AS BIGINT)
        + 1 * CAST(instr('0123456789abcdef', substr(q.digest, 32, 1)) - 1 AS BIGINT)
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
        a.seed,
        a.vary_orders,
        md5(concat(a.seed, '|', i.user_id, '|', i.product_id, '|', CAST(i.milliseconds AS STRING))) AS digest
    FROM interactions i
    CROSS JOIN parameters a
) q
