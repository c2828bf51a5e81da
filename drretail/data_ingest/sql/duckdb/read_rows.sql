-- The whole rows of the products that a file's category keeps, each field as JSON text.
SELECT
    CAST($source AS INTEGER) AS source,
    CAST($before + f.number AS BIGINT) AS number,
    k.product_id,
    CAST(k.category AS INTEGER) AS category,
    CAST(f.title AS VARCHAR) AS title,
    CAST(f.average_rating AS VARCHAR) AS average_rating,
    CAST(f.rating_number AS VARCHAR) AS rating_number,
    CAST(f.features AS VARCHAR) AS features,
    CAST(f.description AS VARCHAR) AS description,
    CAST(f.price AS VARCHAR) AS price,
    CAST(f.shop_currency AS VARCHAR) AS shop_currency,
    CAST(f.store AS VARCHAR) AS store,
    CAST(f.categories AS VARCHAR) AS categories,
    CAST(f.details AS VARCHAR) AS details
FROM (
    SELECT row_number() OVER () AS number, *
    FROM read_json(
        $file,
        format = 'newline_delimited',
        compression = 'none',
        ignore_errors = true,
        columns = {
            parent_asin: 'VARCHAR',
            title: 'JSON',
            average_rating: 'JSON',
            rating_number: 'JSON',
            features: 'JSON',
            description: 'JSON',
            price: 'JSON',
            shop_currency: 'JSON',
            store: 'JSON',
            categories: 'JSON',
            details: 'JSON'
        }
    )
) f
JOIN kept k ON k.product_id = f.parent_asin
WHERE f.title IS NOT NULL AND f.title <> 'null'
