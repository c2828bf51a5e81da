-- The variants of a product merged into one row, with options in its details and features, and the lowest price.
-- raw/mapped.py fills in the names of details.

-- A row without data of its own, such as one for a further picture, is no variant.
CREATE TEMP TABLE good AS
SELECT *,
    variant_id IS DISTINCT FROM parent_asin
        AND (own_said IS NOT NULL OR price IS NOT NULL OR len(options) > 0) AS is_variant,
    amount_of(price) AS amount, amount_of(list_price) AS high_amount,
    to_json(map_from_entries(options)) AS chosen,
    -- A variant without an id of its own is named by its options.
    coalesce(variant_id, citable(parent_asin || '-' || array_to_string([o.value FOR o IN options], '-'))) AS offer_id,
    row_number() OVER (
        PARTITION BY parent_asin ORDER BY variant_id IS DISTINCT FROM parent_asin, number
    ) AS place
FROM mapped WHERE reason IS NULL;

CREATE TEMP TABLE families AS
SELECT parent_asin, count(*) AS variants, to_json(list(variant ORDER BY number)) AS listed, min(amount) AS low,
    max(amount) AS high
FROM (
    SELECT parent_asin, amount, min(number) AS number,
        json_merge_patch(
            '{}', json_object('id', offer_id), chosen, json_object('price', amount, 'stock', stock),
            json_object('list_price', CASE WHEN high_amount > amount THEN high_amount END)
        ) AS variant
    FROM good WHERE is_variant GROUP BY ALL
)
GROUP BY parent_asin
HAVING count(*) > 1 OR parent_asin IN (SELECT parent_asin FROM good WHERE variant_id = parent_asin);

CREATE TEMP TABLE option_values AS
SELECT parent_asin, list(name || ': ' || named ORDER BY number) AS features
FROM (
    SELECT parent_asin, name, string_agg(value, ', ' ORDER BY number) AS named, min(number) AS number
    FROM (
        SELECT parent_asin, option.name AS name, option.value AS value, min(number) AS number
        FROM (SELECT parent_asin, number, unnest(options) AS option FROM good WHERE is_variant) GROUP BY ALL
    )
    GROUP BY parent_asin, name
)
GROUP BY parent_asin;

CREATE TEMP TABLE merged AS
SELECT good.* REPLACE (
    CASE WHEN low < high THEN 'from ' || low WHEN variants > 0 THEN CAST(low AS VARCHAR) ELSE price END AS price,
    CASE WHEN variants > 0 THEN list_concat(good.features, v.features) ELSE good.features END AS features,
    CASE
        WHEN variants > 0 AND is_variant
            THEN json_merge_patch(
                details, json_object($stock, NULL, $list_price, NULL), json_object($variants, listed)
            )
        WHEN variants > 0 THEN json_merge_patch(details, chosen, json_object($variants, listed))
        ELSE json_merge_patch(details, chosen)
    END AS details
)
FROM good LEFT JOIN families USING (parent_asin) LEFT JOIN option_values v USING (parent_asin) WHERE place = 1;

DROP TABLE mapped;
ALTER TABLE merged RENAME TO mapped;
