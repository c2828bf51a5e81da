-- The products of the shop.
SELECT e.product_id, e.category, e.interactions
FROM eligible e
CROSS JOIN parameters a
WHERE e.place <= a.cap
