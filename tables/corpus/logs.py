"""Logs of the corpus. Needs Python 3.9 and nothing else; make.py calls it."""
import json
import random

from common import ask, batch, mean, percent, write


def web_server():
    rng = random.Random(201)
    rows = [(f"10.0.0.{rng.randrange(1, 6)}", rng.randrange(0, 24), n % 60, rng.choice(["GET", "GET", "POST"]), rng.choice(["/", "/login", "/cart", "/api/items"]), rng.choice([200, 200, 200, 301, 404, 500, 503]), rng.randrange(100, 9000)) for n in range(90)]
    write("access.log", "".join(f'{ip} - - [04/Mar/2026:{h:02}:{m:02}:07 +0000] "{v} {p} HTTP/1.1" {s} {b} "-" "Mozilla/5.0 (X11; Linux)"\n' for ip, h, m, v, p, s, b in rows))
    name, many = "access.log", lambda keep: len([r for r in rows if keep(r)])
    ask(name, many(lambda r: r[5] == 404), "How many records have status 404?", "How many requests returned 404?")
    ask(name, many(lambda r: r[5] >= 500), "How many records have a 5xx status?", "How many 5xx responses are there?")
    ask(name, many(lambda r: r[3] == "POST"), "How many records have method POST?", "How many POST requests were made?")
    ask(name, many(lambda r: r[1] == 10), "How many records are there between 10:00 and 11:00?", "How many requests came between 10 and 11?")
    ask(name, len({r[0] for r in rows}), "How many different ip are there?", "How many unique IPs are there?")
    ask(name, sum(r[6] for r in rows), "What is the total bytes?", "How many bytes were sent in total?")
    paths = {p: many(lambda r: r[4] == p) for p in dict.fromkeys(r[4] for r in rows)}
    ask(name, [p for p in paths if paths[p] == max(paths.values())], "Which path has the most records?", "Which page was requested most often?")
    batch(name, percent(many(lambda r: r[5] == 200), 90), "What percentage of requests returned 200?")
    batch(name, many(lambda r: r[4] == "/login" and r[3] == "POST"), "How many POST requests went to /login?")
    ips = {i: many(lambda r: r[0] == i) for i in dict.fromkeys(r[0] for r in rows)}
    batch(name, [i for i in ips if ips[i] == max(ips.values())], "Which IP made the most requests?")
    batch(name, [[s, many(lambda r: r[5] == s)] for s in dict.fromkeys(r[5] for r in rows)], "Count requests by status code")


PROGRAMS = ["sshd", "cron", "kernel"]


def syslog_old():
    rng = random.Random(202)
    rows = [(rng.randrange(1, 29), rng.choice(["alpha", "beta"]), rng.choice(PROGRAMS), rng.randrange(100, 999), rng.choice(["session opened for user=ada", "session closed for user=bob", "error: disk full"])) for n in range(60)]
    write("system.log", "".join(f"Mar {d:2} 10:{n:02}:00 {h} {p}[{i}]: {m}\n" for n, (d, h, p, i, m) in enumerate(rows)))
    name = "system.log"
    ask(name, len([r for r in rows if r[2] == "sshd"]), "How many records have program sshd?", "How many messages come from sshd?")
    ask(name, len([r for r in rows if r[1] == "beta"]), "How many records have host beta?", "How many log entries are from beta?")
    ask(name, len([r for r in rows if "disk full" in r[4]]), "How many records have message containing \"disk full\"?", "How many messages mention disk full?")
    ask(name, [[p, len([r for r in rows if r[2] == p])] for p in PROGRAMS], "How many records are there per program?", "How many messages did each program log?")
    batch(name, len([r for r in rows if r[2] == "cron" and r[1] == "alpha"]), "How many cron messages are there on host alpha?")


def syslog_new():
    rng = random.Random(203)
    rows = [(rng.choice([11, 14, 12]), rng.randrange(0, 24), rng.choice(["web", "db"]), rng.choice(["api", "auth"]), rng.randrange(1, 400)) for n in range(50)]
    write("syslog5424.log", "".join(f'<{p}>1 2026-03-04T{h:02}:{n:02}:00Z {o} {a} 42 ID1 [x@1 region="eu"] handled in {t} ms\n' for n, (p, h, o, a, t) in enumerate(rows)))
    name = "syslog5424.log"
    ask(name, len([r for r in rows if r[0] == 11]), "How many records have severity error?", "How many errors are there?")
    ask(name, max(r[4] for r in rows), "What is the largest ms?", "What is the highest number of ms?")
    ask(name, len([r for r in rows if r[2] == "db"]), "How many records have host db?", "How many messages came from db?")
    batch(name, len([r for r in rows if r[0] == 12 and r[3] == "auth"]), "How many warnings did auth log?")


def journal():
    rng = random.Random(204)
    rows = [(1772618400 + 60 * n, rng.choice(["sshd.service", "nginx.service"]), rng.choice([3, 6]), rng.choice(["started", "stopped", "failed to bind"])) for n in range(40)]
    write("journal.export", "".join(f"__CURSOR=s=abc;i={n}\n__REALTIME_TIMESTAMP={t}000000\n_HOSTNAME=alpha\n_SYSTEMD_UNIT={u}\nPRIORITY={p}\nMESSAGE={m}\n\n" for n, (t, u, p, m) in enumerate(rows)))
    name = "journal.export"
    ask(name, 40, "How many records are there?", "How many entries are there?")
    ask(name, len([r for r in rows if r[1] == "sshd.service"]), "How many records have unit sshd.service?", "How many messages are from sshd.service?")
    ask(name, len([r for r in rows if r[2] == 3]), "How many records have severity error?", "How many errors were logged?")
    batch(name, len([r for r in rows if r[3] == "failed to bind"]), "How many messages contain \"failed to bind\"?")


def java():
    rng = random.Random(205)
    rows = [(rng.choice(["INFO", "WARN", "ERROR"]), rng.choice(["main", "worker-1"]), rng.choice(["com.shop.Cart", "com.shop.Pay"])) for n in range(50)]
    trace = "java.lang.IllegalStateException: no\n\tat com.shop.Pay.run(Pay.java:12)\n\tat java.lang.Thread.run(Thread.java:1)\nCaused by: java.io.IOException: ERROR inside\n\t... 2 more\n"
    write("java.log", "".join(f"2026-03-04 10:{n:02}:12,345 [{t}] {l} {c} - step {n} done\n" + (trace if l == "ERROR" else "") for n, (l, t, c) in enumerate(rows)))
    name = "java.log"
    ask(name, len([r for r in rows if r[0] == "ERROR"]), "How many records have level ERROR?", "How many errors are there?")
    ask(name, 50, "How many records are there?", "How many log entries are there?")
    ask(name, len([r for r in rows if r[2] == "com.shop.Pay"]), "How many records have logger com.shop.Pay?", "How many entries are from com.shop.Pay?")
    ask(name, 50 + 5 * len([r for r in rows if r[0] == "ERROR"]), "How many lines are in the file?", "How many lines does the file have?")
    batch(name, len([r for r in rows if r[0] in ("WARN", "ERROR")]), "How many entries are warnings or errors?")
    batch(name, len([r for r in rows if r[1] == "main" and r[0] == "ERROR"]), "How many errors happened in thread main?")


def logfmt():
    rng = random.Random(206)
    rows = [(rng.choice(["info", "error"]), rng.choice(["charge", "refund"]), rng.randrange(1, 5000), rng.choice(["ada", "bob", "cem"])) for n in range(60)]
    write("payments.logfmt", "".join(f'ts=2026-03-{n % 20 + 1:02}T08:00:00Z level={l} msg="{a} order" action={a} took={t}ms user={u}\n' for n, (l, a, t, u) in enumerate(rows)))
    name = "payments.logfmt"
    ask(name, len([r for r in rows if r[0] == "error" and r[1] == "refund"]), "How many records have level error and action refund?", "How many refund errors are there?")
    ask(name, mean([r[2] for r in rows if r[3] == "ada"]), "What is the average took with user ada?", "How long did requests of ada take on average?")
    ask(name, len([r for r in rows if r[2] > 2000]), "How many records have took over 2 s?", "How many requests took more than 2 seconds?")
    batch(name, [[u, len([r for r in rows if r[3] == u and r[0] == "error"])] for u in ("ada", "bob", "cem")], "How many errors per user?")
    batch(name, max(r[2] for r in rows if r[1] == "charge"), "What is the longest took for charge?")


def kubernetes():
    rng = random.Random(207)
    rows = [(rng.choice(["info", "warn", "error"]), rng.choice(["cart", "mail"]), rng.randrange(1, 9), 1772618400 + 3600 * n) for n in range(48)]
    write("pods.jsonl", "".join(json.dumps({"level": l, "ts": t, "pod": {"name": p, "restarts": r}, "msg": "tick"}) + "\n" for l, p, r, t in rows))
    name = "pods.jsonl"
    ask(name, len([r for r in rows if r[1] == "mail"]), "How many records have pod.name mail?", "How many entries are from mail?")
    ask(name, max(r[2] for r in rows), "What is the largest pod.restarts?", "What is the highest number of restarts?")
    batch(name, len([r for r in rows if r[0] == "error" and r[1] == "cart"]), "How many errors does cart have?")


def jobs():
    rng = random.Random(208)
    rows = [(rng.choice(["copy", "sync", "purge"]), rng.randrange(5, 4000), rng.random() < 0.2) for n in range(60)]
    write("jobs.log", "".join(f"job {j} failed with code 7\n" if f else f"job {j} finished in {t} ms\n" for j, t, f in rows))
    name = "jobs.log"
    ask(name, max(r[1] for r in rows if not r[2]), "What is the largest ms?", "What is the highest number of ms?")
    ask(name, len([r for r in rows if r[2]]), "How many lines contain \"failed\"?", "How many lines mention failed?")
    batch(name, len([r for r in rows if r[0] == "sync"]), "How many lines mention sync?")


def prose():
    text = "Permission is granted\n\nto use, copy and MIT things.\nNo warranty.\n\nThe MIT License ends. Submit it.\n" * 30
    write("licence.txt", text)
    ask("licence.txt", 180, "How many lines are in the file?", "How many lines are there?")
    ask("licence.txt", 60, "How many lines mention MIT?", "How many lines mention the word MIT?")
    batch("licence.txt", 30, "How many lines contain warranty?")


def everything():
    for make in (web_server, syslog_old, syslog_new, journal, java, logfmt, kubernetes, jobs, prose):
        make()
