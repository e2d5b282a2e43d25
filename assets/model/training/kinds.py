"""Kinds of value: the names they are asked by, the keys they are written under, how they are drawn."""

import re

from words import CITIES, COUNTRIES, CURRENCIES, LEVELS, LONG_CITIES, METHODS, PRODUCTS, STATUSES

# kind -> names a question may use for it where the record itself shows no key
NAMES = {
    "level": ["level", "level", "severity", "log level", "loglevel"],
    "date": ["date", "date", "day"],
    "time": ["time"],
    "timestamp": ["timestamp", "datetime"],
    "ip": ["ip", "ip", "ip address", "client ip", "source ip"],
    "user": ["user", "user", "user", "name", "customer", "username", "client", "user name"],
    "order": ["order", "order", "id", "order id", "order_id", "order number"],
    "ticket": ["ticket", "ticket", "id", "ticket id", "ticket number", "issue"],
    "invoice": ["invoice", "id", "invoice number", "invoice id"],
    "amount": ["amount", "amount", "price", "total", "cost"],
    "status": ["status", "status", "status", "state", "result"],
    "host": ["host", "server", "hostname", "machine"],
    "service": ["service", "component", "module"],
    "path": ["path", "url", "endpoint"],
    "method": ["method", "http method"],
    "code": ["code", "status code", "response code", "http status"],
    "duration": ["duration", "latency", "elapsed"],
    "city": ["city", "town", "location"],
    "country": ["country"],
    "product": ["product", "item", "article"],
    "quantity": ["quantity", "qty"],
    "priority": ["priority", "prio", "urgency"],
    "email": ["email", "mail", "e-mail"],
    "message": ["message", "text", "msg", "description"],
    "subject": ["subject", "title", "description"],
    "currency": ["currency"],
    "size": ["size", "bytes"],
    "category": ["category"],
    "department": ["department", "team"],
    "device": ["device"],
    "version": ["version"],
    "reason": ["reason"],
    "port": ["port"],
    "pid": ["pid", "process id"],
    "phone": ["phone", "phone number"],
    "region": ["region"],
    "session": ["session", "session id"],
    "balance": ["balance"],
    "score": ["score"],
    "age": ["age"],
}

# kind -> keys that records write (snake case; styles change the case)
KEYS = {
    "level": ["level", "severity", "lvl", "loglevel"],
    "date": ["date", "day"],
    "time": ["time"],
    "timestamp": ["timestamp", "ts", "datetime", "time", "at"],
    "ip": ["ip", "ip_address", "client_ip", "remote_addr", "src", "addr"],
    "user": ["user", "user", "username", "customer", "name", "client", "user_name", "owner", "account", "usr"],
    "user_id": ["user_id", "customer_id", "uid", "account_id"],
    "order": ["order", "order_id", "id", "order_no", "order_number"],
    "ticket": ["ticket", "ticket_id", "id", "issue"],
    "invoice": ["invoice", "invoice_id", "id", "invoice_no"],
    "amount": ["amount", "amount", "price", "total", "cost", "value", "sum"],
    "status": ["status", "status", "status", "state", "result", "outcome"],
    "host": ["host", "server", "hostname", "node", "machine"],
    "service": ["service", "component", "module", "app", "svc"],
    "path": ["path", "url", "uri", "endpoint", "route"],
    "method": ["method", "verb"],
    "code": ["code", "status_code", "http_status", "response_code"],
    "duration": ["duration", "latency", "elapsed", "took", "duration_ms", "latency_ms", "response_time"],
    "city": ["city", "town", "location"],
    "country": ["country"],
    "product": ["product", "item", "article", "sku"],
    "quantity": ["quantity", "qty", "count", "pieces"],
    "priority": ["priority", "prio", "urgency"],
    "email": ["email", "mail", "e_mail"],
    "message": ["message", "msg", "text", "description", "note", "comment"],
    "subject": ["subject", "title"],
    "currency": ["currency"],
    "size": ["size", "bytes"],
    "category": ["category", "type", "kind"],
    "department": ["department", "team", "group"],
    "device": ["device", "model"],
    "version": ["version", "ver"],
    "reason": ["reason", "cause"],
    "port": ["port"],
    "pid": ["pid"],
    "phone": ["phone", "tel"],
    "region": ["region", "zone"],
    "session": ["session", "session_id", "trace_id", "request_id"],
    "balance": ["balance"],
    "score": ["score", "rating"],
    "age": ["age"],
    "amount_due": ["amount_due", "amount_paid", "total_due", "discount", "tax", "fee"],
    "user_agent": ["user_agent", "agent"],
    "order_date": ["order_date", "due_date", "created_at", "updated_at", "ship_date"],
    "retries": ["retries", "retry_count", "attempts", "errors", "items_left"],
    "flag": ["paid", "verified", "enabled", "is_admin", "success", "cached", "active"],
}
# kinds so near to each other that a question for one is unclear where only the other is written
NEAR = [
    {"date", "time", "timestamp", "order_date"}, {"user", "user_id", "email", "session"},
    {"order", "ticket", "invoice", "user_id", "session", "pid"}, {"amount", "amount_due", "balance", "quantity"},
    {"status", "code", "flag", "reason"}, {"quantity", "size", "retries"}, {"host", "ip", "service", "device"},
    {"city", "country", "region"}, {"message", "subject", "reason"}, {"product", "category", "device"},
    {"level", "priority"}, {"path", "method"}, {"user_agent", "device"}, {"department", "category", "service"},
    {"score", "priority", "age"}, {"time", "duration"}, {"order", "product", "order_date"},
]


def near(a, b):
    return a == b or any(a in group and b in group for group in NEAR)


def norm(name):
    """Names that differ in case, separators or a plural s are the same name."""
    return re.sub(r"[^0-9a-z]+", "", name.lower()).rstrip("s")


KIND_OF_NAME = {}
for _table in (KEYS, NAMES):
    for _kind, _names in _table.items():
        for _name in _names:
            KIND_OF_NAME.setdefault(norm(_name), set()).add(_kind)


def draw(kind, s):
    """A value of a kind; `s` is the Source."""
    if s.file:
        return s.file.draw(kind)
    r = s.r.random()
    if kind == "level":
        return s.listed(LEVELS)
    if kind == "timestamp":
        return s.stamp()[0]
    if kind in ("date", "time", "ip", "order", "amount", "status", "host", "service", "path", "duration", "email"):
        return getattr(s, kind)()
    if kind in ("ticket", "invoice"):
        return s.order()
    if kind == "user":
        return s.user()
    if kind == "user_id":
        return s.digits(1, 6) if r < 0.7 else s.order()
    if kind == "method":
        return s.pick(METHODS)
    if kind == "code":
        return s.pick(["200", "201", "204", "301", "302", "304", "400", "401", "403", "404", "409", "429", "500", "502", "503"]) if r < 0.8 else str(s.int(100, 599))
    if kind == "city":
        return s.listed(CITIES) if r < 0.7 else s.pseudo(2, 3).capitalize() if r < 0.9 else s.pick(LONG_CITIES)
    if kind == "country":
        return s.listed(COUNTRIES)
    if kind == "product":
        return s.listed(PRODUCTS) if r < 0.6 else s.pseudo(1, 3) if r < 0.85 else s.listed(PRODUCTS) + "-" + s.digits(1, 3)
    if kind == "quantity":
        return str(s.int(0, 20)) if r < 0.7 else s.digits(1, 4)
    if kind == "priority":
        return s.pick(["P0", "P1", "P2", "P3", "P4", "low", "medium", "high", "urgent", "normal", "critical", "Low", "High", "Medium", "1", "2", "3"])
    if kind in ("message", "subject"):
        return s.phrase(2, 6)
    if kind == "currency":
        return s.pick(CURRENCIES)
    if kind == "size":
        return s.digits(1, 7) if r < 0.7 else s.digits(1, 3) + s.pick(["kB", "MB", "K", "M", "GB"])
    if kind == "version":
        return f"{s.int(0, 12)}.{s.int(0, 30)}" + (f".{s.int(0, 20)}" if r < 0.6 else "")
    if kind in ("category", "department", "reason"):
        return s.word() if r < 0.7 else s.pseudo(2, 3)
    if kind == "device":
        return s.pseudo(1, 2) + s.pick(["", "-", " "]) + s.digits(1, 3)
    if kind == "port":
        return str(s.int(20, 65535))
    if kind == "pid":
        return s.digits(2, 5)
    if kind == "phone":
        return "+" + s.digits(2, 3) + s.pick(["-", "", " "]) + s.digits(5, 9)
    if kind == "region":
        return s.pick(["eu", "us", "ap", "sa"]) + "-" + s.pick(["west", "east", "north", "south", "central"]) + "-" + str(s.int(1, 4)) if r < 0.6 else s.pick(["north", "south", "east", "west"]) if r < 0.8 else s.pseudo(1, 2)
    if kind == "session":
        return "".join(s.pick("0123456789abcdef") for _ in range(s.int(5, 14)))
    if kind in ("balance", "amount_due"):
        return s.amount()
    if kind in ("score", "age"):
        return str(s.int(0, 100)) if r < 0.7 else f"{s.int(0, 9)}.{s.int(0, 9)}"
    if kind == "user_agent":
        return s.pick(["curl", "Mozilla", "Chrome", "okhttp", "Safari", "python-requests"]) + f"/{s.int(1, 130)}.{s.int(0, 9)}"
    if kind == "order_date":
        return s.date() if r < 0.7 else s.stamp()[0]
    if kind == "retries":
        return str(s.int(0, 12))
    if kind == "flag":
        return s.pick(["true", "false", "yes", "no", "1", "0"])
    # an invented field
    if r < 0.35:
        return s.pseudo(1, 3)
    if r < 0.60:
        return s.number()
    if r < 0.72:
        return s.listed(STATUSES)
    if r < 0.80:
        return s.amount()
    if r < 0.88:
        return s.order()
    return s.phrase(2, 3) if r < 0.95 else s.duration()
