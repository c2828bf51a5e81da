-- The names by which orders may call a product: its variants' ids and titles, each if it is one product's alone.
-- raw/mapped.py fills in the rows of products.
CREATE TEMP TABLE aliases AS
SELECT alias, min(parent_asin) AS parent_asin
FROM (
    SELECT parent_asin,
        unnest([
            own_said,
            title,
            CASE
                WHEN len(options) > 0 THEN title || ' - ' || array_to_string([o.value FOR o IN options], ' / ')
            END
        ]) AS alias
    FROM ($products)
)
WHERE alias IS NOT NULL
GROUP BY alias
HAVING count(DISTINCT parent_asin) = 1;
