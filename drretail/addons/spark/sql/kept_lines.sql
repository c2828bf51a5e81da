-- Whole lines for the rows that are kept: plain ones of a file's own category, and all that are not plain.
SELECT p.source, p.block, p.id, CAST(p.value AS BINARY) AS line
FROM plain_products p
JOIN inputs i ON i.source = p.source
LEFT JOIN kept k ON k.product_id = p.product_id AND k.category = i.category
WHERE p.product_id IS NULL OR k.product_id IS NOT NULL
