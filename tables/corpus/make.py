#!/usr/bin/env python3
"""Writes the corpus: dirty files, and questions with answers that this script computes from its own rows.

Needs Python 3.9 and nothing else. Deterministic: fixed seeds, fixed dates. Run it from anywhere; it writes beside itself.
Each question stands twice: by field (`field`) and as a person would say it (`natural`). An expected answer is a list of rows; the
first cells of each found row are compared, in any order.
"""
import json
import random
from decimal import Decimal

import logs as more_logs
from common import FILES, QUESTIONS, ask, english, french, german, mean, pack, packed, plain, swiss, table, write, write_questions

batch_eighteen = packed("batch_eighteen")
packed("batch_eleven_first")
batch_eleven = packed("batch_eleven")
batch_fifteen = packed("batch_fifteen")
batch_fourteen = packed("batch_fourteen")
batch_seventeen = packed("batch_seventeen")
packed("batch_nine_files")
batch_nine = packed("batch_nine")
packed("batch_sixteen_first")
batch_sixteen = packed("batch_sixteen")
packed("batch_thirteen_first")
batch_thirteen = packed("batch_thirteen")
packed("batch_twelve_first")
batch_twelve = packed("batch_twelve")
batch_two = packed("batch_two")
batch_three = packed("batch_three")
batch_four = packed("batch_four")
batch_five = packed("batch_five")
packed("batch_six_files")
batch_six = packed("batch_six")
packed("batch_ten_files")
batch_ten = packed("batch_ten")
packed("batch_seven_files")
batch_seven = packed("batch_seven")
packed("batch_eight_files")
batch_eight = packed("batch_eight")
sheets = packed("sheets")

NAMES = ["Ada", "Bob", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana"]


def sales(name, seed, render, delimiter, header, words, dates):
    """Orders with a customer, a region, an amount, a status and a date."""
    rng = random.Random(seed)
    noun = "invoices" if name.startswith("rechnungen") else "orders"
    regions, statuses = words
    rows = []
    for number in range(60):
        amount = Decimal(rng.randrange(500, 990000)) / 100
        rows.append((1000 + number, rng.choice(NAMES), rng.choice(regions), amount, rng.choice(statuses), (2026, rng.randrange(1, 5), rng.randrange(1, 29))))
    write(name, table([header] + [[n, c, r, render(a), s, dates(d)] for n, c, r, a, s, d in rows], delimiter))
    _, customer, region, amount, status, _ = header
    amounts = [row[3] for row in rows]
    ask(name, 60, "How many records are there?", f"How many {noun} are there?")
    ask(name, plain(sum(amounts)), f"What is the total {amount}?", f"How much {amount} is there in total?")
    ask(name, mean(amounts), f"What is the average {amount}?", f"What's the mean {amount} on average?".replace(" on average", ""))
    ask(name, plain(max(amounts)), f"What is the largest {amount}?", f"How high is the highest {amount}?")
    here = [row for row in rows if row[2] == regions[0]]
    ask(name, len(here), f"How many records have {region} {regions[0]}?", f"How many {noun} came from {regions[0]}?")
    ask(name, plain(sum(row[3] for row in here)), f"What is the total {amount} with {region} {regions[0]}?", f"What is the total {amount} in {regions[0]}?")
    big = [row for row in rows if row[3] > 5000]
    ask(name, len(big), f"How many records have {amount} over 5000?", f"How many {noun} have an {amount} above 5,000?")
    open_ = [row for row in rows if row[4] == statuses[0]]
    ask(name, len(open_), f"How many records have {status} {statuses[0]}?", f"How many {noun} are {statuses[0]}?")
    ask(name, plain((Decimal(100 * len(open_)) / 60).quantize(Decimal("0.0001"))), f"What percentage of records have {status} {statuses[0]}?", f"What share of the {noun} is {statuses[0]}?")
    ask(name, len({row[1] for row in rows}), f"How many different {customer} are there?", f"How many unique {customer}{'n' if customer == 'Kunde' else 's'} are there?")
    march = [row for row in rows if row[5][1] == 3]
    ask(name, len(march), "How many records are there in March 2026?", f"How many {noun} were placed in March 2026?")
    either = [row for row in rows if row[4] in statuses[:2]]
    ask(name, len(either), f"How many records have {status} {statuses[0]} or {statuses[1]}?", f"How many {noun} are {statuses[0]} or {statuses[1]}?")
    groups = {r: sum(row[3] for row in rows if row[2] == r) for r in dict.fromkeys(row[2] for row in rows)}
    ask(name, [[key, plain(value)] for key, value in groups.items()], f"What is the total {amount} per {region}?", f"Show me the total {amount} for each {region}")


def iso(day):
    return "%04d-%02d-%02d" % day


def dotted(day):
    return "%02d.%02d.%04d" % (day[2], day[1], day[0])


def american(day):
    return "%d/%d/%04d" % (day[1], day[2], day[0])


ENGLISH = (["north", "south", "east"], ["open", "paid", "cancelled"])
GERMAN = (["Nord", "Süd", "Ost"], ["offen", "bezahlt", "storniert"])
HEAD = ["id", "customer", "region", "amount", "status", "date"]
KOPF = ["Nr", "Kunde", "Gebiet", "Betrag", "Status", "Datum"]


def logs(name, seed, make):
    rng = random.Random(seed)
    rows = []
    for number in range(60):
        ms = rng.randrange(20, 9000)
        rows.append((10 + number // 20, number % 60, rng.choice(["ada", "bob", "cem", "dora"]), rng.choice(["web1", "web2", "db1"]), ms, rng.choice(["ok", "failed", "denied"])))
    write(name, make(rows))
    ask(name, 60, "How many records are there?", "How many entries are there?")
    ask(name, len([r for r in rows if r[5] == "failed"]), "How many records have status failed?", "How many requests failed?")
    ask(name, max(r[4] for r in rows), "What is the largest latency?", "What was the highest latency?")
    ask(name, mean([Decimal(r[4]) for r in rows]), "What is the average latency?", "What is the mean latency?")
    ask(name, len([r for r in rows if r[4] > 500]), "How many records have latency over 500 ms?", "How many requests took longer than 500 ms?")
    ask(name, len([r for r in rows if r[3] == "web1"]), "How many records have host web1?", "How many requests went to web1?")
    counts = {u: len([r for r in rows if r[2] == u]) for u in dict.fromkeys(r[2] for r in rows)}
    best = max(counts.values())
    ask(name, [u for u, c in counts.items() if c == best], "Which user has the most records?", "Which user has the most requests?")
    ask(name, len({r[2] for r in rows if r[5] == "denied"}), "How many different user have status denied?", "How many users were denied?")


def moment(row):
    return f"2026-03-04T{row[0]:02d}:{row[1]:02d}:00Z"


def latency(row):
    return f"{row[4] // 1000}s" if row[4] % 1000 == 0 else f"{row[4]}ms"


def main():
    sales("orders.csv", 1, lambda a: english(a, 2), ",", HEAD, ENGLISH, iso)
    sales("orders-dollar.csv", 2, lambda a: "$" + english(a, 2), ",", HEAD, ENGLISH, american)
    sales("orders-tabs.tsv", 3, str, "\t", HEAD, ENGLISH, iso)
    sales("rechnungen.csv", 4, german, ";", KOPF, GERMAN, dotted)
    sales("rechnungen-euro.csv", 5, lambda a: german(a) + " €", ";", KOPF, GERMAN, dotted)
    sales("orders-french.csv", 6, french, ";", HEAD, ENGLISH, iso)
    sales("orders-swiss.csv", 7, swiss, "|", HEAD, ENGLISH, dotted)
    logs("requests.log", 20, lambda rows: "".join(f"time={moment(r)} user={r[2]} host={r[3]} latency={latency(r)} status={r[5]}\n" for r in rows))
    logs("service.log", 21, lambda rows: "".join(f"2026-03-04 {r[0]:02d}:{r[1]:02d}:00,123 INFO user={r[2]} host={r[3]} latency={latency(r)} status={r[5]}\n" for r in rows))
    logs("requests.jsonl", 22, lambda rows: "".join(json.dumps({"time": moment(r), "user": r[2], "host": r[3], "latency": latency(r), "status": r[5]}) + "\n" for r in rows))
    logs("requests.json", 23, lambda rows: json.dumps({"requests": [{"time": moment(r), "user": r[2], "host": r[3], "latency": latency(r), "status": r[5]} for r in rows]}, indent=1))
    logs("requests" + ".md", 24, lambda rows: "# Requests\n\n| time | user | host | latency | status |\n|---|---|---|---|---|\n" + "".join(f"| {moment(r)} | {r[2]} | {r[3]} | {latency(r)} | {r[5]} |\n" for r in rows))
    sheets.everything()
    more_logs.everything()
    batch_two.everything()
    batch_three.everything()
    batch_four.everything()
    batch_five.everything()
    batch_six.everything()
    batch_seven.everything()
    batch_eight.everything()
    batch_nine.everything()
    batch_ten.everything()
    batch_eleven.everything()
    batch_twelve.everything()
    batch_thirteen.everything()
    batch_fourteen.everything()
    batch_fifteen.everything()
    batch_sixteen.everything()
    batch_seventeen.everything()
    batch_eighteen.everything()
    for folder in (FILES, *(FILES / name for name in ("nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"))):
        pack(folder)
    write_questions()
    print(sum(map(len, QUESTIONS.values())), "questions over", sum(file.is_file() for file in FILES.rglob("*")), "files")


main()
