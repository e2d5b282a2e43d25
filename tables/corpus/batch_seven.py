"""The seventh batch of unseen questions: sixty over twelve new files, in other styles (whole sentences, elliptic, with slips of the
keyboard, in German, indirect), all written with their answers before one of them was asked. Needs Python 3.9; make.py calls it.
"""
import csv
import json
import re
from datetime import date, datetime
from decimal import Decimal

import batch_seven_files
from common import FILES, mean, one, percent, plain, total
from read_back import as_rows, bottom, count_by, german_amount, group, jsonl, most, text_of, top


def ask(name, expected, question):
    one(name, "batch 7", expected, question)


def records(name, delimiter=",", encoding="utf-8"):
    with open(FILES / name, encoding=encoding, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def sums(rows, key, value):
    return {name: sum(values) for name, values in group(rows, key, value).items()}


def best(groups):
    return [key for key, value in groups.items() if value == max(groups.values())]


def worst(groups):
    return [key for key, value in groups.items() if value == min(groups.values())]


def everything():
    batch_seven_files.everything()
    sport()
    hotel()
    farm()
    tracker()
    cafe()
    space()
    mail()
    gateway()
    votes()
    garage()
    pizza()
    service()


def sport():
    name = "marathon.csv"
    rows = records(name)
    finished = [r for r in rows if r["Finish"] != "DNF"]
    seconds = lambda r: sum(int(part) * 60 ** power for power, part in enumerate(reversed(r["Finish"].split(":"))))
    ask(name, [r["Runner"] for r in bottom(finished, seconds)], "Who won, that is, which runner has the shortest finish time?")
    ask(name, len([r for r in rows if r["Country"] == "POL"]), "runners from POL?")
    ask(name, len([r for r in rows if r["Category"] == "W35" and r["Club"] == "City Harriers"]), "I'd like to know how many W35 runners the City Harriers had.")
    ask(name, most(r["Club"] for r in rows if r["Club"]), "Which club sent the most runners?")
    ask(name, len([r for r in rows if not r["Club"]]), "How many of the runners don't belong to any club?")


def hotel():
    name = "hotel.csv"
    rows = records(name, ";")
    day = lambda r: datetime.strptime(r["Check-in"], "%d/%m/%Y").date()
    rate = lambda r: german_amount(r["Rate"])
    ask(name, sum(int(r["Nights"]) for r in rows if r["Guest"] == "Mrs Chen"), "How many nights did Mrs Chen stay in total?")
    ask(name, mean(rate(r) for r in rows if r["Channel"] == "agency"), "avarage rate via agency")
    ask(name, len([r for r in rows if day(r).month == 5 and r["Breakfast"] == "yes"]), "Tell me how many bookings with breakfast had their check-in in May.")
    ask(name, best(sums(rows, lambda r: r["Room"], lambda r: int(r["Nights"]))), "Which room was booked for the most nights?")
    ask(name, [r["Guest"] for r in top(rows, rate)], "Who paid the highest rate?")


def farm():
    name = "ernte.csv"
    rows = records(name, ";", "latin-1")
    tons = lambda r: german_amount(r["Ertrag (t)"])
    ask(name, total(tons(r) for r in rows if r["Frucht"] == "Weizen"), "Wie viel Tonnen Weizen wurden insgesamt geerntet?")
    ask(name, best(sums(rows, lambda r: r["Feld"], tons)), "Welches Feld brachte den größten Ertrag insgesamt?")
    ask(name, len([r for r in rows if r["Bio"] == "ja" and r["Frucht"] == "Mais"]), "Ich möchte wissen, wie oft Mais in Bio-Qualität geerntet wurde.")
    ask(name, len([r for r in rows if r["Geerntet am"][3:5] == "08"]), "Wie viele Ernten gab es im August?")
    ask(name, [[k, total(v)] for k, v in group(rows, lambda r: r["Frucht"], lambda r: Decimal(r["Fläche (ha)"].replace(",", "."))).items()], "gesamte Fläche je Frucht")


def tracker():
    name = "tickets.jsonl"
    rows = jsonl(name)
    ask(name, len([r for r in rows if r["state"] == "open" and r["priority"] == "high"]), "How many high priority tickets are still open?")
    ask(name, most(r["author"]["login"] for r in rows), "Who opened the most tickets?")
    ask(name, [r["id"] for r in top(rows, lambda r: r["comments"])], "Which ticket got the most comments?")
    ask(name, percent(len([r for r in rows if r["state"] == "closed"]), len(rows)), "What portion of the tickets has been closed, in percent?")
    ask(name, mean(r["comments"] for r in rows if r["title"] == "Slow search"), "How many comments do \"Slow search\" tickets get on average?")


def cafe():
    name = "kasse.tsv"
    rows = records(name, "\t")
    money = lambda r: german_amount(r["Preis"])
    ask(name, sum(int(r["Menge"]) for r in rows if r["Artikel"] == "Cappuccino"), "Wie viele Cappuccino wurden verkauft?")
    ask(name, total(money(r) for r in rows if r["Zahlung"] == "bar"), "Wie viel wurde bar eingenommen?")
    ask(name, best(sums(rows, lambda r: r["Artikel"], lambda r: int(r["Menge"]))), "Was wurde am häufigsten verkauft, nach Menge?")
    ask(name, len([r for r in rows if r["Bedienung"] == "Selin" and r["Zahlung"] == "Karte"]), "Anzahl Kartenzahlungen bei Selin")
    ask(name, len([r for r in rows if "10:00" <= r["Uhrzeit"] < "12:00"]), "Wie viele Verkäufe gab es zwischen 10 und 12 Uhr?")


def space():
    name = "launches" + ".md"
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text_of(name).splitlines() if line.startswith("|")]
    rows = [dict(zip(cells[0], row)) for row in cells[2:]]
    kilograms = lambda r: int(r["Payload (kg)"].replace(",", ""))
    ask(name, len([r for r in rows if r["Outcome"] == "failure" and r["Rocket"] == "Vega"]), "How many times did Vega fail?")
    ask(name, [r["Mission"] for r in top(rows, kilograms)], "Give me the mission with the heaviest payload.")
    ask(name, len([r for r in rows if r["Date"] > "2025-06-30"]), "launches after june 2025")
    ask(name, sum(kilograms(r) for r in rows if r["Site"] == "Kourou"), "How many kg were launched from Kourou altogether?")
    ask(name, as_rows(count_by(r["Outcome"] for r in rows)), "I want a breakdown of the launches by outcome.")


def mail():
    name = "mail.log"
    entries = [dict(re.findall(r"(\w+)=<?([^,>\s]+)", line)) for line in text_of(name).splitlines()]
    ask(name, len([e for e in entries if e["status"] == "bounced"]), "How many mails bounced?")
    ask(name, most(e["relay"] for e in entries if e["status"] == "deferred"), "Which relay had the most deferred mails?")
    ask(name, plain(max(Decimal(e["delay"]) for e in entries)), "Could you tell me the longest delay?")
    ask(name, len([e for e in entries if e["to"] == "cora@b.example"]), "Mails to cora@b.example?")
    ask(name, len([e for e in entries if e["relay"] == "relay2.example" and e["status"] == "sent"]), "How many were sucessfully sent through relay2.example?")


def gateway():
    name = "gateway.logfmt"
    entries = [dict(part.split("=", 1) for part in line.split()) for line in text_of(name).splitlines()]
    ms = lambda e: Decimal(e["dur"][:-2]) if e["dur"].endswith("ms") else 1000 * Decimal(e["dur"][:-1])
    ask(name, len([e for e in entries if e["status"] == "429"]), "How often were we rate limited (429)?")
    ask(name, [p for p, v in group(entries, lambda e: e["path"], ms).items() if sum(v) / len(v) == max(sum(w) / len(w) for w in group(entries, lambda e: e["path"], ms).values())], "Which path is the slowest on average?")
    ask(name, sum(int(e["bytes"]) for e in entries if e["region"] == "apac"), "total bytes apac")
    ask(name, len([e for e in entries if ms(e) > 2000]), "Requests that took more than two seconds: how many?")
    ask(name, len([e for e in entries if e["method"] != "GET"]), "How many requests were not GETs?")


def votes():
    name = "election.csv"
    rows = records(name)
    number = lambda r: int(r["Votes"].replace(",", ""))
    ask(name, sum(number(r) for r in rows if r["Party"] == "Greens"), "How many votes did the Greens get overall?")
    ask(name, [r["Party"] for r in top([r for r in rows if r["Municipality"] == "Dale"], number)], "Which party came first in Dale?")
    ask(name, [r["Municipality"] for r in top([r for r in rows if r["Party"] == "Greens"], lambda r: Decimal(r["Turnout"][:-1]))], "Where was the turnout highest?")
    ask(name, best(sums(rows, lambda r: r["Party"], number)), "Which party recieved the most votes in total?")
    ask(name, len([r for r in rows if number(r) < 1000]), "How many results are below 1,000 votes?")


def garage():
    name = "parking.csv"
    rows = records(name)
    paid = [r for r in rows if r["paid"]]
    ask(name, len([r for r in rows if not r["left"]]), "How many cars are still parked, i.e. have no time in left?")
    ask(name, total(Decimal(r["paid"]) for r in paid if r["garage"] == "Opera"), "What did the Opera garage take in altogether?")
    ask(name, len([r for r in rows if r["entered"].startswith("2026-11-03")]), "How many cars entered on November 3rd?")
    ask(name, mean(Decimal(r["paid"]) for r in paid), "On average, how much was paid?")
    ask(name, len([r for r in rows if r["plate"].startswith("KL")]), "How many plates start with KL?")


def pizza():
    name = "pizza.json"
    rows = json.loads(text_of(name))["orders"]
    ask(name, sum(r["qty"] for r in rows if r["pizza"] == "Tonno"), "How many Tonno pizzas were ordered in all?")
    ask(name, [r["no"] for r in rows if not r["delivered"]], "Which orders were never delivered?")
    ask(name, mean(r["minutes"] for r in rows if r["customer"]["city"] == "Trier"), "How many minutes does a delivery to Trier take on average?")
    ask(name, best(sums(rows, lambda r: r["customer"]["name"], lambda r: Decimal(str(r["price"])))), "Which customer spent the most?")
    ask(name, len([r for r in rows if r["minutes"] > 60]), "How many orders took over an hour?")


def service():
    name = "shop-app.log"
    lines = [line for line in text_of(name).splitlines() if line.startswith("2026")]
    ask(name, len([l for l in lines if " ERROR " in l]), "How many errors did the app log?")
    ask(name, most(l.split(" - ")[0].split()[-1] for l in lines), "What service logs the most?")
    ask(name, len([l for l in lines if "Stock low" in l]), "How many times was stock low?")
    ask(name, len([l for l in lines if "Cannot send mail to ben" in l]), "How often could no mail be sent to ben?")
    ask(name, len([l for l in lines if " WARN " in l or " ERROR " in l]), "Count warnings and errors together.")
