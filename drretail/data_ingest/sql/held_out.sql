-- The last order of each user, with all its lines, where the options hold it out; of several in one millisecond the one
-- with the last id.
SELECT q.order_id
FROM (
    SELECT
        o.order_id,
        rank() OVER (PARTITION BY o.user_id ORDER BY o.milliseconds DESC, o.purchase DESC) AS place
    FROM orders o
    CROSS JOIN parameters a
    WHERE a.holdout = 'last'
) q
WHERE q.place = 1
