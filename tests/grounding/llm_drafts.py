"""Three reports in the manner of language models, each with planted faults: bold names, tables, priced headings, lists.

The products are those of the shelf; what is not there (Gardena, Felco, Kestrel, a page of felco.example) is invented.
"""

from tests.grounding.shelf import WEB

BUYING_GUIDE = f"""\
# 🐦 Your Backyard Bird Feeding Guide

Based on your request, I put together a setup that is easy to maintain and within reach.

## Top Picks at a Glance

| Product | Price | Rating | Why it stands out |
|---|---|---|---|
| **Quillet Bird Feeding Station Kit** [P:B0SHELF001] | $43.99 | 4.5/5 (2,067 reviews) | All in one |
| **Ostrabel Panorama Tube Feeder** [P:B0SHELF002] | $32.99 | 4.3/5 (12,408 reviews) | Two pounds of seed |
| **Gardena Hose** | $49.99 | 4.8/5 (3,021 reviews) | Fills the bath in a minute |
| **Marlowick Cedar Nest Box** [P:B0SHELF004] | **$28.50** | 4.9/5 | Opens for cleaning |

## Detailed Recommendations

### 1. Quillet Bird Feeding Station Kit — $43.99

**Why it works:** The pole is 91 inches tall and carries four hooks, so everything hangs from one place [P:B0SHELF001].

- **Rating:** 4.5/5 from 2,670 reviews
- **Best for:** small gardens

### 2. Ostrabel Panorama Tube Feeder — $32.99

The Ostrabel Panorama Tube Feeder costs $32.99, is rated 4.3 out of 5, and holds two pounds of seed [P:B0SHELF002]. \
A pole keeps squirrels away [{WEB}].

### 3. Gardena Hose — $49.99

It reaches every corner of the garden. It also rinses the bath.

## Setup Tips

1. **Placement:** Put the pole ten feet from the next branch.
2. **Squirrels:** A pole keeps squirrels away [{WEB}].
3. **Cleaning:** Wash everything every two weeks.

## Sources

1. Quillet Bird Feeding Station Kit — [P:B0SHELF001]
2. Poles and squirrels — https://birds.example/poles
3. Felco F-2 Pruner — https://felco.example/f-2
"""

NUMBERED_LIST = f"""\
## Best picks for winter feeding

1. **Quillet Bird Feeding Station Kit** ($43.99, 4.9 out of 5 from 2,067 ratings) – one pole [P:B0SHELF001].
2. **Kestrel Ridge Suet Log** – a log for suet that woodpeckers love.
3. **Ostrabel Panorama Tube Feeder** – $38.49, 4.3★, holds two pounds of seed [P:B0SHELF002].
4. **Marlowick Cedar Nest Box**: $28.50, rated 4.6/5 by 389 buyers [P:B0SHELF004].

The **Quillet Bird Feeding Station Kit** ($43.99, 4.5 out of 5 from 2,067 ratings) [P:B0SHELF001], the **Ostrabel \
Panorama Tube Feeder** ($32.99, 4.9 out of 5 from 176 ratings) [P:B0SHELF002] and the **Marlowick Cedar Nest Box** \
($28.50, 4.6 out of 5 from 389 ratings) [P:B0SHELF004] cover food and shelter.

**Total: $110.98**

## Why these

Winter birds need fat, and they come back to the place where they found it. The kit carries all the others. \
The kit carries all the others [P:B0SHELF001]. Both the kit and the tube hang outside all year.

## Good to know

- Winter birds need fat, and they come back to the place where they found it [{WEB}].
- Kestrel Ridge Suet Log refills fit most cages.
"""

NOTHING_HOLDS = """\
# Pruning kit

## My recommendations

### Felco F-2 Pruner — $59.95

- **Price:** $59.95
- **Rating:** 4.8/5 (9,412 reviews)

It cuts branches up to one inch [1]. The Felco lasts for decades.

### Corona Bypass Lopper — $34.50

It reaches high branches without a ladder [2].

| Item | Price |
|---|---|
| Felco F-2 Pruner | $59.95 |
| Corona Bypass Lopper | $34.50 |
| **Total** | **$94.45** |

## References

[1] Felco — https://felco.example/f-2
[2] Corona — https://corona.example/lopper
"""
