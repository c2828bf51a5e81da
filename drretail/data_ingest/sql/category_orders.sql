-- Orders and users of each category.
SELECT category, count(*) AS orders, count(DISTINCT user_id) AS users
FROM orders
GROUP BY category
ORDER BY category
