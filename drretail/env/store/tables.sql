CREATE TABLE products (product_id TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL);
CREATE TABLE variants (
    variant_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    PRIMARY KEY (variant_id, product_id)
) WITHOUT ROWID;
CREATE TABLE users (
    k INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    n_orders INTEGER NOT NULL,
    spend REAL NOT NULL,
    last_order INTEGER NOT NULL,
    top_category TEXT NOT NULL
);
CREATE TABLE orders (
    user INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    order_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    order_status TEXT NOT NULL,
    utc_offset INTEGER NOT NULL
);
CREATE TABLE profile_pool (record TEXT NOT NULL);
CREATE TABLE cells (cell TEXT PRIMARY KEY NOT NULL, users BLOB NOT NULL);
