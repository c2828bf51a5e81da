-- The rows of ``shelf`` in the dataset's form, with the reason if a row is bad. raw/mapped.py fills in which rows are
-- one product's, the names of details, the address of a product's page, and the reasons.
SELECT * REPLACE (
        json_merge_patch(
            CASE WHEN json_type(own_details) = 'OBJECT' THEN own_details ELSE json_merge_patch('{}', details) END,
            CASE
                WHEN stock IS NULL THEN '{}'
                ELSE json_object($stock, coalesce(CAST(TRY_CAST(stock AS BIGINT) AS JSON), to_json(stock)))
            END,
            CASE
                WHEN coalesce(amount_of(list_price) > amount_of(price_read), false)
                    THEN json_object($list_price, amount_of(list_price))
                ELSE '{}'
            END
        ) AS details
    ),
    CASE
        WHEN regexp_full_match(
            price_read,
            '(?i)(from\s+)?(\d+(\.\d+)?|\d{1,3}(,\d{2,3})*,\d{3}(\.\d+)?|\.\d+)(\s*[-–]\s*[\d.,]+)?'
        ) THEN price_read
    END AS price,
    coalesce(link, $address) AS product_url,
    $reason
FROM (
    -- What a variant's own row leaves empty is its product's.
    SELECT * REPLACE (
            first_value(title IGNORE NULLS) OVER family AS title,
            first_value(description IGNORE NULLS) OVER family AS description,
            first_value(features IGNORE NULLS) OVER family AS features,
            first_value(store IGNORE NULLS) OVER family AS store,
            first_value(categories IGNORE NULLS) OVER family AS categories,
            first_value(average_rating IGNORE NULLS) OVER family AS average_rating,
            first_value(rating_number IGNORE NULLS) OVER family AS rating_number,
            first_value(images IGNORE NULLS) OVER family AS images,
            first_value(link IGNORE NULLS) OVER family AS link
        )
    FROM (
        -- A handle is made of the whole title, and may be too long.
        SELECT *,
            coalesce(
                CASE
                    WHEN length(citable(parent_said)) > $longest_id
                        THEN substr(citable(parent_said), 1, $longest_id - 9) || '-' || substr(md5(parent_said), 1, 8)
                    ELSE citable(parent_said)
                END,
                citable(own_said)
            ) AS parent_asin,
            parent_asin AS own_id,
            citable(own_said) AS variant_id,
            coalesce(parent_said, own_said) AS id_said
        FROM shelf
    )
    WINDOW family AS (
        PARTITION BY $family ORDER BY variant_id IS DISTINCT FROM parent_asin, number
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
)
