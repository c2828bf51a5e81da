-- Orders of each category, those of them that are held out, and its users (who have an order that is not).
SELECT
    o.category,
    count(*) AS orders,
    count(h.order_id) AS held_out,
    count(DISTINCT CASE WHEN h.order_id IS NULL THEN o.user_id END) AS users
FROM orders o
LEFT JOIN held_out h ON h.order_id = o.order_id
GROUP BY o.category
ORDER BY o.category
