-- What passes the date rule, of products that are kept or gone; rows alike in user, product and millisecond are one
-- interaction. Orders of one's own shop must be alike in id, quantity and status as well, which reviews don't say.
SELECT r.user_id, r.product_id, r.milliseconds, k.category, r.order_id, r.quantity, r.order_status, r.utc_offset
FROM reviews r
JOIN (
    SELECT product_id, category FROM kept
    UNION ALL
    SELECT product_id, category FROM gone
) k ON k.product_id = r.product_id
CROSS JOIN parameters a
WHERE r.milliseconds >= a.since
GROUP BY r.user_id, r.product_id, r.milliseconds, k.category, r.order_id, r.quantity, r.order_status, r.utc_offset
