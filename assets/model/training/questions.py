"""Questions and their plans: reduction, reported field, conditions."""

from kinds import draw
from questions_free import free_question
from styles import invented_key
from words import CITIES

NOUNS = ["lines", "records", "entries", "events", "orders", "tickets", "requests", "payments", "transactions", "rows",
         "items", "invoices", "bookings", "log lines", "log entries", "shipments", "calls", "jobs", "logins", "sales"]
SINGULAR = {"entries": "entry", "log entries": "log entry"}
NUMERIC = ["amount", "amount", "price", "cost", "duration", "latency", "quantity", "size", "score", "age", "balance",
           "latency_ms", "bytes", "duration_ms", "qty", "response time", "fee", "discount", "amount_due", "tax", "retries"]
PLAIN = ["user", "user", "customer", "status", "state", "date", "city", "product", "item", "email", "priority", "level",
         "service", "host", "server", "ip", "path", "code", "message", "name", "country", "method", "time", "category",
         "department", "phone", "version", "region", "user_id", "user name", "order id", "order", "ticket", "currency"]
KEYS = ["order", "order", "order", "ticket", "invoice", "user", "customer", "host", "service", "id", "order id", "session",
        "product", "booking", "shipment", "email", "job", "record", "user_id", "account", "request"]
KIND = {"customer": "user", "name": "user", "client": "user", "username": "user", "account": "user", "user name": "user",
        "state": "status", "result": "status", "severity": "level", "server": "host", "machine": "host",
        "component": "service", "id": "order", "order id": "order", "booking": "order", "shipment": "order", "job": "order",
        "record": "order", "request": "session", "price": "amount", "cost": "amount", "item": "product",
        "fee": "amount", "discount": "amount", "tax": "amount"}


def value_of(s, name):
    """A value as someone would type it in a question."""
    kind = KIND.get(name, name)
    if kind in ("user",):
        return s.full_name() if s.chance(0.15) else s.user()
    if kind == "city":
        return s.listed(CITIES)
    if kind == "timestamp":
        kind = "date"
    for _ in range(9):
        value = draw(kind, s)
        if len(value) < 30 and "," not in value:
            return value
    return s.pseudo(1, 2)


def field(s, pool):
    """A field's name as the question writes it."""
    x = s.r.random()
    if x < 0.18:
        return invented_key(s)
    name = s.pick(pool)
    return name if x < 0.9 else name.replace(" ", "_") if x < 0.95 else name.capitalize()


def singular(noun):
    return SINGULAR.get(noun, noun[:-1])


def article(word):
    return "an" if word[:1].lower() in "aeiou" else "a"


# -- conditions ------------------------------------------------------------------------------------
# Each entry: where the phrase goes (before the noun or after it), the phrase, the condition.
STATUS_AFTER = ["that are {v}", "which are {v}", "with status {v}", "with the status {v}", "whose status is {v}",
                "where the status is {v}", "in status {v}", "having status {v}", "marked {v}", "marked as {v}",
                "with state {v}|state", "in state {v}|state", "whose state is {v}|state", "where status = {v}",
                "where status is {v}", "with status={v}", "that have status {v}", "with a status of {v}",
                "with result {v}|result", "{v}", "that {v}", "which {v}", "with the result {v}|result",
                "currently {v}", "now {v}", "that were {v}", "which were {v}", "that have been {v}", "which have been {v}", "that got {v}",
                "flagged {v}", "flagged as {v}", "tagged {v}", "tagged as {v}", "labelled {v}", "listed as {v}", "showing {v}", "that show {v}",
                "with {v} status", "with {v} as status", "with {v} as the status", "that ended up {v}", "having the status {v}",
                "in the state {v}|state", "reported as {v}", "recorded as {v}", "shown as {v}", "that have the status {v}", "which have status {v}",
                "with a {v} status", "still {v}", "that are still {v}", "already {v}", "whose status was {v}", "where the state is {v}|state",
                "where state = {v}|state", "with a state of {v}|state", "where the result is {v}|result", "whose result is {v}|result"]
STATUS_NOT = ["that are not {v}", "which are not {v}", "with a status other than {v}", "whose status is not {v}",
              "where status is not {v}", "where status != {v}", "not {v}", "that are not yet {v}", "not marked {v}",
              "with status not {v}", "that aren't {v}", "excluding {v}", "except {v}",
              "that were not {v}", "which were not {v}", "that have not been {v}", "whose status isn't {v}", "where the status is not {v}",
              "that don't have status {v}", "without status {v}", "other than {v}", "apart from {v}", "which aren't {v}", "that weren't {v}",
              "still not {v}", "with any status but {v}"]
USER_AFTER = ["of {v}", "by {v}", "from {v}", "for {v}", "of user {v}", "by user {v}", "from user {v}", "for user {v}",
              "of customer {v}|customer", "by customer {v}|customer", "for customer {v}|customer", "made by {v}",
              "placed by {v}", "where user is {v}", "where the user is {v}", "with user {v}", "belonging to {v}",
              "whose user is {v}", "with user = {v}", "by the user {v}", "that belong to {v}", "by the customer {v}|customer",
              "with customer {v}|customer", "where customer = {v}|customer", "with name {v}|name", "with the name {v}|name",
              "created by {v}", "sent by {v}", "opened by {v}", "submitted by {v}", "assigned to {v}", "that {v} made", "{v} made",
              "that came from {v}", "coming from {v}", "owned by {v}", "associated with {v}", "linked to {v}", "under user {v}", "with the user {v}",
              "whose customer is {v}|customer", "whose name is {v}|name", "where the customer is {v}|customer", "where name is {v}|name",
              "that {v} placed", "from the user {v}", "from customer {v}|customer", "with name = {v}|name", "of the customer {v}|customer",
              "of the user {v}", "where user = {v}", "whose user name is {v}|user name"]
LINE = ["that mention {v}", "mentioning {v}", "that contain {v}", "containing {v}", "that contain the word {v}",
        "containing the word {v}", "with the word {v}", "in which {v} appears", "that include {v}", "including the text {v}",
        "with the text {v}", "that have {v} in them", "where {v} occurs", "which mention {v}", "that mention the word {v}",
        "which contain {v}", "containing the text {v}", "that say {v}",
        "in which {v} occurs", "in which {v} is mentioned", "where {v} is mentioned", "that include the word {v}", "that show {v}",
        "with {v} somewhere", "with {v} in the text", "that talk about {v}", "which include {v}", "that contain the text {v}",
        "mentioning the word {v}", "containing the string {v}", "with {v} in it", "where the text has {v}"]
GENERIC = {
    "=": ["with {f} {v}", "where {f} is {v}", "whose {f} is {v}", "with {f} = {v}", "where {f} = {v}", "with {f}={v}", "having {f} {v}",
          "with a {f} of {v}", "where the {f} is {v}", "with the {f} {v}", "where {f} equals {v}", "with {f} equal to {v}",
          "that have {f} {v}", "whose {f} equals {v}", "with {f}: {v}", "with {f} set to {v}", "for {f} {v}"],
    "!=": ["where {f} is not {v}", "whose {f} is not {v}", "with {f} other than {v}", "where {f} != {v}", "with {f} not {v}",
           "with {f} different from {v}", "where {f} is different from {v}", "without {f} {v}", "with {f} not equal to {v}"],
    ">": ["with {f} greater than {v}", "with {f} above {v}", "with {f} over {v}", "with {f} > {v}", "where {f} is greater than {v}",
          "where {f} > {v}", "whose {f} exceeds {v}", "with more than {v} {f}", "with {f} more than {v}", "with {f} larger than {v}",
          "whose {f} is above {v}", "where the {f} is over {v}", "with a {f} higher than {v}", "whose {f} is more than {v}",
          "with {f} bigger than {v}", "with {f} exceeding {v}"],
    "<": ["with {f} less than {v}", "with {f} below {v}", "with {f} under {v}", "with {f} < {v}", "where {f} is less than {v}",
          "where {f} < {v}", "whose {f} is below {v}", "with less than {v} {f}", "with {f} smaller than {v}", "with {f} lower than {v}",
          "whose {f} is under {v}", "where the {f} is below {v}", "with a {f} lower than {v}", "with fewer than {v} {f}"],
    ">=": ["with {f} at least {v}", "with {f} >= {v}", "where {f} is at least {v}", "with at least {v} {f}", "where {f} >= {v}",
           "whose {f} is at least {v}", "with a {f} of at least {v}", "with {f} {v} or more", "where {f} is {v} or more",
           "with a {f} of {v} or more", "with {f} not less than {v}", "where {f} is greater than or equal to {v}"],
    "<=": ["with {f} at most {v}", "with {f} <= {v}", "where {f} is at most {v}", "with at most {v} {f}", "where {f} <= {v}",
           "whose {f} is at most {v}", "with a {f} of at most {v}", "with {f} {v} or less", "where {f} is {v} or less",
           "with {f} not more than {v}", "with {f} up to {v}", "where {f} is less than or equal to {v}"],
    "~": ["whose {f} contains {v}", "where {f} contains {v}", "with {f} containing {v}", "with {v} in the {f}", "where the {f} contains {v}",
          "whose {f} mentions {v}", "where {f} includes {v}", "where the {f} mentions {v}", "whose {f} includes {v}"],
}
TIMES = [("on {v}", "date", "="), ("dated {v}", "date", "="), ("from {v}", "date", "="), ("before {v}", "date", "<"),
         ("after {v}", "date", ">"), ("since {v}", "date", ">="), ("until {v}", "date", "<="), ("before {v}", "time", "<"),
         ("after {v}", "time", ">"), ("since {v}", "time", ">="), ("until {v}", "time", "<="), ("at {v}", "time", "="),
         ("earlier than {v}", "time", "<"), ("later than {v}", "time", ">"), ("later than {v}", "date", ">"),
         ("earlier than {v}", "date", "<"), ("for the date {v}", "date", "="), ("on the date {v}", "date", "=")]
PLACES = ["in {v}|city", "from {v}|city", "in the city {v}|city", "from the {v} service|service", "of the {v} service|service",
          "by service {v}|service", "from service {v}|service", "of service {v}|service", "from host {v}|host", "on host {v}|host",
          "on server {v}|server", "from ip {v}|ip", "from {v}|ip", "from IP {v}|ip", "with code {v}|code", "with status code {v}|code",
          "for product {v}|product", "for the product {v}|product", "with priority {v}|priority", "of level {v}|level",
          "with level {v}|level", "at level {v}|level", "with severity {v}|severity", "for {v}|path", "to {v}|path", "with method {v}|method",
          "for path {v}|path", "from country {v}|country", "for order {v}|order", "of order {v}|order", "for ticket {v}|ticket",
          "in department {v}|department", "by component {v}|component", "with email {v}|email"]
BEFORE = ["status", "status", "status", "level", "level", "priority", "method", "code"]


def condition(s):
    """(place, phrase, condition line)"""
    x = s.r.random()
    if x < 0.20:
        name = s.pick(BEFORE)
        value = s.status(known=s.chance(0.8)) if name == "status" else value_of(s, name)
        if name == "status" and value.lower() in ("error", "critical"):
            value = "failed"
        if name == "priority":
            return "before", f"{value} priority", f"priority = {value}"
        return "before", value, f"{name} = {value}"
    if x < 0.32:
        phrase = s.listed(STATUS_AFTER)
        phrase, _, name = phrase.partition("|")
        value = s.status(known=phrase in ("{v}", "that {v}", "which {v}"))
        return "after", phrase.format(v=value), f"{name or 'status'} = {value}"
    if x < 0.37:
        value = s.status()
        return "after", s.listed(STATUS_NOT).format(v=value), f"status != {value}"
    if x < 0.54:
        phrase, _, name = s.listed(USER_AFTER).partition("|")
        value = value_of(s, "user")
        return "after", phrase.format(v=value), f"{name or 'user'} = {value}"
    if x < 0.63:
        phrase = s.listed(LINE)
        value = s.pick([s.word, s.word, s.name, s.ip, s.host, s.order])() if s.chance(0.75) else s.phrase(2, 3)
        written = value if s.chance(0.7) else s.pick(['"{}"', "'{}'"]).format(value)
        return "after", phrase.format(v=written), f"line ~ {value}"
    if x < 0.70:
        phrase, name, op = s.pick(TIMES)
        value = s.date() if name == "date" else f"{s.int(0, 23):02d}:{s.int(0, 59):02d}" + (f":{s.int(0, 59):02d}" if s.chance(0.3) else "")
        return "after", phrase.format(v=value), f"{name} {op} {value}"
    if x < 0.79:
        phrase, _, name = s.listed(PLACES).partition("|")
        value = value_of(s, name)
        return "after", phrase.format(v=value), f"{name} = {value}"
    op = s.pick(["=", "=", "=", "!=", ">", ">", ">", "<", "<", ">=", "<=", "~"])
    name = field(s, NUMERIC if op in (">", "<", ">=", "<=") else PLAIN if s.chance(0.7) else NUMERIC)
    if op == "~":
        name = name if s.chance(0.5) else s.pick(["message", "subject", "path", "email", "name", "product", "title", "text"])
        value = s.word()
    elif op in (">", "<", ">=", "<="):
        value = s.number() if s.chance(0.7) else s.pick([s.amount, s.duration])()
    elif name.lower() in KIND or name.lower() in PLAIN + NUMERIC:
        value = value_of(s, name.lower().replace("_", " ").replace("latency ms", "latency").replace("duration ms", "duration"))
    else:
        value = s.pick([s.number, lambda: s.pseudo(1, 2), s.status])()
    written = value if op not in ("=", "!=", "~") or s.chance(0.85) else s.pick(['"{}"', "'{}'"]).format(value)
    return "after", s.listed(GENERIC[op]).format(f=name, v=written), f"{name} {op} {value}"


def conditions(s, low=0, high=2):
    """(text before the noun, text after the noun, condition lines in the order of the text)"""
    x = s.r.random()
    n = min(high, max(low, 0 if x < 0.18 else 1 if x < 0.72 else 2 if x < 0.95 else 3))
    drawn, names = [], set()
    for _ in range(20):
        if len(drawn) == n:
            break
        place, phrase, line = condition(s)
        name = line.split(" ")[0]
        if name in names or (place == "before" and any(p == "before" for p, _, _ in drawn)):
            continue
        names.add(name)
        drawn.append((place, phrase, line))
    before = [d for d in drawn if d[0] == "before"]
    after = [d for d in drawn if d[0] == "after"]
    joint = s.pick([" ", " ", " and ", " and ", ", "])
    text = joint.join(d[1] for d in after)
    return "".join(d[1] + " " for d in before), (" " + text if text else ""), [d[2] for d in before + after]


# -- question forms --------------------------------------------------------------------------------
# {N} is the noun with its conditions (plural), {S} the same in the singular, {f} a field, {g} another.
COUNT = ["How many {N} are there?", "How many {N} are there in total?", "How many {N}?", "Count the {N}", "Count all {N}", "Count {N}",
         "What is the number of {N}?", "Number of {N}", "Number of {N}?", "What's the count of {N}?", "Tell me how many {N} there are",
         "Give me the number of {N}", "Give the count of {N}", "How many {N} do we have?", "How many {N} can be found?", "Total number of {N}?",
         "I want to know how many {N} there are", "How many {N} exist?", "Find out how many {N} there are", "Determine the number of {N}",
         "How many {N} does the file have?", "count {N}", "how many {N}", "How often do {N} occur?", "Report the number of {N}",
         "How frequently do {N} occur?", "How frequently do {N} appear?", "In how many cases are there {N}?", "How many times do {N} appear?",
         "How many times do we see {N}?", "What number of {N} do we have?", "What's the number of {N}?", "What is the total count of {N}?",
         "Compute the number of {N}", "Work out how many {N} there are", "Total count of {N}", "Show how many {N} there are",
         "Say how many {N} there are", "How many {N} can you find?", "How many {N} are listed?", "How many {N} appear?", "How many {N} occur?",
         "How many {N} does the log have?", "What is the count of {N}?", "How many {N} were there?", "The number of {N}?",
         "Calculate the number of {N}", "How many {N} did you see?"]
LIST = ["List all {N}", "List the {N}", "List {N}", "List every {S}", "Show all {N}", "Show me all {N}", "Show me the {N}", "Show {N}", "Print all {N}", "Give me all {N}",
        "Which {N} are there?", "What are the {N}?", "Get all {N}", "Return all {N}", "Display all {N}", "Find all {N}", "Output the {N}",
        "I need all {N}", "I want to see the {N}", "Give me a list of {N}", "Give me the list of all {N}", "Extract all {N}", "Filter the {N}", "Give every {S}",
        "Return every {S}", "Show every {S}", "Name all {N}", "Name the {N}", "Fetch all {N}", "Pull all {N}", "Let me see all {N}", "See all {N}",
        "Pick out the {N}", "Select all {N}", "Select the {N}", "What {N} are there?", "Which are the {N}?", "Provide all {N}", "Collect all {N}",
        "Look up all {N}", "Enumerate the {N}", "Write out the {N}", "Find the {N}", "Find every {S}"]
LIST_FIELD = ["List the {f} of all {N}", "List the {f}s of all {N}", "Show the {f} of all {N}", "Which {f}s have {N}?", "Give me the {f} of every {S}",
              "List every {f} with {N}", "What are the {f}s of the {N}?", "Show me the {f} of each {S}", "Print the {f} for all {N}",
              "List all {f}s of {N}", "Which {f}s do the {N} have?", "Get the {f} of all {N}", "Show all {f}s of the {N}", "Return the {f} of each {S}",
              "Name the {f} of each {S}", "Name the {f}s of all {N}", "Collect the {f} of all {N}", "Fetch the {f} of every {S}",
              "What {f}s do the {N} have?", "List the {f} for each {S}", "Give me each {f} of the {N}", "Show me every {f} of the {N}",
              "Find the {f} of all {N}", "Select the {f} of all {N}", "Extract the {f} from all {N}", "What is the {f} of each {S}?"]
EXISTS = ["Is there any {S}?", "Are there any {N}?", "Are there {N}?", "Is there {a} {S}?", "Do we have any {N}?", "Does the file contain {N}?",
          "Does the file contain any {N}?", "Do any {N} exist?", "Does any {S} exist?", "Check if there are any {N}", "Check whether there are {N}",
          "Is there at least one {S}?", "Was there any {S}?", "Were there any {N}?", "Tell me if there are any {N}", "Can you find any {S}?",
          "Does {a} {S} exist?", "Have there been any {N}?", "Do we see any {N}?", "Is any {S} present?",
          "Is there some {S}?", "Are there some {N}?", "Is there even one {S}?", "Has there been any {S}?", "Did any {N} occur?",
          "Did we see any {N}?", "Do you see any {N}?", "Does the log have any {N}?", "Does the data contain {N}?", "Is {a} {S} present?",
          "Are any {N} present?", "Can any {N} be found?", "Check for {N}", "Look whether there are {N}", "See if there are any {N}",
          "Find out whether any {N} exist", "Was there {a} {S}?", "Are there at all any {N}?", "Is there {a} {S} in here?"]
EXISTS_LINE = ["Does any {n1} mention {v}?", "Does any {n1} contain {v}?", "Is {v} mentioned anywhere?", "Is {v} mentioned in any {n1}?", "Does the word {v} occur?",
               "Does {v} appear in any {n1}?", "Does {v} appear anywhere?", "Is there any mention of {v}?", "Does the file mention {v}?", "Does the log contain {v}?",
               "Is the word {v} in the file?", "Do any {n2} mention {v}?", "Do any {n2} contain the word {v}?", "Does {v} occur?", "Is {v} in the file?",
               "Does {v} show up anywhere?", "Is there any {n1} with the word {v}?", "Can {v} be found?", "Does {v} exist in the file?",
               "Is {v} in any {n1}?", "Check if {v} is mentioned", "Check whether any {n1} mentions {v}", "Did {v} come up?",
               "Is there a mention of {v}?", "Does any {n1} include {v}?", "Do any {n2} include {v}?", "Has {v} been mentioned?"]
FIND = ["What is the {f} of {k} {v}?", "What is the {f} of {k} {v}?", "What is the {f} for {k} {v}?", "Show the {f} of {k} {v}", "Find the {f} of {k} {v}",
        "Which {f} does {k} {v} have?", "Tell me the {f} of {k} {v}", "Give me the {f} of {k} {v}", "Get the {f} for {k} {v}", "Look up the {f} of {k} {v}",
        "What {f} does {k} {v} have?", "What was the {f} of {k} {v}?", "What's the {f} of {k} {v}?", "{f} of {k} {v}?", "{f} of {k} {v}", "What is {k} {v}'s {f}?",
        "I need the {f} of {k} {v}", "Can you find the {f} of {k} {v}?", "Which {f} belongs to {k} {v}?", "For {k} {v}, what is the {f}?",
        "What is the {f} of the {n1} with {k} {v}?", "What is the {f} where {k} is {v}?", "What is the {f} of {k} number {v}?", "what {f} has {k} {v}",
        "Report the {f} for {k} {v}", "Return the {f} of {k} {v}",
        "Fetch the {f} of {k} {v}", "Name the {f} of {k} {v}", "What is the {f} in {k} {v}?", "What {f} is in {k} {v}?", "Which {f} is in {k} {v}?",
        "State the {f} of {k} {v}", "The {f} of {k} {v}?", "I want the {f} of {k} {v}", "Print the {f} of {k} {v}", "What's the {f} for {k} {v}?",
        "Which {f} goes with {k} {v}?", "What is the {f} for the {n1} with {k} {v}?"]
FIND_WHO = [("Who placed {k} {v}?", "user"), ("Who made {k} {v}?", "user"), ("Who opened {k} {v}?", "user"), ("Whose {k} is {v}?", "user"), ("Which user has {k} {v}?", "user"),
            ("Who ordered {k} {v}?", "user"), ("When was {k} {v} placed?", "date"), ("When was {k} {v} created?", "date"), ("On which date was {k} {v}?", "date"), ("Who is the user of {k} {v}?", "user"),
            ("Who does {k} {v} belong to?", "user"), ("Which customer placed {k} {v}?", "customer"), ("How much did {k} {v} cost?", "amount"), ("How much was {k} {v}?", "amount"),
            ("How expensive was {k} {v}?", "amount"), ("How long did {k} {v} take?", "duration"), ("Where was {k} {v} sent?", "city"), ("What happened to {k} {v}?", "status"), ("Which user placed {k} {v}?", "user")]
SUM = ["What is the total {f} of {N}?", "What is the total {f} of all {N}?", "What is the sum of the {f} of {N}?", "Sum the {f} of all {N}", "Sum of {f} of {N}", "Sum up the {f} of {N}",
       "Add up the {f} of all {N}", "Add up the {f} of {N}", "Total {f} of {N}?", "Total {f} of {N}", "Give me the total {f} for {N}", "Calculate the sum of {f} for {N}",
       "How much {f} do {N} have in total?", "What does the {f} of {N} add up to?", "Compute the total {f} of all {N}", "What is the combined {f} of {N}?", "Tell me the total {f} of {N}",
       "Sum {f} for {N}", "What is the overall {f} of {N}?", "What's the sum of all {f}s of {N}?",
       "Total up the {f} of {N}", "What's the total {f} of {N}?", "What do the {f}s of {N} sum to?", "Work out the total {f} of {N}",
       "How much {f} in total for {N}?", "Find the sum of {f} for {N}", "What is the {f} of {N} in total?", "What is the sum total of {f} for {N}?",
       "Sum total of {f} of {N}", "What is the aggregate {f} of {N}?", "Show the total {f} of {N}", "What is the joint {f} of {N}?",
       "Find the total {f} of all {N}", "What was the total {f} of {N}?", "Report the total {f} for {N}"]
BIG = ["largest", "highest", "biggest", "maximum", "greatest", "max", "top"]
SMALL = ["smallest", "lowest", "minimum", "least", "min"]
EXTREME = ["What is the {x} {f} of {N}?", "What is the {x} {f} of all {N}?", "What is the {x} {f} among {N}?", "Find the {x} {f} of {N}", "Show the {x} {f} of {N}", "{x} {f} of {N}",
           "{x} {f} of {N}?", "Give me the {x} {f} of all {N}", "Tell me the {x} {f} of the {N}", "Which is the {x} {f} of {N}?", "What was the {x} {f} of {N}?", "What's the {x} {f} of {N}?",
           "Determine the {x} {f} of {N}", "Get the {x} {f} for {N}", "I need the {x} {f} of {N}", "How much is the {x} {f} of {N}?", "Report the {x} {f} for all {N}",
           "Look up the {x} {f} of {N}", "Fetch the {x} {f} of {N}", "What {f} is the {x} of {N}?", "Name the {x} {f} of {N}",
           "State the {x} {f} of the {N}", "What is the {x} {f} for {N}?", "Print the {x} {f} of {N}", "Compute the {x} {f} of {N}",
           "the {x} {f} of {N}"]
EXTREME_OF = ["Which {g} has the {x} {f}?", "Which {g} had the {x} {f}?", "What {g} has the {x} {f}?", "Find the {g} with the {x} {f}", "Show the {g} with the {x} {f}",
              "Who is the {g} with the {x} {f}?", "Give me the {g} with the {x} {f}", "Which {g} shows the {x} {f}?", "The {g} with the {x} {f}?", "Tell me which {g} has the {x} {f}",
              "Name the {g} with the {x} {f}", "What is the {g} with the {x} {f}?", "What is the {g} of the {n1} with the {x} {f}?", "Which {g} has the {x} {f} of {N}?",
              "Which {g} has the {x} {f} among {N}?", "Of {N}, which {g} has the {x} {f}?", "which {g} has the {x} {f}",
              "Print the {g} with the {x} {f}", "Look up the {g} with the {x} {f}", "Which is the {g} with the {x} {f}?",
              "Get the {g} with the {x} {f}", "What {g} had the {x} {f}?", "Which {g} comes with the {x} {f}?",
              "Fetch the {g} with the {x} {f} of {N}", "Among {N}, which {g} has the {x} {f}?"]
ENDS = ["What is the {e} {S}?", "Show the {e} {S}", "Show me the {e} {S}", "Give me the {e} {S}", "Find the {e} {S}", "Which is the {e} {S}?", "Which {S} is the {e}?", "{e} {S}",
        "{e} {S}?", "Get the {e} {S}", "Print the {e} {S}", "What was the {e} {S}?", "Which {S} comes {e}?", "Return the {e} {S}", "I want the {e} {S}", "Tell me the {e} {S}", "Display the {e} {S}",
        "Name the {e} {S}", "Report the {e} {S}", "Which one is the {e} {S}?", "What's the {e} {S}?", "Look up the {e} {S}", "Fetch the {e} {S}",
        "the {e} {S}", "What is the very {e} {S}?", "Tell me which {S} is the {e}", "Copy the {e} {S}", "I need the {e} {S}", "See the {e} {S}"]
ENDS_FIELD = ["What is the {f} of the {e} {S}?", "What was the {f} of the {e} {S}?", "Show the {f} of the {e} {S}", "Give me the {f} of the {e} {S}", "Which {f} does the {e} {S} have?",
              "Find the {f} of the {e} {S}", "Which {f} has the {e} {S}?", "Tell me the {f} of the {e} {S}", "What {f} did the {e} {S} have?", "Which {f} appears in the {e} {S}?",
              "What is the {e} {f} of {N}?", "{f} of the {e} {S}", "{f} of the {e} {S}?", "Get the {f} of the {e} {S}", "What's the {f} of the {e} {S}?",
              "Name the {f} of the {e} {S}", "Report the {f} of the {e} {S}", "Fetch the {f} of the {e} {S}", "What {f} has the {e} {S}?",
              "What {f} is in the {e} {S}?", "Print the {f} of the {e} {S}", "I need the {f} of the {e} {S}", "Look up the {f} of the {e} {S}",
              "The {f} of the {e} {S}?"]
ENDS_WHO = [("When was the {e} {S}?", "timestamp"), ("When did the {e} {S} occur?", "timestamp"), ("When did the {e} {S} happen?", "timestamp"), ("Who made the {e} {S}?", "user"),
            ("Who placed the {e} {S}?", "user"), ("Who caused the {e} {S}?", "user"), ("At what time was the {e} {S}?", "time"), ("On which date was the {e} {S}?", "date"), ("Who is in the {e} {S}?", "user")]
AVERAGE = ["What is the average {f} of {N}?", "What is the average {f} of all {N}?", "Average {f} of {N}", "Average {f} of {N}?", "What is the mean {f} of {N}?", "Mean {f} of {N}", "Compute the average {f} for {N}",
           "Calculate the mean {f} of all {N}", "Give me the average {f} of {N}", "Find the average {f} of {N}", "On average, what is the {f} of {N}?", "Tell me the average {f} of {N}",
           "What's the average {f} for {N}?", "How much {f} do {N} have on average?", "What is the {f} of {N} on average?", "Show the mean {f} of {N}", "Get the average {f} of all {N}",
           "What is the mean of {f} for {N}?", "What is the average of {f} over {N}?", "What's the mean {f} of {N}?",
           "Work out the average {f} of {N}", "Report the average {f} of {N}", "Determine the average {f} of {N}",
           "What was the average {f} of {N}?", "How much is the average {f} of {N}?", "Show the average {f} for {N}"]
PREFIX = ["", "", "", "", "", "", "", "So, ", "Hey, ", "Looking at the file, ", "Tell me: ", "One question: ", "Now: ", "In this log: ", "From the data: ", "Just wondering: ", "Please tell me: ", "Please ", "Can you tell me: ", "Question: ", "Hi, ", "Hello! ", "From this log: ", "In this file, ", "please ", "Quick question: ", "In the document: ", "Based on the data, "]
SUFFIX = ["", "", "", "", "", "", " thanks", " in this log", " in the file", " in there", " in the data", " in these records", " Thanks!", " please", " in this file", " in the log", " in the document", " here"]


def dress(s, text):
    """Small differences in how people write."""
    pre = s.listed(PREFIX) if s.chance(0.5) else ""
    if pre and pre[-2] != ":" and not text[:2].isupper() and text[0] != "I":
        text = text[0].lower() + text[1:]
    if s.chance(0.18) and text.endswith("?"):
        text = text[:-1]
    elif s.chance(0.12) and not text.endswith("?"):
        text += "."
    post = s.listed(SUFFIX) if s.chance(0.4) else ""
    if post and post[1].islower():
        text = text[:-1] + post + text[-1] if text[-1] in "?." else text + post
    else:
        text += post
    if s.chance(0.15) and not text[:2].isupper():
        text = text[0].lower() + text[1:]
    return pre + text


def plan_example(s):
    """(prompt, answer, reduction)"""
    kind = s.pick(["count"] * 20 + ["list"] * 14 + ["exists"] * 10 + ["find"] * 16 + ["sum"] * 8 + ["min"] * 6 + ["max"] * 8 + ["first"] * 6 + ["last"] * 6 + ["average"] * 7 + ["free"] * 14)
    if kind == "free":
        return "plan\n" + dress(s, free_question(s)), "free\n-\n", "free"
    noun = s.pick(NOUNS)
    select, lines, form = "-", [], None
    low = 0
    slots = {"n1": singular(noun), "n2": noun, "e": kind, "f": None}
    if kind == "count":
        form = s.listed(COUNT)
        if s.chance(0.12):
            value = s.pick(["error", "warning", "failure", "Error", "Warning"])
            word = s.pick(["errors", "warnings"])
            return f"plan\n{dress(s, s.listed(COUNT).format(N=word))}", f"count\n-\nlevel = {word[:-1]}\n", "count"
        if s.chance(0.15):  # the condition as the verb of the question
            value = s.status(known=True)
            who = value_of(s, "user")
            form, lines = s.pick([(f"How many {noun} are {value}?", [f"status = {value}"]), (f"How many {noun} {value}?", [f"status = {value}"]),
                                  (f"How many {noun} were {value}?", [f"status = {value}"]), (f"How many {noun} have status {value}?", [f"status = {value}"]),
                                  (f"How many {noun} does {who} have?", [f"user = {who}"]), (f"How many {noun} did {who} make?", [f"user = {who}"]),
                                  (f"How many {noun} of {who} are {value}?", [f"user = {who}", f"status = {value}"]), (f"How many {noun} of {who} {value}?", [f"user = {who}", f"status = {value}"]),
                                  (f"How many {noun} by {who} were {value}?", [f"user = {who}", f"status = {value}"]), (f"How many {noun} are not {value}?", [f"status != {value}"])])
            return "plan\n" + dress(s, form), f"count\n-\n" + "".join(l + "\n" for l in lines), "count"
    elif kind == "list":
        if s.chance(0.35):
            select = field(s, PLAIN if s.chance(0.8) else NUMERIC)
            form = s.listed(LIST_FIELD)
            if select[-1] in "sy" or " " in select:
                form = form.replace("{f}s", "{f}")
        elif s.chance(0.2):
            value = s.status(known=True)
            form = s.pick(["Which {n2} are {v}?", "Which {n2} {v}?", "What {n2} are {v}?", "Which {n2} were {v}?", "Which {n2} have status {v}?"]).format(n2=noun, v=value)
            return "plan\n" + dress(s, form), f"list\n-\nstatus = {value}\n", "list"
        else:
            form, low = s.listed(LIST), 0 if s.chance(0.2) else 1
    elif kind == "exists":
        if s.chance(0.3):
            value = s.pick([s.word, s.name, s.ip, s.order, s.host, lambda: s.phrase(2, 3)])()
            written = value if s.chance(0.75) else f'"{value}"'
            return "plan\n" + dress(s, s.listed(EXISTS_LINE).format(v=written, **slots)), f"exists\n-\nline ~ {value}\n", "exists"
        form, low = s.listed(EXISTS), 1
    elif kind == "find":
        key = s.pick(KEYS) if s.chance(0.85) else invented_key(s)
        value = value_of(s, key) if key in KEYS else s.pick([s.number, s.order, lambda: s.pseudo(1, 2)])()
        if s.chance(0.2):
            form, select = s.pick(FIND_WHO)
            key = s.pick(["order", "order", "ticket", "invoice", "booking", "shipment"])
            value = s.order()
        else:
            form = s.listed(FIND)
            select = field(s, PLAIN if s.chance(0.6) else NUMERIC)
            if select.lower() == key:
                select = "email"
        shown = "#" + value if s.chance(0.06) and value.isdigit() else value
        return "plan\n" + dress(s, form.format(f=select, k=key, v=shown, **{k: v for k, v in slots.items() if k != "f"})), f"find\n{select}\n{key} = {value}\n", "find"
    elif kind in ("sum", "average"):
        form, select = s.listed(SUM if kind == "sum" else AVERAGE), field(s, NUMERIC)
    elif kind in ("min", "max"):
        slots["x"] = s.pick(BIG if kind == "max" else SMALL)
        select = field(s, NUMERIC)
        if s.chance(0.08):
            select, slots["x"] = s.pick([("date", "latest"), ("time", "latest"), ("duration", "longest"), ("latency", "slowest")] if kind == "max" else
                                        [("date", "earliest"), ("time", "earliest"), ("duration", "shortest"), ("latency", "fastest")])
        if s.chance(0.45):
            form, other = s.listed(EXTREME_OF), field(s, ["user", "user", "customer", "order", "city", "product", "service", "host", "date", "ticket", "item", "name", "ip", "path", "status", "email"])
            if s.chance(0.12):
                other, form = "user", s.pick(["Who has the {x} {f}?", "Who had the {x} {f}?", "Who paid the {x} {f}?", "Who spent the {x} {f}?"])
            slots["g"] = other
            slots["f"] = select
            select = f"{select}, {other}"
        else:
            form = s.listed(EXTREME)
    else:
        x = s.r.random()
        if kind == "last" and s.chance(0.15):
            slots["e"] = "latest"
        if x < 0.5:
            form = s.listed(ENDS)
        elif x < 0.85:
            form, select = s.listed(ENDS_FIELD), field(s, PLAIN if s.chance(0.7) else NUMERIC)
            low = 1 if "{e} {f}" in form else 0
        else:
            form, select = s.pick(ENDS_WHO)
    slots["f"] = slots["f"] or select
    before, after, drawn = conditions(s, low)
    if "{N}" not in form and "{S}" not in form:
        drawn, before, after = [], "", ""
    one = before + singular(noun) + after
    text = form.format(N=before + noun + after, S=one, a=article(one), **slots)
    if after and form.endswith("{N} are there?") and s.chance(0.5):
        text = text.replace(" are there?", "?")
    return "plan\n" + dress(s, text), f"{kind}\n{select}\n" + "".join(line + "\n" for line in lines + drawn), kind


if __name__ == "__main__":
    from words import Source
    source = Source(5)
    for _ in range(60):
        prompt, answer, style = plan_example(source)
        print(repr(prompt[5:]), "=>", repr(answer))
