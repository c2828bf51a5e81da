-- Products with enough interactions, each with its place in its category; the id breaks every tie.
SELECT
    q.product_id,
    q.category,
    q.interactions,
    row_number() OVER (
        PARTITION BY q.category
        ORDER BY
            CASE WHEN q.cap_by = 'interactions' THEN -q.interactions ELSE 0 END,
            CASE WHEN q.cap_by = 'hash' THEN md5(concat(q.seed, q.product_id)) ELSE '' END,
            q.product_id
    ) AS place
FROM (
    SELECT
        c.product_id,
        c.category,
        CAST(coalesce(n.interactions, 0) AS BIGINT) AS interactions,
        a.cap_by,
        a.seed,
        a.min_interactions
    FROM candidates c
    LEFT JOIN (
        SELECT product_id, count(*) AS interactions FROM interactions GROUP BY product_id
    ) n ON n.product_id = c.product_id
    CROSS JOIN parameters a
) q
WHERE q.interactions >= q.min_interactions
