"""Writes shop.log: what the shop's own pages logged in the week of orders.log, with the same users.

Run it in this folder: `python3 make_shop.py > shop.log`. The same seed gives the same file.
"""

import random
from datetime import datetime, timedelta

from make_orders import START, USERS, draw

SEED = 815
LINES = 420

PAGES = {"search": 30, "product": 28, "cart": 16, "checkout": 12, "account": 9, "returns": 5}
LEVELS = {"INFO": 72, "WARN": 12, "ERROR": 16}
TROUBLE = {
    "WARN": ["slow_response", "retry", "stale_cache"],
    "ERROR": ["payment_refused", "session_lost", "upload_failed"],
}


def main():
    rng = random.Random(SEED)
    when = START
    for _ in range(LINES):
        when += timedelta(seconds=rng.randint(60, 2700))
        level = draw(rng, LEVELS)
        slow = rng.lognormvariate(0, 0.6)
        line = (
            f"{when:%Y-%m-%dT%H:%M:%SZ} level={level} user={draw(rng, USERS)} "
            f"page={draw(rng, PAGES)} latency={max(4, int(slow * 120))}ms"
        )
        if level in TROUBLE:
            line += f" event={rng.choice(TROUBLE[level])}"
        print(line)


if __name__ == "__main__":
    main()
