"""Records without keys: position, wording or form tells what a value is.

Templates hold slots such as `{user}`; every slot becomes a field. `CLEAR` lists the kinds that may
be asked of such a record although it has none.
"""

import re

from kinds import NAMES, draw
from styles import Field, Record, line_number
from words import LEVELS, MONTHS, STATUSES

SLOT = re.compile(r"\{(\w+)\}")

ORDERS = """order {order} by {user} amount {amount} {status}
order {order} by {user} amount {amount} {status}
order {order} by {user} amount {amount} {currency} {status}
order {order} by {user} {amount} {currency} {status}
order {order} from {user} amount {amount} {status}
order {order} by {user}, amount {amount}, {status}
order {order} of {user}: {amount} {currency}, {status}
Order {order} by {fullname}: {amount} {currency} ({status})
order {order} | {user} | {amount} | {status}
order {order} | {user} | {amount} {currency} | {status}
order {order}; {user}; {quantity} x {product}; {amount}; {status}
order {order} {user} {amount} {status}
{order} {user} {amount} {status}
{order} | {user} | {amount} | {status}
{order} | {date} | {user} | {amount} | {status}
{date} | {order} | {user} | {product} | {amount} | {status}
{order};{user};{amount};{status}
{order}, {user}, {amount} {currency}, {status}
{order}	{user}	{amount}	{status}
{date}	{order}	{fullname}	{city}	{amount}	{status}
{order} {status} to {user}, {quantity} items, {amount} {currency}
{order} {status} to {user}, {quantity} items, {amount} {currency}, {date}
{order} {status} for {user}, {amount} {currency}
{user} ordered {quantity} {product} for {amount} {currency}, {status}
{user} ordered {quantity} x {product} on {date}, order {order}, {status}
{fullname} bought {product} for {amount} {currency} on {date} (order {order}, {status})
{user} paid {amount} {currency} for order {order} on {date}
{fullname} paid {amount} {currency} for invoice {invoice} on {date}
invoice {invoice} to {fullname}, {amount} {currency}, due {date}, {status}
invoice {invoice} {user} {amount} {status}
Invoice {invoice} | {fullname} | {amount} {currency} | {status}
payment of {amount} {currency} from {user} for order {order}: {status}
payment {status}: order {order}, {user}, {amount} {currency}
refund of {amount} {currency} to {user} for order {order} on {date} {status}
sale {order} in {city}: {quantity} x {product}, {amount} {currency}, {status}
sold {quantity} {product} to {user} in {city} for {amount}
booking {order} for {fullname}, {city}, {date}, {amount} {currency}, {status}
shipment {order} to {city} for {user} {status} on {date}
parcel {order} from {city} to {user}: {status}
transfer {order} {amount} {currency} from {user} {status}
{date} order {order} by {user} amount {amount} {status}
{stamp} order {order} by {user} amount {amount} {status}
{date} order {order} {status} ({user}, {amount} {currency})
{date}: {user} ordered {product} for {amount} {currency} - {status}
[{status}] order {order} by {user} amount {amount}
{status}: order {order}, {user}, {amount} {currency}
({order}) {user}: {product}, {quantity} pieces, {amount} {currency}, {status}
order={order} {user} {amount} {status}
#{order} {user} {amount} {status}
order #{order} by {user}: {amount} {currency} [{status}]
order no. {order}, customer {user}, total {amount} {currency}, status {status}
order {order} customer {user} total {amount} status {status}
order {order} user {user} amount {amount} status {status}
order {order} user {user} city {city} amount {amount} status {status}
order {order} item {product} qty {quantity} price {amount} status {status}
id {order} user {user} status {status} amount {amount}
user {user} order {order} {status} amount {amount}
user {user} status {status} amount {amount} date {date}
customer {fullname} order {order} amount {amount} {currency} status {status}
{user} {status} order {order} amount {amount}
{user}: order {order}, {amount} {currency}, {status}
{user} spent {amount} {currency} on {product} in {city}
{order} - {user} - {amount} - {status}
{order} / {user} / {amount} / {status}
{order} {date} {user} {amount} {currency} {status}""".split("\n")

LEDGER = """{date}  {label}  {amount} {currency}  {status}
{date}  {label}  {amount}  {status}
{date} {label} {amount} {currency} {status}
{date} | {label} | {amount} {currency} | {status}
{date}; {label}; {amount}; {status}
{date}	{label}	{amount}	{currency}
{date}	{label}	{amount}	{status}
{date} {label} {amount} {currency}
{date}  {label}  {amount}  balance {balance}
{date} {label}: {amount} {currency} ({status})
{date} {invoice} {label} {amount} {currency} {status}
{label}  {date}  {amount} {currency}  {status}
{date}, {label}, {city}, {amount} {currency}
{date}  {amount} {currency}  {label}""".split("\n")

TICKETS = """#{ticket} [{status}] {prio} {fullname}: {subject}
#{ticket} [{status}] {prio} {user}: {subject}
#{ticket} ({status}) {user}: {subject}
#{ticket} {status} {prio} {user} - {subject}
[{ticket}] {prio} {status} {fullname} - {subject}
{ticket} | {status} | {prio} | {user} | {subject}
{ticket} | {status} | {prio} | {fullname} | {subject}
{ticket} | {prio} | {status} | {subject}
{ticket}; {status}; {prio}; {user}; {subject}
{ticket} | {date} | {user} | {status} | {prio} | {subject}
{ticket} [{status}] {subject} ({user}, {prio})
{ticket} [{status}] {subject} - {fullname}
{ticket}: {subject} [{status}] {prio}
Ticket {ticket} from {fullname} ({status}, {prio}): {subject}
ticket {ticket} by {user} {prio} {status}
ticket {ticket} opened by {user} on {date}, priority {prio}, status {status}: {subject}
{date} {ticket} {prio} {status} {user}: {subject}
[{prio}] {ticket} {user}: {subject} ({status})
- [{ticket}] {subject} @{user} {prio}""".split("\n")

# messages of logs; words around the slots are fixed, so that the model must look at the slots
MESSAGES = """login failed for {user} from {ip}
login {status} for {user} from {ip}
login succeeded for {user} from {ip}
user {user} logged in from {ip}
user {user} logged out after {duration}
failed login for user {user}
password changed for {user}
session opened for user {user}
session {session} closed by {user}
slow query {num} ms
slow query took {duration}
request took {duration}
{method} {path} {code} {duration}
{method} {path} {code} in {duration}
{method} {path} -> {code} in {num} ms
{method} {path} returned {code}
{path} returned {code} after {duration}
order {order} {status}
order {order} by {user} {status}
order {order} by {user} amount {amount} {status}
order {order} created by {user}
order {order} shipped to {city}
order {order} total {amount} {currency}
payment of {amount} {currency} by {user} {status}
payment {order} declined for {user}
charged {amount} {currency} to {user}
refund {amount} {currency} for order {order}
connection from {ip} closed
connection to {host} lost
connection to {ip} port {port} refused
cannot reach {host}
host {host} is down
host {host} answered in {duration}
node {host} {status}
job {order} {status} after {duration}
job {order} finished in {duration}
backup of {host} {status}
cache miss for {path}
file {path} not found
uploaded {path} size {size}
sent mail to {email}
mail to {email} bounced
new account {email}
user {user} deleted {path}
email changed to {email} by {user}
retry in {duration}
disk usage at {pct} on {host}
version {version} deployed on {host}
deployed version {version} by {user}
listening on port {port}
process {pid} exited
worker {pid} started
stock of {product} low
{user} bought {quantity} {product} for {amount} {currency}
{user} added {product} to cart
{text}
{text}
{text}
{text}
{text} {num}
{text}: {inv}""".split("\n")

APP = """{stamp} {level} {service} {msg}
{stamp} {level} {service}: {msg}
{stamp} {level} [{service}] {msg}
{stamp} [{level}] {service}: {msg}
{stamp} [{level}] {msg}
{stamp} {level} {msg}
{stamp} {level}: {msg}
[{stamp}] {level} {service}: {msg}
[{stamp}] {level}  {service}: {msg}
[{stamp}] [{level}] {msg}
[{stamp}] {level} {msg}
[{stamp}] [{level}] [{service}] {msg}
{level} {stamp} {service} {msg}
{level} [{stamp}] {msg}
{level}: {msg}
{level} {service}: {msg}
[{level}] {service} - {msg}
{stamp} {host} {service} {level} {msg}
{stamp} {host} {level} {service}: {msg}
{stamp} | {level} | {service} | {msg}
{stamp} | {level} | {host} | {msg}
{stamp} - {service} - {level} - {msg}
{stamp} {service} {level}: {msg}
{stamp} {service}[{pid}]: {level} {msg}
{stamp}	{level}	{service}	{msg}
{stamp};{level};{service};{msg}
<{level}> {stamp} {msg}
{stamp} {msg}
{service}: {level}: {msg}""".split("\n")

SYSLOG = """{sysstamp} {host} {service}[{pid}]: {msg}
{sysstamp} {host} {service}: {msg}
<{num}>{sysstamp} {host} {service}[{pid}]: {msg}
{sysstamp} {host} kernel: {msg}""".split("\n")

ACCESS = """{ip} - - [{weblog}] "{method} {path} HTTP/1.1" {code} {size}
{ip} - {user} [{weblog}] "{method} {path} HTTP/1.1" {code} {size}
{ip} - - [{weblog}] "{method} {path} HTTP/1.1" {code} {size} "-" "{agent}"
{ip} - {user} [{weblog}] "{method} {path} HTTP/2.0" {code} {size} "https://{inv}.example/" "{agent}"
{ip} {method} {path} {code} {size} {duration}
{stamp} {ip} {method} {path} {code} {duration}
{method} {path} {code} {duration} {ip}
{stamp} "{method} {path}" {code} {duration}
{ip} [{weblog}] {method} {path} {code} {size}
{host} {ip} - - [{weblog}] "{method} {path} HTTP/1.1" {code} {size}""".split("\n")

STYLES = {"order": ORDERS, "ledger": LEDGER, "ticket": TICKETS, "app_log": APP, "syslog": SYSLOG, "access": ACCESS}
LABEL = ["Rent", "Salary", "Groceries", "Electricity", "Insurance", "Fuel", "Books", "Dinner", "Train ticket", "Gym",
         "Phone bill", "Internet", "Gift", "Repair", "Tax", "Water", "Coffee", "Cinema", "Hotel", "Flight", "Interest"]
# absent kinds that may be asked of a record in free form: those whose absence nobody would dispute
CLEAR = {"ip", "email", "phone", "method", "currency", "version", "priority", "country", "level", "city", "amount",
         "path", "order", "ticket", "product", "duration", "date", "quantity", "invented"}


def build(template, s, record_fields, banned):
    def slot(match):
        kind = match.group(1)
        if kind == "msg":
            inner = (s.file.values if s.file else s).pick(MESSAGES)
            at = [f.kind for f in record_fields]
            if any(k in at for k in SLOT.findall(inner)) or ("{service}" in template and "{host}" in inner and "{host}" in template):
                inner = "{text}"
            part = []
            text = SLOT.sub(lambda m: fill(m.group(1), s, part, banned), inner)
            record_fields.extend(part)
            record_fields.append(Field("message", text, names=["message", "text", "msg"]))
            banned.update({"status", "reason", "subject", "product", "service", "category", "department", "host", "user", "city", "name",
                           "device", "quantity", "size", "code", "score", "age", "session", "region", "port", "pid", "balance"})
            return text
        return fill(kind, s, record_fields, banned)

    return SLOT.sub(slot, template)


def fill(kind, s, fields, banned):
    """Draws the text of one slot and notes its fields."""
    if s.file:
        return s.file.fill(kind, fields, banned)
    if kind in ("stamp", "sysstamp", "weblog"):
        for _ in range(50):
            text, parts = s.stamp()
            if kind == "stamp" or (text[:1].isalpha() and kind == "sysstamp"):
                break
        if kind == "weblog":
            day = f"{s.int(1, 28):02d}/{s.pick(MONTHS)}/{s.int(2019, 2029)}"
            time = f"{s.int(0, 23):02d}:{s.int(0, 59):02d}:{s.int(0, 59):02d}"
            text = f"{day}:{time}" + s.pick([" +0000", " +0100", " -0500", ""])
            parts = {"timestamp": text, "date": day, "time": time}
        fields.extend(Field(k, v) for k, v in parts.items())
        banned.update({"date", "time", "timestamp"} - set(parts))
        return text
    if kind == "level":
        text = s.listed(LEVELS)
    elif kind == "fullname":
        text, kind = s.full_name(), "user"
    elif kind == "prio":
        text, kind = s.pick(["P0", "P1", "P2", "P3", "P4", "low", "medium", "high", "urgent", "normal", "High", "Low"]), "priority"
    elif kind == "num":
        return str(s.int(1, 9999))  # a bare number that nothing is asked about
    elif kind == "inv":
        return s.pseudo(1, 3)
    elif kind == "pct":
        return f"{s.int(1, 100)}%"
    elif kind == "agent":
        return draw("user_agent", s)
    elif kind == "label":
        text = s.pick(LABEL) if s.chance(0.5) else s.phrase(1, 3) if s.chance(0.5) else s.pseudo(1, 3).capitalize()
        fields.append(Field("message", text, names=["description", "text", "item", "name", "label"]))
        banned.update({"user", "product", "subject", "category", "reason", "service", "city"})
        return text
    elif kind == "text":
        return s.phrase(1, 6)
    elif kind == "status":
        text = s.status()
    else:
        text = draw(kind, s)
    if kind == "path":
        text = text.replace(" ", "")
    fields.append(Field(kind, text))
    return text


def names_of(field, template):
    if field.names:
        return field.names
    if field.kind == "code" and "{status}" not in template:
        return NAMES["code"] + ["status"]
    if field.kind == "order" and "job {" in template:
        return ["job", "id"]
    return NAMES[field.kind]


def free(style, s):
    template = s.pick(STYLES[style])
    combo = [style, template]
    number, has_number = line_number(s)
    if style == "order" and s.chance(0.3) and not number:
        number, has_number = f"{s.file.number() if s.file else s.int(0, 999):03d} ", "n1"
    fields, banned = [], set()
    plain = "{status}" in template and not re.search(r"\{status\}\W*$|[\[(]\{status\}|status \{status\}", template)
    text = build(template, s, fields, banned)
    if plain or style == "ticket":  # a status amid other words must be known as one
        for f in fields:
            if f.kind == "status" and f.value not in STATUSES:
                known = (s.file.values if s.file else s).status(known=True)
                text = text.replace(f.value, known, 1) if text.count(f.value) == 1 else text
                f.value = known if known in text else f.value
    kinds = [f.kind for f in fields]
    seen = set()
    for f in list(fields):
        if kinds.count(f.kind) > 1:
            fields.remove(f)
            banned.add(f.kind)
        seen.add(f.kind)
    for f in fields:
        f.names = names_of(f, template)
        if f.kind in ("duration", "phone", "device") and " " in f.value:
            f.value = f.value.split(" ")[0]
    if style == "order" and s.chance(0.12):
        text = text[0].upper() + text[1:] if text.startswith("order") else text + "."
        if text.endswith(".") and fields and fields[-1].value[-1:].isdigit():
            text = text[:-1]
    banned |= {k for k in NAMES if k not in CLEAR}
    return Record(number + text, style, " ".join(combo) + has_number, fields, banned)
