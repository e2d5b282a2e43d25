"""The fifth batch of unseen questions, all written before one of them was asked. Needs Python 3.9; make.py calls it.

It follows the wording of the next 95 questions of the same shuffle of Spider's development set, as the fourth did.
"""
import json
import re
from datetime import datetime
from decimal import Decimal

from common import mean, one, plain
from read_back import (access_log, american, amount_of, as_rows, bottom, count_by, dotted, german_amount, iso, jsonl, most, orders,
                       pairs, requests_of, rows_of, text_of, top)


def ask(name, expected, question):
    one(name, "batch 5", expected, question)


def everything():
    hits = access_log()
    staff = [(n, d, amount_of(s), american(h), r) for n, d, s, h, r in rows_of("employees.csv")]
    pupils = [(n, c, int(s) if s else None, g) for n, c, s, g in rows_of("students.csv")]
    known = [r for r in pupils if r[2] is not None]
    sold = orders("orders.csv", ",", amount_of, iso)
    tabs = orders("orders-tabs.tsv", "\t", amount_of, iso)
    bills = orders("rechnungen.csv", ";", german_amount, dotted)
    items = [(i, c, int(s), amount_of(p), int(d[:-1])) for i, c, s, p, d in rows_of("inventory.csv")]
    flights = rows_of("flights.tsv", "\t")
    films = [(t, g, int(y), Decimal(r)) for t, g, y, r in re.findall(r"\| (Film \d+) \| (\w+) \| (\d+) \| ([\d.]+) \|", text_of("movies" + ".md"))]
    movies = "movies" + ".md"
    packages = json.loads(text_of("packages.json"))["packages"]
    stays = rows_of("bookings.csv")
    ledger = rows_of("ledger.csv")
    service = requests_of(pairs(line) for line in text_of("service.log").splitlines())
    pods = jsonl("pods.jsonl")

    ask("students.csv", [[r[0], r[1]] for r in pupils], "List student and course, ordered by student descending.")
    ask(movies, len({r[1] for r in films}), "Count the number of different genres of movies.")
    ask("orders.csv", [plain(r.amount) for r in top(sold, lambda r: r.date.toordinal())], "Show me the amount of the most recently placed order.")
    ask("notes.csv", as_rows(count_by(r[1] for r in rows_of("notes.csv"))), "How many notes did each author write?")
    ask("inventory.csv", [[r[0], r[1]] for r in items if 100 <= r[2] <= 150], "Show item and category for all items with a stock between 100 and 150.")
    ask("students.csv", mean(r[2] for r in known if r[1] == "art" and r[3] == "B"), "What is the average score in art students that are in group B?")
    ask(movies, [min(r[2] for r in films)], "What is the year of the oldest movie?")
    ask("employees.csv", [[d, n] for d, n in count_by(r[1] for r in staff).items()], "Show the departments and numbers of employees corresponding to each.")
    ask("employees.csv", [r[1] for r in top(staff, lambda r: r[2])], "Return the department of the employee with the greatest salary.")
    ask("flights.tsv", len({r[2] for r in flights}), "How many different flight destinations are there?")
    ask("packages.json", len(packages), "What is the total number of packages?")
    ask("employees.csv", [r[0] for r in staff], "What are the names of employees, ordered by salary?")
    ask("students.csv", [[r[0], r[3]] for r in top(known, lambda r: r[2], 3)], "Find the student and group of the 3 best scores across all students.")
    ask("orders-swiss.csv", 60, "How many orders are there?")
    ask("employees.csv", [r[0] for r in top([r for r in staff if r[1] == "Finance"], lambda r: r[2])], "What is the name of the employee with the highest salary who works in the Finance department?")
    ask("packages.json", len({r["license"] for r in packages}), "What is the number of distinct licenses used in the packages?")
    ask("bookings.csv", [["2026-04-20", "3"]], "What are the arrival and nights of the booking B1?")
    ask("employees.csv", [[r[0], r[1]] for r in staff if "Cole 10" in r[0]], "Which employees have a name containing the substring 'Cole 10'? List their name and department.")
    ask("students.csv", mean(r[2] for r in known), "What is the average score of all the students?")
    ask(movies, [r[0] for r in films], "List the title of movies in ascending order of rating.")
    ask("students.csv", [[r[0], r[3]] for r in pupils], "List the student and group of all students in the order of score.")
    ask("students.csv", as_rows(count_by(r[1] for r in pupils)), "How many students are in each course?")
    ask("inventory.csv", max(r[2] for r in items if r[3] < 50), "What is the maximum stock among items with unit price less than 50?")
    ask("inventory.csv", len([r for r in items if r[2] > 150]), "What is the number of the items with stock more than 150?")
    ask("inventory.csv", [[c, max(r[2] for r in items if r[1] == c)] for c in count_by(r[1] for r in items)], "What is the maximum stock for different categories?")
    ask("students.csv", len([r for r in pupils if r[3] in ("A", "B")]), "Count the number of students in groups A or B.")
    ask(movies, len(films), "What is the count of movies?")
    ask("packages.json", [[r["name"], r["license"]] for r in top(packages, lambda r: r["dist"]["files"])], "Find the name and license of the package that has the most files?")
    ask("payments.logfmt", 60, "Find the total number of entries.")
    ask("rechnungen.csv", len([r for r in bills if r.region == "Süd"]), "how many invoices are in Süd?")
    ask("orders.csv", max(r.date for r in sold).isoformat(), "When was the last order placed?")
    ask("flights.tsv", [r[0] for r in flights if r[1] == "Munich" and r[4] == "delayed"], "Which flights from Munich were delayed?")
    ask(movies, sorted({r[2] for r in films if 9 <= r[3]}), "In which years were movies made with a rating no less than 9?")
    ask("orders.csv", len({r.customer for r in sold}), "How many different customers do orders have?")
    ask("employees.csv", [r[1] for r in staff if r[0] == "Ben Diaz 12"], "What is the department of the employee named Ben Diaz 12?")
    ask("inventory.csv", [[c, max(r[2] for r in items if r[1] == c)] for c in count_by(r[1] for r in items)], "List the category and maximum stock for each category of items.")
    ask("orders-tabs.tsv", [c for c, n in count_by(r.customer for r in tabs).items() if n < 8], "Show all customers with less than eight orders.")
    ask("downloads.psv", [r[0] for r in rows_of("downloads.psv", "|")], "What are the names of the downloads in reverse alphabetical order?")
    ask("orders-tabs.tsv", as_rows(count_by(r.region for r in tabs)), "How many orders are from each region?")
    ask(movies, [plain(r[3]) for r in bottom(films, lambda r: r[2])], "What rating does the oldest movie have?")
    ask("mitarbeiter.csv", [r[1] for r in top(rows_of("mitarbeiter.csv", ";"), lambda r: german_amount(r[2]))], "What is the Abteilung of the employee with the highest Gehalt?")
    ask(movies, [[r[0], r[3]] for r in top(films, lambda r: r[3], 3)], "List top 3 highest rating movies. List the title and rating.")
    ask("bookings.csv", [[r[0], r[1]] for r in top(stays, lambda r: datetime.strptime(r[2], "%B %d, %Y").toordinal())], "Find the booking and guest of the most recent arrival.")
    ask("orders-tabs.tsv", [[r.customer, r.date.isoformat(), r.status] for r in tabs], "List the customer, date and status of each order.")
    ask("filialen.csv", "Hamburg", "Give the Stadt with PLZ '20095'.")
    ask("employees.csv", len({r[1] for r in staff if r[4] == "yes"}), "How many departments have any remote employees?")
    ask("inventory.csv", [[max(r[2] for r in items if r[1] != "paint"), min(r[2] for r in items if r[1] != "paint")]], "Return the maximum and minimum stock for items that do not have the category paint.")
    ask(movies, [[r[0], r[2]] for r in bottom(films, lambda r: r[3])], "Show the title and the year of the movie with the lowest rating.")
    ask("inventory.csv", len([r for r in items if r[2] > 250]), "How many items have a greater stock than 250?")
    ask("orders.csv", [[r.id, plain(r.amount)] for r in sold], "List each order id and its amount.")
    ask("flights.tsv", len({r[4] for r in flights}), "How many different statuses are there for the flights?")
    ask(movies, [[r[0], r[2], r[1]] for r in bottom(films, lambda r: r[3])], "Give the title, year, and genre of the movie that has the lowest rating.")
    ask("students.csv", [r[0] for r in pupils if r[3] == "C"], "What are the names of all students in group C?")
    ask("access.log", len({r.path for r in hits}), "Count the number of distinct paths.")
    ask("orders.csv", [r.id for r in sold if r.region in ("north", "south") and r.amount > 9000], "What are the ids of orders over 9000 with region north or south?")
    ask("employees.csv", [r[0] for r in staff if r[1] != "Engineering"], 'What are the names of employees whose departments are not "Engineering"?')
    ask("pods.jsonl", [[min(r["pod"]["restarts"] for r in pods), max(r["pod"]["restarts"] for r in pods)]], "find the minimum and maximum number of restarts of all entries.")
    ask("students.csv", [r[1] for r in pupils if r[0] == "Student 20"], "What is the course for the student named Student 20?")
    ask("packages.json", [r["name"] for r in packages if r["license"] in ("MIT", "Apache-2.0")], "Return the names of packages that have the license MIT or Apache-2.0.")
    ask("bookings.csv", [[r[1], r[3]] for r in stays], "List the guest and the nights of the bookings.")
    ask("inventory.csv", [[min(r[4] for r in items), max(r[4] for r in items)]], "What is minimum and maximum discount of items?")
    ask(movies, [max(r[2] for r in films)], "Tell me the year of the newest movie.")
    ask("service.log", [u for u, n in count_by(r.user for r in service).items() if n > 15], "What are the users with more than 15 requests?")
    ask(movies, [[r[0], r[1], r[2]] for r in films], "Show title, genre, year for all movies ordered by year from the newest to the oldest.")
    ask("flights.tsv", [r[0] for r in flights if r[2] == "Rome"], "What are the flight numbers of flights arriving in Rome?")
    ask("orders.csv", mean(r.amount for r in sold if r.customer == "Ada"), "Find the average amount of Ada in all orders.")
    ask("employees.csv", [r[0] for r in bottom(staff, lambda r: r[2], 3)], "What are the names of the employees with the 3 lowest salaries?")
    ask("orders.csv", [[r.id, r.date.isoformat()] for r in sold if r.region == "north"], "List the id and date of all orders from the region with name north.")
    ask("orders.csv", len([r for r in sold if r.status == "paid"]), "How many orders have status paid?")
    ask("sensors.csv", mean(int(r[3].split()[0]) for r in rows_of("sensors.csv") if r[0] == "S1"), "Find the average humidity of S1 in all readings.")
    ask("students.csv", [[c, max(r[2] for r in known if r[1] == c)] for c in count_by(r[1] for r in known)], "Show different courses and the maximum score of students of each course.")
    ask("ledger.csv", [r[1] for r in top(ledger, lambda r: Decimal(r[2]))], "What is the customer of the transaction with the largest amount?")
    ask("inventory.csv", [[r[2], r[0], r[1]] for r in top(items, lambda r: r[3])], "What are the stock, item and category of the item with the largest unit price?")
    ask("orders-tabs.tsv", most(r.region for r in tabs), "What is the most common region of the orders?")
    ask("inventory.csv", [r[0] for r in items], "What are the items in descending order of the stock?")
    ask("access.log", most(r.ip for r in hits), "What is the most common IP of the requests?")
    ask("ledger.csv", [r[1] for r in ledger if r[0] == "725514"], "Return the customer of the transaction with tx '725514'.")
    ask("orders.csv", len([r for r in sold if r.region in ("north", "east")]), "What are the number of orders from region 'north' or 'east'?")
