-- What became of the reviews of each file, by the category of their product (NULL where no product row exists), with
-- the first product.
SELECT
    q.source,
    q.category,
    q.fate,
    CAST(sum(q.reviews) AS BIGINT) AS reviews,
    CAST(sum(q.recent) AS BIGINT) AS recent,
    min(CASE WHEN q.recent > 0 OR q.fate = 'no_meta' THEN q.product_id END) AS first,
    min(CASE WHEN q.reviews > q.recent THEN q.product_id END) AS first_old
FROM (
    SELECT
        t.source,
        t.product_id,
        coalesce(p.category, g.category) AS category,
        t.reviews,
        t.recent,
        CASE
            WHEN g.product_id IS NOT NULL THEN 'kept'
            WHEN p.product_id IS NULL THEN 'no_meta'
            WHEN k.product_id IS NULL THEN 'product_not_kept'
            ELSE 'kept'
        END AS fate
    FROM tally t
    LEFT JOIN products p ON p.product_id = t.product_id
    LEFT JOIN gone g ON g.product_id = t.product_id
    LEFT JOIN kept k ON k.product_id = t.product_id
) q
GROUP BY q.source, q.category, q.fate
ORDER BY q.source, q.category, q.fate
