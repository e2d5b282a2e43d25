"""What the generators of the corpus share: writing files, questions, and numbers in several locales."""
import csv
import io
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).parent
FILES = HERE / "files"
QUESTIONS = []


def write(name, text):
    FILES.mkdir(exist_ok=True)
    (FILES / name).write_text(text, encoding="utf-8", newline="")


def one(name, phrasing, expected, question):
    rows = expected if isinstance(expected, list) else [[expected]]
    rows = [[str(cell) for cell in (row if isinstance(row, list) else [row])] for row in rows]
    QUESTIONS.append({"file": name, "phrasing": phrasing, "question": question, "expected": rows})


def ask(name, expected, field, natural):
    one(name, "field", expected, field)
    one(name, "natural", expected, natural)


def batch(name, expected, question):
    """A question of the first batch: written before its first run, by somebody who did not fit the grammar to it."""
    one(name, "batch 1", expected, question)


def plain(number):
    return format(Decimal(number).normalize(), "f")


def total(numbers):
    return plain(sum(numbers, Decimal(0)))


def mean(numbers):
    numbers = [Decimal(number) for number in numbers]
    return plain((sum(numbers) / Decimal(len(numbers))).quantize(Decimal("0.0001")))


def percent(part, whole):
    return plain((Decimal(100 * part) / whole).quantize(Decimal("0.0001")))


def table(rows, delimiter=","):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def english(number, places):
    return f"{number:,.{places}f}"


def german(number):
    return english(number, 2).replace(",", "x").replace(".", ",").replace("x", ".")


def french(number):
    return english(number, 2).replace(",", "\u202f").replace(".", ",")


def swiss(number):
    return english(number, 2).replace(",", "'")
