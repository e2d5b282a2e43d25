"""Reads the files of the corpus again, each by a few lines of its own, so that the answers of the batches owe nothing to the crate.

Needs Python 3.9 and nothing else. Cells are text unless a reader says otherwise.
"""
import csv
import json
import re
from collections import namedtuple
from datetime import date, datetime
from decimal import Decimal

from common import FILES


def text_of(name):
    return (FILES / name).read_text(encoding="utf-8-sig")


def rows_of(name, delimiter=","):
    with open(FILES / name, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))[1:]


Order = namedtuple("Order", "id customer region amount status date")


def amount_of(cell):
    """English or plain digits, with or without a sign of money; parentheses are below zero."""
    digits = Decimal(re.sub(r"[^0-9.\-]", "", cell))
    return -digits if cell.startswith("(") else digits


def german_amount(cell):
    return Decimal(re.sub(r"[^0-9,\-]", "", cell).replace(",", "."))


def iso(cell):
    return date.fromisoformat(cell)


def american(cell):
    return datetime.strptime(cell, "%m/%d/%Y").date()


def dotted(cell):
    return datetime.strptime(cell, "%d.%m.%Y").date()


def orders(name, delimiter, amount, day):
    return [Order(int(i), c, r, amount(a), s, day(d)) for i, c, r, a, s, d in rows_of(name, delimiter)]


Request = namedtuple("Request", "user host ms status")


def pairs(line):
    return dict(part.split("=", 1) for part in line.split() if "=" in part)


def milliseconds(cell):
    return int(cell[:-2]) if cell.endswith("ms") else 1000 * int(cell[:-1])


def requests_of(fields):
    return [Request(f["user"], f["host"], milliseconds(f["latency"]), f["status"]) for f in fields]


Hit = namedtuple("Hit", "ip hour method path status bytes")


def access_log():
    shape = re.compile(r'(\S+) .*?:(\d\d):\d\d:\d\d \+0000\] "(\S+) (\S+) HTTP/1.1" (\d+) (\d+)')
    found = [shape.match(line).groups() for line in text_of("access.log").splitlines()]
    return [Hit(i, int(h), m, p, int(s), int(b)) for i, h, m, p, s, b in found]


def most(keys):
    """The keys that come most often, all of them if several do."""
    counts = count_by(keys)
    return [key for key in counts if counts[key] == max(counts.values())]


def fewest(keys):
    counts = count_by(keys)
    return [key for key in counts if counts[key] == min(counts.values())]


def count_by(keys):
    keys = list(keys)
    return {key: keys.count(key) for key in dict.fromkeys(keys)}


def group(rows, key, value):
    """Values by key, as lists."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(value(row))
    return groups


def top(rows, value, many=1):
    """The rows with the largest values, and those that tie with the last of them."""
    bound = sorted((value(row) for row in rows), reverse=True)[many - 1]
    return [row for row in rows if value(row) >= bound]


def bottom(rows, value, many=1):
    return top(rows, lambda row: -value(row), many)


def as_rows(groups):
    return [[key, value] for key, value in groups.items()]


def jsonl(name):
    return [json.loads(line) for line in text_of(name).splitlines()]
