-- The tables that files are loaded into.
CREATE TABLE reviews (source INTEGER, user_id VARCHAR, product_id VARCHAR, milliseconds BIGINT);
CREATE TABLE product_rows (source INTEGER, category INTEGER, product_id VARCHAR);
CREATE TABLE kept_rows (
    source INTEGER,
    number BIGINT,
    product_id VARCHAR,
    title VARCHAR,
    average_rating VARCHAR,
    rating_number VARCHAR,
    features VARCHAR,
    description VARCHAR,
    price VARCHAR,
    store VARCHAR,
    categories VARCHAR,
    details VARCHAR
);
CREATE TABLE parameters (
    seed VARCHAR,
    since BIGINT,
    cap BIGINT,
    cap_by VARCHAR,
    min_interactions BIGINT,
    vary_orders BOOLEAN
);
