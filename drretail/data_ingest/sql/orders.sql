-- Ten digits, <k><h>: k tells apart the orders that share h, over all categories together. Where the shop gives ids,
-- an order of one line keeps its own, and the lines of a larger one are <id>-1, <id>-2 …; purchase is what they share.
-- The draws are the numbers 0 to 65535 in four hex digits of the second digest, mod 100; without vary_orders all is as
-- in Listing 2.
SELECT
    n.k,
    n.order_id,
    n.purchase,
    n.user_id,
    n.product_id,
    n.milliseconds,
    n.category,
    CASE
        WHEN n.quantity IS NOT NULL THEN n.quantity
        WHEN NOT n.vary_orders OR n.quantity_draw < 80 THEN 1
        WHEN n.quantity_draw < 93 THEN 2
        WHEN n.quantity_draw < 97 THEN 3
        WHEN n.quantity_draw < 99 THEN 4
        ELSE 5
    END AS quantity,
    CASE
        WHEN n.order_status IS NOT NULL THEN n.order_status
        WHEN NOT n.vary_orders OR n.status_draw < 88 THEN 'Delivered'
        WHEN n.status_draw < 91 THEN 'Shipped'
        WHEN n.status_draw < 93 THEN 'Processing'
        WHEN n.status_draw < 97 THEN 'Cancelled'
        ELSE 'Returned'
    END AS order_status,
    n.utc_offset
FROM (
    SELECT
        o.k,
        o.order_id,
        o.purchase,
        o.user_id,
        o.product_id,
        o.milliseconds,
        o.category,
        o.quantity,
        o.order_status,
        o.utc_offset,
        a.vary_orders,
        (4096 * (instr('0123456789abcdef', substr(o.draw, 1, 1)) - 1)
            + 256 * (instr('0123456789abcdef', substr(o.draw, 2, 1)) - 1)
            + 16 * (instr('0123456789abcdef', substr(o.draw, 3, 1)) - 1)
            + (instr('0123456789abcdef', substr(o.draw, 4, 1)) - 1)) % 100 AS quantity_draw,
        (4096 * (instr('0123456789abcdef', substr(o.draw, 5, 1)) - 1)
            + 256 * (instr('0123456789abcdef', substr(o.draw, 6, 1)) - 1)
            + 16 * (instr('0123456789abcdef', substr(o.draw, 7, 1)) - 1)
            + (instr('0123456789abcdef', substr(o.draw, 8, 1)) - 1)) % 100 AS status_draw
    FROM (
        SELECT
            m.k,
            concat(CAST(m.k AS STRING), lpad(CAST(m.h AS STRING), 9, '0')) AS order_id,
            concat(CAST(m.k AS STRING), lpad(CAST(m.h AS STRING), 9, '0')) AS purchase,
            m.user_id,
            m.product_id,
            m.milliseconds,
            m.category,
            m.quantity,
            m.order_status,
            m.utc_offset,
            m.draw
        FROM (
            SELECT
                h.*,
                row_number() OVER (
                    PARTITION BY h.h
                    ORDER BY h.user_id, h.product_id, h.milliseconds, h.quantity, h.order_status
                ) - 1 AS k
            FROM order_hashes h
            WHERE h.order_id IS NULL
        ) m
        UNION ALL
        SELECT
            NULL AS k,
            CASE WHEN g.lines = 1 THEN g.order_id ELSE concat(g.order_id, '-', CAST(g.place AS STRING)) END AS order_id,
            g.order_id AS purchase,
            g.user_id,
            g.product_id,
            g.milliseconds,
            g.category,
            g.quantity,
            g.order_status,
            g.utc_offset,
            g.draw
        FROM (
            SELECT
                h.*,
                count(*) OVER (PARTITION BY h.order_id) AS lines,
                row_number() OVER (
                    PARTITION BY h.order_id
                    ORDER BY h.product_id, h.user_id, h.milliseconds, h.quantity, h.order_status
                ) AS place
            FROM order_hashes h
            WHERE h.order_id IS NOT NULL
        ) g
    ) o
    CROSS JOIN parameters a
) n
