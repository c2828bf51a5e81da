-- What became of the product rows of each category's files, with the first product; several rows of one product are the
-- duplicates.
SELECT
    q.category,
    q.fate,
    CAST(sum(q.copies) AS BIGINT) AS read_rows,
    count(*) AS products,
    min(q.product_id) AS first,
    min(CASE WHEN q.copies > 1 THEN q.product_id END) AS first_copied
FROM (
    SELECT
        r.category,
        r.product_id,
        r.copies,
        CASE
            WHEN r.category <> p.category THEN 'other_category'
            WHEN e.product_id IS NULL THEN 'too_few_interactions'
            WHEN k.product_id IS NULL THEN 'over_cap'
            ELSE 'kept'
        END AS fate
    FROM (SELECT category, product_id, count(*) AS copies FROM product_rows GROUP BY category, product_id) r
    JOIN products p ON p.product_id = r.product_id
    LEFT JOIN eligible e ON e.product_id = r.product_id
    LEFT JOIN kept k ON k.product_id = r.product_id
) q
GROUP BY q.category, q.fate
ORDER BY q.category, q.fate
