-- Rows of one product stand together, in the order of files and lines.
SELECT
    r.product_id,
    k.category,
    r.title,
    r.average_rating,
    r.rating_number,
    r.features,
    r.description,
    r.price,
    r.store,
    r.categories,
    r.details
FROM kept_rows r
JOIN kept k ON k.product_id = r.product_id
ORDER BY r.product_id, r.source, r.number
