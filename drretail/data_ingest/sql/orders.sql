-- The orders, in the order of a world. Their ids are ten digits, <k><base_id>: k tells apart the orders of one base id,
-- over all categories together. Where the shop gives ids, an order of one line keeps its own, and the lines of a larger
-- one are <id>-1, <id>-2 …. Without draws all is as in Listing 2.
SELECT
    CASE WHEN o.order_id IS NULL THEN o.place - 1 END AS k,
    CASE
        WHEN o.order_id IS NULL THEN concat(CAST(o.place - 1 AS STRING), o.base_id)
        WHEN o.lines = 1 THEN o.order_id
        ELSE concat(o.order_id, '-', CAST(o.place AS STRING))
    END AS order_id,
    o.user_id,
    o.product_id,
    o.milliseconds,
    o.category,
    CAST(CASE
        WHEN o.quantity IS NOT NULL THEN o.quantity
        WHEN o.quantity_draw >= 99 THEN 5
        WHEN o.quantity_draw >= 97 THEN 4
        WHEN o.quantity_draw >= 93 THEN 3
        WHEN o.quantity_draw >= 80 THEN 2
        ELSE 1
    END AS INTEGER) AS quantity,
    CASE
        WHEN o.order_status IS NOT NULL THEN o.order_status
        WHEN o.status_draw >= 97 THEN 'Returned'
        WHEN o.status_draw >= 93 THEN 'Cancelled'
        WHEN o.status_draw >= 91 THEN 'Processing'
        WHEN o.status_draw >= 88 THEN 'Shipped'
        ELSE 'Delivered'
    END AS order_status,
    o.utc_offset
FROM (
    SELECT h.*, 1 AS place, 1 AS lines
    FROM order_hashes h
    ANTI JOIN shared_ids s ON s.base_id = h.base_id
    UNION ALL
    SELECT
        h.*,
        row_number() OVER (
            PARTITION BY h.base_id, h.order_id
            ORDER BY h.user_id, h.product_id, h.milliseconds, h.quantity, h.order_status
        ) AS place,
        count(*) OVER (PARTITION BY h.base_id, h.order_id) AS lines
    FROM order_hashes h
    SEMI JOIN shared_ids s ON s.base_id = h.base_id
) o
ORDER BY o.user_id, o.milliseconds, order_id
