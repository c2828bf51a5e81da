-- Products that orders of one's own shop name and its export has no more. If the export has none of the ordered products,
-- the ids don't belong together, and nothing is gone.
SELECT DISTINCT t.product_id, 0 AS category
FROM tally t
CROSS JOIN parameters a
LEFT JOIN products p ON p.product_id = t.product_id
WHERE a.keep_gone
    AND p.product_id IS NULL
    AND EXISTS (SELECT 1 FROM tally o JOIN products q ON q.product_id = o.product_id)
