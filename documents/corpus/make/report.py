#!/usr/bin/env python3
"""A report of 300 pages with an incident register in 15 tables, and ten questions with their answers.

Needs reportlab. Writes report/incidents.pdf and report/incidents.json beside this folder; the same every time.
"""
import json
import random
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

PAGES = 300
EVERY = 20
ROWS = 12
SITES = ["Hamburg", "Leipzig", "Graz", "Basel"]
STATES = ["open", "closed", "deferred"]
PEOPLE = ["Ada Holm", "Ben Ames", "Carla Voss", "Deniz Kaya", "Emil Roth"]
TOPICS = ["pumps", "valves", "cooling towers", "control rooms", "storage tanks", "transformers", "access roads"]
HEAD = ["incident", "site", "status", "cost", "reporter"]

draw = random.Random(25)


def sentence():
    topic, site = draw.choice(TOPICS), draw.choice(SITES)
    return draw.choice([
        f"The inspection of the {topic} in {site} was repeated after the winter season.",
        f"No change to the {topic} is planned before the next audit.",
        f"Staff in {site} were trained to work on {topic} without supervision.",
        f"Spare parts for the {topic} are kept in two places, one of them in {site}.",
        f"The manual for the {topic} was translated, and a copy of it lies in every building.",
        f"Weather delayed the work on the {topic} by {draw.randint(2, 19)} days.",
    ])


def main():
    here = Path(__file__).resolve().parent.parent / "report"
    here.mkdir(exist_ok=True)
    styles = getSampleStyleSheet()
    grid = TableStyle([
        ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
        ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey),
        ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
        ("FONTSIZE", (0, 0), (-1, -1), 9),
    ])
    story, rows = [], []
    for page in range(1, PAGES + 1):
        if page % 10 == 1:
            story.append(Paragraph(f"{page // 10 + 1} Report of district {page // 10 + 1}", styles["Heading1"]))
        story.append(Paragraph(f"{page // 10 + 1}.{(page - 1) % 10 + 1} Week {page}", styles["Heading2"]))
        for _ in range(4):
            story.append(Paragraph(" ".join(sentence() for _ in range(draw.randint(3, 6))), styles["BodyText"]))
            story.append(Spacer(1, 6))
        if page % EVERY == 0:
            table = [HEAD]
            for _ in range(ROWS):
                row = {
                    "incident": 4000 + len(rows),
                    "site": draw.choice(SITES),
                    "status": draw.choice(STATES),
                    "cost": draw.randint(40, 980),
                    "reporter": draw.choice(PEOPLE),
                    "page": page,
                }
                rows.append(row)
                table.append([str(row[name]) for name in HEAD])
            story.append(Table(table, style=grid, repeatRows=1))
        story.append(PageBreak())
    document = SimpleDocTemplate(str(here / "incidents.pdf"), pagesize=A4, invariant=1, title="Incident report")
    document.build(story)

    def where(**fields):
        return [row for row in rows if all(row[name] == value for name, value in fields.items())]

    def cost(found):
        return sum(row["cost"] for row in found)

    def pages(found):
        return sorted({row["page"] for row in found})

    dearest = max(rows, key=lambda row: row["cost"])
    cheapest = min(rows, key=lambda row: row["cost"])
    one = rows[77]
    questions = [
        ("How many incidents have status open?", len(where(status="open")), pages(where(status="open"))),
        ("How many incidents have status closed and site Graz?", len(where(status="closed", site="Graz")),
         pages(where(status="closed", site="Graz"))),
        ("What is the total cost?", cost(rows), pages(rows)),
        ("What is the total cost of incidents with site Hamburg?", cost(where(site="Hamburg")),
         pages(where(site="Hamburg"))),
        ("What is the total cost of incidents with status deferred and site Basel?",
         cost(where(status="deferred", site="Basel")), pages(where(status="deferred", site="Basel"))),
        ("What is the largest cost?", dearest["cost"], pages(where(cost=dearest["cost"]))),
        ("What is the smallest cost?", cheapest["cost"], pages(where(cost=cheapest["cost"]))),
        ("How many incidents have reporter Emil Roth?", len(where(reporter="Emil Roth")),
         pages(where(reporter="Emil Roth"))),
        ("How many incidents have cost over 900?", len([row for row in rows if row["cost"] > 900]),
         pages([row for row in rows if row["cost"] > 900])),
        (f"What is the reporter of incident {one['incident']}?", one["reporter"], [one["page"]]),
    ]
    with open(here / "incidents.json", "w") as file:
        json.dump({
            "pages": PAGES,
            "rows": len(rows),
            "questions": [{"question": q, "answer": str(a), "pages": p} for q, a, p in questions],
        }, file, indent=1)
        file.write("\n")


main()
