"""`kind`: whether one look into a text answers a question (seeds/super-llm-block.md, function 6).

    kind
    Who signed the lease, and when?

    complex

The questions are those of `assets/brain`: the training half for training, with other words in their places; the held-out half and
the written ones only for evaluation.
"""

import importlib.util
from pathlib import Path

from brain_split import split_example

BRAIN = Path(__file__).resolve().parents[2] / "brain"


def templates():
    """{label: templates whose questions are for training}, by the same rule as `make_questions.py`."""
    spec = importlib.util.spec_from_file_location("make_questions", BRAIN / "make_questions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_questions():
    rows = [line.rstrip("\n").split("\t") for line in open(BRAIN / "questions.tsv", encoding="utf-8")][1:]
    return [(split, label, question) for split, label, question in rows]


ROWS = read_questions()
TRAINING = [(label, question) for split, label, question in ROWS if split == "training"]
HELD = [(label, question) for split, label, question in ROWS if split != "training"]
MAKE = templates()
# The slots' words, longest first: a training question with one of them may have another in its place.
WORDS = sorted(((word, slot) for slot, words in MAKE.SLOTS.items() for word in words), key=lambda item: -len(item[0]))


def varied(s, question):
    """The question with other words in some of its places."""
    for word, slot in WORDS:
        if word in question and s.chance(0.8):
            x = s.r.random()
            other = s.pick(MAKE.SLOTS[slot]) if x < 0.5 else None
            if other is None:
                made = s.pseudo(1, 3) + (" " + s.pseudo(1, 2) if s.chance(0.3) else "")
                other = ("the " if word.startswith("the ") else "") + made
                if slot in ("number", "year"):
                    other = s.number()
                elif slot == "group":
                    other = made + "s"
                elif slot == "code":
                    other = s.order()
            question = question.replace(word, other, 1)
    return question[:1].upper() + question[1:]


def kind_example(s):
    """(prompt, answer, style); for training only."""
    if s.chance(0.12):
        prompt, _, _ = split_example(s)
        return "kind\n" + prompt.split("\n", 1)[1], "complex", "parts"
    label, question = s.pick(TRAINING)
    if s.chance(0.75):
        question = varied(s, question)
    if s.chance(0.1):
        question = question.rstrip("?.")
    if s.chance(0.1):
        question = question[:1].lower() + question[1:]
    return f"kind\n{question}", label, label
