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
        c.recent - coalesce(n.repeats, 0) AS interactions,
        a.cap_by,
        a.seed,
        a.min_interactions
    FROM candidates c
    LEFT JOIN repeated n ON n.product_id = c.product_id
    CROSS JOIN parameters a
) q
WHERE q.interactions >= q.min_interactions
