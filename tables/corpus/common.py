"""What the generators of the corpus share: writing files, questions, and numbers in several locales."""
import csv
import gzip
import io
import json
import sys
import types
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).parent
FILES = HERE / "files"
QUESTIONS = {}


def write(name, text):
    FILES.mkdir(exist_ok=True)
    (FILES / name).write_text(text, encoding="utf-8", newline="")


def one(name, phrasing, expected, question):
    """A question; nothing is expected where the file does not say it."""
    rows = expected if isinstance(expected, list) else [[expected]]
    rows = [[str(cell) for cell in (row if isinstance(row, list) else [row])] for row in rows]
    QUESTIONS.setdefault(name, []).append([phrasing, question, None if expected is None else rows])


class Author:
    """The files and the questions of one author, in a folder of their own."""

    def __init__(self, folder, number):
        self.folder, self.batch = folder, f"batch {number}"
        (FILES / folder).mkdir(parents=True, exist_ok=True)

    def write(self, name, text, encoding="utf-8"):
        (FILES / self.folder / name).write_text(text, encoding=encoding, newline="")

    def ask(self, file, questions):
        """Each question is a name for people, its words, and the rows that answer it: none where the file does not say it."""
        for _, question, rows in questions:
            one(f"{self.folder}/{file}", self.batch, rows, question)


def write_questions():
    """One line for each question, under its file."""
    files = []
    for name, questions in QUESTIONS.items():
        lines = ",\n".join(json.dumps(question, ensure_ascii=False, separators=(",", ":")) for question in questions)
        files.append(f'{{"file":"{name}","questions":[\n{lines}\n]}}')
    text = "[\n" + ",\n".join(files) + "\n]\n"
    (HERE / "questions.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def packed(name):
    """A module that lies here compressed; later ones may import it."""
    module = sys.modules[name] = types.ModuleType(name)
    text = gzip.decompress((HERE / f"{name}.py.gz").read_bytes()).decode()
    exec(compile(text, name, "exec"), module.__dict__)
    return module


def pack(folder):
    """Compresses what is large; `scoring/packed.rs` reads it either way."""
    for file in filter(Path.is_file, list(folder.iterdir())):
        if file.suffix != ".gz" and file.stat().st_size > 4000:
            file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
            file.unlink()


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
