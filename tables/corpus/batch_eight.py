"""The eighth batch of unseen questions: sixty over ten new files, as colleagues ask each other, all written with their answers before one
of them was asked. Needs Python 3.9; make.py calls it.
"""
import csv
import re
from datetime import datetime
from decimal import Decimal

import batch_eight_files
from common import FILES, mean, one, percent, plain, total
from read_back import amount_of, american, as_rows, bottom, count_by, dotted, fewest, german_amount, group, jsonl, most, text_of, top


def ask(name, expected, question):
    one(name, "batch 8", expected, question)


def records(name, delimiter=",", encoding="utf-8"):
    with open(FILES / name, encoding=encoding, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def sums(rows, key, value):
    return {name: sum(values) for name, values in group(rows, key, value).items()}


def means(rows, key, value):
    return {name: sum(values) / Decimal(len(values)) for name, values in group(rows, key, value).items()}


def best(groups):
    return [key for key, value in groups.items() if value == max(groups.values())]


def worst(groups):
    return [key for key, value in groups.items() if value == min(groups.values())]


def everything():
    batch_eight_files.everything()
    trade()
    flats()
    work()
    survey()
    deploys()
    cars()
    resolver()
    nodes()
    stocks()
    plants()


def trade():
    name = "exports.csv"
    rows = records(name, ";")
    value = lambda r: german_amount(r["Value (EUR)"])
    ask(name, total(value(r) for r in rows if r["Country"] == "Italy" and r["Year"] == "2023"), "What was the total value of Italy's exports in 2023?")
    ask(name, best(sums([r for r in rows if r["Product"] == "Wine"], lambda r: r["Country"], lambda r: int(r["Tonnes"]))), "Which country exported the most tonnes of wine?")
    ask(name, [[k, v] for k, v in sums(rows, lambda r: r["Year"], lambda r: int(r["Tonnes"])).items()], "Tonnes by year, please")
    ask(name, mean(value(r) for r in rows if r["Product"] == "Steel"), "avg value of steel")
    ask(name, len([r for r in rows if value(r) > 500000]), "How many rows are worth more than half a million euros (500,000)?")
    ask(name, [r["Country"] for r in top([r for r in rows if r["Product"] == "Olive oil" and r["Year"] == "2024"], value)], "Who led in olive oil value in 2024?")


def flats():
    name = "wohnungen.csv"
    rows = records(name, ";")
    rent = lambda r: german_amount(r["Kaltmiete"])
    size = lambda r: Decimal(r["Wohnfläche"].split()[0].replace(",", "."))
    ask(name, [r["Straße"] for r in bottom(rows, rent)], "Welche Wohnung ist am billigsten?")
    ask(name, mean(rent(r) for r in rows if r["Stadtteil"] == "Hafen"), "Was kostet eine Wohnung am Hafen im Mittel kalt?")
    ask(name, len([r for r in rows if r["Balkon"] == "ja" and r["Zimmer"] == "3"]), "Wie viele 3-Zimmer-Wohnungen haben einen Balkon?")
    ask(name, [r["Straße"] for r in rows if size(r) > 100], "Welche Wohnungen sind größer als 100 m²?")
    ask(name, len([r for r in rows if dotted(r["frei ab"]).month >= 3]), "Wie viele sind erst ab März 2026 frei?")
    ask(name, as_rows(count_by(r["Stadtteil"] for r in rows)), "Wie verteilen sich die Wohnungen auf die Stadtteile?")


def work():
    name = "timesheet.csv"
    rows = records(name)
    hours = lambda r: Decimal(r["Hours"])
    ask(name, total(hours(r) for r in rows if r["Employee"] == "Novak" and r["Project"] == "Apollo"), "How many hours did Novak put into Apollo?")
    ask(name, total(hours(r) for r in rows if r["Billable"] == "yes"), "Total billable hours?")
    ask(name, worst(sums(rows, lambda r: r["Employee"], hours)), "Who worked the fewest hours?")
    ask(name, percent(len([r for r in rows if r["Billable"] == "no"]), len(rows)), "What percentage of entries is not billable?")
    ask(name, [[k, plain(v)] for k, v in sums(rows, lambda r: r["Project"], hours).items()], "Break the hours down by project.")
    ask(name, len([r for r in rows if r["Note"] == "on site"]), "How many entries were on site?")


def survey():
    name = "survey.tsv"
    rows = records(name, "\t")
    rated = [r for r in rows if r["satisfaction"]]
    ask(name, [[k, plain(v.quantize(Decimal("0.0001")))] for k, v in means(rated, lambda r: r["city"], lambda r: int(r["satisfaction"])).items()], "How satisfied are people in each city, on average?")
    ask(name, len([r for r in rows if r["would recommend"] == "Yes" and r["city"] == "York"]), "How many respondents from York would recommend us?")
    ask(name, len([r for r in rows if not r["satisfaction"]]), "How many people left satisfaction blank?")
    ask(name, best(means(rows, lambda r: r["age group"], lambda r: amount_of(r["spent"]))), "Which age group spends the most on average?")
    ask(name, len([r for r in rated if int(r["satisfaction"]) <= 2]), "How many gave a satisfaction of 2 or less?")
    ask(name, total(amount_of(r["spent"]) for r in rows if r["age group"] == "50+"), "How much was spent by the 50+ group?")


def deploys():
    name = "deploys.jsonl"
    rows = jsonl(name)
    prod = [r for r in rows if r["env"] == "prod"]
    ask(name, len([r for r in prod if r["result"] == "rolled back"]), "How many prod deploys were rolled back?")
    ask(name, mean(r["seconds"] for r in rows if r["service"] == "billing"), "How many seconds does a billing deploy take on average?")
    ask(name, most(r["by"]["name"] for r in rows), "Who deployed the most?")
    ask(name, max(r["seconds"] for r in prod), "What was the longest prod deploy in seconds?")
    ask(name, len([r for r in rows if r["by"]["team"] == "web" and r["env"] == "staging"]), "Number of staging deploys by the web team?")
    ask(name, len([r for r in rows if "2026-06-03" <= r["at"][:10] <= "2026-06-05"]), "How many deploys happened between June 3 and June 5, 2026?")


def cars():
    name = "fuhrpark.csv"
    rows = records(name, ";", "latin-1")
    distance = lambda r: int(re.sub(r"\D", "", r["Kilometerstand"]))
    ask(name, [r["Kennzeichen"] for r in top(rows, distance)], "Welches Auto hat die meisten Kilometer?")
    ask(name, mean(distance(r) for r in rows if r["Marke"] == "Citroën"), "Durchschnittlicher Kilometerstand der Citroën?")
    ask(name, len([r for r in rows if r["Kraftstoff"] == "Diesel" and int(r["Baujahr"]) < 2015]), "Wie viele Diesel sind älter als Baujahr 2015?")
    ask(name, most(r["Marke"] for r in rows), "Von welcher Marke haben wir am meisten?")
    ask(name, len([r for r in rows if dotted(r["TÜV bis"]).year == 2026]), "Wie viele Autos müssen 2026 zum TÜV?")
    ask(name, [r["Kennzeichen"] for r in rows if r["Kraftstoff"] == "Strom"], "Welche fahren mit Strom?")


def resolver():
    name = "dns.log"
    entries = [dict(part.split("=", 1) for part in line.split()[1:]) for line in text_of(name).splitlines()]
    ms = lambda e: int(e["time"][:-2])
    ask(name, len([e for e in entries if e["rcode"] == "NXDOMAIN"]), "How many lookups ended in NXDOMAIN?")
    ask(name, most(e["query"] for e in entries), "What was looked up most often (query)?")
    ask(name, mean(ms(e) for e in entries if e["cached"] == "false"), "What's the average time of uncached queries (cached false)?")
    ask(name, most(e["client"] for e in entries if e["rcode"] == "SERVFAIL"), "Which client got the most SERVFAILs?")
    ask(name, len([e for e in entries if e["type"] == "MX" and e["query"] == "mail.example"]), "MX queries for mail.example: how many?")
    ask(name, len([e for e in entries if 100 <= ms(e) <= 200]), "How many took between 100 and 200 ms?")


def nodes():
    name = "nodes.log"
    shape = re.compile(r"<(\d)>1 (\S+) (\S+) (\S+) (\d+) - - (.*)")
    lines = [shape.match(line).groups() for line in text_of(name).splitlines()]
    ask(name, len([l for l in lines if l[2] == "node2"]), "How many messages are from node2?")
    ask(name, len([l for l in lines if "Out of disk" in l[5] and l[2] == "node3"]), "How often did node3 run out of disk space?")
    ask(name, most(l[3] for l in lines), "Which app writes the most messages?")
    ask(name, len([l for l in lines if l[1][11:13] == "07"]), "How many messages were written between 7:00 and 7:59?")
    ask(name, len({l[3] for l in lines if l[2] == "node1"}), "How many different apps run on node1?")
    ask(name, as_rows(count_by(l[2] for l in lines)), "messages per host")


def stocks():
    name = "stocks.csv"
    rows = records(name)
    ask(name, plain(max(Decimal(r["Close"]) for r in rows if r["Ticker"] == "BLT")), "What's the highest BLT ever closed at?")
    ask(name, sum(amount_of(r["Volume"]) for r in rows if r["Ticker"] == "ACM"), "What volume of ACM was traded in total?")
    ask(name, len([r for r in rows if Decimal(r["Change"].strip("%")) < 0]), "How many times was the change negative?")
    ask(name, [r["Ticker"] for r in top(rows, lambda r: Decimal(r["Change"].strip("%")))], "Which ticker had the biggest change?")
    ask(name, plain(next(Decimal(r["Close"]) for r in rows if r["Ticker"] == "CRX" and american(r["Date"]).day == 15)), "What did CRX close at on January 15, 2026?")
    ask(name, best(means(rows, lambda r: r["Ticker"], lambda r: amount_of(r["Volume"]))), "Which ticker has the highest average volume?")


def plants():
    name = "plants" ".md"
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text_of(name).splitlines()]
    rows = [dict(zip(cells[0], row)) for row in cells[2:]]
    height = lambda r: int(r["Height"].split()[0])
    days = lambda r: int(r["Water every"].split()[0])
    bought = lambda r: datetime.strptime(r["Bought"], "%d %b %Y").date()
    ask(name, [r["Plant"] for r in top(rows, height)], "What's our tallest plant?")
    ask(name, [r["Plant"] for r in rows if r["Light"] == "shade"], "Which plants like shade?")
    ask(name, len([r for r in rows if height(r) < 50]), "How many are smaller than 50 cm?")
    ask(name, [r["Plant"] for r in rows if days(r) > 14], "Which need water only every two weeks or more, i.e. more than 14 days?")
    ask(name, [r["Plant"] for r in bottom(rows, lambda r: bought(r).toordinal())], "Which plant have we had the longest?")
    ask(name, [r["Family"] for r in rows if r["Plant"] == "Yucca"], "What family is the yucca?")
