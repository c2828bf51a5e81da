-- Over all categories: users, reviewed products without a product row, and those of them that have one but for leading
-- zeros, what order ids used of k, and an id that a shop gives to an order and that a line of another would get.
SELECT u.users, m.without_meta, m.without_zeros, o.highest_k, c.clashing_id
FROM (
    SELECT count(DISTINCT o.user_id) AS users
    FROM orders o
) u
CROSS JOIN (
    SELECT
        count(DISTINCT t.product_id) AS without_meta,
        count(DISTINCT CASE WHEN z.bare IS NOT NULL THEN t.product_id END) AS without_zeros
    FROM tally t
    LEFT JOIN products p ON p.product_id = t.product_id
    LEFT JOIN (SELECT DISTINCT regexp_replace(product_id, '^0+', '') AS bare FROM products) z
        ON z.bare = regexp_replace(t.product_id, '^0+', '')
    WHERE p.product_id IS NULL
) m
CROSS JOIN (SELECT max(k) AS highest_k FROM orders) o
CROSS JOIN (SELECT min(order_id) AS clashing_id FROM (
    SELECT order_id
    FROM orders
    WHERE k IS NULL
    GROUP BY order_id
    HAVING count(*) > 1
) t) c
