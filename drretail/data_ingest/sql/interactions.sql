-- What passes the date rule; rows alike in user, product and millisecond are one interaction.
SELECT r.user_id, r.product_id, r.milliseconds, c.category
FROM reviews r
JOIN candidates c ON c.product_id = r.product_id
CROSS JOIN parameters a
WHERE r.milliseconds >= a.since
GROUP BY r.user_id, r.product_id, r.milliseconds, c.category
