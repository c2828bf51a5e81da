-- Orders of each category, and its users.
SELECT
    o.category,
    count(*) AS orders,
    count(DISTINCT o.user_id) AS users
FROM orders o
GROUP BY o.category
ORDER BY o.category
