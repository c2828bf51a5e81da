-- The orders as they are handed on.
SELECT
    o.order_id,
    o.user_id,
    o.product_id,
    o.milliseconds,
    CAST(o.quantity AS INTEGER) AS quantity,
    o.order_status,
    h.order_id IS NOT NULL AS held_out
FROM orders o
LEFT JOIN held_out h ON h.order_id = o.order_id
