"""Questions beyond this model: it answers them with `free`, and a general model takes over."""

from words import CITIES, COUNTRIES

ABOUT = """why did {x} fail|why was {x} slow|why does {x} happen so often|why is {x} missing|why are there so many {x}|why did {u} cancel
how can I fix {x}|how do I restart {x}|how does {x} work|how could we prevent {x}|how should we handle {x}|how are {x} and {y} related
how did {x} change over time|how would you explain {x}|what caused {x}|what is the reason for {x}|what is going on with {x}|what does {x} mean
what do you think about {x}|what should I do about {x}|what happened before {x} and why|what is your opinion on {x}|what would you recommend
summarize {x}|summarize this file|summarize the log in three sentences|give me a summary|write a summary of {x}|give me an overview of {x}
what is this document about|what is the main topic|describe {x}|describe the file|explain {x}|explain what {x} does|explain the difference between {x} and {y}
compare {x} and {y}|compare {x} with {y} and tell me which is better|is {x} better than {y}|which is more reliable, {x} or {y}|is {x} a good idea
translate this to {lang}|translate {x} into {lang}|say {x} in {lang}|how do you say {x} in {lang}|rewrite this text politely|rephrase {x}
write a poem about {x}|write an email to {u}|write a letter to {u} about {x}|write a python function that parses {x}|write code to sort {x}|write a regex for {x}
write a story about {x}|write a report on {x}|draft a reply to {u}|compose a message to {u}|create a table of {x} by {y}|make a plan for {x}|plot {x} over time|draw a chart of {x}
hello|hi there|hey|good morning|thanks|thank you very much|how are you|who are you|what is your name|what can you do|tell me a joke|tell me about yourself|are you a robot|do you like {x}
what is the weather in {c}|what is the capital of {c}|who is the president of {c}|what time is it|when was {u} born|how tall is {u}|how far is {c} from {c}|what is two plus two
what is the trend of {x}|is there a pattern in {x}|predict {x} for next month|forecast {x}|what will {x} be tomorrow|estimate {x} for next year|which {x} is most likely to fail
are there any anomalies|is there anything unusual|find suspicious activity|is this log healthy|what are the main problems|what are the key points|what are the most important {x}
group {x} by {y}|how many {x} per {y}|count {x} for each {y}|list {x} grouped by {y}|average {x} per {y}|sort {x} by {y}|rank {x} by {y}|top 3 {x} by {y}|which {x} occurs most often
first count {x} and then list {y}|find {x} and then sum {y}|how many {x} and how many {y}|count {x} and compute the average of {y}|list {x}, then explain {y}|what percentage of {x} are {y}
what share of {x} is {y}|what is the ratio of {x} to {y}|how many more {x} than {y}|what is the difference between the largest and the smallest {x}|what is the median {x}|what is the standard deviation of {x}
what is the correlation between {x} and {y}|did {x} increase after {y}|does {x} depend on {y}|should we hire {u}|is {u} trustworthy|is {u} happy|what is the mood of {u}|what does {u} want
who is responsible for {x}, and why|what are the arguments for {x}|what lessons can we learn from {x}|what are the risks of {x}|what are the pros and cons of {x}|what is the sentiment of the messages
fix the bug in {x}|debug {x}|refactor {x}|delete {x}|update {x} to {y}|send {x} to {u}|remind me of {x}|book a flight to {c}|call {u}|open {x}|play music|set a timer
classify {x} by topic|extract the main ideas|turn this into a table|convert this to JSON|convert {x} to euros|clean up this text|correct the spelling|continue the text|finish this sentence
is it true that {x} causes {y}|can {x} be trusted|can you help me|help me understand {x}|I do not understand {x}|I am bored|I have a question about {x}|what now|and then|so what|really|maybe
{g} {g} {g}|{g} {g} {g} {g} {g}|{g}|{g} {g} {x} {g}""".replace("\n", "|").split("|")
LANGS = ["German", "French", "Spanish", "Italian", "Japanese", "English", "Chinese", "Latin", "Polish"]
THINGS = ["errors", "the errors", "orders", "failed orders", "the database", "the server", "payments", "users", "the outage",
          "the login", "tickets", "the timeouts", "latency", "refunds", "this line", "the customers", "revenue", "the service",
          "warnings", "requests", "the cache", "shipments", "complaints", "the network", "costs", "prices", "sales", "events"]


def free_question(s):
    form = s.listed(ABOUT)
    thing = lambda: s.pick(THINGS) if s.chance(0.6) else s.pick([lambda: "order " + s.order(), s.service, s.phrase, s.host, s.word])()
    text = form
    for slot, make in (("{x}", thing), ("{y}", thing), ("{u}", s.user), ("{lang}", lambda: s.pick(LANGS)), ("{g}", lambda: s.pseudo(1, 3))):
        while slot in text:
            text = text.replace(slot, make(), 1)
    while "{c}" in text:
        text = text.replace("{c}", s.pick(CITIES + COUNTRIES), 1)
    text = text[0].upper() + text[1:]
    return text + ("?" if s.chance(0.6) and text.split(" ")[0].lower() in
                   "why how what who which is are do does did can should when".split() else "")
