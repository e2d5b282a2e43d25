"""The tenth batch: unseen questions over the twelve files of batch_ten_files.py, each answered from the written file alone.

Written without sight of the grammar or of earlier questions. Expected is a number or a text, a list of texts, a value per group, or
nothing, since the file does not say it.
"""
import csv
import io
import json
import re
from collections import Counter, defaultdict
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal as D

import batch_ten_files
from batch_ten_files import FILES
from common import one

def ask(name, expected, question):
    rows = [list(row) for row in expected.items()] if isinstance(expected, dict) else expected
    one(f"ten/{name}", "batch 10", rows, question)


def text(name, enc="utf-8"):
    return (FILES / name).read_bytes().decode(enc)


def table(name, sep=",", enc="utf-8", skip=0):
    lines = text(name, enc).splitlines()[skip:]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines)), delimiter=sep))
    assert all(None not in row and None not in row.values() for row in rows), name
    return rows


def num(value, point="."):
    """A number out of a cell, units and thousands marks dropped; None when the cell holds none."""
    if value.strip() in ("", "-", "n/a"):
        return None
    keep = "".join(c for c in value if c.isdigit() or c == point)
    return D(keep.replace(point, "."))


def plain(value):
    value = D(value)
    s = format(value, "f")
    return s.rstrip("0").rstrip(".") if "." in s else s


def r2(value):
    return plain(D(value).quantize(D("0.01"), ROUND_HALF_UP))


def mean(values):
    values = [D(v) for v in values if v is not None]
    assert values
    return r2(sum(values) / len(values))


def best(pairs, n=1, low=False):
    """The n names with the largest (or smallest) value; stops at any tie that would make the answer arguable."""
    order = sorted(pairs, key=lambda p: p[1], reverse=not low)
    for a, b in zip(order[:n], order[1:n + 1]):
        assert a[1] != b[1], ("tie", order[:n + 1])
    return [p[0] for p in order[:n]]


def day(s, fmt):
    return datetime.strptime(s, fmt)


def everything():
    batch_ten_files.main()
    # --- the landlord
    F = "rent_ledger.csv"
    rows = table(F)
    UK = "%d/%m/%Y"
    ask(F, str(sum(r["Paid on"] == "-" for r in rows)), "How many of the rents were never paid?")
    ask(F, plain(sum(num(r["Paid"]) for r in rows if r["Paid on"] != "-" and (day(r["Paid on"], UK).year, day(r["Paid on"], UK).month) == (2025, 3))),
        "How much money reached me in payments made in March 2025?")
    ask(F, plain(sum(num(r["Rent"]) for r in rows if r["Property"] == "14 Harbour Street")), "What does the rent for 14 Harbour Street add up to over the whole ledger?")
    late = Counter(r["Tenant"] for r in rows if r["Paid on"] != "-" and day(r["Paid on"], UK) > day(r["Due"], UK))
    ask(F, best(late.items())[0], "Which tenant paid after the due date most often?")
    ask(F, str(sum(r["Method"] == "Cash" for r in rows)), "How many times was I paid in cash?")
    ask(F, str(len({r["Tenant"] for r in rows})), "How many different tenants do I have?")
    gap = [((r["Tenant"], r["Due"]), (day(r["Paid on"], UK) - day(r["Due"], UK)).days) for r in rows if r["Paid on"] != "-"]
    ask(F, str(max(g for _, g in gap)), "How many days after its due date did the most delayed payment come in?")

    # --- the support manager
    F = "ticket_export.csv"
    rows = table(F)
    ask(F, str(sum(r["Status"] != "Solved" for r in rows)), "How many tickets have not been solved yet?")
    ask(F, best(Counter(r["Agent"] for r in rows if r["Status"] == "Solved").items())[0], "Who solved the most tickets?")
    ask(F, str(sum("refund" in r["Subject"].lower() for r in rows)), "How many tickets mention a refund in the subject line?")
    rated = [r["Rating"] for r in rows if r["Rating"] != "n/a"]
    ask(F, r2(D(100) * rated.count("bad") / len(rated)), "Of the tickets that were rated, what percentage got a bad rating?")
    minutes = lambda s: D(s.split()[0]) * {"min": 1, "h": 60}[s.split()[1]]
    ask(F, mean([minutes(r["First reply"]) for r in rows if r["Priority"] == "Urgent"]), "How long did urgent tickets wait for their first reply on average?")
    ask(F, str(sum(r["Created at"][:2] == "04" and r["Created at"][6:10] == "2025" for r in rows)), "Wie viele Tickets wurden im April 2025 angelegt?")
    ask(F, {k: str(v) for k, v in Counter(r["Priority"] for r in rows).items()}, "How many tickets came in for each priority?")

    # --- the data engineer
    F = "events.jsonl"
    rows = [json.loads(line, parse_float=D) for line in text(F).splitlines()]
    buys = [r for r in rows if r["event"] == "purchase"]
    ask(F, str(len({r["user"]["id"] for r in rows})), "How many distinct users are in the event stream?")
    ask(F, str(sum(r["user"]["country"] == "DE" for r in buys)), "How many purchases came from users in DE?")
    ask(F, plain(max(D(r["props"]["amount"]) for r in buys)), "What is the largest amount anybody spent in a single purchase?")
    ask(F, best(Counter(r["device"]["app"]["version"] for r in rows if r["event"] == "error").items())[0], "Which app version threw the most errors?")
    plan = defaultdict(D)
    for r in buys:
        plan[r["user"]["plan"]] += D(r["props"]["amount"])
    ask(F, {k: plain(v) for k, v in plan.items()}, "How much was spent in total by users on each plan?")
    ask(F, max(r["ts"] for r in rows if r["event"] == "signup")[:-1].replace("T", " "), "When did the most recent signup happen?")
    ask(F, str(sum(r["props"].get("duration_ms", 0) > 2000 for r in rows)), "How many events took more than two seconds?")
    ask(F, None, "What is the average age of our users?")

    # --- the hotel
    F = "buchungen_sommer.csv"
    rows = table(F, ";", "utf-8-sig")
    DE = "%d.%m.%Y"
    ask(F, str(sum(r["Status"] == "storniert" for r in rows)), "Wie viele Buchungen wurden storniert?")
    ask(F, plain(sum(num(r["Preis gesamt"], ",") for r in rows if r["Status"] != "storniert")), "Wie viel Geld bringen uns alle nicht stornierten Buchungen zusammen, zum vollen Preis gerechnet?")
    ask(F, best([(r["Gast"], int(r["Nächte"])) for r in rows])[0], "Welcher Gast hat am meisten Nächte auf einmal gebucht?")
    ask(F, r2(D(100) * sum(r["Kanal"] == "Booking.com" for r in rows) / len(rows)), "Wie viel Prozent aller Buchungen kamen über Booking.com?")
    ask(F, str(sum(day("10.07.2025", DE) <= day(r["Anreise"], DE) <= day("20.07.2025", DE) for r in rows)),
        "Wie viele Buchungen haben ihre Anreise zwischen dem 10. und dem 20. Juli 2025, beide Tage mitgezählt?")
    ask(F, [r["Buchungsnr."] for r in rows if r["Anzahlung"] == "-"], "Bei welchen Buchungen fehlt die Anzahlung? Bitte die Buchungsnummern auflisten.")
    ask(F, mean([num(r["Preis gesamt"], ",") for r in rows if r["Zimmertyp"] == "Doppelzimmer"]), "Was kostet eine Buchung im Doppelzimmer durchschnittlich, Stornierungen mitgerechnet?")

    # --- the runner
    F = "training_log.tsv"
    rows = table(F, "\t", skip=1)
    miles = lambda r: num(r["Distance"])
    secs = lambda r: sum(int(x) * y for x, y in zip(r["Time"].split(":"), (3600, 60, 1)))
    ask(F, plain(sum(miles(r) for r in rows if r["Date"].startswith("3/"))), "How many miles did I run in March?")
    ask(F, best([(day(r["Date"], "%m/%d/%Y").date().isoformat(), miles(r)) for r in rows])[0], "On which day did I run the farthest?")
    shoes = defaultdict(D)
    for r in rows:
        shoes[r["Shoes"]] += miles(r)
    ask(F, {k: plain(v) for k, v in shoes.items()}, "How many miles have I put on each pair of shoes?")
    beats = lambda kind: [num(r["Avg HR"]) for r in rows if r["Workout"] == kind and r["Avg HR"] != "n/a"]
    ask(F, mean(beats("Tempo")), "What's my average heart rate on tempo runs?")
    ask(F, str(sum(secs(r) > 5400 for r in rows)), "How many of my runs took longer than an hour and a half?")
    diff = sum(beats("Intervals")) / len(beats("Intervals")) - sum(beats("Easy")) / len(beats("Easy"))
    ask(F, r2(diff), "How much higher is my average heart rate on interval days than on easy days?")
    ask(F, str(sum(r["Avg HR"] == "n/a" for r in rows)), "Bei wie vielen Läufen fehlt der Puls?")
    ask(F, str(sum("knee" in r["Notes"].lower() for r in rows)), "How often do my notes mention my knee?")

    # --- the devops engineer: access log
    F = "shop_access.log"
    LINE = re.compile(r'(\S+) \S+ \S+ \[(\d+)/(\w+)/(\d+):(\d\d):(\d\d):(\d\d) [^\]]+\] "(\S+) (\S+) [^"]*" (\d{3}) (\S+) "([^"]*)" "([^"]*)"$')
    hits = [LINE.match(line).groups() for line in text(F).splitlines()]
    ask(F, str(sum(h[9][0] == "5" for h in hits)), "How many requests ended in a 5xx error?")
    ask(F, best(Counter(h[0] for h in hits).items())[0], "Which IP address hit us most often?")
    paths = best(Counter(h[8] for h in hits).items(), 3)
    ask(F, paths, "What are the three most requested paths?")
    assert best(Counter(h[8].split("?")[0] for h in hits).items(), 3) == paths
    ask(F, str(sum(int(h[10]) for h in hits if h[10] != "-")), "How many bytes did we send out altogether?")
    ask(F, best(Counter(h[4] for h in hits).items())[0], "In which hour of the day was there the most traffic, counted in requests?")
    ask(F, str(sum("Googlebot" in h[12] for h in hits)), "Wie viele Zugriffe stammen vom Googlebot?")
    ask(F, r2(D(100) * sum(h[7] == "POST" for h in hits) / len(hits)), "Wie viel Prozent der Anfragen waren POST-Anfragen?")
    ask(F, None, "How many seconds did the server need to answer a request on average?")

    # --- the other devops engineer: syslog
    F = "syslog_excerpt.log"
    LINE = re.compile(r"(\w{3} \d\d \d\d:\d\d:\d\d) (\S+) ([\w]+)(?:\[(\d+)\])?: (.*)$")
    hits = [LINE.match(line).groups() for line in text(F).splitlines()]
    ask(F, str(sum("Failed password" in h[4] for h in hits)), "How many failed password attempts were there?")
    ask(F, best(Counter(h[1] for h in hits).items())[0], "Which host wrote the most log lines?")
    ask(F, str(sum("Out of memory: Killed process" in h[4] for h in hits)), "How many processes did the kernel kill because memory ran out?")
    took = []
    for h in hits:
        m = re.search(r"finished in ([\d.]+)(ms|s), wrote (\d+)MB", h[4])
        if m:
            took.append((m[1] + m[2], D(m[1]) / (1000 if m[2] == "ms" else 1), int(m[3])))
    ask(F, best([(t[0], t[1]) for t in took])[0], "How long did the slowest backup snapshot take?")
    ask(F, str(sum(t[2] for t in took)), "How many MB did the backup snapshots write in total?")
    source = Counter(re.search(r" from (\S+) port", h[4])[1] for h in hits if "Failed password" in h[4])
    ask(F, best(source.items())[0], "From which address came the most failed logins?")
    ask(F, str(sum(h[2] == "CRON" for h in hits)), "Wie viele Zeilen hat CRON geschrieben?")
    okay = [h for h in hits if h[4].startswith("Accepted publickey")]
    ask(F, okay[-1][4].split()[3], "Which user was the last one to log in successfully?")

    # --- the biologist
    F = "ringing_2025.tsv"
    rows = table(F, "\t")
    ask(F, {k: str(v) for k, v in Counter(r["site"] for r in rows).items()}, "How many birds did we catch at each site?")
    mass = lambda species, sex: [num(r["mass"]) for r in rows if r["species"] == species and r["sex"] == sex and r["mass"] != "n/a"]
    ask(F, mean(mass("Great tit", "m")), "What is the mean mass of the male great tits?")
    ask(F, best([(r["ring"], num(r["wing"])) for r in rows if r["wing"] != "n/a"])[0], "Which bird (ring number) has the longest wing?")
    b = lambda s: sum(mass("Blue tit", s)) / len(mass("Blue tit", s))
    ask(F, r2(b("m") - b("f")), "How much heavier are male blue tits than females on average?")
    ask(F, str(sum(r["wing"] == "n/a" for r in rows)), "For how many birds was the wing not measured?")
    ask(F, best([(r["ring"], num(r["mass"])) for r in rows if r["mass"] != "n/a"], 3), "Welche drei Vögel sind die schwersten? Bitte die Ringnummern nennen.")
    ask(F, None, "What was the air temperature when the birds were caught?")

    # --- the municipal clerk
    F = "bauantraege.csv"
    rows = table(F, ";", "cp1252")
    ask(F, str(sum(r["Entscheidung am"] == "-" for r in rows)), "Über wie viele Anträge ist noch nicht entschieden?")
    assert all((r["Entscheidung am"] == "-") == (r["Stand"] in ("in Prüfung", "Unterlagen fehlen")) for r in rows)
    ask(F, str(sum(r["Stand"] == "abgelehnt" and r["Entscheidung am"][3:] == "05.2025" for r in rows)), "Wie viele Anträge haben wir im Mai 2025 abgelehnt?")
    ask(F, best(Counter(r["Ortsteil"] for r in rows).items())[0], "Aus welchem Ortsteil kommen die meisten Anträge?")
    fees = defaultdict(D)
    for r in rows:
        fees[r["Ortsteil"]] += num(r["Gebühr"], ",")
    ask(F, {k: plain(v) for k, v in fees.items()}, "Wie hoch sind die Gebühren insgesamt in jedem Ortsteil?")
    ask(F, best([(r["Aktenzeichen"], D(r["Fläche"].split()[0].replace(".", "").replace(",", "."))) for r in rows])[0], "Welches Aktenzeichen hat der Antrag mit der größten Fläche?")
    ask(F, str(sum("Garage" in r["Vorhaben"] for r in rows)), "Bei wie vielen Vorhaben geht es um eine Garage?")
    ask(F, min((day(r["Eingang"], DE) for r in rows if r["Entscheidung am"] == "-")).date().isoformat(), "Wann ist der älteste noch nicht entschiedene Antrag eingegangen?")
    ask(F, mean([(day(r["Entscheidung am"], DE) - day(r["Eingang"], DE)).days for r in rows if r["Entscheidung am"] != "-"]),
        "Wie viele Tage vergehen im Durchschnitt vom Eingang bis zur Entscheidung?")

    # --- the library
    F = "loans.csv"
    rows = table(F)
    LB = "%d-%b-%Y"
    ask(F, best(Counter(r["Title"] for r in rows).items(), 3), "What are the three most borrowed titles?")
    ask(F, str(sum(r["Returned"] == "" for r in rows)), "How many loans have not been returned yet?")
    ask(F, str(sum(r["Returned"] != "" and day(r["Returned"], LB) > day(r["Due"], LB) for r in rows)), "How many loans came back after their due date?")
    ask(F, plain(sum(num(r["Fine"]) or 0 for r in rows)), "How much did we charge in fines altogether?")
    ask(F, best(Counter(r["Borrower"] for r in rows).items())[0], "Which borrower has the most loans?")
    ask(F, str(len({r["Author"] for r in rows})), "How many different authors were borrowed?")
    ask(F, r2(D(100) * sum(int(r["Renewals"]) > 0 for r in rows) / len(rows)), "What percentage of loans was renewed at least once?")
    ask(F, None, "How many pages does the average borrowed book have?")

    # --- the freelancer
    F = "invoices_2025.csv"
    lines = table(F, ";")
    rows = [r for r in lines if r["Rechnung"] != "Total"]
    assert len(rows) == len(lines) - 1
    hours = lambda r: D(r["Stunden"].split()[0])
    ask(F, plain(sum(num(r["USD"]) or 0 for r in rows)), "How much have I billed in US dollars altogether?")
    assert all(sum(num(r[c]) or 0 for r in rows) == num(lines[-1][c]) for c in ("CHF", "EUR", "USD"))
    ask(F, best(Counter(r["Kunde"] for r in rows).items())[0], "Which client got the most invoices?")
    ask(F, best([(r["Rechnung"], num(r["CHF"])) for r in rows if r["CHF"]])[0], "Which invoice number is my biggest one in Swiss francs?")
    ask(F, [r["Rechnung"] for r in rows if r["Bezahlt am"] == "-"], "Welche Rechnungen sind noch nicht bezahlt? Bitte die Nummern.")
    ask(F, str(sum(r["Datum"][3:] in ("04.2025", "05.2025", "06.2025") for r in rows)), "How many invoices did I write from April through June 2025?")
    ask(F, mean([num(r["CHF"]) for r in rows if r["CHF"]]), "Wie hoch ist eine Rechnung in Franken durchschnittlich?")
    worked = defaultdict(D)
    for r in rows:
        worked[r["Kunde"]] += hours(r)
    ask(F, best(worked.items(), 1, low=True)[0], "For which client did I work the fewest hours overall?")

    # --- the school
    F = "year8_marks.csv"
    rows = table(F)
    mark = lambda r, s: None if r[s] == "-" else int(r[s])
    avg = lambda values: D(sum(values)) / len(values)
    ask(F, mean([mark(r, "Maths") for r in rows if r["Form"] == "8B"]), "What is the average maths mark in 8B?")
    ask(F, best([(r["Pupil"], mark(r, "Maths")) for r in rows if mark(r, "Maths") is not None])[0], "Who got the best mark in Maths?")
    ask(F, str(sum(mark(r, "English") is not None and mark(r, "English") < 50 for r in rows)), "How many pupils scored below 50 in English?")
    ask(F, best([(f, avg([mark(r, "History") for r in rows if r["Form"] == f and r["History"] != "-"])) for f in ("8A", "8B", "8C")])[0], "Which form has the highest average in History?")
    ask(F, [r["Pupil"] for r in rows if r["History"] == "-"], "Which pupils have no mark in History?")
    ask(F, best([(s, avg([mark(r, s) for r in rows if r[s] != "-"])) for s in ("Maths", "English", "Science", "History")])[0], "In which of the four subjects is the average mark highest?")
    ask(F, str(sum(None not in (mark(r, "Maths"), mark(r, "English")) and mark(r, "Maths") > mark(r, "English") for r in rows)),
        "How many pupils did better in Maths than in English?")
