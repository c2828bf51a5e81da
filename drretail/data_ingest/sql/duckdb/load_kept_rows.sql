-- The whole rows of the products that a file's category keeps, each field as JSON text.
INSERT INTO kept_rows
SELECT
    $source,
    f.number,
    k.product_id,
    f.title,
    f.average_rating,
    f.rating_number,
    f.features,
    f.description,
    f.price,
    f.store,
    f.categories,
    f.details
FROM (
    SELECT row_number() OVER () AS number, *
    FROM read_json(
        $file,
        format = 'newline_delimited',
        ignore_errors = true,
        columns = {
            parent_asin: 'VARCHAR',
            title: 'JSON',
            average_rating: 'JSON',
            rating_number: 'JSON',
            features: 'JSON',
            description: 'JSON',
            price: 'JSON',
            store: 'JSON',
            categories: 'JSON',
            details: 'JSON'
        }
    )
) f
JOIN kept k ON k.product_id = f.parent_asin AND k.category = $category
WHERE f.title IS NOT NULL AND f.title <> 'null'
