"""Writes service.log: a seeded morning of a small web service, fields by position, no names.

Run it in this folder: `python3 make_service.py > service.log`. The same seed gives the same file.
Columns: time, level, service, method, path, HTTP status, latency, request, then a message for
anything above INFO.
"""

import random
from datetime import datetime, timedelta

SEED = 4711
LINES = 432
START = datetime(2026, 3, 2, 6, 0, 0, 112_000)

# service: (share, usual latency in ms, method and path)
SERVICES = {
    "gateway": (30, 25, ["GET /", "GET /health", "GET /assets/app.js"]),
    "catalog": (26, 60, ["GET /products", "GET /products/search", "GET /categories"]),
    "checkout": (18, 180, ["POST /cart", "POST /checkout", "GET /cart"]),
    "payments": (14, 240, ["POST /charge", "POST /refund"]),
    "mailer": (12, 90, ["POST /send", "POST /queue"]),
}

WARNINGS = ["slow upstream", "retry scheduled", "cache miss storm", "rate limit near"]
ERRORS = ["timeout calling bank", "connection reset by peer", "template missing", "database is locked"]


def main():
    rng = random.Random(SEED)
    when = START
    names = list(SERVICES)
    shares = [SERVICES[name][0] for name in names]
    for number in range(LINES):
        when += timedelta(milliseconds=rng.randint(300, 45_000))
        service = rng.choices(names, weights=shares)[0]
        _, usual, calls = SERVICES[service]
        level = rng.choices(["INFO", "WARN", "ERROR"], weights=[84, 10, 6])[0]
        latency = max(2, int(rng.lognormvariate(0, 0.5) * usual))
        status, message = (200, "")
        if level == "WARN":
            latency, message = latency * 4, " " + rng.choice(WARNINGS)
            status = rng.choice([200, 200, 429])
        elif level == "ERROR":
            latency, message = latency * 9 + number, " " + rng.choice(ERRORS)
            status = rng.choice([500, 502, 504])
        stamp = f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03}Z"
        print(f"{stamp} {level} {service} {rng.choice(calls)} {status} {latency}ms req-{0x7A10 + number * 3:x}{message}")


if __name__ == "__main__":
    main()
