"""The twelve files of the seventh batch. Needs Python 3.9; batch_seven.py calls it and reads the files again.

Deterministic.
"""
import json
import random
from datetime import date, datetime, timedelta

from common import FILES, german, table, write


def everything():
    marathon()
    hotel()
    harvest()
    tickets()
    cafe()
    launches()
    postfix()
    gateway()
    election()
    parking()
    pizza()
    spring()


def marathon():
    rng = random.Random(701)
    rows = [["Bib", "Runner", "Club", "Category", "Finish", "Country"]]
    first = ["Ada", "Boris", "Chloe", "Diego", "Elif", "Frank", "Grete", "Hugo"]
    for number in range(42):
        seconds = rng.randrange(8400, 20000)
        finish = "DNF" if rng.random() < 0.1 else f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        rows.append([101 + number, f"{first[number % 8]} {chr(65 + number // 8)}.", rng.choice(["Track 04", "Lauffreunde", "", "City Harriers"]),
                     rng.choice(["W35", "M40", "W20", "M20"]), finish, rng.choice(["GER", "FRA", "POL"])])
    write("marathon.csv", table(rows))


def hotel():
    rng = random.Random(702)
    lines = ["Room;Guest;Check-in;Nights;Rate;Breakfast;Channel"]
    for _ in range(40):
        day = date(2026, 4, 1) + timedelta(days=rng.randrange(60))
        lines.append(";".join([str(rng.choice([11, 12, 21, 22, 31])), rng.choice(["Mr Adams", "Ms Baker", "Mrs Chen", "Dr Dunn", "Mr Evans"]), f"{day:%d/%m/%Y}",
                               str(rng.randrange(1, 9)), "€ " + german(rng.randrange(5500, 31000) / 100), rng.choice(["yes", "no"]), rng.choice(["web", "phone", "agency"])]))
    write("hotel.csv", "\n".join(lines) + "\n")


def harvest():
    rng = random.Random(703)
    lines = ["Feld;Frucht;Fläche (ha);Ertrag (t);Geerntet am;Bio"]
    for _ in range(36):
        day = date(2025, 6, 20) + timedelta(days=rng.randrange(100))
        lines.append(";".join([rng.choice(["Mühlacker", "Großes Stück", "Am Bach", "Höhenfeld"]), rng.choice(["Weizen", "Gerste", "Mais", "Rüben"]),
                               f"{rng.randrange(8, 240) / 10:.1f}".replace(".", ","), german(rng.randrange(500, 190000) / 100), f"{day:%d.%m.%Y}", rng.choice(["ja", "nein"])]))
    (FILES / "ernte.csv").write_bytes(("\n".join(lines) + "\n").encode("latin-1"))


def tickets():
    rng = random.Random(704)
    lines = []
    for number in range(48):
        opened = datetime(2026, 1, 3, 8) + timedelta(hours=31 * number)
        closed = opened + timedelta(hours=rng.randrange(2, 400)) if rng.random() < 0.6 else None
        lines.append(json.dumps({"id": 300 + number, "title": rng.choice(["Crash on start", "Typo in docs", "Slow search", "Login fails"]), "state": "closed" if closed else "open",
                                 "priority": rng.choice(["low", "medium", "high"]), "author": {"login": rng.choice(["mara", "nils", "otto", "pam"]), "staff": rng.random() < 0.4},
                                 "comments": rng.randrange(0, 31), "opened": f"{opened:%Y-%m-%dT%H:%M:%SZ}", "closed": closed and f"{closed:%Y-%m-%dT%H:%M:%SZ}"}))
    write("tickets.jsonl", "\n".join(lines) + "\n")


def cafe():
    rng = random.Random(705)
    prices = {"Espresso": 2.2, "Cappuccino": 3.4, "Käsekuchen": 4.1, "Tee": 2.8, "Saft": 3.9}
    rows = [["Uhrzeit", "Artikel", "Menge", "Preis", "Zahlung", "Bedienung"]]
    minutes = 8 * 60
    for _ in range(58):
        minutes += rng.randrange(1, 17)
        article = rng.choice(list(prices))
        amount = rng.randrange(1, 6)
        rows.append([f"{minutes // 60:02d}:{minutes % 60:02d}", article, amount, german(prices[article] * amount) + " EUR", rng.choice(["bar", "Karte"]), rng.choice(["Selin", "Tom", "Uwe"])])
    write("kasse.tsv", table(rows, "\t"))


def launches():
    rng = random.Random(706)
    lines = ["## Launch log", "", "| Mission | Rocket | Site | Date | Payload (kg) | Outcome |", "|---|---|---|---|---:|---|"]
    for number in range(26):
        day = date(2024, 1, 10) + timedelta(days=rng.randrange(800))
        lines.append(f"| M-{number + 1:02d} | {rng.choice(['Vega', 'Electron', 'Falcon 9', 'Soyuz'])} | {rng.choice(['Kourou', 'Mahia', 'Vandenberg'])} | {day} | {rng.randrange(150, 17000):,} | {rng.choice(['success', 'success', 'success', 'failure', 'partial'])} |")
    write("launches" ".md", "\n".join(lines) + "\n")


def postfix():
    rng = random.Random(707)
    lines = []
    moment = datetime(2026, 9, 3, 7, 0)
    for _ in range(60):
        moment += timedelta(seconds=rng.randrange(20, 400))
        lines.append(f"{moment:%b} {moment.day:2d} {moment:%H:%M:%S} mx1 postfix/smtp[{rng.randrange(700, 9000)}]: {rng.randrange(16 ** 8):08X}: to=<{rng.choice(['ann', 'bert', 'cora'])}@{rng.choice(['a.example', 'b.example'])}>, relay=relay{rng.randrange(1, 4)}.example, delay={rng.randrange(2, 300) / 10}, dsn=2.0.0, status={rng.choice(['sent', 'sent', 'sent', 'deferred', 'bounced'])}")
    write("mail.log", "\n".join(lines) + "\n")


def gateway():
    rng = random.Random(708)
    lines = []
    moment = datetime(2026, 10, 20, 12, 0)
    for _ in range(75):
        moment += timedelta(seconds=rng.randrange(3, 90))
        dur = f"{rng.randrange(30, 9900) / 10:.1f}ms" if rng.random() < 0.8 else f"{rng.randrange(10, 80) / 10:.1f}s"
        lines.append(f"time={moment:%Y-%m-%dT%H:%M:%SZ} method={rng.choice(['GET', 'GET', 'PUT', 'POST'])} path={rng.choice(['/v1/users', '/v1/orders', '/healthz'])} status={rng.choice([200, 200, 201, 400, 429, 502])} dur={dur} bytes={rng.randrange(80, 90000)} region={rng.choice(['eu', 'us', 'apac'])}")
    write("gateway.logfmt", "\n".join(lines) + "\n")


def election():
    rng = random.Random(709)
    rows = [["Municipality", "Party", "Votes", "Turnout", "Winner"]]
    for place in ["Ashby", "Brook", "Cliff", "Dale", "Elm", "Ford", "Glen", "Holt"]:
        turnout = f"{rng.randrange(480, 830) / 10:.1f}%"
        votes = {party: rng.randrange(300, 41000) for party in ["Greens", "Liberals", "Labour", "Independents"]}
        for party in votes:
            rows.append([place, party, f"{votes[party]:,}", turnout, "X" if votes[party] == max(votes.values()) else ""])
    write("election.csv", table(rows))


def parking():
    rng = random.Random(710)
    rows = [["plate", "garage", "entered", "left", "paid"]]
    for _ in range(46):
        entered = datetime(2026, 11, 2, 6) + timedelta(minutes=rng.randrange(6000))
        stays = rng.random() < 0.15
        left = entered + timedelta(minutes=rng.randrange(12, 700))
        rows.append([f"{rng.choice(['KL', 'TR', 'BI'])}-{rng.randrange(100, 999)}", rng.choice(["North", "Opera", "Rail"]), f"{entered:%Y-%m-%d %H:%M}",
                     "" if stays else f"{left:%Y-%m-%d %H:%M}", "" if stays else f"{rng.randrange(150, 3200) / 100:.2f}"])
    write("parking.csv", table(rows))


def pizza():
    rng = random.Random(711)
    orders = []
    for number in range(44):
        orders.append({"no": 5001 + number, "customer": {"name": rng.choice(["Ferit", "Gina", "Hal", "Iris"]), "city": rng.choice(["Bonn", "Trier", "Worms"])},
                       "pizza": rng.choice(["Margherita", "Funghi", "Tonno", "Diavola"]), "qty": rng.randrange(1, 6), "price": rng.randrange(800, 6900) / 100,
                       "minutes": rng.randrange(12, 95), "delivered": rng.random() < 0.85, "day": str(date(2026, 2, 23) + timedelta(days=rng.randrange(14)))})
    write("pizza.json", json.dumps({"orders": orders}, indent=1, ensure_ascii=False) + "\n")


def spring():
    rng = random.Random(712)
    lines = []
    moment = datetime(2026, 12, 1, 9, 0)
    for number in range(70):
        moment += timedelta(milliseconds=rng.randrange(900, 120000))
        stamp = f"{moment:%Y-%m-%d %H:%M:%S}.{rng.randrange(1000):03d}"
        kind = rng.random()
        if kind < 0.5:
            lines.append(f"{stamp} INFO [main] OrderService - Order {rng.randrange(100, 999)} saved in {rng.randrange(4, 900)} ms")
        elif kind < 0.75:
            lines.append(f"{stamp} WARN [pool-1] StockService - Stock low for item {rng.randrange(10, 99)}")
        else:
            lines.append(f"{stamp} ERROR [pool-1] MailService - Cannot send mail to {rng.choice(['ann', 'ben', 'cleo'])}")
            lines.append("java.io.IOException: connection reset")
            lines.append("\tat shop.mail.MailService.send(MailService.java:42)")
    write("shop-app.log", "\n".join(lines) + "\n")
