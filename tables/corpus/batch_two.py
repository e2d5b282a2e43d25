"""The second batch of unseen questions, all written before one of them was asked. Needs Python 3.9; make.py calls it."""
import json
import re
from decimal import Decimal
from statistics import median

from common import mean, one, percent, plain, total
from read_back import (access_log, american, amount_of, as_rows, bottom, count_by, dotted, fewest, german_amount, group, iso, jsonl,
                       milliseconds, most, orders, pairs, requests_of, rows_of, text_of, top)


def ask(name, expected, question):
    one(name, "batch 2", expected, question)


def sales():
    rows, name = orders("orders.csv", ",", amount_of, iso), "orders.csv"
    ask(name, total(r.amount for r in rows if r.customer == "Ada"), "How much money did Ada bring in?")
    sums = {c: sum(a) for c, a in group(rows, lambda r: r.customer, lambda r: r.amount).items()}
    ask(name, max(sums, key=sums.get), "Which customer spent the most altogether?")
    ask(name, mean(r.amount for r in rows if r.status == "paid"), "What's the average amount for paid orders?")
    ask(name, as_rows(count_by(r.customer for r in rows)), "How many orders did each customer place?")
    ask(name, [r.id for r in top(rows, lambda r: r.amount, 5)], "List the five largest orders")
    ask(name, len([r for r in rows if r.status == "cancelled" and r.region == "south"]), "How many cancelled orders were there in the south?")
    ask(name, total(r.amount for r in rows if r.date.month == 2), "What was the total amount for February?")
    ask(name, fewest(r.region for r in rows if r.status == "open"), "Which region has the fewest open orders?")

    rows, name = orders("orders-dollar.csv", ",", amount_of, american), "orders-dollar.csv"
    ask(name, plain((100 * sum(r.amount for r in rows if r.status == "open") / sum(r.amount for r in rows)).quantize(Decimal("0.0001"))), "What share of the amount is still open?")
    ask(name, max(r.date for r in rows).isoformat(), "When was the last order?")
    ask(name, len([r for r in rows if 1000 <= r.amount <= 2000]), "How many orders were worth between $1,000 and $2,000?")
    ask(name, [r.customer for r in rows if r.id == 1017], "Who placed order 1017?")

    rows, name = orders("orders-tabs.tsv", "\t", amount_of, iso), "orders-tabs.tsv"
    ask(name, len({r.customer for r in rows if r.date.month == 4}), "How many different customers ordered something in April?")
    ask(name, [[s, mean(a)] for s, a in group(rows, lambda r: r.status, lambda r: r.amount).items()], "Average amount per status")
    ask(name, plain(min(r.amount for r in rows if r.status == "paid")), "How small is the smallest paid order?")

    rows, name = orders("rechnungen.csv", ";", german_amount, dotted), "rechnungen.csv"
    ask(name, len([r for r in rows if r.status == "offen"]), "Wie viele Rechnungen sind noch offen?")
    ask(name, total(r.amount for r in rows if r.status == "offen"), "Wie hoch ist der offene Betrag insgesamt?")
    ask(name, most(r.customer for r in rows), "Welcher Kunde hat die meisten Rechnungen?")
    ask(name, mean(r.amount for r in rows if r.region == "Nord"), "Was ist der durchschnittliche Betrag im Gebiet Nord?")
    ask(name, len([r for r in rows if r.amount > 5000]), "Wie viele Rechnungen über 5.000 Euro gibt es?")
    ask(name, [r.id for r in top(rows, lambda r: r.amount, 3)], "Zeig mir die drei höchsten Rechnungen")

    rows, name = orders("rechnungen-euro.csv", ";", german_amount, dotted), "rechnungen-euro.csv"
    ask(name, len([r for r in rows if r.status == "storniert" and r.date.month == 3]), "Wie viele Rechnungen wurden im März storniert?")
    ask(name, as_rows({g: total(a) for g, a in group(rows, lambda r: r.region, lambda r: r.amount).items()}), "Gesamtbetrag nach Gebiet")


def people():
    rows, name = [(n, d, amount_of(s), american(h), r) for n, d, s, h, r in rows_of("employees.csv")], "employees.csv"
    ask(name, len([r for r in rows if r[1] == "Support"]), "How many people work in Support?")
    ask(name, min(r[2] for r in rows if r[1] == "Finance"), "What's the lowest salary in Finance?")
    first = min(r[3] for r in rows)
    ask(name, [r[0] for r in rows if r[3] == first], "Who was hired first?")
    ask(name, as_rows(count_by(r[1] for r in rows if r[4] == "yes")), "How many remote workers are there per department?")
    ask(name, len([r for r in rows if r[3].year > 2022]), "How many people joined after 2022?")
    ask(name, sum(r[2] for r in rows if r[1] == "Sales"), "What's the payroll for Sales?")
    ask(name, len([r for r in rows if r[0].startswith("Ben ")]), "How many employees are called Ben?")
    ask(name, plain(median(r[2] for r in rows if r[4] == "no")), "What is the median salary of people who don't work remotely?")

    rows, name = [(m, a, german_amount(g), dotted(e), t) for m, a, g, e, t in rows_of("mitarbeiter.csv", ";")], "mitarbeiter.csv"
    ask(name, len([r for r in rows if r[1] == "Einkauf"]), "Wie viele Leute arbeiten im Einkauf?")
    first = min(r[3] for r in rows)
    ask(name, [r[0] for r in rows if r[3] == first], "Wer ist am längsten dabei?")
    ask(name, mean(r[2] for r in rows), "Wie hoch ist das Durchschnittsgehalt?")
    costs = {a: sum(g) for a, g in group(rows, lambda r: r[1], lambda r: r[2]).items()}
    ask(name, max(costs, key=costs.get), "Welche Abteilung kostet am meisten Gehalt?")

    rows, name = [(n, c, int(s) if s else None, g) for n, c, s, g in rows_of("students.csv")], "students.csv"
    ask(name, len([r for r in rows if r[2] is not None and r[2] < 50]), "How many students got less than 50?")
    scores = {c: mean(s) for c, s in group([r for r in rows if r[2] is not None], lambda r: r[1], lambda r: r[2]).items()}
    ask(name, max(scores, key=lambda c: Decimal(scores[c])), "Which course has the best average score?")
    ask(name, percent(len([r for r in rows if r[3] == "A"]), len(rows)), "What percentage of students are in group A?")
    ask(name, max(r[2] for r in rows if r[1] == "art" and r[2] is not None), "What is the top score in art?")
    ask(name, as_rows(count_by(r[3] for r in rows)), "How many students are there in each group?")


def things():
    rows, name = [(i, c, int(s), amount_of(p), int(d[:-1])) for i, c, s, p, d in rows_of("inventory.csv")], "inventory.csv"
    ask(name, len([r for r in rows if r[2] < 10]), "How many items have fewer than 10 left?")
    ask(name, len([r for r in rows if r[4] > 0]), "How many items are discounted?")
    ask(name, mean(r[4] for r in rows if r[1] == "garden"), "What's the average discount for garden items?")
    prices = {c: sum(p) / len(p) for c, p in group(rows, lambda r: r[1], lambda r: r[3]).items()}
    ask(name, max(prices, key=prices.get), "Which category has the highest average price?")

    rows, name = rows_of("sensors.csv"), "sensors.csv"
    warm = [(s, Decimal(t)) for s, _, t, _ in rows if t != "N/A"]
    ask(name, plain(max(t for s, t in warm if s == "S3")), "What was the hottest temperature at S3?")
    ask(name, len([t for _, t in warm if t > 25]), "How many readings were above 25 degrees?")
    ask(name, mean(int(r[3].split()[0]) for r in rows if r[1].startswith("2026-01-05")), "What was the average humidity on January 5?")

    rows, name = rows_of("flights.tsv", "\t"), "flights.tsv"
    ask(name, len([r for r in rows if r[4] == "delayed" and r[2] == "Paris"]), "How many delayed flights were there to Paris?")
    ask(name, most(r[2] for r in rows if r[4] == "cancelled"), "Which destination had the most cancelled flights?")
    minutes = lambda cell: sum(int(n) * (60 if u == "h" else 1) for n, u in re.findall(r"(\d+) ?(h|min)", cell))
    ask(name, len([r for r in rows if minutes(r[3]) < 30]), "How many flights had a delay of less than 30 minutes?")
    ask(name, most(r[2] for r in rows), "Where do most flights go?")
    ask(name, as_rows(count_by(r[4] for r in rows if r[1] == "Vienna")), "Flights from Vienna by status")

    sizes = {"KB": 1000, "MB": 1000**2, "GB": 1000**3}
    rows, name = [(n, u, int(s[:-2]) * sizes[s[-2:]]) for n, u, s in rows_of("downloads.psv", "|")], "downloads.psv"
    ask(name, most(r[1] for r in rows), "Who downloaded the most files?")
    ask(name, len([r for r in rows if r[1] == "ada" and r[2] > 100 * 1000**2]), "How many files over 100 MB did ada download?")
    sums = {u: sum(s) for u, s in group(rows, lambda r: r[1], lambda r: r[2]).items()}
    ask(name, max(sums, key=sums.get), "Which user downloaded the largest total size?")

    rows, name = [(t, c, Decimal(a), m) for t, c, a, m in rows_of("ledger.csv")], "ledger.csv"
    ask(name, total(r[2] for r in rows if r[3] == "cash"), "How much was paid in cash?")
    ask(name, len([r for r in rows if r[3] == ""]), "How many transactions have no payment method?")
    ask(name, plain(max(r[2] for r in rows if r[1] == "Bob Ray")), "What was the biggest amount of Bob Ray?")

    rows, name = re.findall(r"\| (Film \d+) \| (\w+) \| (\d+) \| ([\d.]+) \|", text_of("movies" + ".md")), "movies" + ".md"
    ask(name, len([r for r in rows if r[1] == "comedy"]), "How many comedies are there?")
    ask(name, [r[0] for r in top([r for r in rows if r[1] == "drama"], lambda r: Decimal(r[3]))], "What's the best rated drama?")
    ask(name, len([r for r in rows if 1990 <= int(r[2]) <= 1999]), "How many movies are from the 90s?")
    ask(name, [[g, mean(s)] for g, s in group(rows, lambda r: r[1], lambda r: r[3]).items()], "Average rating by genre")

    rows, name = rows_of("bookings.csv"), "bookings.csv"
    ask(name, sum(int(r[3]) for r in rows if r[1] == "Diaz" and r[2].startswith("May")), "How many nights did Diaz book in May?")
    ask(name, max(int(r[3]) for r in rows), "How many nights is the longest stay?")
    ask(name, len([r for r in rows if int(r[3]) > 5]), "How many bookings are for more than 5 nights?")

    rows, name = [(dotted(d), z, german_amount(b)) for d, z, b in rows_of("konto.csv", ";")], "konto.csv"
    ask(name, [[f"2026-{m:02}", n] for m, n in count_by(r[0].month for r in rows).items()], "Wie viele Buchungen gab es pro Monat?")
    ask(name, plain(max(r[2] for r in rows if r[0].month == 3)), "Was war der größte Betrag im März?")

    rows, name = [(e, amount_of(a)) for e, a in rows_of("expenses.csv")], "expenses.csv"
    ask(name, as_rows(count_by(r[0] for r in rows)), "How many expenses did each employee hand in?")
    ask("regions.csv", [r[0] for r in bottom([r for r in rows_of("regions.csv") if r[0] != "Total"], lambda r: int(r[1]))], "Which region sold the least?")
    ask("payments.csv", plain(max(amount_of(a) for _, a in rows_of("payments.csv") if a.startswith("€"))), "What was the largest payment in euros?")
    ask("filialen.csv", [s for _, s, f in rows_of("filialen.csv", ";") if int(f) > 4], "Welche Städte haben mehr als 4 Filialen?")
    packages = json.loads(text_of("packages.json"))["packages"]
    ask("packages.json", len([p for p in packages if p["license"] == "MIT"]), "How many packages are licensed under MIT?")
    ask("packages.json", [p["license"] for p in packages if p["name"] == "lodash"], "Which license does lodash have?")
    ask("notes.csv", most(r[1] for r in rows_of("notes.csv")), "Who wrote the most notes?")


def logs():
    rows, name = access_log(), "access.log"
    ask(name, len([r for r in rows if r.status == 404 and r.ip == "10.0.0.3"]), "How many 404s did 10.0.0.3 get?")
    ask(name, len([r for r in rows if r.status >= 500]), "How many requests ended in a server error?")
    ask(name, most(r.path for r in rows if r.status == 404), "Which path produced the most 404 errors?")
    ask(name, sum(r.bytes for r in rows if r.ip == "10.0.0.1"), "How many bytes did 10.0.0.1 transfer?")
    ask(name, len([r for r in rows if r.hour >= 20]), "How many requests came in after 8 pm?")

    rows, name = requests_of(pairs(line) for line in text_of("requests.log").splitlines()), "requests.log"
    ask(name, max(r.ms for r in rows), "How slow was the slowest request?")
    ask(name, [[h, mean(m)] for h, m in group(rows, lambda r: r.host, lambda r: r.ms).items()], "Average latency per host")
    ask(name, len([r for r in rows if r.user == "bob" and r.host == "web2"]), "How many requests did bob make on web2?")
    ask(name, plain(median(r.ms for r in rows if r.status == "failed")), "What's the median latency of failed requests?")

    rows, name = requests_of(pairs(line) for line in text_of("service.log").splitlines()), "service.log"
    ask(name, len([r for r in rows if r.status != "ok"]), "How many requests were not ok?")
    ask(name, most(r.host for r in rows if r.status == "denied"), "Which host has the most denied requests?")

    lines, name = text_of("system.log").splitlines(), "system.log"
    ask(name, len([line for line in lines if "disk full" in line]), "How often was the disk full?")
    ask(name, most(line[16:].split()[0] for line in lines), "Which host logs more?")

    rows, name = re.findall(r"<\d+>1 \S+ (\w+) (\w+) .* handled in (\d+) ms", text_of("syslog5424.log")), "syslog5424.log"
    ask(name, len([r for r in rows if int(r[2]) > 200]), "How many messages took more than 200 ms?")
    ask(name, mean(r[2] for r in rows if r[1] == "api"), "What is the average ms for api?")

    rows, name = re.findall(r"^\S+ \S+ \[(\S+)\] (\w+) (\S+) - ", text_of("java.log"), re.M), "java.log"
    ask(name, len([r for r in rows if r[1] == "WARN" and r[2] == "com.shop.Cart"]), "How many warnings did com.shop.Cart log?")
    ask(name, most(r[0] for r in rows if r[1] == "ERROR"), "Which thread has the most errors?")

    rows, name = [pairs(line) for line in text_of("payments.logfmt").splitlines()], "payments.logfmt"
    ask(name, len([r for r in rows if r["action"] == "refund"]), "How many refunds were there?")
    ask(name, [r["user"] for r in top([r for r in rows if r["action"] == "charge"], lambda r: milliseconds(r["took"]))], "Which user had the slowest charge?")
    ask(name, [[a, mean(t)] for a, t in group(rows, lambda r: r["action"], lambda r: milliseconds(r["took"])).items()], "What is the average took per action?")

    rows, name = jsonl("pods.jsonl"), "pods.jsonl"
    ask(name, max(r["pod"]["restarts"] for r in rows if r["pod"]["name"] == "cart"), "What's the highest number of restarts of cart?")
    ask(name, len([r for r in rows if r["level"] == "error"]), "How many log entries are errors?")


def everything():
    for make in (sales, people, things, logs):
        make()
