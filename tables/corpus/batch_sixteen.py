"""The other files of the sixteenth batch and their questions."""
import random
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from decimal import Decimal as D

from batch_sixteen_first import csvtext, de, groups, kassenbuch, marks, mean, median, names, nginx, num, one, orders, put, stock, top, ward, worker, write


# ---------------------------------------------------------------- 8 auth.log
def auth():
    R = random.Random(1608)
    ev = []
    bad = ["45.95.147.%d" % i for i in (12, 30, 77)] + ["185.220.101.4", "92.118.39.61"]
    inv = ["admin", "oracle", "test", "ubuntu", "pi", "git", "postgres"]
    t = datetime(2024, 11, 12, 0, 1, 5)
    while t < datetime(2024, 11, 14, 23, 50):
        t += timedelta(seconds=R.randint(60, 1900))
        k = R.choices(["inv", "badroot", "okkey", "okpw", "sudo", "cron"], [40, 18, 13, 5, 9, 15])[0]
        if k in ("okkey", "okpw", "sudo") and not 6 <= t.hour <= 19: k = "cron"
        ev.append(dict(t=t, k=k, ip=R.choices(bad, [5, 2, 3, 8, 1])[0], u=R.choice(inv)))
        if k in ("okkey", "okpw"): ev[-1].update(u=R.choice(["deploy", "deploy", "marta", "jonas"]) if k == "okkey" else R.choice(["marta", "jonas"]), ip="10.20.0.%d" % R.choice([14, 15, 31]))
        if k == "sudo": ev[-1].update(u=R.choice(["marta", "jonas"]), cmd=R.choice(["/usr/bin/apt update", "/usr/bin/systemctl restart nginx", "/usr/bin/tail -f /var/log/syslog"]))
    ev = [e for e in ev if e["t"].date() <= date(2024, 11, 14)]
    out = []
    for e in ev:
        pid = R.randint(900, 32000); h = f'{e["t"].strftime("%b %d %H:%M:%S")} web03 '
        port = R.randint(30000, 65000)
        if e["k"] == "inv": s = f'sshd[{pid}]: Failed password for invalid user {e["u"]} from {e["ip"]} port {port} ssh2'
        elif e["k"] == "badroot": s = f'sshd[{pid}]: Failed password for root from {e["ip"]} port {port} ssh2'
        elif e["k"] == "okkey": s = f'sshd[{pid}]: Accepted publickey for {e["u"]} from {e["ip"]} port {port} ssh2: ED25519 SHA256:q{pid}xT'
        elif e["k"] == "okpw": s = f'sshd[{pid}]: Accepted password for {e["u"]} from {e["ip"]} port {port} ssh2'
        elif e["k"] == "sudo": s = f'sudo:   {e["u"]} : TTY=pts/0 ; PWD=/home/{e["u"]} ; USER=root ; COMMAND={e["cmd"]}'
        else: s = f'CRON[{pid}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)'
        out.append(h + s + "\n")
    write("auth.log", "".join(out))
    F = [e for e in ev if e["k"] in ("inv", "badroot")]
    okd = [e for e in ev if e["k"] in ("okkey", "okpw")]
    nt = [e for e in F if e["t"].day == 13 and e["t"].hour in (2, 3, 4)]
    assert len(nt) > 1
    put("auth.log", [
        ("failed passwords", "How many failed password attempts are in here?", one(len(F))),
        ("worst ip", "Which IP is behind the most failed logins?", names(top(list(Counter(e["ip"] for e in F).items())))),
        ("got in with password", "How many times was a password accepted?", one(sum(e["k"] == "okpw" for e in ev))),
        ("sudo", "how often was sudo used?", one(sum(e["k"] == "sudo" for e in ev))),
        ("night of 13th", "Failed passwords on Nov 13 between 2:00 and 5:00 in the morning - how many?", one(len(nt))),
        ("root share", "What percent of the failed password attempts were aimed at root?", one(D(100 * sum(e["k"] == "badroot" for e in ev)) / len(F))),
        ("cpu load", "What was the CPU load on web03 during the night?", None),
    ])
    assert all((e["t"].minute, e["t"].second) != (0, 0) for e in F)
    assert okd

# ---------------------------------------------------------------- 9 Mitarbeiter
def personal():
    R = random.Random(1609)
    vn = "Anna Bernd Claudia Dieter Emine Felix Gisela Hakan Ines Jörg Katrin Lars Monika Nils Olga Petra Ralf Sabine Thomas Ute Viktor Yvonne".split()
    nn = "Albrecht Böhm Conrad Dietz Engel Fuchs Groß Hahn Ivanova Jäger Kaiser Lorenz Möller Neumann Özdemir Pohl Richter Sauer Thiel Ulrich Vogt Winkler".split()
    full = [f"{n}, {v}" for n in nn for v in vn]; R.shuffle(full)
    recs = []
    for i in range(78):
        a = R.choices(["Produktion", "Vertrieb", "Verwaltung", "Lager", "IT"], [30, 13, 10, 17, 8])[0]
        std = R.choices(["40", "38.5", "30", "20", "25.5"], [10, 6, 3, 3, 1])[0]
        g = D(R.randint(2450, 5600)) * D(std) / 40
        g = (g / 5).quantize(D(1)) * 5
        recs.append(dict(nr=str(1000 + 7 * i), n=full[i], a=a, o=R.choices(["Kassel", "Fulda", "Göttingen"], [5, 3, 2])[0], e=date(R.randint(1994, 2024), R.randint(1, 12), R.choice([1, 1, 15])),
                         std=D(std), g=None if a == "Lager" and R.random() < .2 else g, ru=D(R.randint(0, 56)) / 2, bf=date(R.choice([2025, 2026]), R.choice([6, 9, 12]), 30) if R.random() < .15 else None))
    recs[33]["e"] = date(1989, 9, 1)
    rows = [["Personalnr.", "Name", "Abteilung", "Standort", "Eintritt", "Wochenstunden", "Bruttogehalt/Monat", "Resturlaub (Tage)", "Befristet bis"]]
    for r in recs:
        rows.append([r["nr"], r["n"], r["a"], r["o"], r["e"].isoformat() if R.random() < .12 else r["e"].strftime("%d.%m.%Y"), num(r["std"]).replace(".", ","),
                     "" if r["g"] is None else de(r["g"]) + " €", num(r["ru"]).replace(".", ","), r["bf"].strftime("%d.%m.%Y") if r["bf"] else R.choice(["", "", "unbefristet"])])
    write("mitarbeiter.csv", csvtext(rows, ";"))
    ur = [r["n"] for r in recs if r["ru"] > 25]
    assert 2 <= len(ur) <= 15
    g = [r for r in recs if r["g"] is not None]
    put("mitarbeiter.csv", [
        ("teilzeit", "Wie viele Kolleginnen und Kollegen arbeiten weniger als 35 Stunden pro Woche?", one(sum(r["std"] < 35 for r in recs))),
        ("gehalt produktion", "Was verdient man bei uns in der Produktion durchschnittlich brutto im Monat?", one(mean(r["g"] for r in recs if r["a"] == "Produktion"))),
        ("dienstälteste", "Wer ist schon am längsten in der Firma?", names(top([(r["n"], -r["e"].toordinal()) for r in recs]))),
        ("köpfe je standort", "Anzahl der Beschäftigten je Standort", groups(Counter(r["o"] for r in recs))),
        ("resturlaub", "Wer hat noch mehr als 25 Tage Resturlaub?", names(ur)),
        ("seit 2020", "Wie viele Leute sind seit dem 1.1.2020 neu dazugekommen?", one(sum(r["e"] >= date(2020, 1, 1) for r in recs))),
        ("geburtstage", "Wer hat im Mai Geburtstag?", None),
    ])

# ---------------------------------------------------------------- 10 expenses
def expenses():
    R = random.Random(1610)
    cats = {"Food": ["Groceries Lidl", "Lunch mensa", "Pizza with flatmates", "Coffee with Lena", "coffee to go", "Farmers market"], "Transport": ["Train to Basel", "Bike repair", "Tram ticket", "Flixbus Lyon"],
            "Fun": ["Cinema", "Concert ticket", "Museum", "Bowling"], "Study": ["Textbook statistics", "Printing thesis draft", "Notebook"], "Rent": ["Rent room"]}
    recs = []
    for i in range(140):
        c = R.choices(["Food", "Transport", "Fun", "Study"], [8, 3, 2.5, 1.5])[0]
        w = R.choice(cats[c])
        cur = R.choices(["EUR", "CHF", "USD"], [70, 20, 8])[0]
        a = D(R.randint(180, 4500) if c != "Study" else R.randint(250, 9900)) / 100
        if "offee" in w: a = D(R.randint(220, 690)) / 100
        recs.append(dict(d=date(2024, 1, 8) + timedelta(days=R.randint(0, 139)), w=w, c=c, cur=cur, a=a, pay=R.choices(["card", "cash", "phone"], [6, 3, 2])[0]))
    for m in range(2, 6): recs.append(dict(d=date(2024, m, 1), w="Rent room", c="Rent", cur="EUR", a=D("1080.00") if m < 4 else D("1110.00"), pay="transfer"))
    recs.append(dict(d=date(2024, 3, 22), w="New laptop", c="Study", cur="EUR", a=D("1249.90"), pay="card"))
    recs.sort(key=lambda r: r["d"])
    for r in recs:
        if r["c"] not in ("Food", "Rent") and R.random() < .1: r["c"] = ""
    rows = ["Date\tWhat\tCategory\tAmount\tPaid by"]
    for r in recs:
        d = r["d"]; ds = R.choice([d.isoformat(), d.isoformat(), d.strftime("%-d %b %Y"), d.strftime("%d.%m.%Y")])
        rows.append("\t".join([ds, r["w"], r["c"], f'{r["cur"]} {r["a"]:,.2f}', r["pay"].capitalize() if R.random() < .15 else r["pay"]]))
    write("my_spending.tsv", "\n".join(rows) + "\n")
    eu = [r for r in recs if r["cur"] == "EUR"]
    tot = defaultdict(D)
    for r in recs: tot[r["cur"]] += r["a"]
    put("my_spending.tsv", [
        ("euros on food", "how much have I spent on food, only counting the euro amounts?", one(sum(r["a"] for r in eu if r["c"] == "Food"))),
        ("per currency", "What did I spend in each currency in total?", groups(tot)),
        ("coffees", "How many times did I buy coffee?", one(sum("coffee" in r["w"].lower() for r in recs))),
        ("biggest", "What was the single biggest thing I paid for in euros?", names(top([(r["w"], r["a"]) for r in eu if r["c"] != "Rent"]))),
        ("february count", "How many purchases did I make in February? Count the rent too.", one(sum(r["d"].month == 2 for r in recs))),
        ("cash francs", "How many Swiss francs did I pay in cash?", one(sum(r["a"] for r in recs if r["cur"] == "CHF" and r["pay"] == "cash"))),
        ("account balance", "How much money do I have left in my account?", None),
    ])
    assert max(r["a"] for r in eu) == D("1249.90")

# ---------------------------------------------------------------- 11 runs
def runs():
    R = random.Random(1611)
    recs = []
    d = date(2024, 3, 2)
    while d < date(2024, 8, 30):
        m = R.choice([3000, 5000, 5200, 6400, 7100, 8000, 10300, 12500, 15000, 800, 400]) + 10 * R.randint(0, 19)
        pace = R.uniform(290, 395)
        recs.append(dict(d=d, m=m, s=int(m / 1000 * pace), sh=R.choices(["Pegasus", "Cloudflow", "Old Asics"], [5, 4, 2])[0], f=R.choice(["good", "good", "ok", "tough", "great"]),
                         hr=None if R.random() < .12 else int(R.gauss(152, 8))))
        d += timedelta(days=R.choice([1, 2, 2, 3, 4]))
    i = 50 if len(recs) > 50 else 10
    recs[i].update(m=21100, s=7043)
    rows = [["date", "distance", "time", "shoes", "felt", "avg HR"]]
    for r in recs:
        t = f'{r["s"]//3600}:{r["s"]%3600//60:02d}:{r["s"]%60:02d}'
        dist = f'{r["m"]} m' if r["m"] < 2000 or R.random() < .07 else R.choice(["{} km", "{} km", "{}km"]).format(num(D(r["m"]) / 1000))
        rows.append([r["d"].strftime("%a %-d %b %Y") if R.random() < .2 else r["d"].isoformat(), dist, t, r["sh"], r["f"] if R.random() > .05 else r["f"].upper(), "" if r["hr"] is None else r["hr"]])
        r["ds"] = rows[-1][0]
    write("running_log.csv", csvtext(rows))
    km = defaultdict(D)
    for r in recs: km[r["sh"]] += D(r["m"]) / 1000
    assert all(r["m"] != 10000 for r in recs)
    assert top([(r["ds"], r["m"]) for r in recs]) == top([(r["ds"], r["s"]) for r in recs])
    put("running_log.csv", [
        ("longest day", "On which date did I do my longest run?", names(top([(r["ds"], r["m"]) for r in recs]))),
        ("over ten k", "how many runs were longer than 10 km", one(sum(r["m"] > 10000 for r in recs))),
        ("km per shoe", "kilometres per pair of shoes", groups(km)),
        ("may km", "How far did I run in May, in km?", one(sum(D(r["m"]) for r in recs if r["d"].month == 5) / 1000)),
        ("hr tough", "average heart rate on the runs that felt tough", one(mean(r["hr"] for r in recs if r["f"] == "tough" and r["hr"]))),
        ("over an hour", "Bei wie vielen Läufen war ich länger als eine Stunde unterwegs?", one(sum(r["s"] > 3600 for r in recs))),
        ("calories", "How many calories did I burn in June?", None),
    ])
    assert all(r["s"] != 3600 for r in recs)

# ---------------------------------------------------------------- 12 library
def library():
    R = random.Random(1612)
    books = [("The Lion, the Witch and the Wardrobe", "C. S. Lewis"), ("Murder on the Orient Express", "Agatha Christie"), ("Death on the Nile", "Agatha Christie"), ("Dune", "Frank Herbert"),
             ("Eats, Shoots & Leaves", "Lynne Truss"), ("Middlemarch", "George Eliot"), ("Never Let Me Go", "Kazuo Ishiguro"), ("The Remains of the Day", "Kazuo Ishiguro"), ("Guns, Germs, and Steel", "Jared Diamond"),
             ("Holes", "Louis Sachar"), ("Matilda", "Roald Dahl"), ("The \"Good\" Soldier", "Ford Madox Ford")]
    who = ["Hannah Brooks", "Luis Ortega", "Mary Tran", "Peter Novak", "Deshawn Hill", "Ingrid Olsen", "Carol Finch", "Sam Patel", "Joy Abara", "Walt Kern"]
    recs = []
    for i in range(165):
        b = R.choices(books, [6, 5, 4, 9, 2, 2, 4, 3, 3, 3, 6, 1])[0]
        d0 = date(2024, 1, 8) + timedelta(days=i)
        due = d0 + timedelta(days=21)
        ren = R.choices([0, 1, 2], [7, 2, 1])[0]
        due += timedelta(days=14 * ren)
        ret = d0 + timedelta(days=R.randint(2, 26 + 14 * ren)) if R.random() > (.02 if i < 110 else .3) else None
        fine = D(5) / 100 * 5 * (ret - due).days if ret and ret > due else None
        recs.append(dict(id=f"L{i+501}", b=b, w=R.choices(who, [9, 5, 7, 3, 12, 2, 4, 6, 1, 3])[0], d0=d0, due=due, ret=ret, ren=ren, fine=fine))
    f = lambda d: d.strftime("%m/%d/%Y") if d else ""
    rows = [["Loan", "Title", "Author", "Borrower", "Borrowed", "Due", "Returned", "Renewals", "Fine"]]
    for r in recs:
        rows.append([r["id"], r["b"][0], r["b"][1], r["w"] + (" " if R.random() < .04 else ""), f(r["d0"]), f(r["due"]), f(r["ret"]), r["ren"], "" if r["fine"] is None else f'${r["fine"]:.2f}'])
    write("library_loans.csv", csvtext(rows))
    out = [r for r in recs if r["ret"] is None]
    dune = sorted({r["w"] for r in out if r["b"][0] == "Dune"})
    assert dune, [r["b"] for r in out]
    back = [r for r in recs if r["ret"]]
    put("library_loans.csv", [
        ("still out", "How many loans haven't been returned yet?", one(len(out))),
        ("who has dune", "Who still has a copy of Dune out?", names(dune)),
        ("late", "how many came back after the due date", one(sum(r["ret"] > r["due"] for r in back))),
        ("most borrowed", "What's our most borrowed title?", names(top(list(Counter(r["b"][0] for r in recs).items())))),
        ("fines", "Total of all fines in dollars", one(sum(r["fine"] for r in recs if r["fine"]))),
        ("days kept", "How many days do people keep a book on average before they bring it back?", one(mean((r["ret"] - r["d0"]).days for r in back))),
        ("top three borrowers", "Top 3 borrowers by number of loans", names(top(list(Counter(r["w"] for r in recs).items()), 3))),
    ])

# ---------------------------------------------------------------- 13 tickets
def tickets():
    R = random.Random(1613)
    subj = ["Invoice shows wrong VAT", "Cannot log in", "Password reset mail missing", "App crashes, Android 14", "Refund for invoice 20311", "How do I export data?", "Invoice not received", "Feature request: dark mode", "Login loop after update", "Delivery late, third time"]
    ag = ["Nadia", "Oliver", "Kim", "Stefan", "Bea"]
    recs = []
    t = datetime(2024, 2, 1, 7, 40)
    for i in range(210):
        t += timedelta(minutes=R.randint(8, 380))
        op = R.random() < .11
        fr = R.randint(3, 420)
        recs.append(dict(id=f"T-{7000+i}", o=t, c=None if op else t + timedelta(minutes=int(R.expovariate(1 / 1700)) + fr), pr=R.choices(["low", "normal", "high", "urgent"], [3, 6, 3, 1.6])[0],
                         a=R.choices(ag, [5, 4, 6, 3, 2])[0], ch=R.choice(["email", "email", "phone", "chat"]), s=R.choice(subj), fr=None if op and R.random() < .4 else fr, sat=None if op or R.random() < .4 else R.choices([1, 2, 3, 4, 5], [1, 1, 3, 6, 5])[0]))
    ft = lambda d: d.strftime("%Y-%m-%d %H:%M") if d else ""
    def du(m):
        if m is None: return ""
        if m < 60: return f"{m}m"
        return f"{m//60}h" if m % 60 == 0 else f"{m//60}h {m%60}m"
    rows = [["Ticket", "Opened", "Closed", "Priority", "Agent", "Channel", "Subject", "First reply", "Satisfaction (1-5)"]]
    for r in recs:
        rows.append([r["id"], ft(r["o"]), ft(r["c"]), r["pr"] if R.random() > .06 else r["pr"].title(), r["a"], r["ch"], r["s"], du(r["fr"]), "" if r["sat"] is None else r["sat"]])
    write("support_tickets.csv", csvtext(rows))
    sa = defaultdict(list)
    for r in recs:
        if r["sat"]: sa[r["a"]].append(r["sat"])
    cl = [r for r in recs if r["c"]]
    fr = [r["fr"] for r in recs if r["fr"] is not None]
    assert all(x != 120 for x in fr)
    assert all((r["c"] - r["o"]) != timedelta(days=2) for r in cl)
    put("support_tickets.csv", [
        ("satisfaction per agent", "mean satisfaction score for each agent", groups({k: mean(v) for k, v in sa.items()})),
        ("urgent by phone", "How many urgent tickets came in by phone?", one(sum(r["pr"] == "urgent" and r["ch"] == "phone" for r in recs))),
        ("median first reply", "What's the median time to first reply, in minutes?", one(median(fr))),
        ("invoice subjects", "how many tickets have something about an invoice in the subject", one(sum("invoice" in r["s"].lower() for r in recs))),
        ("busiest agent", "Which agent has closed the most tickets?", names(top(list(Counter(r["a"] for r in cl).items())))),
        ("slow share", "Of the tickets that are closed, what percentage took more than 2 days from opening to closing?", one(D(100 * sum((r["c"] - r["o"]) > timedelta(days=2) for r in cl)) / len(cl))),
        ("slow first reply", "Number of tickets where the customer waited more than two hours for the first reply", one(sum(x > 120 for x in fr))),
    ])

# ---------------------------------------------------------------- 14 Wetter
def wetter():
    R = random.Random(1614)
    recs = []
    for i in range(181):
        d = date(2023, 1, 1) + timedelta(days=i)
        mid = 1 + 19 * (i / 181) ** 1.2
        tmin = D(str(round(R.gauss(mid - 4, 3.2), 1))); tmax = tmin + D(str(round(R.uniform(2.5, 13.5), 1)))
        rain = D(0) if R.random() < .52 else D(str(round(R.expovariate(.22) + .1, 1)))
        b = int(abs(R.gauss(34, 15))) + 5
        r = dict(d=d, tmin=tmin, tmax=tmax, rain=rain, sun=D(str(round(R.uniform(0, 6 + i / 22), 1))), b=b,
                 bem=R.choice(["Gewitter am Nachmittag", "Gewitter, Hagel", "Schwül"]) if d.month >= 4 and R.random() < .14 else ("Nebel" if R.random() < .05 else ""))
        if i in (45, 46, 130): r["rain"] = None
        if i in (20, 62, 75): r["sun"] = None
        recs.append(r)
    L = ["Datum;T min (°C);T max (°C);Niederschlag (mm);Sonne (h);Böen;Bemerkung"]
    c = lambda x, m="": m if x is None else str(x).replace(".", ",").replace("-0,0", "0,0") if x == 0 else str(x).replace(".", ",")
    for r in recs:
        if R.random() < .12 and r["b"] % 1 == 0 and r["b"] < 60:
            ms = round(r["b"] / 3.6); r["b"] = ms * 3.6; bs = f"{ms} m/s"
        else: bs = f'{r["b"]} km/h'
        L.append(";".join([r["d"].strftime("%d.%m.%Y"), c(r["tmin"]), c(r["tmax"]), c(r["rain"], R.choice(["k. A.", "-"])), c(r["sun"], ""), bs, r["bem"]]))
    write("wetterstation.csv", "\n".join(L) + "\n")
    fd = lambda d: d.strftime("%d.%m.%Y")
    assert all(r["tmin"] != 0 or True for r in recs)
    mai = [r["rain"] for r in recs if r["d"].month == 5 and r["rain"] is not None]
    sturm = [fd(r["d"]) for r in recs if r["b"] > 65]
    assert 2 <= len(sturm) <= 10, sturm
    put("wetterstation.csv", [
        ("heißester tag", "An welchem Tag war es am heißesten?", names(top([(fd(r["d"]), r["tmax"]) for r in recs]))),
        ("regen im mai", "Wie viel Millimeter Regen sind im Mai gefallen?", one(sum(mai))),
        ("frosttage", "Wie viele Nächte mit Frost (unter 0 Grad) hatten wir?", one(sum(r["tmin"] < 0 for r in recs))),
        ("sonne im april", "Wie viele Stunden schien im April die Sonne pro Tag im Mittel?", one(mean(r["sun"] for r in recs if r["d"].month == 4))),
        ("gewitter", "An wie vielen Tagen ist ein Gewitter vermerkt?", one(sum("Gewitter" in r["bem"] for r in recs))),
        ("sturmtage", "An welchen Tagen gab es Böen über 65 km/h?", names(sturm)),
        ("luftdruck", "Wie hoch war der Luftdruck am 3. März?", None),
    ])
    assert recs[31+28+3]["d"].month == 3 and all(r["sun"] is not None for r in recs if r["d"].month == 4)


def everything():
    for make in (kassenbuch, marks, nginx, worker, orders, ward, stock, auth, personal, expenses, runs, library, tickets, wetter):
        make()
