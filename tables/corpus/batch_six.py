"""The sixth batch of unseen questions: eighty, in the words of a person who has the file before them, all written with their answers
before one of them was asked. Needs Python 3.9; make.py calls it.

The files are new as well (batch_six_files.py); each is read here again by a few lines.
"""
import csv
import json
import re
from datetime import date, datetime
from decimal import Decimal

import batch_six_files
from common import FILES, mean, one, percent, plain, total
from read_back import amount_of, american, as_rows, bottom, count_by, dotted, german_amount, group, jsonl, most, text_of, top


def ask(name, expected, question):
    one(name, "batch 6", expected, question)


def records(name, delimiter=",", encoding="utf-8-sig"):
    with open(FILES / name, encoding=encoding, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def markdown(name):
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text_of(name).splitlines() if line.startswith("|")]
    return [dict(zip(lines[0], cells)) for cells in lines[2:]]


def comma(cell):
    return Decimal(re.sub(r"[^0-9,\-]", "", cell).replace(",", "."))


def long_day(cell):
    return datetime.strptime(cell, "%d %B %Y").date()


def everything():
    batch_six_files.everything()
    money()
    clinic()
    school()
    meters()
    football()
    logs()
    town()
    machines()


def money():
    name = "shop-returns.csv"
    rows = records(name)
    price = {r["Return ID"]: amount_of(r["Price"]) for r in rows}
    refunded = [r for r in rows if r["Refunded"] == "Y"]
    ask(name, total(amount_of(r["Price"]) for r in refunded), "What's the total price of everything that was refunded?")
    ask(name, len([r for r in rows if r["Reason"] == "damaged"]), "How many things came back damaged?")
    ask(name, [r["Product"] for r in top(rows, lambda r: price[r["Return ID"]])], "Which product was the most expensive return?")
    ask(name, len([r for r in rows if american(r["Returned on"]).month == 2 and r["Product"] == "Toaster"]), "How many toasters were returned in February?")

    name = "spenden.csv"
    rows = records(name, ";")
    ask(name, total(german_amount(r["Betrag"]) for r in rows if r["Zweck"] == "Tierheim"), "Wie viel wurde insgesamt für das Tierheim gespendet?")
    ask(name, [[k, total(v)] for k, v in group(rows, lambda r: r["Spender"], lambda r: german_amount(r["Betrag"])).items()], "Wie viel hat jeder Spender insgesamt gegeben?")
    ask(name, len([r for r in rows if r["Quittung"] == "nein"]), "Wie viele Spenden haben keine Quittung?")
    ask(name, plain(max(german_amount(r["Betrag"]) for r in rows if dotted(r["Datum"]).year == 2025)), "Was war 2025 die größte Spende?")

    name = "gym.csv"
    rows = records(name)
    ask(name, mean(int(r["Age"]) for r in rows if r["Plan"] == "family"), "How old are the members on the family plan on average?")
    ask(name, len([r for r in rows if not r["E-mail"]]), "How many members have no e-mail address?")
    ask(name, [r["Member"] for r in top(rows, lambda r: int(r["Visits"]), 3)], "Who are the three members with the most visits?")
    ask(name, len([r for r in rows if r["Joined"].endswith("2024")]), "How many people joined in 2024?")


def clinic():
    name = "patienten.csv"
    rows = records(name, ";", "latin-1")
    cost = lambda r: german_amount(r["Kosten"])
    ask(name, mean(int(r["Tage"]) for r in rows if r["Station"] == "Chirurgie"), "Wie viele Tage lagen Patienten der Chirurgie im Schnitt?")
    ask(name, total(cost(r) for r in rows if r["Privat"] == "ja"), "Wie hoch sind die gesamten Kosten der Privatpatienten?")
    ask(name, most(r["Station"] for r in rows), "Welche Station hatte die meisten Aufnahmen?")
    ask(name, len({r["Patient"] for r in rows if dotted(r["Geboren"]).year < 1950}), "Wie viele Patienten wurden vor 1950 geboren?")

    name = "appointments.tsv"
    rows = records(name, "\t")
    minutes = lambda r: int(r["duration"].split()[0])
    ask(name, len([r for r in rows if r["doctor"] == "Dr. Patel" and r["showed_up"] == "no"]), "How many of Dr. Patel's patients didn't show up?")
    ask(name, [d for d, v in group(rows, lambda r: r["doctor"], minutes).items() if sum(v) == max(sum(w) for w in group(rows, lambda r: r["doctor"], minutes).values())], "Which doctor has the longest total duration?")
    ask(name, len([r for r in rows if r["room"] == "205" and minutes(r) >= 30]), "How many appointments in room 205 took at least half an hour?")
    ask(name, percent(len([r for r in rows if r["showed_up"] == "no"]), len(rows)), "What percentage of appointments were no-shows, i.e. showed_up is no?")


def school():
    name = "zeugnisse.csv"
    rows = records(name, ";")
    known = [r for r in rows if r["Note"]]
    ask(name, mean(comma(r["Note"]) for r in known if r["Fach"] == "Mathematik"), "Wie ist der Notendurchschnitt in Mathematik?")
    ask(name, sum(int(r["Fehltage"]) for r in rows if r["Schüler"] == "Mia"), "Wie viele Fehltage hat Mia insgesamt?")
    ask(name, [[r["Schüler"]] for r in bottom([r for r in known if r["Fach"] == "Deutsch"], lambda r: comma(r["Note"]))], "Wer hat die beste (kleinste) Note in Deutsch?")
    ask(name, len([r for r in rows if not r["Note"]]), "Bei wie vielen Einträgen fehlt die Note?")

    name = "outings" ".md"
    rows = markdown(name)
    pounds = lambda r: amount_of(r["Price"])
    ask(name, sum(int(r["Kids"]) for r in rows if r["Class"] == "4a"), "How many kids of class 4a go on trips altogether?")
    ask(name, [r["Trip"] for r in bottom(rows, pounds)], "Which trip is cheapest?")
    ask(name, len([r for r in rows if long_day(r["Date"]).month == 5]), "How many trips are planned for May?")
    ask(name, [r["Trip"] for r in rows if r["Destination"] == "Zoo"], "Which trips go to the zoo?")


def meters():
    name = "stromzaehler.csv"
    rows = records(name, ";")
    use = "Verbrauch (kWh)"
    known = [r for r in rows if r[use]]
    when = lambda r: datetime.strptime(r["Zeitpunkt"], "%d.%m.%Y %H:%M")
    ask(name, total(comma(r[use]) for r in known if r["Zähler"] == "Küche"), "Wie viel kWh hat die Küche insgesamt verbraucht?")
    ask(name, plain(max(comma(r[use]) for r in known if when(r).date() == date(2026, 2, 3))), "Wie hoch war der höchste Verbrauch am 3. Februar 2026?")
    ask(name, len([r for r in rows if r["Status"] == "Fehler"]), "Wie oft gab es einen Fehler?")
    ask(name, [[k, mean(v)] for k, v in group(known, lambda r: r["Zähler"], lambda r: comma(r[use])).items()], "durchschnittlicher Verbrauch pro Zähler")

    name = "gas-meter.txt"
    rows = [dict(zip(["meter", "at", "usage", "temp", "estimated"], line.split("|"))) for line in text_of(name).splitlines()[2:]]
    known = [r for r in rows if r["usage"] != "-"]
    ask(name, total(Decimal(r["usage"]) for r in known if r["meter"] == "G-18"), "How much gas did meter G-18 use in total?")
    ask(name, len([r for r in rows if Decimal(r["temp"]) < 0]), "How often was the temperature below zero?")
    ask(name, len([r for r in rows if r["estimated"] == "true"]), "How many readings are estimated?")
    ask(name, plain(min(Decimal(r["temp"]) for r in rows)), "What was the coldest temp?")


def football():
    name = "spiele.csv"
    rows = records(name, ";")
    ask(name, len([r for r in rows if r["Heim"] == "SV Talbach" or r["Gast"] == "SV Talbach"]), "Wie viele Spiele hat SV Talbach gemacht, egal ob Heim oder Gast?")
    ask(name, sum(int(r["Heimtore"]) for r in rows if r["Heim"] == "Union Ost"), "Wie viele Heimtore hat Union Ost geschossen?")
    ask(name, plain(max(int(r["Zuschauer"].replace(".", "")) for r in rows)), "Wie viele Zuschauer kamen höchstens?")
    ask(name, mean(int(r["Zuschauer"].replace(".", "")) for r in rows if r["Heim"] == "1. FC Burg"), "Wie viele Zuschauer hatte 1. FC Burg zu Hause im Durchschnitt?")

    name = "standings" ".md"
    rows = markdown(name)
    ask(name, [r["Club"] for r in rows if r["Pos"] == "1"], "Which club finished first?")
    ask(name, [r["Points"] for r in rows if r["Club"] == "Hexham City"], "How many points did Hexham City get?")
    ask(name, [r["Club"] for r in rows if int(r["Lost"]) > 8], "Which clubs lost more than 8 times?")
    ask(name, [r["Club"] for r in top(rows, lambda r: int(r["Goals"]))], "Who scored the most goals?")


def logs():
    name = "shop-access.log"
    shape = re.compile(r'(\S+) - - \[[^:]*:(\d+):[^]]*\] "(\S+) (\S+) [^"]*" (\d+) (\d+) "([^"]*)" "([^"]*)"')
    hits = [shape.match(line).groups() for line in text_of(name).splitlines()]
    ask(name, len([h for h in hits if h[4].startswith("5")]), "How many server errors (5xx) were there?")
    ask(name, most(h[3] for h in hits if h[4] == "404"), "Which page gave the most 404s?")
    ask(name, sum(int(h[5]) for h in hits if h[0] == "203.0.113.4"), "How many bytes were sent to 203.0.113.4?")
    ask(name, len([h for h in hits if "Googlebot" in h[7]]), "How many requests came from Googlebot?")

    name = "auth.log"
    lines = text_of(name).splitlines()
    ask(name, len([l for l in lines if "Failed password for root" in l]), "How many failed password attempts for root are there?")
    ask(name, len([l for l in lines if "Accepted publickey" in l]), "How many lines contain \"Accepted publickey\"?")
    ask(name, len([l for l in lines if "CRON[" in l]), "How many messages are from CRON?")
    ask(name, len([l for l in lines if 4 <= int(l[7:9]) < 6]), "How many lines are there between 4 and 6 o'clock?")

    name = "backups.logfmt"
    entries = [dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line)) for line in text_of(name).splitlines()]
    took = lambda e: Decimal(e["took"][:-2]) if e["took"].endswith("ms") else 1000 * Decimal(e["took"][:-1])
    ask(name, len([e for e in entries if "err" in e]), "How many backups had a disk full error?")
    ask(name, len([e for e in entries if took(e) > 10000 and e["tenant"] == "acme"]), "How many backups for acme took longer than ten seconds?")
    ask(name, [k for k, v in group(entries, lambda e: e["worker"], took).items() if sum(v) / len(v) == max(sum(w) / len(w) for w in group(entries, lambda e: e["worker"], took).values())], "Which worker was the slowest on average?")
    ask(name, as_rows(count_by(e["level"] for e in entries)), "Count the entries for every level")


def town():
    name = "buses.csv"
    rows = records(name)
    delay = lambda r: int(r["Delay"].split()[0])
    clock = lambda r: int(r["Scheduled"].replace(":", ""))
    ask(name, [k for k, v in group(rows, lambda r: r["Line"], lambda r: int(r["Passengers"])).items() if sum(v) == max(sum(w) for w in group(rows, lambda r: r["Line"], lambda r: int(r["Passengers"])).values())], "Which line carried the most passengers?")
    ask(name, len([r for r in rows if delay(r) > 10]), "How many buses were more than 10 minutes late?")
    ask(name, mean(delay(r) for r in rows if r["Driver"] == "Iqbal"), "What's Iqbal's average delay?")
    ask(name, len([r for r in rows if r["Stop"] == "Harbour" and clock(r) < 1200]), "How many buses were scheduled at Harbour before noon?")

    name = "loans.csv"
    rows = records(name)
    ask(name, len([r for r in rows if not r["returned"]]), "How many books haven't been returned yet?")
    ask(name, [k for k, v in group(rows, lambda r: r["borrower"], lambda r: Decimal(r["fine"])).items() if sum(v) == max(sum(w) for w in group(rows, lambda r: r["borrower"], lambda r: Decimal(r["fine"])).values())], "Who paid the most in fines?")
    ask(name, most(r["title"] for r in rows), "What's the most popular title?")
    ask(name, len([r for r in rows if r["borrower"] == "Lotte" and r["borrowed"].startswith("2026-02")]), "How many books did Lotte borrow in February?")

    name = "wetter.tsv"
    rows = records(name, "\t")
    ask(name, [plain(min(comma(r["Temperatur"]) for r in rows if r["Ort"] == "Jena"))], "Was war die tiefste Temperatur in Jena?")
    ask(name, len({r["Datum"] for r in rows if r["Ort"] == "Kiel" and comma(r["Regen"]) > 0}), "An wie vielen Tagen hat es in Kiel geregnet?")
    ask(name, total(comma(r["Regen"]) for r in rows if r["Ort"] == "Kiel"), "Wie viel mm Regen fielen in Kiel?")
    ask(name, [[r["Datum"][6:] + "-" + r["Datum"][3:5] + "-" + r["Datum"][:2]] for r in top(rows, lambda r: int(r["Wind"].split()[0]))], "An welchem Tag war der Wind am stärksten?")


def machines():
    name = "checkouts.jsonl"
    rows = jsonl(name)
    ask(name, total(Decimal(str(r["cart"]["total"])) for r in rows if r["customer"]["country"] == "AT"), "What's the sum of cart totals from Austria (AT)?")
    ask(name, len([r for r in rows if r["coupon"] == "SPRING"]), "How many checkouts used the SPRING coupon?")
    ask(name, len([r for r in rows if r.get("payment") == "paypal" and r["cart"]["items"] > 3]), "How many paypal checkouts had more than three items?")
    ask(name, most(r["customer"]["name"] for r in rows), "Which customer checked out most often?")

    name = "servers.json"
    rows = json.loads(text_of(name))["hosts"]
    ask(name, len([r for r in rows if r["os"]["name"] == "Debian" and r["site"] == "Oslo"]), "How many Debian servers are in Oslo?")
    ask(name, sum(r["cpus"] for r in rows if r["site"] == "Berlin"), "How many CPUs do we have in Berlin?")
    ask(name, [r["hostname"] for r in rows if not r["monitored"]], "Which servers aren't monitored?")
    ask(name, len([r for r in rows if r["ram"] in ("8 GB", "512 MB")]), "How many hosts have less than 16 GB of RAM?")

    name = "firewall.log"
    rows = [dict(re.findall(r"(\w+)=(\S+)", line)) for line in text_of(name).splitlines()]
    ask(name, len([r for r in rows if r["action"] == "DROP"]), "How many packets were dropped?")
    ask(name, most(r["src"] for r in rows if r["action"] == "DROP"), "Which source address was dropped most?")
    ask(name, len([r for r in rows if r["proto"] == "TCP" and r["dport"] == "22"]), "How many TCP packets went to port 22?")
    ask(name, sum(int(r["len"]) for r in rows if r["proto"] == "UDP"), "Total length of the UDP packets?")
