-- The orders as they are handed on.
SELECT
    o.order_id,
    o.user_id,
    o.product_id,
    o.milliseconds,
    CAST(o.quantity AS INTEGER) AS quantity,
    o.order_status,
    o.utc_offset
FROM orders o
