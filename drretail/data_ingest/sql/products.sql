-- Each product once: one that stands in files of several categories belongs to the first of them.
SELECT product_id, min(category) AS category
FROM product_rows
GROUP BY product_id
