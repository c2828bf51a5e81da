SELECT order_id, user_id, product_id, milliseconds, quantity, order_status
FROM orders
ORDER BY user_id, milliseconds, order_id
