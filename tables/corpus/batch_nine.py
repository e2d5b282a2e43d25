"""The ninth batch: unseen questions over the fourteen files of batch_nine_files.py, each answered from the written file alone.

Written without sight of the grammar or of earlier questions. The third argument of `ask` says what is expected: a number, one or
several texts, groups with a number each, a date, or nothing, since the file does not say it.
"""
import csv
import json
import re
from collections import Counter, defaultdict
from datetime import date, datetime
from decimal import Decimal as D
from html.parser import HTMLParser

import batch_nine_files
from batch_nine_files import FILES
from common import one

MONTHS = {name: at + 1 for at, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())}


def number(value):
    value = D(value)
    text = format(value.quantize(D("0.0001")), "f") if value != value.to_integral_value() else format(value, ".0f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def ask(file, kind, type_, expected, question, lang="en", unit="", ordered=False):
    if type_ in ("number", "money", "percent"):
        expected = number(expected)
    elif type_ == "groups":
        expected = [[name, number(value)] for name, value in expected.items()]
    elif type_ == "date":
        expected = expected.isoformat(sep=" ") if isinstance(expected, datetime) else expected.isoformat()
    one(f"nine/{file}", "batch 9", expected, question)


def mean(values):
    values = list(values)
    return sum(values, D(0)) / len(values)


def sole(counts, least=False):
    """The one name with the most (or least); a tie is an error in the question."""
    ranked = sorted(counts.items(), key=lambda item: item[1], reverse=not least)
    assert len(ranked) == 1 or ranked[0][1] != ranked[1][1], ranked[:3]
    return ranked[0][0]


def best(rows, value, least=False):
    ranked = sorted(rows, key=value, reverse=not least)
    assert value(ranked[0]) != value(ranked[1]), ranked[:2]
    return ranked[0]


def sums(rows, key, value):
    out = defaultdict(D)
    for row in rows:
        out[key(row)] += value(row)
    return dict(out)


def us(text):
    return D(re.sub(r"[$£,\s]", "", text))


def eu(text):
    return D(re.sub(r"[€\s\xa0]", "", text).replace(".", "").replace(",", "."))


def table(name, delimiter, encoding="utf-8", skip=0):
    lines = (FILES / name).read_bytes().decode(encoding).splitlines()[skip:]
    return [{key: value.strip() for key, value in row.items()} for row in csv.DictReader(lines, delimiter=delimiter)]


def lines_of(name):
    return [line for line in (FILES / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def cafe():
    f = "cafe_till.csv"
    rows = table(f, ",")
    money = lambda row: us(row["Line total"])
    month = lambda row: int(row["Date"][:2])
    assert all(us(row["Unit price"]) * int(row["Qty"]) == money(row) for row in rows)
    assert len({row["Receipt #"] for row in rows}) == len(rows)
    ask(f, "total in a month", "money", sum(money(row) for row in rows if month(row) == 3), "How much did we take in March?", unit="USD")
    ask(f, "total", "number", sum(int(row["Qty"]) for row in rows if row["Item"] == "Flat white"), "How many flat whites have we sold altogether?")
    ask(f, "which most", "text", sole(sums(rows, lambda row: row["Staff"], money)), "Who on the staff rang up the most money?")
    ask(f, "average", "money", mean(money(row) for row in rows if row["Paid by"] == "Card"), "How much does someone paying by card spend on average?", unit="USD")
    ask(f, "missing", "number", sum(not row["Paid by"] for row in rows), "For how many sales did nobody note how they were paid?")
    top = sorted(rows, key=money, reverse=True)[:4]
    assert len({money(row) for row in top}) == 4, top
    ask(f, "top 3", "list", [row["Receipt #"] for row in top[:3]], "Give me the receipt numbers of our three biggest sales.", ordered=True)
    ask(f, "share", "percent", 100 * sum(money(row) for row in rows if row["Category"] == "Pastry") / sum(map(money, rows)), "What percentage of everything we took came from pastries?")
    ask(f, "distinct", "number", len({row["Item"] for row in rows}), "How many different items did we sell?")


def bank():
    f = "umsaetze_girokonto.csv"
    rows = table(f, ";", "cp1252", 4)
    who, amount = lambda row: row["Auftraggeber / Empfänger"], lambda row: eu(row["Betrag (EUR)"])
    day = lambda row, name="Buchungstag": datetime.strptime(row[name], "%d.%m.%Y").date()
    assert all(day(row).month == day(row, "Wertstellung").month for row in rows)
    shops = [row for row in rows if "girocard" in row["Verwendungszweck"] and not row["Kategorie"]]
    assert 3 not in {day(row).month for row in shops}
    ask(f, "total in a month", "money", -sum(amount(row) for row in rows if row["Kategorie"] == "Lebensmittel" and day(row).month == 3), "Wie viel habe ich im März für Lebensmittel ausgegeben?", "de", "EUR")
    ask(f, "largest", "money", amount(best(rows, amount)), "Was war der größte Betrag, der auf einmal eingegangen ist?", "de", "EUR")
    ask(f, "missing", "number", sum(not row["Kategorie"] for row in rows), "Wie viele Buchungen haben noch keine Kategorie?", "de")
    ask(f, "total", "money", -sum(amount(row) for row in rows if "REWE" in who(row)), "Wie viel Geld ist 2024 insgesamt bei REWE geblieben?", "de", "EUR")
    ask(f, "which largest", "text", who(best(rows, amount, least=True)), "An wen ging die höchste einzelne Zahlung?", "de")
    ask(f, "total", "money", sum(map(amount, rows)), "Was bleibt im Jahr übrig, wenn man alle Ausgaben von den Einnahmen abzieht?", "de", "EUR")
    ask(f, "count", "number", sum(amount(row) < -200 for row in rows), "Wie oft gingen mehr als 200 Euro auf einmal weg?", "de")
    ask(f, "latest", "date", day(best([row for row in rows if who(row).startswith("Stadtwerke")], day)), "Wann wurde zuletzt der Abschlag an die Stadtwerke abgebucht?", "de")


def marks():
    f = "Noten_8a.csv"
    rows = table(f, ";", "utf-8-sig")
    name = lambda row: [row["Nachname"], row["Vorname"]]
    of = lambda subject, some=rows: [eu(row[subject]) for row in some if row[subject] not in ("", "-")]
    ask(f, "average", "number", mean(of("Mathe")), "Wie ist der Notenschnitt in Mathe?", "de")
    ask(f, "largest", "text", [name(best([row for row in rows if row["Englisch"] not in ("", "-")], lambda row: eu(row["Englisch"])))], "Wer hat in Englisch die schlechteste Note?", "de")
    ask(f, "missing", "number", sum(row["Deutsch"] in ("", "-") for row in rows), "Bei wie vielen Kindern fehlt die Deutschnote?", "de")
    ask(f, "threshold", "number", sum(mark >= 4 for mark in of("Mathe")), "Wie viele haben in Mathe eine 4,0 oder schlechter?", "de")
    sides = [mean(of("Mathe", [row for row in rows if row["m/w"] == side])) for side in "wm"]
    ask(f, "difference", "number", abs(sides[0] - sides[1]), "Um wie viel liegen Jungen und Mädchen in Mathe im Schnitt auseinander?", "de")
    ask(f, "list", "list", [name(row) for row in rows if int(row["Fehltage"]) > 10], "Wer hat mehr als zehn Tage gefehlt?", "de")
    ask(f, "contains", "list", [name(row) for row in rows if "Nachhilfe" in row["Bemerkung"]], "Welche Kinder bekommen Nachhilfe?", "de")
    ask(f, "not in the file", "none", None, "Wie alt sind die Kinder im Durchschnitt?", "de")


def ward():
    f = "ward_obs.csv"
    rows = table(f, ",")
    warm = [row for row in rows if row["Temp (C)"]]
    temp = lambda row: D(row["Temp (C)"])
    ask(f, "which largest", "text", best(warm, temp)["Patient"], "Which patient had the highest temperature?")
    ask(f, "threshold", "number", sum(int(row["SpO2"].rstrip("%")) < 92 for row in rows), "How often was somebody's oxygen saturation under 92 percent?")
    ask(f, "average", "number", mean(D(row["Pulse"]) for row in rows if row["Bed"] == "B2"), "What is the average pulse of the patient in bed B2?")
    ask(f, "missing", "number", len(rows) - len(warm), "How many times did nobody write down a temperature?")
    ask(f, "list distinct", "list", sorted({row["Patient"] for row in warm if temp(row) > 38}), "Which patients had a temperature above 38 degrees at some point?")
    ask(f, "which most", "text", sole(Counter(row["Taken by"] for row in rows if row["Obs time"].startswith("2025-02-05"))), "Which nurse took the most observations on 5 February?")
    ask(f, "count", "number", sum(row["Pain (0-10)"] == "refused" for row in rows), "How many times did a patient refuse to give a pain score?")
    ask(f, "distinct", "number", len({row["Patient"] for row in rows}), "How many different patients are in here?")
    ask(f, "not in the file", "none", None, "What medicines is Maureen Doyle allergic to?")


def rowing():
    f = "rowing_club_subs.tsv"
    rows = [row for row in table(f, "\t") if row["Member no"]]
    due, paid = lambda row: us(row["Fee due"]), lambda row: us(row["Paid so far"] or "0")
    day = lambda text: datetime.strptime(text, "%d/%m/%Y").date()
    ask(f, "count", "number", len(rows), "How many members do we have?")
    ask(f, "difference", "money", sum(map(due, rows)) - sum(map(paid, rows)), "How much money do members still owe the club in total?", unit="GBP")
    ask(f, "missing", "number", sum(paid(row) == 0 for row in rows), "How many members haven't paid a penny yet?")
    ask(f, "list", "list", [row["Name"] for row in rows if row["Membership"] == "Junior" and paid(row) < due(row)], "Which juniors have not paid their full fee?")
    ask(f, "earliest", "text", best(rows, lambda row: day(row["Joined"]), least=True)["Name"], "Who has been in the club the longest?")
    ask(f, "per group", "groups", Counter(row["Membership"] for row in rows), "How many members are there of each type?")
    ask(f, "total", "money", sum(paid(row) for row in rows if row["How"] == "Bank transfer"), "How much came in by bank transfer?", unit="GBP")
    ask(f, "between dates", "number", sum(bool(row["Date paid"]) and date(2025, 4, 1) <= day(row["Date paid"]) <= date(2025, 4, 14) for row in rows), "How many members paid from 1 April up to and including 14 April?")
    ask(f, "before", "number", sum(day(row["Joined"]).year < 2000 for row in rows), "How many people joined before the year 2000?")


def helpdesk():
    f = "helpdesk.jsonl"
    rows = [json.loads(line) for line in lines_of(f)]
    wait = lambda some: mean(D(row["first_reply_min"]) for row in some if "first_reply_min" in row)
    ask(f, "count", "number", sum(row["closed"] is None for row in rows), "How many tickets are still open?")
    ask(f, "average", "number", wait(row for row in rows if row["priority"] == "high"), "How many minutes does a high priority ticket wait for its first reply on average?", unit="min")
    ask(f, "which most", "text", sole(Counter(row["customer"]["name"] for row in rows)), "Which customer has opened the most tickets?")
    ask(f, "contains", "number", sum("billing" in row["tags"] for row in rows), "How many tickets are tagged billing?")
    ask(f, "count", "number", sum(row["customer"]["country"] == "DE" for row in rows), "How many tickets came from customers in Germany?")
    ask(f, "which most", "text", sole(Counter(row["agent"]["name"] for row in rows if row["agent"] and row["closed"])), "Which of our agents has got the most tickets closed?")
    ask(f, "contains", "number", sum("password" in row["subject"].lower() for row in rows), "How many tickets mention a password in the subject?")
    ask(f, "missing", "number", sum(row["agent"] is None for row in rows), "How many tickets have no agent at all?")
    free, pro = (wait(row for row in rows if row["customer"]["plan"] == plan) for plan in ("free", "pro"))
    ask(f, "difference", "number", abs(free - pro), "What is the difference in average first reply time between free and pro customers?", unit="min")
    ask(f, "per group", "groups", Counter(row["priority"] for row in rows), "How many tickets are there for each priority?")
    ask(f, "in a month", "number", sum(row["opened"].startswith("2025-06") for row in rows), "How many tickets were opened in June?")


def nginx():
    f = "shop-nginx.log"
    shape = re.compile(r'(\S+) - - \[(\d+)/(\w+)/(\d+):([\d:]+) \+0200\] "(.*?)" (\d+) (\d+) "(.*?)" "(.*?)"')
    rows = [shape.fullmatch(line).groups() for line in lines_of(f)]
    day = lambda row: date(int(row[3]), MONTHS[row[2]], int(row[1]))
    ask(f, "count", "number", sum(row[6] == "404" for row in rows), "How many requests ended in a 404?")
    ask(f, "which most", "text", sole(Counter(row[5].split()[1] for row in rows if row[6] == "404")), "Which path gave the most 404s?")
    ask(f, "which most", "text", sole(Counter(row[0] for row in rows)), "Which IP address hit us the most?")
    ask(f, "total", "number", sum(int(row[7]) for row in rows), "How many bytes did the server send out in total?", unit="bytes")
    ask(f, "distinct", "number", len({row[0] for row in rows}), "How many different IP addresses came by?")
    ask(f, "count", "number", sum(row[6] >= "500" for row in rows), "Wie oft hat der Server mit einem 5xx-Fehler geantwortet?", "de")
    ask(f, "contains", "number", sum("Googlebot" in row[9] for row in rows), "How many requests came from Googlebot?")
    ask(f, "which most", "date", sole(Counter(map(day, rows))), "An welchem Tag gab es die meisten Zugriffe?", "de")
    ask(f, "share", "percent", D(100) * sum(row[6] == "200" for row in rows) / len(rows), "What percentage of the requests were answered with a 200?")
    ask(f, "count", "number", sum(row[5].startswith("POST /checkout ") for row in rows), "How many POSTs to the checkout were there?")
    ask(f, "not in the file", "none", None, "How many milliseconds did the requests take on average?")


def syslog():
    f = "garage-pi.syslog"
    rows = [re.fullmatch(r"(\w+) +(\d+) ([\d:]+) garage-pi ([^:\[]+)(?:\[\d+\])?: (.*)", line).groups() for line in lines_of(f)]
    failed = [(row, re.fullmatch(r"Failed password for (?:invalid user )?(\S+) from (\S+) port \d+ ssh2", row[4])) for row in rows if row[4].startswith("Failed")]
    ask(f, "count", "number", len(failed), "How many failed password attempts were there?")
    ask(f, "which most", "text", sole(Counter(m[2] for _, m in failed)), "Which IP address had the most failed logins?")
    ask(f, "distinct", "number", len({m[1] for _, m in failed}), "How many different user names were tried in the failed logins?")
    oom = [row for row in rows if "Out of memory" in row[4]]
    ask(f, "latest", "text", "03-{:0>2} {}".format(*oom[-1][1:3]), "When did the machine last run out of memory?")
    ask(f, "count on a day", "number", sum("backup.sh" in row[4] and row[1] == "5" for row in rows), "Wie oft lief am 5. März das Backup-Skript?", "de")
    ask(f, "list distinct", "list", sorted({re.search(r"for (\S+) from", row[4])[1] for row in rows if row[4].startswith("Accepted")}), "Welche Benutzer haben sich erfolgreich angemeldet?", "de")
    ask(f, "per group", "groups", Counter(f"03-{row[1]:0>2}" for row, _ in failed), "How many failed logins were there on each day?")


def java():
    f = "orderservice.log"
    all_lines = lines_of(f)
    rows = [m.groups() for m in (re.fullmatch(r"(\S+ \S+) (\w+) +\[\S+\] c\.a\.order\.(\w+) - (.*)", line) for line in all_lines) if m]
    errors = [row for row in rows if row[1] == "ERROR"]
    took = {m[1]: int(m[2]) for m in (re.fullmatch(r"Payment for order (\d+) took (\d+) ms", row[3]) for row in rows) if m}
    ask(f, "count", "number", len(errors), "How many errors were logged?")
    ask(f, "contains", "number", sum(line.startswith("java.lang.NullPointerException") for line in all_lines), "How many NullPointerExceptions were there?")
    ask(f, "largest", "number", took[sole(took)], "What is the longest time a payment took?", unit="ms")
    top = sorted(took, key=took.get, reverse=True)[:4]
    assert len({took[order] for order in top}) == 4, top
    ask(f, "top 3", "list", top[:3], "Which three orders had the slowest payments?", ordered=True)
    ask(f, "list", "list", [row[3].split()[-1] for row in errors if "gateway timeout" in row[3]], "Which orders ran into a payment gateway timeout?")
    ask(f, "earliest", "text", errors[0][0].replace(",", "."), "When did the first error happen?")
    ask(f, "which most", "text", "c.a.order." + sole(Counter(row[2] for row in rows if row[1] == "WARN")), "Which component logged the most warnings?")
    ask(f, "average", "number", mean(D(row[3].split()[2]) for row in rows if row[3].startswith("Slow query")), "How long did the slow queries take on average?", unit="ms")
    ask(f, "total", "money", sum(D(re.search(r"total ([\d.]+) EUR", row[3])[1]) for row in rows if " created, " in row[3]), "Wie viel waren alle angelegten Bestellungen zusammen wert?", "de", "EUR")
    ask(f, "which most", "text", sole(Counter(row[3].split()[4].rstrip(":") for row in rows if row[3].startswith("Stock low"))), "For which article was low stock reported most often?")


def mailer():
    f = "mailer.logfmt"
    rows = [{m[1]: m[2].strip('"') for m in re.finditer(r'(\w+)=("[^"]*"|\S+)', line)} for line in lines_of(f)]
    seconds = lambda row: D(row["took"][:-2]) / 1000 if row["took"].endswith("ms") else D(row["took"][:-1])
    bounced = [row for row in rows if row["msg"] == "mail bounced"]
    ask(f, "count", "number", len(bounced), "How many mails bounced?")
    ask(f, "largest", "number", seconds(best(rows, seconds)), "How many seconds did the slowest mail take?", unit="s")
    ask(f, "per group", "groups", Counter(row["to_domain"] for row in bounced), "How many mails bounced for each domain?")
    gmx = [row for row in rows if row["to_domain"] == "gmx.de"]
    ask(f, "share", "percent", D(100) * sum(row in bounced for row in gmx) / len(gmx), "What percentage of the mails to gmx.de bounced?")
    ask(f, "threshold", "number", sum(int(row["attempt"]) > 1 for row in rows), "How many mails needed more than one attempt?")
    ask(f, "which most", "text", sole(Counter(row["reason"] for row in bounced)), "What was the most common reason for a bounce?")
    ask(f, "average", "number", mean(seconds(row) for row in rows if row["template"] == "invoice"), "Wie viele Sekunden hat eine Mail mit der Vorlage invoice im Durchschnitt gedauert?", "de", "s")
    ask(f, "threshold", "number", sum(seconds(row) > 2 for row in rows), "How many mails took longer than 2 seconds?")


def bees():
    f = "bees-2025" ".md"
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines_of(f) if line.startswith("|")]
    rows = [dict(zip(cells[0], row)) for row in cells[2:]]
    honey = [row for row in rows if row["Honey (kg)"]]
    day = lambda row: datetime.strptime(row["Date"], "%d %b %Y").date()
    kilos = sums(honey, lambda row: row["Hive"], lambda row: D(row["Honey (kg)"]))
    ask(f, "total", "number", sum(kilos.values()), "How much honey did I take off in total?", unit="kg")
    ask(f, "which most", "text", sole(kilos), "Which hive gave the most honey?")
    ask(f, "count", "number", sum(row["Queen seen?"] == "no" for row in rows), "How many times did I not see the queen?")
    ask(f, "which largest", "date", day(best([row for row in rows if row["Mites per day"]], lambda row: D(row["Mites per day"]))), "When was the mite count at its highest?")
    ask(f, "average in a month", "number", mean(D(row["Frames of brood"]) for row in rows if day(row).month == 5), "How many frames of brood did I find on average per inspection in May?")
    ask(f, "contains", "list", sorted({row["Hive"] for row in rows if row["Remarks"].startswith("swarmed")}), "Which hives swarmed?")
    ask(f, "per group", "groups", Counter(row["Hive"] for row in rows), "How often did I inspect each hive?")
    ask(f, "missing", "number", sum(not row["Mites per day"] for row in rows), "How many inspections have no mite count?")


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows, self.inside = [], False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def store():
    # The crate reads no HTML: the cells of the page go into a table of Markdown, under the same name.
    page = FILES / "lagerbestand.html"
    parser = Cells()
    parser.feed(page.read_text(encoding="utf-8"))
    page.unlink()
    f = "lagerbestand" ".md"
    lines = ["| " + " | ".join(row) + " |" for row in parser.rows]
    lines.insert(1, "|---" * len(parser.rows[0]) + "|")
    (FILES / f).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    rows = [dict(zip(parser.rows[0], row)) for row in parser.rows[1:] if row[0].startswith("BM-")]
    name, have, price = lambda row: row["Bezeichnung"], lambda row: eu(row["Bestand"]), lambda row: eu(row["EK netto"])
    day = lambda row: datetime.strptime(row["letzte Inventur"], "%d.%m.%Y").date()
    screws = [row for row in rows if name(row).split()[0].endswith("schrauben")]
    assert len(screws) == sum("schraub" in name(row).lower() for row in rows)
    ask(f, "two columns", "list", [name(row) for row in rows if have(row) < eu(row["Mindestbestand"])], "Von welchen Artikeln haben wir weniger als den Mindestbestand?", "de")
    ask(f, "total of a product", "money", sum(have(row) * price(row) for row in rows), "Was ist das ganze Lager zum Einkaufspreis wert?", "de", "EUR")
    ask(f, "which largest", "text", name(best(rows, price)), "Welcher Artikel ist im Einkauf am teuersten?", "de")
    ask(f, "count", "number", sum(row["Lieferant"] == "Hoffmann & Söhne" for row in rows), "Wie viele Artikel bekommen wir von Hoffmann & Söhne?", "de")
    ask(f, "earliest", "text", name(best(rows, day, least=True)), "Welcher Artikel wurde am längsten nicht mehr gezählt?", "de")
    ask(f, "contains", "number", sum(map(have, screws)), "Wie viele Schrauben aller Sorten haben wir zusammen auf Lager?", "de")
    ask(f, "missing", "number", sum(not row["Regal"] for row in rows), "Bei wie vielen Artikeln steht kein Regal?", "de")
    ask(f, "not in the file", "none", None, "Wie viele Stichsägen haben wir letzte Woche verkauft?", "de")


def solar():
    f = "pv_ertrag_2024.csv"
    rows = table(f, ";")
    known = [row for row in rows if row["Ertrag (kWh)"] not in ("", "n/a")]
    made = lambda row: eu(row["Ertrag (kWh)"])
    day = lambda row: datetime.strptime(row["Datum"], "%d.%m.%y").date()
    months = sums(known, lambda row: day(row).month, made)
    top = sorted(known, key=made, reverse=True)[:4]
    assert len({made(row) for row in top}) == 4, top
    ask(f, "top 3", "list", [day(row).isoformat() for row in top[:3]], "Which three days were the best for the solar panels?", ordered=True)
    ask(f, "total in a month", "number", months[6], "Wie viel Strom hat die Anlage im Juni erzeugt?", "de", "kWh")
    ask(f, "which largest", "date", day(best(known, made)), "An welchem Tag war der Ertrag am höchsten?", "de")
    ask(f, "threshold", "number", sum(made(row) > 30 for row in known), "An wie vielen Tagen kamen mehr als 30 kWh zusammen?", "de")
    ask(f, "missing", "number", len(rows) - len(known), "For how many days is the yield missing?")
    ask(f, "which most", "text", f"2024-{sole(months):02}", "In welchem Monat kam insgesamt am meisten Strom zusammen?", "de")
    ask(f, "share of columns", "percent", 100 * sum(eu(row["davon eingespeist (kWh)"]) for row in known) / sum(map(made, known)), "What percentage of the electricity we made was fed into the grid?")
    sides = [mean(made(row) for row in known if row["Wetter"] == weather) for weather in ("sonnig", "Regen")]
    ask(f, "difference", "number", sides[0] - sides[1], "Wie viel mehr bringt ein sonniger Tag im Durchschnitt als ein Regentag?", "de", "kWh")
    ask(f, "count in a month", "number", sum(row["Wetter"] == "Regen" and day(row).month == 8 for row in rows), "How many rainy days were there in August?")
    ask(f, "difference of months", "number", months[7] - months[4], "How much more did the roof produce in July than in April?", unit="kWh")


def invoices():
    f = "invoices_2025.txt"
    rows = table(f, "|")
    net = lambda row: us(row["Net"])

    def day(text):
        d, m, y = text.split("-")
        return date(int(y), MONTHS[m], int(d))
    money = {currency: [row for row in rows if row["Currency"] == currency] for currency in ("EUR", "USD", "GBP")}
    unpaid = [row for row in rows if not row["Paid on"]]
    ask(f, "missing", "number", len(unpaid), "How many invoices have not been paid yet?")
    ask(f, "total", "money", sum(map(net, money["EUR"])), "How much have we invoiced in euros, before VAT?", unit="EUR")
    ask(f, "which largest", "text", best(money["USD"], net)["Invoice"], "Which invoice in dollars is the largest?")
    ask(f, "average", "money", mean(map(net, money["GBP"])), "What does an invoice in pounds come to on average, without VAT?", unit="GBP")
    ask(f, "two columns", "number", sum(day(row["Paid on"]) > day(row["Due"]) for row in rows if row["Paid on"]), "How many invoices were paid late, that is after their due date?")
    ask(f, "list", "list", [row["Invoice"] for row in unpaid if day(row["Due"]).month == 5], "Which invoices that were due in May are still unpaid?")
    ask(f, "count", "number", sum(row["VAT"] == "5%" for row in rows), "How many invoices went out with only 5% VAT?")
    ask(f, "which most", "text", sole(Counter(row["Client"] for row in unpaid)), "Which client has the most unpaid invoices?")
    ask(f, "per group", "groups", {currency: sum(map(net, some)) for currency, some in money.items()}, "What is the net total for each currency?")
    ask(f, "latest", "date", day(best([row for row in rows if row["Client"] == "Prairie Outfitters"], lambda row: day(row["Issued"]))["Issued"]), "When did we last send Prairie Outfitters an invoice?")


def everything():
    batch_nine_files.main()
    for part in (cafe, bank, marks, ward, rowing, helpdesk, nginx, syslog, java, mailer, bees, store, solar, invoices):
        part()
