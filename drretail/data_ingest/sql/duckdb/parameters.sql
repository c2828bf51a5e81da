CREATE TABLE parameters (
    seed VARCHAR,
    since BIGINT,
    cap BIGINT,
    cap_by VARCHAR,
    min_interactions BIGINT,
    vary_orders BOOLEAN,
    holdout VARCHAR
)
