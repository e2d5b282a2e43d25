"""Tables of the corpus: CSV and its relatives, JSON, Markdown. Needs Python 3.9 and nothing else; make.py calls it."""
import json
import random
from decimal import Decimal
from statistics import median

from common import ask, batch, english, german, mean, one, plain, percent, table, total, write


def employees():
    rng = random.Random(101)
    rows = []
    for number in range(120):
        rows.append((rng.choice(["Ben", "Ana", "Kim", "Lea", "Tom"]) + " " + rng.choice(["Ames", "Bell", "Cole", "Diaz"]) + f" {number}",
                     rng.choice(["Engineering", "Sales", "Support", "Finance"]), rng.randrange(40, 141) * 1000,
                     (2019 + number % 5, rng.randrange(1, 13), rng.randrange(1, 29)), rng.choice([True, False])))
    write("employees.csv", table([["Name", "Department", "Salary", "Hired", "Remote"]] + [
        [n, d, f"{s:,}", "%d/%d/%d" % (h[1], h[2], h[0]), "yes" if r else "no"] for n, d, s, h, r in rows]))
    name, pay = "employees.csv", lambda keep: [row[2] for row in rows if keep(row)]
    eng = pay(lambda row: row[1] == "Engineering")
    ask(name, mean(eng), "What is the average Salary with Department Engineering?", "What is the average salary in Engineering?")
    ask(name, sum(pay(lambda row: True)), "What is the total Salary?", "How much do we pay in salaries altogether?")
    ask(name, max(pay(lambda row: True)), "What is the highest Salary?", "What's the top salary?")
    ask(name, len(pay(lambda row: row[2] > 100000)), "How many records have Salary over 100000?", "How many people earn more than 100,000?")
    ask(name, len(pay(lambda row: row[4])), "How many records have Remote yes?", "How many employees work remote?")
    ask(name, len(pay(lambda row: row[3][0] == 2021)), "How many records have Hired in 2021?", "How many people were hired in 2021?")
    ask(name, plain(median(eng)), "What is the median Salary with Department Engineering?", "What is the median salary of the Engineering department?")
    batch(name, len(pay(lambda row: row[1] != "Sales")), "How many people are not in Sales?")
    batch(name, mean(pay(lambda row: row[4])), "What do remote employees earn on average?")
    best = max(rows, key=lambda row: row[2])
    batch(name, [row[0] for row in rows if row[2] == best[2]], "Who earns the most?")
    counts = {d: len(pay(lambda row: row[1] == d)) for d in dict.fromkeys(row[1] for row in rows)}
    batch(name, [[d, c] for d, c in counts.items()], "How many employees does each department have?")
    batch(name, [d for d in counts if mean(pay(lambda row: row[1] == d)) == max((mean(pay(lambda row: row[1] == e)) for e in counts), key=Decimal)], "Which department has the highest average salary?")
    batch(name, max(eng) - min(eng), "What is the difference between the highest and lowest salary in Engineering?")


def expenses():
    rows = [("Smith, John", "1204.50"), ("Doe, Jane", "12.00"), ("Smith, John", "-45.00"), ("O'Hara, Tim", "99.95"), ("Doe, Jane", "2000.00"),
            ("Nguyen, Anh", "310.10"), ("Smith, John", "18.20"), ("O'Hara, Tim", "1050.00"), ("Nguyen, Anh", "-7.75"), ("Doe, Jane", "640.00")]
    rows = [(who, Decimal(amount)) for who, amount in rows]
    paren = lambda a: english(a, 2) if a >= 0 else "(" + english(-a, 2) + ")"
    write("expenses.csv", "employee,amount\n" + "".join(f'"{w}","{paren(a)}"\n' for w, a in rows))
    name = "expenses.csv"
    ask(name, 3, "How many records have employee Smith, John?", "How many expenses does Smith, John have?")
    ask(name, total(a for w, a in rows), "What is the total amount?", "What did everybody spend in total?")
    ask(name, len([a for w, a in rows if a > 1000]), "How many records have amount over 1000?", "How many expenses are above 1,000?")
    ask(name, len([a for w, a in rows if a < 0]), "How many records have amount below 0?", "How many expenses are negative?")
    batch(name, plain(min(a for w, a in rows)), "What is the smallest amount?")
    batch(name, total(a for w, a in rows if w == "Doe, Jane"), "How much did Doe, Jane spend?")
    batch(name, "Doe, Jane", "Who spent the most overall?")


def personal():
    rng = random.Random(102)
    rows = [(f"Person {n}", rng.choice(["Einkauf", "Vertrieb", "Lager"]), Decimal(rng.randrange(200000, 600000)) / 100, (rng.randrange(2015, 2026), rng.randrange(1, 13), rng.randrange(1, 29)), rng.choice(["Ja", "Nein"])) for n in range(40)]
    write("mitarbeiter.csv", table([["Mitarbeiter", "Abteilung", "Gehalt", "Eintritt", "Teilzeit"]] + [[m, a, german(g) + " €", "%02d.%02d.%d" % (e[2], e[1], e[0]), t] for m, a, g, e, t in rows], ";"))
    name = "mitarbeiter.csv"
    lager = [row[2] for row in rows if row[1] == "Lager"]
    ask(name, mean(lager), "Durchschnitt von Gehalt mit Abteilung Lager?", "Was verdient man im Lager im Durchschnitt?")
    ask(name, len([r for r in rows if r[4] == "Ja"]), "Wie viele Einträge haben Teilzeit Ja?", "Wie viele Mitarbeiter arbeiten in Teilzeit?")
    ask(name, plain(max(r[2] for r in rows)), "Was ist das höchste Gehalt?", "Wie hoch ist das höchste Gehalt?")
    ask(name, len([r for r in rows if r[2] > 4000]), "Wie viele Einträge haben Gehalt über 4000?", "Wie viele Mitarbeiter verdienen mehr als 4.000 €?")
    ask(name, [[a, len([r for r in rows if r[1] == a])] for a in dict.fromkeys(r[1] for r in rows)], "Wie viele Einträge gibt es pro Abteilung?", "Wie viele Mitarbeiter gibt es je Abteilung?")
    batch(name, len([r for r in rows if r[3][0] >= 2020]), "Wie viele Mitarbeiter sind seit 2020 eingetreten?")
    batch(name, [r[0] for r in rows if r[2] == max(x[2] for x in rows)], "Wer verdient am meisten?")
    batch(name, total(r[2] for r in rows if r[1] == "Vertrieb"), "Wie viel zahlen wir im Vertrieb insgesamt?")
    batch(name, 3, "Wie viele verschiedene Abteilungen gibt es?")


def inventory():
    rng = random.Random(103)
    rows = [(f"SKU-{n:03}", rng.choice(["tools", "paint", "garden"]), rng.randrange(0, 300), Decimal(rng.randrange(99, 20000)) / 100, rng.choice([0, 5, 10, 15])) for n in range(50)]
    write("inventory.csv", table([["item", "category", "stock", "unit price", "discount"]] + [[i, c, s, f"£{p}", f"{d}%"] for i, c, s, p, d in rows]))
    name = "inventory.csv"
    ask(name, sum(r[2] for r in rows), "What is the total stock?", "How much stock do we have in total?")
    ask(name, mean([r[3] for r in rows]), "What is the average unit price?", "What does an item cost on average?")
    ask(name, len([r for r in rows if r[4] == 10]), "How many records have discount 10%?", "How many items have a discount of 10%?")
    ask(name, len([r for r in rows if r[2] < 20]), "How many records have stock under 20?", "How many items have less than 20 in stock?")
    ask(name, [r[0] for r in rows if r[3] == max(x[3] for x in rows)], "Which item has the largest unit price?", "What is the most expensive item?")
    ask(name, len([r for r in rows if r[1] in ("tools", "paint")]), "How many records have category tools or paint?", "How many items are tools or paint?")
    batch(name, [[c, sum(r[2] for r in rows if r[1] == c)] for c in dict.fromkeys(r[1] for r in rows)], "Show the total stock by category")
    batch(name, percent(len([r for r in rows if r[1] == "garden"]), 50), "What percentage of items are in the garden category?")
    batch(name, plain(min(r[3] for r in rows if r[1] == "paint")), "What is the cheapest unit price in paint?")
    top = sorted((r[2] for r in rows), reverse=True)[2]
    batch(name, [r[0] for r in rows if r[2] >= top], "Which three items have the most stock?")


def sensors():
    rng = random.Random(104)
    rows = [(f"S{n % 4 + 1}", n // 4, None if n % 9 == 4 else Decimal(rng.randrange(-150, 320)) / 10, rng.randrange(20, 100)) for n in range(60)]
    write("sensors.csv", table([["sensor", "time", "temperature", "humidity"]] + [[s, f"2026-01-{t + 1:02} 06:00", "N/A" if v is None else f"{v}", f"{h} %"] for s, t, v, h in rows]))
    name, known = "sensors.csv", [r for r in rows if r[2] is not None]
    ask(name, mean([r[2] for r in known]), "What is the average temperature?", "How warm was it on average?")
    ask(name, plain(min(r[2] for r in known)), "What is the smallest temperature?", "What was the lowest temperature?")
    ask(name, len(rows) - len(known), "How many records have no temperature?", "How many readings lack a temperature?")
    ask(name, len([r for r in known if r[2] < 0]), "How many records have temperature below 0?", "How many times was the temperature below zero?")
    ask(name, mean([r[2] for r in known if r[0] == "S2"]), "What is the average temperature with sensor S2?", "What is the mean temperature of sensor S2?")
    batch(name, 4, "How many sensors are there?")
    batch(name, [[s, plain(max(r[2] for r in known if r[0] == s))] for s in ("S1", "S2", "S3", "S4")], "What is the highest temperature per sensor?")
    batch(name, len([r for r in rows if 40 <= r[3] <= 60]), "How many records have humidity between 40 and 60?")


def flights():
    rng = random.Random(105)
    rows = [(f"LH{400 + n}", rng.choice(["Berlin", "Munich", "Vienna"]), rng.choice(["Paris", "Rome", "Oslo"]), rng.randrange(0, 240), rng.choice(["landed", "delayed", "cancelled"])) for n in range(45)]
    show = lambda m: f"{m // 60}h {m % 60}min" if m >= 60 else f"{m} min"
    write("flights.tsv", table([["flight", "origin", "destination", "delay", "status"]] + [[f, o, d, show(m), s] for f, o, d, m, s in rows], "\t"))
    name = "flights.tsv"
    ask(name, len([r for r in rows if r[3] > 60]), "How many records have delay over 1 h?", "How many flights were more than one hour late?")
    ask(name, len([r for r in rows if r[4] == "cancelled"]), "How many records have status cancelled?", "How many flights were cancelled?")
    ask(name, len([r for r in rows if r[1] == "Berlin" and r[2] == "Rome"]), "How many records have origin Berlin and destination Rome?", "How many flights go from Berlin to Rome?")
    ask(name, [r[0] for r in rows if r[3] == max(x[3] for x in rows)], "Which flight has the largest delay?", "Which flight had the longest delay?")
    batch(name, len([r for r in rows if r[2] == "Oslo" and r[4] != "cancelled"]), "How many flights to Oslo were not cancelled?")
    batch(name, len([r for r in rows if r[3] > 90]), "How many flights have a delay over 90 minutes?")
    batch(name, [[o, len([r for r in rows if r[1] == o])] for o in ("Berlin", "Munich", "Vienna")], "How many flights left from each origin?")


def downloads():
    rng = random.Random(106)
    rows = [(f"file{n}.zip", rng.choice(["ada", "bob", "cem"]), rng.choice([("KB", 1000), ("MB", 1000**2), ("GB", 1000**3)]), rng.randrange(1, 900)) for n in range(40)]
    write("downloads.psv", table([["name", "user", "size"]] + [[n, u, f"{k}{unit[0]}"] for n, u, unit, k in rows], "|"))
    name, size = "downloads.psv", lambda r: r[2][1] * r[3]
    ask(name, len([r for r in rows if size(r) > 10**9]), "How many records have size over 1 GB?", "How many downloads are larger than 1 GB?")
    ask(name, [r[0] for r in rows if size(r) == max(map(size, rows))], "Which name has the largest size?", "What is the biggest download?")
    ask(name, len([r for r in rows if size(r) < 500 * 10**6]), "How many records have size under 500 MB?", "How many files are smaller than 500 MB?")
    batch(name, len([r for r in rows if r[1] == "bob"]), "How many files did bob download?")
    batch(name, [r[0] for r in rows if size(r) == min(map(size, rows))], "Which file is the smallest?")
    batch(name, 3, "How many different users downloaded something?")


def students():
    rng = random.Random(107)
    rows = [(f"Student {n}", rng.choice(["maths", "physics", "art"]), None if n % 11 == 5 else rng.randrange(30, 101), rng.choice(["A", "B", "C"])) for n in range(55)]
    write("students.csv", table([["student", "course", "score", "group"]] + [[n, c, "" if s is None else s, g] for n, c, s, g in rows]))
    name, known = "students.csv", [r for r in rows if r[2] is not None]
    ask(name, mean([r[2] for r in known if r[1] == "maths"]), "What is the average score with course maths?", "What is the mean score in maths?")
    ask(name, len([r for r in known if r[2] >= 50]), "How many records have score at least 50?", "How many students scored at least 50?")
    ask(name, 5, "How many records have no score?", "How many students are without a score?")
    ask(name, [r[0] for r in known if r[2] == max(x[2] for x in known)], "Which student has the largest score?", "Which student has the best score?")
    ask(name, [[c, mean([r[2] for r in known if r[1] == c])] for c in ("maths", "physics", "art")], "What is the average score per course?", "Show the average score for each course")
    batch(name, len([r for r in rows if r[3] == "B" and r[1] == "art"]), "How many students of group B take art?")
    batch(name, plain(median([r[2] for r in known])), "What is the median score?")
    batch(name, len([r for r in known if 60 <= r[2] <= 80]), "How many students scored between 60 and 80?")


def currencies():
    rows = [("a1", "$", "120.00"), ("a2", "€", "80.50"), ("a3", "$", "19.90"), ("a4", "£", "300.00"), ("a5", "€", "44.00"), ("a6", "$", "7.25")]
    write("payments.csv", table([["ref", "amount"]] + [[r, c + a] for r, c, a in rows]))
    sums = {code: total(Decimal(a) for _, c, a in rows if c == sign) for sign, code in (("$", "USD"), ("€", "EUR"), ("£", "GBP"))}
    ask("payments.csv", [[c, s] for c, s in sums.items()], "What is the total amount?", "How much was paid in total?")
    batch("payments.csv", "a4", "Which payment was in pounds?")
    batch("payments.csv", 6, "How many payments are there?")


def transactions():
    rng = random.Random(108)
    rows = [(725500 + 7 * n, rng.choice(["Ada Ng", "Bob Ray", "Cem Kaya"]), Decimal(rng.randrange(100, 90000)) / 100, "" if n % 8 == 3 else rng.choice(["card", "cash"])) for n in range(40)]
    write("ledger.csv", "\ufeff" + table([["tx", "customer", "amount", "method"]] + [list(r) for r in rows]).replace("\n", "\r\n"))
    name = "ledger.csv"
    ask(name, rows[5][1], f"What is the customer with tx {rows[5][0]}?", f"Who is the customer of transaction {rows[5][0]}?")
    ask(name, plain(rows[9][2]), f"What is the amount with tx {rows[9][0]}?", f"How much was transaction {rows[9][0]}?")
    ask(name, 5, "How many records have no method?", "How many transactions are missing a method?")
    ask(name, total(r[2] for r in rows if r[1] == "Ada Ng"), "What is the total amount with customer Ada Ng?", "How much did Ada Ng pay in total?")
    batch(name, total(r[2] for r in rows if r[3] == "cash"), "What is the sum of all cash transactions?")
    batch(name, len([r for r in rows if r[3] == "card" and r[2] > 500]), "How many card transactions are over 500?")


def packages():
    rng = random.Random(109)
    rows = [{"name": n, "license": rng.choice(["MIT", "ISC", "Apache-2.0"]), "dist": {"size": rng.randrange(1000, 90000), "files": rng.randrange(1, 40)}} for n in ["eventemitter3", "left-pad", "lodash", "react", "vue", "express", "commit-it", "summit"]]
    write("packages.json", json.dumps({"packages": rows}, indent=2))
    name, text = "packages.json", json.dumps({"packages": rows}, indent=2)
    ask(name, len([r for r in rows if r["license"] == "MIT"]), "How many records have license MIT?", "How many packages are under MIT?")
    ask(name, sum(r["dist"]["size"] for r in rows), "What is the total dist.size?", "What is the total size?")
    ask(name, len([line for line in text.split("\n") if '"MIT"' in line]), "How many lines mention MIT?", "How many lines mention the word MIT?")
    ask(name, len(text.split("\n")), "How many lines are in the file?", "How many lines does the file have?")
    batch(name, [r["name"] for r in rows if r["dist"]["files"] == max(x["dist"]["files"] for x in rows)], "Which package has the most files?")
    batch(name, len({r["license"] for r in rows}), "How many different licenses are used?")


def quoted():
    write("notes.csv", 'id,author,note\n1,ada,"first\nsecond"\n2,bob,"says ""hi"" twice"\n3,ada,plain\n4,cem,"a, b, c"\n')
    ask("notes.csv", 4, "How many records are there?", "How many notes are there?")
    ask("notes.csv", 2, "How many records have author ada?", "How many notes did ada write?")
    ask("notes.csv", 6, "How many lines are in the file?", "How many lines are there?")
    batch("notes.csv", "cem", "Who is the author of note 4?")


def wide():
    rng = random.Random(110)
    rows = [[n] + [rng.randrange(0, 100) for _ in range(199)] for n in range(12)]
    write("wide.csv", table([["id"] + [f"m{n}" for n in range(1, 200)]] + rows))
    ask("wide.csv", sum(r[150] for r in rows), "What is the total m150?", "What does m150 add up to?")
    ask("wide.csv", max(r[77] for r in rows), "What is the largest m77?", "What's the maximum of m77?")
    batch("wide.csv", len([r for r in rows if r[3] > 50]), "How many rows have m3 above 50?")


def zones():
    rows = [("2026-03-04T10:00:00+02:00", "ada"), ("2026-03-04T09:30:00Z", "bob"), ("2026-03-04T12:00:00+02:00", "cem"), ("2026-03-05T01:00:00+02:00", "dora")]
    write("zones.csv", table([["time", "user"]] + [list(r) for r in rows]))
    ask("zones.csv", "dora", "What is the user with the largest time?", "Who was last?")
    ask("zones.csv", 4, "How many records are there on 2026-03-04?", "How many entries are there on March 4, 2026?")


def written():
    rng = random.Random(111)
    months = ["January", "February", "March", "April", "May", "June"]
    rows = [(f"B{n}", rng.choice(["Cole", "Diaz"]), rng.randrange(6), rng.randrange(1, 28), rng.randrange(1, 9)) for n in range(30)]
    write("bookings.csv", table([["booking", "guest", "arrival", "nights"]] + [[b, g, f"{months[m]} {d}, 2026", k] for b, g, m, d, k in rows]))
    name = "bookings.csv"
    ask(name, len([r for r in rows if r[2] == 2]), "How many records have arrival in March 2026?", "How many guests arrived in March?")
    ask(name, sum(r[4] for r in rows), "What is the total nights?", "How many nights were booked in total?")
    ask(name, len([r for r in rows if r[2] < 3]), "How many records have arrival before April 2026?", "How many bookings arrive before April 2026?")
    batch(name, mean([r[4] for r in rows if r[1] == "Cole"]), "How many nights does Cole stay on average?")
    batch(name, [[f"2026-{m + 1:02}", len([r for r in rows if r[2] == m])] for m in sorted({r[2] for r in rows})], "How many bookings are there per month?")


def codes():
    rows = [("01067", "Dresden", 3), ("10115", "Berlin", 9), ("80331", "München", 4), ("04109", "Leipzig", 2), ("20095", "Hamburg", 7), ("50667", "Köln", 5)]
    write("filialen.csv", table([["PLZ", "Stadt", "Filialen"]] + [list(r) for r in rows], ";"))
    ask("filialen.csv", "Dresden", "Was ist die Stadt mit PLZ 01067?", "Welche Stadt hat die PLZ 01067?")
    ask("filialen.csv", 30, "Was ist die Summe von Filialen?", "Wie viele Filialen gibt es insgesamt?")
    ask("filialen.csv", "Berlin", "Welche Stadt hat die meisten Filialen?", "In welcher Stadt gibt es die meisten Filialen?")
    batch("filialen.csv", 2, "Wie viele Filialen gibt es in Leipzig?")


def bare():
    rows = [("2026-02-%02d" % (n + 1), "web%d" % (n % 3), 10 * n) for n in range(20)]
    write("bare.csv", "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    ask("bare.csv", 20, "How many records are there?", "How many rows are there?")


def movies():
    rng = random.Random(112)
    rows = [(f"Film {n}", rng.choice(["drama", "comedy", "horror"]), rng.randrange(1980, 2025), Decimal(rng.randrange(20, 100)) / 10) for n in range(40)]
    write("movies" + ".md", "# Movies\n\nSome text.\n\n| title | genre | year | rating |\n|:--|---|--:|--:|\n" + "".join(f"| {t} | {g} | {y} | {r} |\n" for t, g, y, r in rows))
    name = "movies" + ".md"
    ask(name, mean([r[3] for r in rows if r[1] == "drama"]), "What is the average rating with genre drama?", "What is the average rating of drama movies?")
    ask(name, len([r for r in rows if r[2] > 2000]), "How many records have year after 2000?", "How many movies came after 2000?")
    ask(name, [r[0] for r in rows if r[3] == max(x[3] for x in rows)], "Which title has the largest rating?", "Which movie has the best rating?")
    batch(name, len([r for r in rows if r[1] == "horror"]), "How many horror movies are there?")
    batch(name, min(r[2] for r in rows), "What year is the oldest movie from?")
    batch(name, len([r for r in rows if r[3] >= 8]), "How many movies have a rating of at least 8?")


def bank():
    rng = random.Random(113)
    rows = [((2026, rng.randrange(1, 4), rng.randrange(1, 29)), rng.choice(["Miete", "Lohn", "Strom"]), Decimal(rng.randrange(-90000, 90000)) / 100) for n in range(36)]
    write("konto.csv", table([["Buchungstag", "Zweck", "Betrag"]] + [["%02d.%02d.%d" % d[::-1], z, german(b)] for d, z, b in rows], ";"))
    name = "konto.csv"
    ask(name, total(r[2] for r in rows), "Was ist die Summe von Betrag?", "Wie hoch ist die Summe aller Beträge?")
    ask(name, len([r for r in rows if r[2] < 0]), "Wie viele Einträge haben Betrag unter 0?", "Wie viele Buchungen sind unter 0?")
    ask(name, total(r[2] for r in rows if r[1] == "Miete"), "Was ist die Summe von Betrag mit Zweck Miete?", "Wie viel Miete wurde insgesamt gebucht?")
    batch(name, len([r for r in rows if r[0][1] == 2]), "Wie viele Buchungen gab es im Februar 2026?")
    batch(name, [[z, total(r[2] for r in rows if r[1] == z)] for z in ("Miete", "Lohn", "Strom")], "Summe der Beträge pro Zweck")


def totals():
    rows = [("north", 10), ("south", 25), ("east", 7)]
    write("regions.csv", table([["region", "units"]] + [list(r) for r in rows] + [["Total", 42]]))
    ask("regions.csv", 42, "What is the total units?", "How many units were sold in total?")
    batch("regions.csv", 3, "How many regions are listed?")
    batch("regions.csv", "south", "Which region has the most units?")


def everything():
    for make in (employees, expenses, personal, inventory, sensors, flights, downloads, students, currencies, transactions, packages, quoted, wide, zones, written, codes, bare, movies, bank, totals):
        make()
