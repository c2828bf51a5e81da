-- Products that may pass the quantity rule: repeated rows still count here, which makes this a cheap upper bound.
SELECT q.product_id, q.category, q.recent
FROM (
    SELECT p.product_id, p.category, CAST(coalesce(sum(t.recent), 0) AS BIGINT) AS recent
    FROM products p
    LEFT JOIN tally t ON t.product_id = p.product_id
    GROUP BY p.product_id, p.category
) q
CROSS JOIN parameters a
WHERE q.recent >= a.min_interactions
