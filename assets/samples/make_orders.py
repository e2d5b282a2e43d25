"""Writes orders.log: a seeded week of an online shop, one order per line.

Run it in this folder: `python3 make_orders.py > orders.log`. The same seed gives the same file.
"""

import random
from datetime import datetime, timedelta

SEED = 20260302
ORDERS = 648
START = datetime(2026, 3, 2, 0, 3, 11)

# name, share of the orders
USERS = {
    "mara.lindt": 15,
    "tom.okafor": 13,
    "ines.costa": 12,
    "jonas.weber": 11,
    "priya.nair": 10,
    "luca.ferri": 9,
    "sofia.berg": 9,
    "noah.klein": 8,
    "emma.dubois": 7,
    "ali.demir": 6,
}

STATUSES = {
    "delivered": 46,
    "shipped": 18,
    "paid": 11,
    "failed": 8,
    "cancelled": 5,
    "pending": 4,
    "returned": 3,
    "refunded": 3,
    "disputed": 1,
    "expired": 1,
}

REASONS = {
    "failed": ["card_declined", "card_declined", "insufficient_funds", "gateway_timeout", "fraud_check"],
    "cancelled": ["customer_request", "out_of_stock", "duplicate_order"],
    "returned": ["wrong_size", "damaged", "not_as_described"],
    "refunded": ["damaged", "lost_in_transit", "late_delivery"],
    "disputed": ["chargeback"],
    "expired": ["payment_not_received"],
}


def draw(rng, weights):
    return rng.choices(list(weights), weights=list(weights.values()))[0]


def amount_cents(rng):
    """Most baskets are small, a few are large; prices end as shop prices do."""
    euros = min(int(rng.lognormvariate(3.9, 0.75)) + 4, 899)
    return euros * 100 + rng.choice([0, 40, 50, 90, 95, 99])


def main():
    rng = random.Random(SEED)
    when, order = START, 40_100
    for _ in range(ORDERS):
        night = when.hour < 7
        when += timedelta(seconds=rng.randint(400, 2600) if night else rng.randint(90, 1300))
        order += rng.randint(1, 4)
        status = draw(rng, STATUSES)
        cents = amount_cents(rng)
        line = (
            f"{when:%Y-%m-%dT%H:%M:%SZ} order={order} user={draw(rng, USERS)} "
            f"amount={cents // 100}.{cents % 100:02} currency=EUR status={status}"
        )
        if status in REASONS:
            line += f" reason={rng.choice(REASONS[status])}"
        print(line)


if __name__ == "__main__":
    main()
