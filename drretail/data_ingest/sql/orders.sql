-- Ten digits, <k><h>: k tells apart the orders that share h, over all categories together. The draws are the numbers
-- 0 to 65535 in four hex digits of the second digest, mod 100; without vary_orders all is as in Listing 2.
SELECT
    n.k,
    concat(CAST(n.k AS STRING), lpad(CAST(n.h AS STRING), 9, '0')) AS order_id,
    n.user_id,
    n.product_id,
    n.milliseconds,
    n.category,
    CASE
        WHEN NOT n.vary_orders OR n.quantity_draw < 80 THEN 1
        WHEN n.quantity_draw < 93 THEN 2
        WHEN n.quantity_draw < 97 THEN 3
        WHEN n.quantity_draw < 99 THEN 4
        ELSE 5
    END AS quantity,
    CASE
        WHEN NOT n.vary_orders OR n.status_draw < 88 THEN 'Delivered'
        WHEN n.status_draw < 91 THEN 'Shipped'
        WHEN n.status_draw < 93 THEN 'Processing'
        WHEN n.status_draw < 97 THEN 'Cancelled'
        ELSE 'Returned'
    END AS order_status
FROM (
    SELECT
        o.user_id,
        o.product_id,
        o.milliseconds,
        o.category,
        o.h,
        row_number() OVER (PARTITION BY o.h ORDER BY o.user_id, o.product_id, o.milliseconds) - 1 AS k,
        a.vary_orders,
        (4096 * (instr('0123456789abcdef', substr(o.draw, 1, 1)) - 1)
            + 256 * (instr('0123456789abcdef', substr(o.draw, 2, 1)) - 1)
            + 16 * (instr('0123456789abcdef', substr(o.draw, 3, 1)) - 1)
            + (instr('0123456789abcdef', substr(o.draw, 4, 1)) - 1)) % 100 AS quantity_draw,
        (4096 * (instr('0123456789abcdef', substr(o.draw, 5, 1)) - 1)
            + 256 * (instr('0123456789abcdef', substr(o.draw, 6, 1)) - 1)
            + 16 * (instr('0123456789abcdef', substr(o.draw, 7, 1)) - 1)
            + (instr('0123456789abcdef', substr(o.draw, 8, 1)) - 1)) % 100 AS status_draw
    FROM order_hashes o
    CROSS JOIN parameters a
) n
