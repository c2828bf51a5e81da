-- How many recent rows of each candidate repeat another. Users are compared only where a product has two reviews in one
-- millisecond, which is rare: grouping all rows by user costs several times as much.
SELECT q.product_id, CAST(sum(q.copies - 1) AS BIGINT) AS repeats
FROM (
    SELECT r.product_id, r.milliseconds, r.user_id, count(*) AS copies
    FROM reviews r
    JOIN (
        SELECT m.product_id, m.milliseconds
        FROM reviews m
        JOIN candidates c ON c.product_id = m.product_id
        CROSS JOIN parameters a
        WHERE m.milliseconds >= a.since
        GROUP BY m.product_id, m.milliseconds
        HAVING count(*) > 1
    ) s ON s.product_id = r.product_id AND s.milliseconds = r.milliseconds
    GROUP BY r.product_id, r.milliseconds, r.user_id, r.order_id, r.quantity, r.order_status, r.utc_offset
) q
WHERE q.copies > 1
GROUP BY q.product_id
