-- What became of the product rows of each category's files; several rows of one product are the duplicates.
SELECT q.category, q.fate, count(*) AS read_rows, count(DISTINCT q.product_id) AS products
FROM (
    SELECT
        r.category,
        r.product_id,
        CASE
            WHEN r.category <> p.category THEN 'other_category'
            WHEN e.product_id IS NULL THEN 'too_few_interactions'
            WHEN k.product_id IS NULL THEN 'over_cap'
            ELSE 'kept'
        END AS fate
    FROM product_rows r
    JOIN products p ON p.product_id = r.product_id
    LEFT JOIN eligible e ON e.product_id = r.product_id
    LEFT JOIN kept k ON k.product_id = r.product_id
) q
GROUP BY q.category, q.fate
ORDER BY q.category, q.fate
