"""The third batch of unseen questions, all written before one of them was asked. Needs Python 3.9; make.py calls it.

So that nobody's knowledge of the grammar shapes them, the English ones follow the wording of the questions over one table in the
development set of Spider (Yu et al., 2018), in the order of a fixed shuffle, with the nouns of these files in the place of
theirs. Left out are only those without a counterpart here, such as on the paragraphs of documents. The German ones say the like.
"""
import json
import re
from decimal import Decimal

from common import mean, one, plain, total
from read_back import (access_log, american, amount_of, as_rows, bottom, count_by, dotted, fewest, german_amount, group, iso, jsonl, most,
                       orders, pairs, requests_of, rows_of, text_of, top)


def ask(name, expected, question):
    one(name, "batch 3", expected, question)


def people():
    rows, name = [(n, d, amount_of(s), american(h), r) for n, d, s, h, r in rows_of("employees.csv")], "employees.csv"
    departments = as_rows(count_by(r[1] for r in rows))
    ask(name, most(r[1] for r in rows), "Which department is chosen by the largest number of employees?")
    ask(name, departments, "Show different departments of employees and the number of employees from each department.")
    first = min(r[3] for r in rows)
    ask(name, [[r[0], r[1]] for r in rows if r[3] == first], "What is the name and department of the earliest hire?")
    ask(name, len([r for r in rows if r[4] == "yes" and r[1] == "Sales"]), "Find the number of remote employees who work in Sales.")
    ask(name, [r[1] for r in rows if r[0] == "Tom Bell 0"], "What is the department name which Tom Bell 0 belongs to?")
    ask(name, len([r for r in rows if r[3].year in (2020, 2021)]), "How many hires occurred in 2020 or 2021?")
    ask(name, [r[0] for r in rows if "Diaz 1" in r[0]], "Return the names of the employees whose names contain the substring 'Diaz 1'.")
    ask(name, len([r for r in rows if r[1] == "Finance"]), "How many people work in the Finance department?")
    ask(name, min(r[2] for r in rows if r[1] == "Sales" and r[3].year == 2020), "What is the smallest salary of the employee hired in Sales in 2020?")
    ask(name, departments, "How many people are there of each department?")
    ask(name, [r[0] for r in rows], "Sort employee names by their salary in ascending order.")
    ask(name, len(rows), "Count the number of employees")
    ask(name, as_rows(count_by(r[3].year for r in rows)), "How many employees were hired in each year?")
    ask(name, [r[0] for r in top(rows, lambda r: r[2])], "What is the name of the employee with the largest salary?")
    ask(name, [r[1] for r in rows if r[0] == "Kim Diaz 2"], "What department is Kim Diaz 2 in?")
    ask(name, list(dict.fromkeys(r[1] for r in rows if r[2] > 138000)), "What are the different departments with employees above a salary of 138000?")

    rows, name = [(n, c, int(s) if s else None, g) for n, c, s, g in rows_of("students.csv")], "students.csv"
    known = [r for r in rows if r[2] is not None]
    ask(name, [r[0] for r in rows if r[0] != "Student 7"], "What are the names of the students whose names are not 'Student 7'?")
    ask(name, max(r[2] for r in known if r[1] == "physics"), "What is the best score of physics students across all groups?")
    ask(name, len(rows), "How many students are listed?")
    ask(name, len({r[1] for r in rows}), "How many courses are there?")
    ask(name, most(r[3] for r in rows), "Return the group that has the greatest number of students.")
    ask(name, [r[0] for r in rows if r[1] == "physics" and r[2] == 47], "Give the names of students that are in physics and have a score equal to 47.")
    ask(name, len([r for r in known if r[2] > 90]), "What is the number of students with a score greater than 90?")
    scores = group(known, lambda r: r[1], lambda r: r[2])
    ask(name, [[c, mean(s), max(s)] for c, s in scores.items()], "What is the average and maximum score for each course?")


def sales():
    rows, name = orders("orders.csv", ",", amount_of, iso), "orders.csv"
    ask(name, [[len({r.customer for r in rows}), len({r.region for r in rows})]], "List the number of different customers and regions in the orders table.")
    ask(name, [[r.id, plain(r.amount)] for r in rows if r.amount > 9500], "What is the id and amount of every order that is bigger than 9500?")
    ask(name, [r.id for r in rows if r.region in ("north", "east")], "List the ids of the orders that come from the region of north or the region of east.")
    ask(name, [c for c, n in count_by(r.customer for r in rows).items() if n > 8], "Find the customer that has more than 8 orders.")
    ask(name, total(r.amount for r in rows if r.region == "east"), "What is the total amount of the orders in the east region?")
    rows, name = orders("orders-swiss.csv", "|", lambda a: Decimal(a.replace("'", "")), dotted), "orders-swiss.csv"
    ask(name, len({r.customer for r in rows if r.status == "cancelled" and r.region == "south"}), "How many different customers both placed cancelled orders and are in the south?")
    rows, name = orders("orders-french.csv", ";", lambda a: Decimal(a.replace("\u202f", "").replace(",", ".")), iso), "orders-french.csv"
    ask(name, [c for c, n in count_by(r.customer for r in rows).items() if n >= 9], "Show the customers shared by at least nine orders.")
    ask(name, fewest(r.customer for r in rows), "Return the customer with the fewest orders.")
    rows, name = orders("orders-tabs.tsv", "\t", amount_of, iso), "orders-tabs.tsv"
    ask(name, [[r.customer, r.region, r.status] for r in rows], "What are the customer, region and status of each order?")
    ask(name, [r.id for r in rows if r.status != "paid"], "What are the ids of the orders with statuses other than paid?")
    rows, name = orders("orders-dollar.csv", ",", amount_of, american), "orders-dollar.csv"
    regions = {c: len(set(r)) for c, r in group(rows, lambda r: r.customer, lambda r: r.region).items()}
    ask(name, [c for c in regions if regions[c] == max(regions.values())], "What customer has the most different regions?")
    rows, name = rows_of("ledger.csv"), "ledger.csv"
    ask(name, [r[0] for r in rows if r[1] == "Ada Ng" and r[2] == "237.36"], "What are the transactions that are of the customer Ada Ng and have an amount of 237.36?")


def things():
    rows, name = [(i, c, int(s), amount_of(p), int(d[:-1])) for i, c, s, p, d in rows_of("inventory.csv")], "inventory.csv"
    ask(name, [plain(r[3]) for r in top(rows, lambda r: r[3])], "What is the unit price of the most expensive item?")
    ask(name, [[r[0], r[1], plain(r[3])] for r in top([r for r in rows if r[1] == "garden"], lambda r: r[2])], "What are the item, category, and unit price of the largest garden item by stock?")
    ask(name, len([r for r in rows if r[3] > 100]), "Find the number of items whose unit price is higher than 100.")
    tools = [r for r in rows if r[1] == "tools" and r[2] > 50]
    ask(name, [[sum(r[2] for r in tools), mean(r[3] for r in tools)]], "What is the total stock and average unit price of items in the category of tools whose stock is bigger than 50?")
    groups = group(rows, lambda r: r[1], lambda r: (r[2], r[3]))
    ask(name, [[c, mean(p for _, p in g), sum(s for s, _ in g)] for c, g in groups.items() if sum(p for _, p in g) / len(g) < 105], "Find the average unit price and total stock for each category where the average unit price is lower than 105?")
    ask(name, [[r[0], r[2]] for r in rows if r[1] == "paint"], 'List all item names and their stock in "paint".')
    ask(name, [[c, max(s for s, _ in g)] for c, g in groups.items()], "Find the maximum stock for each category of item.")
    ask(name, most(r[1] for r in rows), "Which category has the most items?")
    ask(name, plain(max(r[3] for r in rows if r[1] == "paint")), "How much does the most expensive paint item cost?")

    rows, name = rows_of("flights.tsv", "\t"), "flights.tsv"
    ask(name, len([r for r in rows if r[2] == "Oslo"]), "How many flights have Oslo as their destination?")
    ask(name, len([r for r in rows if r[1] == "Munich"]), "How many flights are from Munich?")
    ask(name, [r[0] for r in rows if r[2] == "Rome"], "Give the flight numbers of flights landing in Rome.")
    ask(name, len(rows), "How many flights are there?")
    ask(name, [r[0] for r in rows if r[1] == "Vienna"], "What are flight numbers of flights departing from Vienna?")
    ask(name, len(rows), "Return the number of flights.")

    rows, name = [(t, g, int(y), Decimal(r)) for t, g, y, r in re.findall(r"\| (Film \d+) \| (\w+) \| (\d+) \| ([\d.]+) \|", text_of("movies" + ".md"))], "movies" + ".md"
    ask(name, [r[0] for r in rows if r[2] > 2015], "What are the titles of all the movies that came out after 2015?")
    ask(name, mean(r[3] for r in rows if r[2] < 1990), "What is the average rating of the movies before 1990?")
    ask(name, [r[0] for r in rows], "What are the titles of the movies ordered by ascending year?")
    ask(name, [[r[0], plain(r[3])] for r in rows if r[3] > 9], "Find the title and rating of the movies whose rating is higher than 9, and sort by their year from new to old.")
    ask(name, [[r[2], r[1]] for r in rows], "What is the year and genre of every movie?")
    ask(name, [[r[0], r[1], r[2]] for r in top(rows, lambda r: r[3])], "Give the title, genre, and year for the movie that has the largest rating.")
    ask(name, plain(max(r[3] for r in rows if r[1] == "horror" or r[2] < 1990)), "What is the maximum rating of the movies that are horror or that came before 1990?")
    years = sorted({r[2] for r in rows})[5:7]
    ask(name, [r[0] for r in rows if r[2] in years], f"What are the titles of the movies whose years are either {years[0]} or {years[1]}?")
    ask(name, len([r for r in rows if r[1] == "horror"]), "How many horror films are there?")
    ask(name, 3, "What is the number of genres?")

    rows, name = rows_of("bookings.csv"), "bookings.csv"
    months = ["January", "February", "March", "April", "May", "June"]
    arrival = lambda r: (months.index(r[2].split()[0]), int(r[2].split()[1].rstrip(",")))
    ask(name, [[r[0], r[1]] for r in rows if arrival(r) == min(map(arrival, rows))], "What is the booking and the guest of the first arrival?")
    ask(name, [r[0] for r in rows], "List all the booking details in reversed lexicographical order.")
    ask("downloads.psv", [r[0] for r in rows_of("downloads.psv", "|")], "List the name in reversed lexicographical order.")
    humidity = [int(r[3].split()[0]) for r in rows_of("sensors.csv")]
    ask("sensors.csv", mean(humidity), "Return the average humidity across all readings.")

    rows, name = json.loads(text_of("packages.json"))["packages"], "packages.json"
    ask(name, len([r for r in rows if r["license"] == "MIT"]), "How many packages have licenses that are MIT?")
    ask(name, len(rows), "How many packages do we have?")
    ask(name, [r["license"] for r in rows if r["name"] == "react"], 'What is the license of the package with name "react"?')
    ask(name, [[r["name"], r["license"]] for r in rows], "What are the names and licenses of all the packages?")
    ask(name, [r["license"] for r in rows if r["name"] == "lodash"], "What license is lodash published under?")
    ask(name, fewest(r["license"] for r in rows), "List the license used by the least number of packages.")
    ask("notes.csv", "bob", "What is the author for the note whose text has the word hi?")
    ask("notes.csv", as_rows(count_by(r[1] for r in rows_of("notes.csv"))), "Find the number of notes written by each of the listed authors.")
    ask("filialen.csv", "20095", "Which PLZ corresponds to Hamburg?")
    ask("filialen.csv", [["50667", 5]], "List the PLZ and Filialen in the city of Köln.")
    ask("filialen.csv", "04109", "What is the PLZ of the branch in the city Leipzig?")


def logs():
    rows, name = access_log(), "access.log"
    ask(name, [i for i, n in count_by(r.ip for r in rows).items() if n > 20], "What are the IPs used in more than 20 requests?")
    ask(name, list({r.status for r in rows}), "Show all distinct status codes for all requests.")
    hosts = [r["host"] for r in jsonl("requests.jsonl")]
    ask("requests.jsonl", most(hosts), "Find the host which has the greatest number of requests.")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text_of("requests" + ".md").splitlines() if line.startswith("| 2026")]
    ask("requests" + ".md", as_rows(count_by(c[4] for c in cells)), "How many requests are there for each status type?")
    ask("jobs.log", len(text_of("jobs.log").splitlines()), "How many jobs do we have?")
    rows = requests_of(pairs(line) for line in text_of("service.log").splitlines())
    ask("service.log", as_rows(count_by(r.user for r in rows)), "Return the different users along with the number of requests corresponding to each, ordered by user.")
    rows = requests_of(json.loads(text_of("requests.json"))["requests"])
    ask("requests.json", mean(r.ms for r in rows if r.status == "ok"), "What is the average latency of the requests with status ok?")


def deutsch():
    rows, name = orders("rechnungen.csv", ";", german_amount, dotted), "rechnungen.csv"
    ask(name, len({r.customer for r in rows}), "Wie viele verschiedene Kunden haben eine Rechnung?")
    ask(name, as_rows(count_by(r.region for r in rows)), "Zeige die Gebiete und die Anzahl der Rechnungen pro Gebiet.")
    ask(name, as_rows(count_by(r.status for r in rows)), "Wie viele Rechnungen gibt es je Status?")
    ask(name, [r.id for r in rows if r.amount > 9000], "Nenne die Nummern der Rechnungen mit einem Betrag über 9000.")
    rows, name = [(m, a, german_amount(g), dotted(e), t) for m, a, g, e, t in rows_of("mitarbeiter.csv", ";")], "mitarbeiter.csv"
    ask(name, [r[0] for r in rows if r[2] > 5500], "Welche Mitarbeiter verdienen mehr als 5500 Euro?")
    ask(name, most(r[1] for r in rows), "Welche Abteilung hat die größte Anzahl an Mitarbeitern?")
    ask(name, [plain(r[2]) for r in rows if r[0] == "Person 7"], "Was ist das Gehalt von Person 7?")
    ask(name, [r[1] for r in rows if r[0] == "Person 12"], "In welcher Abteilung ist Person 12?")
    ask(name, mean(r[2] for r in rows if r[4] == "Nein"), "Wie hoch ist das durchschnittliche Gehalt der Mitarbeiter ohne Teilzeit?")
    rows, name = [(dotted(d), z, german_amount(b)) for d, z, b in rows_of("konto.csv", ";")], "konto.csv"
    ask(name, len(rows), "Zähle die Buchungen.")
    ask(name, [plain(r[2]) for r in bottom(rows, lambda r: r[2])], "Was ist der kleinste Betrag auf dem Konto?")


def everything():
    for make in (people, sales, things, logs, deutsch):
        make()
