"""`say`: a plain question and its verified answer, as a clause.

    say
    how many orders of user mara are shipped
    5

    5 orders of user mara are shipped

Code joins the clauses, and shows one only if its words and values are those of question and answer, each as often.
"""

import re

from brain_parts import (COUNTS, FACTS, FIGURES, FIRST_OF_PERSON, LEADERS, OF_KEY, OF_PERSON, TOPS, Sheet, choose, noisy)


def singular(sheet, text):
    """One record: '1 order is paid'."""
    many = sheet.fill("{Ks}")
    text = re.sub(rf"\b{re.escape(many)}\b", lambda _: sheet.K, text)
    for plural, one in ((" are ", " is "), (" were ", " was "), (" have ", " has ")):
        text = text.replace(plural, one, 1)
    return text


def clause(sheet, question, answer):
    """The question's own words, in the order of a statement; `None` where it is not one that a single value answers."""
    s = sheet.s
    if question.startswith("how many errors "):
        return f"the log showed {answer} error{'' if answer == '1' else 's'} for {question.split(' for ', 1)[1]}"
    if question.startswith("how many "):
        rest = question[len("how many ") :]
        for verb in ("are there", "do we have"):
            if rest.endswith(" " + verb):
                rest = rest[: -len(verb) - 1]
                text = f"there are {answer} {rest}" if verb == "are there" else f"we have {answer} {rest}"
                return singular(sheet, text) if answer == "1" and verb == "are there" else text if answer != "1" else text.replace(sheet.fill("{Ks}"), sheet.K)
            if f" {verb} with " in rest:
                text = f"there are {answer} {rest.replace(' are there with ', ' with ')}"
                return singular(sheet, text) if answer == "1" else text
        text = f"{answer} {rest}"
        return singular(sheet, text) if answer == "1" else text
    if question.startswith("what is the number of "):
        return f"the number of {question[len('what is the number of ') :]} is {answer}"
    if question.startswith("count the "):
        text = f"there are {answer} {question[len('count the ') :]}"
        return singular(sheet, text) if answer == "1" else text
    found = re.match(r"which (\S+) (has|had|made|placed) (.*)", question)
    if found:
        return f"{found[1]} {answer} {found[2]} {found[3]}"
    found = re.match(r"which (\S+) is the (.*)", question)
    if found:
        return f"{found[1]} {answer} is the {found[2]}"
    found = re.match(r"what (is|was) (.*)", question)
    if found:
        return f"{found[2]} {found[1]} {answer}"
    found = re.match(r"what (\S+) does (.*) have", question)
    if found:
        return f"{found[2]} has {found[1]} {answer}"
    return None


def answer_to(sheet, question):
    s = sheet.s
    if question.startswith(("how many", "count", "what is the number")):
        return "1" if s.chance(0.15) else "0" if s.chance(0.06) else str(s.int(2, 99 if s.chance(0.7) else 9999))
    found = re.match(r"which (\S+) ", question)
    if found:
        return (s.user() if found[1] == sheet.P else s.pick(sheet.states) if found[1] == sheet.S else str(s.int(100, 99999)) if found[1] == sheet.K
                else s.pick(sheet.others))
    words = question.split()
    if any(w in words for w in ("first", "last")) and not any(n in words[:4] for n in (sheet.M, sheet.S)):
        return str(s.int(100, 99999)) if s.chance(0.8) else s.order()
    if sheet.S in words[:5] or "common" in words or "does" in words:
        return s.pick(sheet.states)
    if sheet.C in words[:5]:
        return s.pick(sheet.others)
    return s.amount() if s.chance(0.8) else s.number()


def say_example(s):
    """(prompt, answer, style)."""
    while True:
        sheet = Sheet(s)
        values = {}
        table = s.pick([COUNTS, COUNTS, LEADERS, TOPS, FIGURES, FIGURES, FACTS, OF_PERSON, FIRST_OF_PERSON, OF_KEY])
        drawn = choose(s, table)
        template = drawn if isinstance(drawn, str) else drawn[1]
        if not sheet.has_other and "{C}" in template:
            continue
        # Whom a part speaks of is known by then.
        template = template.replace("that {P}", "{P} {p}").replace("that {K}", "{K} {k}")
        question = sheet.fill(template, values)
        answer = answer_to(sheet, question)
        if not s.held_out and s.chance(0.35):
            question = noisy(s, question)
        text = clause(sheet, question, answer)
        if text is None or " " in answer or "\n" in answer:
            continue
        style = question.split()[0]
        return f"say\n{question}\n{answer}", text, style


if __name__ == "__main__":
    import sys

    from words import Source

    s = Source(int(sys.argv[1]) if len(sys.argv) > 1 else 1, held_out=len(sys.argv) > 2)
    for _ in range(40):
        print(*say_example(s), sep=" | ")
