#!/usr/bin/env python3
"""Writes questions.tsv: questions that one look into a text answers ('simple'), and questions that take several looks, or
reasoning ('complex'). Templates with slots; every fourth template of a label is held out, so that what is measured was
learned from other sentences. Run it here: python3 make_questions.py > questions.tsv

The questions of the last part, 'written', are nobody's template: they were written by hand, before any training."""

import random

SEED = 7
PER_TEMPLATE = 8

THINGS = ["the invoice", "the lease", "the contract", "the report", "the warranty", "the audit", "the minutes", "the manual",
          "the policy", "the log", "the survey", "the proposal", "the recipe", "the timetable", "the handbook", "the letter"]
PEOPLE = ["Mara Lindt", "the tenant", "Dr Okafor", "the landlord", "Inspector Reyes", "the treasurer", "user priya.nair",
          "the captain", "Wei Chen", "the supplier", "the miller", "the project lead"]
FIELDS = ["the due date", "the serial number", "the notice period", "the deposit", "the total price", "the version", "the address",
          "the phone number", "the opening hour", "the boiling point", "the password policy", "the tracking number",
          "the registration fee", "the top speed", "the postcode", "the error code"]
TERMS = ["recursion", "photosynthesis", "force majeure", "amortisation", "a quorum", "escrow", "a mutex", "ISO 9001", "churn",
         "a hash", "depreciation", "an idempotent request"]
PLACES = ["Lisbon", "the north mill", "warehouse B", "Kyoto", "the second floor", "cluster eu-west-1", "the harbour"]
EVENTS = ["the outage", "the merger", "the flood", "the strike", "the migration", "the recall", "the meeting", "the election",
          "the fire", "the release of 2.4.1"]
CODES = ["E-4021", "order 40117", "ticket 88-B", "invoice 2031", "req_9f3a", "flight TP 203", "clause 14.2", "node-07"]
GROUPS = ["orders", "complaints", "employees", "invoices", "patients", "tickets", "chapters", "shipments", "lines", "customers",
          "payments", "experiments", "interviews"]
QUALITIES = ["late", "overdue", "unpaid", "refunded", "urgent", "open", "disputed", "positive", "failed"]
TOPICS = ["remote work", "water quality", "the new pricing", "battery life", "staff turnover", "rural clinics", "the refund rules",
          "wind power", "the city budget", "data retention"]
AUDIENCE = ["a beginner", "the board", "new hires", "a ten-year-old", "our customers", "the press"]

SLOTS = {"thing": THINGS, "person": PEOPLE, "field": FIELDS, "term": TERMS, "place": PLACES, "event": EVENTS, "code": CODES,
         "group": GROUPS, "quality": QUALITIES, "topic": TOPICS, "audience": AUDIENCE,
         "number": ["15", "240", "3000", "18", "7.5", "1200", "64"], "year": ["1987", "2019", "2024", "2031"],
         "unit": ["EUR", "miles", "kilograms", "Fahrenheit", "litres"]}

SIMPLE = [
    "What is {field} in {thing}?",
    "What is {field} of {code}?",
    "When was {thing} signed?",
    "When did {event} happen?",
    "Who signed {thing}?",
    "Who is {person}?",
    "Who reported {event}?",
    "Where is {person} based?",
    "Where was {thing} written?",
    "What is {term}?",
    "Define {term}.",
    "What does {term} mean?",
    "Is {person} named in {thing}?",
    "Is {code} still open?",
    "Does {thing} mention {place}?",
    "Does {person} live in {place}?",
    "Was {thing} ever signed by {person}?",
    "Did {event} happen in {year}?",
    "What is {number} % of {number}?",
    "Convert {number} {unit} to the other unit.",
    "What is {number} times {number}?",
    "Which page of {thing} names {field}?",
    "Which city is {person} from?",
    "What colour is the cover of {thing}?",
    "What's {field}?",
    "How long is the notice period?",
    "How old is {person}?",
    "How much is the deposit?",
    "How far is {place} from the station?",
    "What year is {thing} from?",
    "What is the name of {person}'s employer?",
    "What is the status of {code}?",
    "Tell me {field} for {code}.",
    "Give me {field} of {thing}.",
    "State {field} in {thing}.",
    "Look up {field} for {code}.",
    "What is the title of {thing}?",
    "Has {thing} been approved?",
    "Has {person} replied?",
    "Can {person} cancel the lease?",
    "Are pets allowed in {place}?",
    "Were there casualties in {event}?",
    "Under which clause is {field} named?",
    "In which year was {person} born?",
    "At what temperature does the alarm of {place} go off?",
    "What language is {thing} written in?",
    "What is the currency of {thing}?",
    "Who wrote {thing}?",
]

COMPLEX = [
    "How many {group} are {quality}?",
    "How many {group} of {person} were {quality} in {year}?",
    "List all {group} that mention {topic}.",
    "List every {quality} entry of {thing} and sort them by date.",
    "What is the total of all {quality} {group}?",
    "What is the average age of the {group} in {place}?",
    "Which {group} are {quality}, and what do they have in common?",
    "Why did {event} happen?",
    "Why were so many {group} {quality} after {event}?",
    "Compare {thing} with {thing}.",
    "Compare how {person} and {person} describe {event}.",
    "What are the differences between {thing} and {thing}?",
    "Explain {topic} to {audience}.",
    "Explain how {event} led to the {quality} {group}.",
    "Summarise {thing}.",
    "Summarise what {person} and {person} say about {topic} in three points.",
    "Write a letter to {person} about {topic}.",
    "Write a summary of {thing} for {audience}.",
    "Draft a plan to lower the number of {quality} {group}.",
    "Plan the move of {person} to {place} for less than {number} EUR.",
    "Analyse the trend of {quality} {group} between {year} and {year}.",
    "Analyse {thing} for contradictions.",
    "What are the main causes of {event}?",
    "What are the pros and cons of {topic}?",
    "Which user has the most {quality} {group}, and how many errors did the log show for that user?",
    "Who has the most {group}, and is that more than {number}?",
    "First find {field} of {code}, then check whether {person} was told before {event}.",
    "How did {topic} change over time?",
    "How does {person}'s view of {topic} differ from {person}'s?",
    "What happened between {event} and {event}?",
    "What led to {event}, and what followed?",
    "Rank the {group} by {field}.",
    "Which of the {group} contradict each other?",
    "What should {person} do about {topic}?",
    "Recommend three ways to reduce {quality} {group}.",
    "Suggest what {person} should do after {event}, and why.",
    "Describe how {topic} affected each of the {group}.",
    "What does each chapter say about {topic}?",
    "Group the {group} by {place} and count the {quality} ones.",
    "For every one of the {group}, give {field} and {field}.",
    "If {event} had not happened, which {group} would still be {quality}?",
    "What patterns are there in the {quality} {group}?",
    "Do the {group} of {year} and those of {year} have the same causes?",
    "What evidence supports the claim that {topic} matters, and what speaks against it?",
    "Debug {code}: it fails after {event}.",
    "Generate five slogans about {topic}.",
    "What is the relationship between {topic} and {topic}?",
    "Trace {code} from the first mention until it was closed.",
]

WRITTEN = [
    ("simple", "What is the warranty period?"),
    ("simple", "Who chairs the committee?"),
    ("simple", "When does the lease end?"),
    ("simple", "What is the capital of France?"),
    ("simple", "When was the US Constitution signed?"),
    ("simple", "What is 15% of 240?"),
    ("simple", "Convert 100 USD to EUR"),
    ("simple", "What is photosynthesis?"),
    ("simple", "Define recursion"),
    ("simple", "Is Python object-oriented?"),
    ("simple", "Does Earth orbit the Sun?"),
    ("simple", "What is the miller's name?"),
    ("simple", "Which port does the server listen on?"),
    ("simple", "Is smoking allowed on the balcony?"),
    ("simple", "What was the closing price on 4 March?"),
    ("simple", "Who is the author?"),
    ("simple", "Where do I return the keys?"),
    ("simple", "What does SLA stand for?"),
    ("simple", "How tall is the tower?"),
    ("simple", "Did the pilot request an alternate airport?"),
    ("simple", "What is the maximum payload of the drone?"),
    ("simple", "Was anyone injured?"),
    ("simple", "Which database does the service use?"),
    ("simple", "What is the isbn?"),
    ("simple", "In what month was the well dug?"),
    ("complex", "Plan a 2-week trip to Japan during cherry blossom season under $3000"),
    ("complex", "Debug this code and tell me what is wrong with it"),
    ("complex", "Compare Python and JavaScript for web backends"),
    ("complex", "Write a story about a lighthouse keeper"),
    ("complex", "Generate 3 marketing slogans for an eco-friendly bottle"),
    ("complex", "Why was the mill closed?"),
    ("complex", "How many of the patients improved, and did the dose matter?"),
    ("complex", "What do the three witnesses agree on?"),
    ("complex", "Summarize the discussion and list the open questions"),
    ("complex", "Which complaints came up more than once?"),
    ("complex", "Is the argument in chapter two consistent with chapter five?"),
    ("complex", "What changed between the first and the second version of the contract?"),
    ("complex", "List all people who were in the building that night"),
    ("complex", "Give an overview of the risks and rank them"),
    ("complex", "Which supplier is cheapest once shipping is added?"),
    ("complex", "How did the rumour spread through the village?"),
    ("complex", "Sum up the expenses per department"),
    ("complex", "What would happen to the budget if rents rise by ten percent?"),
    ("complex", "Explain the plot to someone who has not read the book"),
    ("complex", "What are the recurring themes of the letters?"),
    ("complex", "Check every invoice against its order and report what does not match"),
    ("complex", "Who was late most often, and was it always on Mondays?"),
    ("complex", "What lessons can be drawn from the incident?"),
    ("complex", "Translate the essay and shorten it to one page"),
    ("complex", "How do the two studies measure stress, and which one is more reliable?"),
]


def filled(template, dice):
    """The template with a value in each slot, no value twice."""
    text, used = template, set()
    while "{" in text:
        slot = text[text.index("{") + 1 : text.index("}")]
        value = dice.choice([value for value in SLOTS[slot] if value not in used])
        used.add(value)
        text = text.replace("{" + slot + "}", value, 1)
    return text[0].upper() + text[1:]


def main():
    dice = random.Random(SEED)
    print("split\tlabel\tquestion")
    for label, templates in (("simple", SIMPLE), ("complex", COMPLEX)):
        for number, template in enumerate(templates):
            split = "held-out" if number % 4 == 3 else "training"
            questions = {filled(template, dice) for _ in range(PER_TEMPLATE)}
            for question in sorted(questions):
                print(f"{split}\t{label}\t{question}")
    for label, question in WRITTEN:
        print(f"written\t{label}\t{question}")


if __name__ == "__main__":
    main()
