"""shopper/     the policy of offline:shopper, which has not moved to drretail/offline yet."""
