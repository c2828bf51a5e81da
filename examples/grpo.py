"""GRPO in the gym on a policy small enough to look through: which of four ways to shop earns most?

    python examples/grpo.py [STEPS]

Each step plays a group of rollouts of one question. What a rollout earns beyond its group's mean, in standard
deviations, is the advantage of what it did (Shao et al., DeepSeekMath, equation 3 without the KL term), and moves the
policy's logits by its gradient. A trainer of language models does the same with tokens in the place of ways.
"""

import sys
from random import Random

import numpy as np

from drretail.addons.gym import ShopEnv

GROUP, RATE = 8, 0.5
WAYS = ("nothing", "first hit", "first hit with its price", "first hit with its price and a lie")


def report_of(env: ShopEnv, way: int) -> str:
    """Shops in one of the ways."""
    if not way:
        return "Nothing will do.\n\n```picks\nnone\n```"
    *_, info = env.step({"name": "product_catalog_search", "arguments": {"query": env.query.text[:500]}})
    product = next((key[2:] for key in info["evidence"] if key.startswith("P:")), "")
    env.step({"name": "get_product_details", "arguments": {"product_id": product}})
    record = env.shop.world.store.products([product])[product]
    price = f" for ${record.price:.2f}" if way > 1 and record.price is not None else ""
    lie = f"\n- It won 117 prizes [P:{product}]." if way == 3 else ""
    return f"- Get this one{price} [P:{product}].{lie}\n\n```picks\nP:{product} x 1\n```"


def main(steps: int = 10) -> None:
    draw, logits = Random(42), np.zeros(len(WAYS))
    with ShopEnv("demo", "dev") as env:
        for step in range(steps):
            shares = np.exp(logits) / np.exp(logits).sum()
            question = draw.choice([query_id for query_id, query in env.shop.queries.items() if query.after is None])
            ways, rewards = draw.choices(range(len(WAYS)), shares, k=GROUP), list[float]()
            for way in ways:
                env.reset(question)
                report = report_of(env, way)
                rewards.append(env.step({"name": "submit_report", "arguments": {"report": report}})[1])
            spread = float(np.std(rewards))
            advantages = (np.array(rewards) - np.mean(rewards)) / spread if spread else np.zeros(GROUP)
            gradients = np.eye(len(WAYS))[ways] - shares  # of the log-probability of what was done
            logits += RATE * (advantages[:, None] * gradients).mean(axis=0)
            print(f"{step + 1:3} {question} reward {np.mean(rewards):.2f}", *(f"{share:.2f}" for share in shares))
    print(f"most likely now: {WAYS[int(np.argmax(logits))]}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
