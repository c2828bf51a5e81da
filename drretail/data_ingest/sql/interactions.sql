-- What passes the date rule, of kept products; rows alike in user, product and millisecond are one interaction.
SELECT r.user_id, r.product_id, r.milliseconds, k.category
FROM reviews r
JOIN kept k ON k.product_id = r.product_id
CROSS JOIN parameters a
WHERE r.milliseconds >= a.since
GROUP BY r.user_id, r.product_id, r.milliseconds, k.category
