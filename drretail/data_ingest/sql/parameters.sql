-- The table of one row from which the queries take what a person chose.
SELECT
    $seed AS seed,
    CAST($since AS BIGINT) AS since,
    CAST($cap AS BIGINT) AS cap,
    $cap_by AS cap_by,
    CAST($min_interactions AS BIGINT) AS min_interactions,
    CAST($vary_orders AS BOOLEAN) AS vary_orders,
    CAST($keep_gone AS BOOLEAN) AS keep_gone
