CREATE TABLE parameters (
    seed VARCHAR,
    since BIGINT,
    cap BIGINT,
    cap_by VARCHAR,
    min_interactions BIGINT,
    vary_orders BOOLEAN,
    holdout VARCHAR
);

-- As Spark has it, of digits in base 16.
CREATE TEMP MACRO conv(digits, old_base, new_base) AS CAST(concat('0x', digits) AS BIGINT)
