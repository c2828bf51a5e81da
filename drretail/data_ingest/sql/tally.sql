-- Reviews of each product in each file, and how many of them pass the date rule.
SELECT
    r.source,
    r.product_id,
    count(*) AS reviews,
    CAST(sum(CASE WHEN r.milliseconds >= p.since THEN 1 ELSE 0 END) AS BIGINT) AS recent
FROM reviews r
CROSS JOIN parameters p
GROUP BY r.source, r.product_id
