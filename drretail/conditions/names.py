"""The built-in conditions by name, each with its place; nothing is loaded here."""

CONDITIONS = {
    "information": "drretail.conditions.shopper:INFORMATION_CONDITION",
    "size": "drretail.conditions.shop:SIZE_CONDITION",
    "compose": "drretail.conditions.shop:COMPOSE_CONDITION",
    "web": "drretail.conditions.shop:WEB_CONDITION",
    "without": "drretail.conditions.tools:WITHOUT",
    "scope": "drretail.conditions.tools:SCOPE",
    "mix": "drretail.conditions.tools:MIX_CONDITION",
}
"""What systems may differ in besides, in the order in which a system is given its values; limits are more such."""
