-- The base ids that several orders share. They are few, unless orders of one's own shop have several lines.
SELECT base_id
FROM order_hashes
GROUP BY base_id
HAVING count(*) > 1
