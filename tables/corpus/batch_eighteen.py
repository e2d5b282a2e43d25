"""The eighteenth batch: 12 files and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds. The files are written when this module is imported.
"""
import csv, io, json, os, random
from collections import Counter, defaultdict
from datetime import datetime, date, timedelta
from decimal import Decimal as D, ROUND_HALF_UP
from fractions import Fraction as F
from statistics import median

from common import Author
from common import FILES as ALL_FILES

AUTHOR = Author("eighteen", 18)
FILES = ALL_FILES / "eighteen"
OUT = []

def num(x, nd=2):
    """number as text, at most nd decimals; refuses a value on a rounding edge"""
    x = F(x) if not isinstance(x, F) else x
    s = x * 10**nd
    assert (s - (s.numerator // s.denominator)) != F(1, 2), ("rounding edge", x)
    q = D(s.numerator) / D(s.denominator)
    q = q.quantize(D(1), ROUND_HALF_UP) / (D(10)**nd)
    t = format(q, "f")
    if "." in t: t = t.rstrip("0").rstrip(".")
    return t

def one(x): return [[num(x)]]
def names(xs): return [[str(x)] for x in xs]
def top(d, n=1, rev=True):
    it = sorted(d.items(), key=lambda kv: kv[1], reverse=rev)
    for i in range(min(n, len(it) - 1)):
        assert it[i][1] != it[i+1][1], ("tie", it[:n+1])
    return it[:n]
def avg(xs):
    xs = list(xs); assert xs
    return sum((F(x) for x in xs), F(0)) / len(xs)
def group(rows, k):
    g = defaultdict(list)
    for r in rows: g[r[k]].append(r)
    return g
def put(name, text, enc="utf-8"):
    with open(os.path.join(FILES, name), "w", encoding=enc, newline="") as f: f.write(text)
def table(rows, delim=",", eol="\n"):
    b = io.StringIO(); csv.writer(b, delimiter=delim, lineterminator=eol).writerows(rows); return b.getvalue()
def ask(name, *qs):
    OUT.append((name, qs))
def de(x, nd=2):
    s = f"{x:,.{nd}f}"; return s.replace(",", "_").replace(".", ",").replace("_", ".")
def tsum(rows, k): return sum((F(r[k]) for r in rows), F(0))

# ---------------------------------------------------------------- 1 bicycle workshop (German)
R = random.Random(1801)
works = [("Bremsbeläge vorn tauschen", 12, 30), ("Bremse entlüften", 8, 45), ("Bremszug erneuern", 9, 30), ("Schlauch hinten wechseln", 7, 30),
         ("Mantel und Schlauch neu", 32, 40), ("Kette und Kassette wechseln", 58, 60), ("Jahresinspektion", 15, 90), ("Laufrad zentrieren", 0, 45),
         ("Tretlager tauschen", 36, 75), ("Nabendynamo einbauen", 74, 120), ("Schaltung einstellen", 0, 20), ("Akku prüfen", 0, 30), ("Lichtkabel reparieren", 4, 35)]
custs = ["Albers", "Behrens, Uwe", "Cakir", "Dombrowski", "Engelke", "Fröhlich", "Grabowski", "Hübner, Dr.", "Ihde", "Jansen", "Kröger", "Lüders", "Möllmann", "Nowak", "Öztürk", "Pohl"]
bikes = ["Gazelle Orange", "Cube Touring", "Kalkhoff E-Bike", "Hercules", "Brompton", "Pegasus", "VSF T-50", "Stevens Cross", "Winora E-Bike"]
rows = []
d0 = date(2025, 2, 3)
for i in range(140):
    d = d0 + timedelta(days=int(i * 1.03) + R.choice([0, 0, 1]))
    if d.weekday() == 6: d += timedelta(days=1)
    w, mat, mins = R.choice(works)
    mat = D(mat) + (D(R.randint(0, 799)) / 100 if mat else 0)
    m = R.choice([mins, mins, mins + 15, mins + 30])
    out = d + timedelta(days=R.randint(1, 9))
    gone = not (i > 128 and R.random() < .7) and R.random() > .04
    lohn = (D(m) * D("0.95")).quantize(D("0.01"), ROUND_HALF_UP)
    rows.append(dict(nr=f"W-{2501+i}", an=d, ab=out if gone else None, kunde=R.choice(custs), rad=R.choice(bikes), arb=w,
                     mech=R.choice(["Jonas", "Mareike", "Tarek", "Tarek"]), min=m, mat=mat, lohn=lohn,
                     bez=R.choice(["bar", "EC", "EC", "Rechnung"]) if gone else ""))
rows[61].update(arb="Motor E-Bike ersetzen", rad="Kalkhoff E-Bike", mat=D("1149.90"), min=150, lohn=D("142.50"))
rows[98].update(arb="Akku ersetzen", rad="Winora E-Bike", mat=D("689.00"), min=30, lohn=D("28.50"))
def az(m): return f"{m} Min." if m < 60 or m % 30 else (de(m/60, 1).replace(",0", "") + " Std.")
put("werkstatt.csv", table([["Auftrag", "Angenommen am", "Abgeholt am", "Kunde", "Rad", "Arbeit", "Mechaniker", "Arbeitszeit", "Material", "Lohn", "Bezahlt"]] +
    [[r["nr"], r["an"].strftime("%d.%m.%Y"), r["ab"].strftime("%d.%m.%Y") if r["ab"] else "", r["kunde"], r["rad"], r["arb"], r["mech"], az(r["min"]),
      de(r["mat"]) + " €", de(r["lohn"]) + " €", r["bez"]] for r in rows], ";", "\r\n"), "utf-8-sig")
ask("werkstatt.csv",
 ("ws-offen", "Wie viele Räder stehen noch bei uns, sind also noch nicht abgeholt?", one(sum(r["ab"] is None for r in rows))),
 ("ws-jonas-april", "Was kommt beim Jonas an Lohn zusammen für die Aufträge, die im April angenommen wurden?", one(tsum([r for r in rows if r["mech"] == "Jonas" and r["an"].month == 4], "lohn"))),
 ("ws-inspektion", "Wieviele Jahresinspektionen haben wir gemacht?", one(sum(r["arb"] == "Jahresinspektion" for r in rows))),
 ("ws-material-mech", "durchschnittliche Materialkosten pro Auftrag, je Mechaniker bitte", [[k, num(avg(r["mat"] for r in g))] for k, g in sorted(group(rows, "mech").items())]),
 ("ws-teuerstes", "Bei welchem Auftrag war das Material am teuersten?", names([top({r["nr"]: r["mat"] for r in rows})[0][0]])),
 ("ws-hours", "How many hours did Mareike work on bikes altogether, according to the working times?", one(F(sum(r["min"] for r in rows if r["mech"] == "Mareike"), 60))),
 ("ws-zufrieden", "Wie zufrieden waren die Kunden im Schnitt mit der Reparatur?", None))
WS = rows

# ---------------------------------------------------------------- 2 food bank
R = random.Random(1802)
refs = ["Citizens Advice, Hexham", "St Wilfrid's Church", "Jobcentre Plus", "Dr Amin, Riverside Surgery", "Tynedale Housing", "Queen's Hall School", "Self-referral", "Mind, West Northumberland"]
rw = [34, 14, 27, 9, 20, 11, 6, 4]
reasons = ["Benefit delay", "Low income", "Debt", "Sickness", "Homeless", "Domestic abuse"]
notes = ["", "", "", "", "no oven, kettle only", "gluten free", "Nappies size 4", "nappies size 5, wipes", "halal", "vegetarian", "dog food please", "collects by bus, light bag", "baby milk + nappies", "diabetic", "no fish, no nuts"]
rows = []
clients = [f"C{n:03d}" for n in range(11, 141)]
d = date(2025, 1, 6)
for i in range(210):
    if R.random() < .45: d += timedelta(days=1)
    while d.weekday() not in (0, 2, 4): d += timedelta(days=1)
    a = R.choice([1, 1, 2, 2, 3]); c = R.choice([0, 0, 1, 2, 2, 3, 4])
    kg = D(str(round(8.5 * a + 5.2 * c + R.uniform(-2, 3), 1)))
    rows.append(dict(v=f"E-{40210+i*3}", d=d, c=R.choice(clients), pc=R.choice(["NE46", "NE46", "NE47", "NE48", "NE43", "NE45"]), a=a, ch=c,
                     ref=R.choices(refs, rw)[0], why=R.choices(reasons, [30, 33, 14, 9, 8, 5])[0], kg=None if R.random() < .09 else kg, n=R.choice(notes)))
put("parcels_2025.csv", table([["Voucher", "Date", "Client", "Postcode", "Adults", "Children", "Referred by", "Reason", "Parcel weight", "Notes"]] +
    [[r["v"], r["d"].isoformat() if R.random() < .7 else f"{r['d'].day} {r['d']:%b %Y}", r["c"], r["pc"], r["a"], r["ch"], r["ref"], r["why"],
      "" if r["kg"] is None else (f"{r['kg']} kg" if R.random() < .9 else f"{r['kg']}kg"), r["n"]] for r in rows]))
ask("parcels_2025.csv",
 ("fb-children-march", "how many children did we feed in march, counting a child again every time the family came", one(sum(r["ch"] for r in rows if r["d"].month == 3))),
 ("fb-top3", "Which three places referred the most vouchers to us, and how many each?", [[k, num(v)] for k, v in top(Counter(r["ref"] for r in rows), 3)]),
 ("fb-avg-weight", "What's the average weight of a parcel in kilos? Skip those nobody weighed.", one(avg(r["kg"] for r in rows if r["kg"] is not None))),
 ("fb-nappies", "How many times did somebody ask for nappies in the notes?", one(sum("nappies" in r["n"].lower() for r in rows))),
 ("fb-reason", "For the trustees' report: number of parcels per reason for the crisis.", [[k, num(v)] for k, v in sorted(Counter(r["why"] for r in rows).items())]),
 ("fb-repeat", "How many clients have been to us four times or more?", one(sum(v >= 4 for v in Counter(r["c"] for r in rows).values()))),
 ("fb-single-ne46", "count the parcels that went to a single adult with no kids in NE46", one(sum(r["a"] == 1 and r["ch"] == 0 and r["pc"] == "NE46" for r in rows))))
FB = rows

# ---------------------------------------------------------------- 3 physiotherapist
R = random.Random(1803)
pats = ["Agnes Whitlock", "Ben Okafor", "Carys Pugh", "Derek Sallis", "Elif Demir", "Fergus Mair", "Gita Rao", "Hamish Orr", "Ines Prado", "Jim Tulley", "Kath Devlin", "Leo Marsh", "Moira Fenn", "Nadia Haq", "Owen Breck", "Pat Lyle", "Quentin Ash", "Rosa Bellini", "Sam Toft", "Tess Varley"]
part = {p: R.choice(["Knee", "Shoulder", "Lower back", "Neck", "Ankle", "Hip"]) for p in pats}
st = ["DNA"] * 20 + ["Cancelled"] * 17 + ["Attended"] * 123
R.shuffle(st)
days = [date(2025, 1, 13) + timedelta(days=k) for k in range(60) if (date(2025, 1, 13) + timedelta(days=k)).weekday() < 5]
slots = sorted(R.sample([(dd, t) for dd in days for t in (480, 510, 540, 600, 660, 690, 780, 840, 900, 960, 1020)], 160))
rows = []
for i, (dd, t) in enumerate(slots):
    p = R.choice(pats)
    mins = R.choice([30, 30, 45, 45, 60])
    fee = D({30: "42.00", 45: "58.00", 60: "74.00"}[mins])
    if R.random() < .3: fee -= D(R.choice(["5.00", "7.50", "10.00"]))
    b = R.randint(4, 9); a = max(0, b - R.choice([0, 1, 1, 2, 3, -1]))
    att = st[i] == "Attended"
    rows.append(dict(d=dd, t=t, p=p, th=R.choice(["Marlowe", "Singh", "Singh", "Petrie"]), part=part[p], st=st[i], min=mins, fee=fee,
                     b=b if att and R.random() > .1 else None, a=a if att and R.random() > .14 else None))
put("clinic_diary.tsv", table([["Date", "Time", "Patient", "Therapist", "Body part", "Status", "Length", "Fee", "Pain before", "Pain after"]] +
    [[r["d"].strftime("%a %d/%m/%Y"), f"{r['t']//60:02d}:{r['t']%60:02d}", r["p"], r["th"], r["part"], r["st"], "1 h" if r["min"] == 60 else f"{r['min']} min",
      f"£{r['fee']}", "" if r["b"] is None else r["b"], "" if r["a"] is None else r["a"]] for r in rows], "\t"))
att = [r for r in rows if r["st"] == "Attended"]
hrs = Counter()
for r in att: hrs[r["th"]] += r["min"]
both = [r["b"] - r["a"] for r in rows if r["b"] is not None and r["a"] is not None]
dna = Counter(r["p"] for r in rows if r["st"] == "DNA")
ask("clinic_diary.tsv",
 ("ph-dna-share", "What percentage of all appointments ended up as DNA (did not attend)?", [[num(F(100 * sum(r["st"] == "DNA" for r in rows), len(rows))) + "%"]]),
 ("ph-knees", "how many different people do we have in here with a knee problem", one(len({r["p"] for r in rows if r["part"] == "Knee"}))),
 ("ph-improve", "By how many points did pain go down on average (before minus after), where both scores were written down?", one(avg(both))),
 ("ph-therapist-hours", "Hours of attended sessions per therapist?", [[k, num(F(v, 60))] for k, v in sorted(hrs.items())]),
 ("ph-repeat-dna", "Who has failed to turn up (DNA) three times or more? I want to ring them.", names(sorted(p for p, n in dna.items() if n >= 3))),
 ("ph-early", "number of cancelled appointments that were booked for before 10 in the morning", one(sum(r["st"] == "Cancelled" and r["t"] < 600 for r in rows))),
 ("ph-insurer", "Which insurer pays for Gita Rao's sessions?", None))
PH = rows

# ---------------------------------------------------------------- 4 parish donations
R = random.Random(1804)
don = ["Mrs J. Aldous", "P. & R. Bantock", "Anon", "Miss E. Crisp", "Col. Dacre", "The Eastwoods", "F. Gathercole", "Mr H. Ives", "Judd, Margaret", "Dr Kemble", "L. Mottram", "Mrs O. Neave", "Quilter Trust", "S. Raikes"]
rows = []
d = date(2025, 1, 5)
for i in range(165):
    if R.random() < .85: d += timedelta(days=R.choice([0, 1, 1, 2, 3]))
    amt = D(R.choice(["5", "10", "10", "20", "25", "30", "50", "75", "100", "150", "12.50", "37.20", "18.45"]))
    who = R.choice(don)
    if who == "Quilter Trust": amt = D(R.choice(["250", "500", "1250"]))
    rows.append(dict(d=d, who=who, amt=amt, how=R.choice(["Standing order", "Cash", "Cheque", "Card", "Cash"]), fund=R.choice(["General", "General", "Roof appeal", "Organ", "Hampers"]),
                     ga="N" if who in ("Anon", "Quilter Trust") else R.choice(["Y", "Y", "Y", "N", ""])))
def gbp(x): return f"£{x:,.2f}" if x != int(x) or R.random() < .7 else f"£{int(x):,}"
put("giving.csv", table([["Date", "Received from", "Amount", "How", "For", "Gift Aid"]] + [[r["d"].strftime("%d/%m/%Y"), r["who"], gbp(r["amt"]), r["how"], r["fund"], r["ga"]] for r in rows]))
tot = defaultdict(F)
for r in rows: tot[r["who"]] += F(r["amt"])
priv = {k: v for k, v in tot.items()}
q2 = [r for r in rows if 4 <= r["d"].month <= 6]
fund = defaultdict(F)
for r in rows: fund[r["fund"]] += F(r["amt"])
ask("giving.csv",
 ("pa-roof", "How much has come in for the roof appeal so far?", one(fund["Roof appeal"])),
 ("pa-fund", "Could I have the total for each fund please", [[k, num(v)] for k, v in sorted(fund.items())]),
 ("pa-giftaid", "total amount we can claim Gift Aid on, i.e. the gifts marked Y", one(sum((F(r["amt"]) for r in rows if r["ga"] == "Y"), F(0)))),
 ("pa-q2-100", "How many gifts of £100 or more did we receive between 1 April and 30 June?", one(sum(r["amt"] >= 100 for r in q2))),
 ("pa-blank", "How many entries still have the gift aid box empty?", one(sum(r["ga"] == "" for r in rows))),
 ("pa-organ-cheque", "Who gave to the organ by cheque? Names only, each once.", names(sorted({r["who"] for r in rows if r["fund"] == "Organ" and r["how"] == "Cheque"}))),
 ("pa-median", "median gift?", one(median(F(r["amt"]) for r in rows))))
PA = rows

# ---------------------------------------------------------------- 5 river gauge (German)
R = random.Random(1805)
rows = []
t = datetime(2025, 3, 1)
import math
for i in range(360):
    day = i / 12
    lvl = 182 + 150 * math.exp(-((day - 13.4) / 2.1) ** 2) + 62 * math.exp(-((day - 23.2) / 1.6) ** 2) + R.uniform(-3, 3)
    lvl = int(round(lvl))
    q = D(str(round(0.00082 * lvl ** 2 + R.uniform(-.8, .8), 1)))
    tmp = D(str(round(5.2 + day * .09 + 1.1 * math.sin((i % 12 - 3) / 12 * 6.283) - 2.6 * math.exp(-((day - 17.5) / .8) ** 2) + R.uniform(-.2, .2), 1)))
    miss = R.random() < .035
    rows.append(dict(t=t, l=None if miss else lvl, q=None if miss else q, w=None if R.random() < .02 else tmp, b=""))
    t += timedelta(hours=2)
for i in (40, 41, 213): rows[i]["b"] = "Wartung"
rows[120]["b"] = "Treibgut am Wehr, gesehen von H. Kolb"
rows[158]["b"] = "Meldestufe 1 erreicht"
rows[300]["b"] = "Sensor gereinigt"
best = max(r["l"] for r in rows if r["l"] is not None)
pk = [i for i, r in enumerate(rows) if r["l"] == best]
rows[pk[0]]["l"] += 4
assert rows[132]["l"] and rows[168]["l"]
put("pegel_maerz.csv", "# Pegel Untermühle, Station 4471020\r\n# Rohdaten, ungeprüft; Zeit in MEZ\r\n" + table([["Zeitpunkt", "Wasserstand [cm]", "Abfluss [m³/s]", "Wassertemperatur [°C]", "Bemerkung"]] +
    [[r["t"].strftime("%d.%m.%Y %H:%M"), "---" if r["l"] is None else r["l"], "---" if r["q"] is None else de(r["q"], 1), "---" if r["w"] is None else de(r["w"], 1), r["b"]] for r in rows], ";", "\r\n"))
mx = top({r["t"]: r["l"] for r in rows if r["l"] is not None})[0]
dm = {k: avg(r["w"] for r in g if r["w"] is not None) for k, g in ((k, [r for r in rows if r["t"].date() == k]) for k in sorted({r["t"].date() for r in rows}))}
at = {r["t"]: r for r in rows}
ask("pegel_maerz.csv",
 ("pg-max", "Wie hoch war der höchste Wasserstand und wann wurde er gemessen?", [[num(mx[1]), mx[0].strftime("%d.%m.%Y %H:%M")]]),
 ("pg-300", "Bei wie vielen Messungen stand das Wasser über 3 Meter?", one(sum(r["l"] is not None and r["l"] > 300 for r in rows))),
 ("pg-fehlt", "Wie oft fehlt der Wasserstand?", one(sum(r["l"] is None for r in rows))),
 ("pg-abfluss14", "mittlerer abfluss am 14. märz?", one(avg(r["q"] for r in rows if r["t"].date() == date(2025, 3, 14) and r["q"] is not None))),
 ("pg-kalt", "An welchem Tag war das Wasser im Tagesmittel am kältesten?", names([top(dm, 1, False)[0][0].strftime("%d.%m.%Y")])),
 ("pg-rise", "By how many centimetres did the river rise from midnight at the start of 12 March to midnight at the start of 15 March?", one(at[datetime(2025, 3, 15)]["l"] - at[datetime(2025, 3, 12)]["l"])))
PG = rows

# ---------------------------------------------------------------- 6 call centre, JSON lines
R = random.Random(1806)
agents = ["Priya", "Tomasz", "Leanne", "Yusuf", "Gwen"]
rows = []
starts = sorted(datetime(2025, 5, 12) + timedelta(days=R.randint(0, 4), seconds=R.randint(8 * 3600, 18 * 3600 - 1)) for _ in range(260))
for i, s in enumerate(starts):
    qn = R.choices(["billing", "broadband", "moving home", "complaints"], [9, 12, 5, 3])[0]
    ab = R.random() < .11
    w = R.randint(4, 95) if R.random() < .7 else R.randint(96, 620)
    ag = None if ab else R.choice(agents)
    rows.append(dict(id=f"c-{7001+i}", s=s, q=qn, w=w, ag=ag, talk=None if ab else R.randint(35, 1500), out="abandoned" if ab else R.choices(["resolved", "transferred", "callback"], [7, 2, 2])[0],
                     cs=None if ab or R.random() < .35 else min(5, max(1, R.choice([2, 3, 4, 4, 5, 5]) + (1 if ag == "Gwen" else 0))), cc=R.choice(["IE", "GB", "GB", "DE"])))
def dur(x): return f"{x}s" if x < 60 else f"{x//60}m {x%60}s"
put("calls.jsonl", "".join(json.dumps(dict(id=r["id"], start=r["s"].isoformat(), queue=r["q"], agent=r["ag"], wait=dur(r["w"]), talk=None if r["talk"] is None else dur(r["talk"]),
    outcome=r["out"], csat=r["cs"], caller={"country": r["cc"], "returning": R.random() < .4})) + "\n" for r in rows))
cs = defaultdict(list)
for r in rows:
    if r["cs"] is not None: cs[r["ag"]].append(r["cs"])
ask("calls.jsonl",
 ("cc-abandoned", "How many callers hung up before anyone picked up?", one(sum(r["out"] == "abandoned" for r in rows))),
 ("cc-billing-wait", "average waiting time in the billing queue in seconds, incl. the ones who gave up", one(avg(r["w"] for r in rows if r["q"] == "billing"))),
 ("cc-best-agent", "Which agent gets the best customer scores on average?", names([top({k: avg(v) for k, v in cs.items()})[0][0]])),
 ("cc-10-11", "Wie viele Anrufe kamen am 14. Mai zwischen 10 und 11 Uhr rein?", one(sum(r["s"].date() == date(2025, 5, 14) and r["s"].hour == 10 for r in rows))),
 ("cc-queue", "calls per queue pls", [[k, num(v)] for k, v in sorted(Counter(r["q"] for r in rows).items())]),
 ("cc-5min", "How many people had to wait longer than five minutes?", one(sum(r["w"] > 300 for r in rows))),
 ("cc-longest", "What's the id of the call with the longest talk time, and who took it?", [[(b := top({(r["id"], r["ag"]): r["talk"] for r in rows if r["talk"]})[0][0])[0], b[1]]]))
CC = rows

# ---------------------------------------------------------------- 7 allotments, Markdown
R = random.Random(1807)
hold = ["A. Birtwell", "Mrs Coe", "D. Darnley", "Ezra Finch", "G. Hollis", "Ivy Jarrold", "K. Lambe", "M. Nott", "O. Pryce", "The Quirks", "R. Sedge", "T. Underhay", "V. Wragg", "X. Yates", "Z. Abbot", "Bea Culley", "Dan Eames", "F. Grout", "Hal Ingle", "J. Kitto", "Lou Meakin", "N. Orchard", "Pia Rook", "S. Tansley", "Una Vole", "Will Yarrow", "C. Dibble", "Primary school", "E. Fallow", "Gus Heath", "Ida Jolly", "Ken Loam"]
sizes = R.sample(range(58, 262), 36); R.shuffle(hold)
yrs = R.sample(range(1987, 2025), 32)
rows = []; hi = 0; vac = set(R.sample(range(36), 4))
for i in range(36):
    v = i in vac
    sz = sizes[i]; rent = (D(sz) * D("0.42")).quantize(D("0.01"), ROUND_HALF_UP)
    rows.append(dict(pl=f"{'ABC'[i//12]}{i%12+1}", h=None if v else hold[hi], sz=sz, rent=rent, paid="" if v else R.choices(["yes", "no", "part"], [7, 3, 1])[0],
                     shed=R.choice(["yes", "no", "no"]), y=None if v else yrs[hi],
                     n=R.choice(["overgrown, needs clearing", "overgrown", ""]) if v else R.choice(["", "", "", "bees", "greenhouse", "pond", "shares with next plot", "bees, 2 hives"])))
    if not v: hi += 1
put("plots.md", "# Mill Lane Allotments – plot register 2025\n\nRents due 31 March. Ask the treasurer before changing anything.\n\n" +
    "| Plot | Holder | Size | Rent | Paid | Shed | Since | Notes |\n|:-----|:-------|-----:|-----:|:----:|:----:|------:|:------|\n" +
    "".join(f"| {r['pl']} | {r['h'] or 'vacant'} | {r['sz']} m² | £{r['rent']} | {r['paid']} | {r['shed']} | {r['y'] or ''} | {r['n']} |\n" for r in rows))
let = [r for r in rows if r["h"]]
ask("plots.md",
 ("al-vacant", "Which plots are vacant at the moment?", names(r["pl"] for r in rows if not r["h"])),
 ("al-unpaid", "who hasn't paid a penny of their rent yet", names(r["h"] for r in let if r["paid"] == "no")),
 ("al-oldest", "Who has been on the site longest?", names([top({r["h"]: r["y"] for r in let}, 1, False)[0][0]])),
 ("al-shed", "Average plot size with a shed and without one?", [[k, num(avg(r["sz"] for r in g))] for k, g in sorted(group(rows, "shed").items())]),
 ("al-big5", "the five largest plots, with size in square metres", [[k, num(v)] for k, v in top({r["pl"]: r["sz"] for r in rows}, 5)]),
 ("al-bees", "Which plots keep bees?", names(r["pl"] for r in rows if "bees" in r["n"])))
AL = rows

# ---------------------------------------------------------------- 8 rowing club ergs
R = random.Random(1808)
squad = {"Anna": "Women", "Orla": "Women", "Beth": "Women", "Suki": "Women", "Harriet": "Women", "Callum": "Men", "Dmitri": "Men", "Ewan": "Men", "Rob": "Men", "Zach": "Men", "Theo": "Men",
         "Freya": "Juniors", "Max": "Juniors", "Nico": "Juniors", "Poppy": "Juniors"}
base = {"Women": 4700, "Men": 4150, "Juniors": 4900}
b = {p: base[s] + R.randint(-170, 230) for p, s in squad.items()}
kg0 = {p: R.uniform(*{"Women": (60, 76), "Men": (72, 93), "Juniors": (52, 68)}[s]) for p, s in squad.items()}
dates = [date(2024, 10, 12), date(2024, 11, 16), date(2025, 1, 18), date(2025, 2, 15), date(2025, 3, 22)]
rows = []
for k, dd in enumerate(dates):
    ps = list(squad); R.shuffle(ps)
    for p in ps:
        if not (p == "Orla" and k in (0, 4)) and R.random() < .12: continue
        ten = b[p] - k * R.randint(5, 28) + R.randint(-25, 25)
        dnf = not (p == "Orla") and R.random() < .11
        rows.append(dict(d=dd, p=p, sq=squad[p], t=None if dnf else ten, rate=R.randint(26, 34), kg=None if R.random() < .1 else D(str(round(kg0[p] + R.uniform(-1, 1), 1))),
                         n=R.choice(["", "", "", "bad back", "PB!", "slipped seat", "after flu"])))
for r in rows:
    if r["t"] is None and r["n"] == "PB!": r["n"] = "stopped at 1200 m"
def mmss(t): return f"{t//600}:{(t%600)/10:04.1f}"
put("erg_tests.csv", table([["Test date", "Rower", "Squad", "2k", "Avg rate", "Weight (kg)", "Remarks"]] +
    [[f"{r['d']:%d-%b-%y}", r["p"], r["sq"], "DNF" if r["t"] is None else mmss(r["t"]), r["rate"], "" if r["kg"] is None else r["kg"], r["n"]] for r in rows]))
fin = [r for r in rows if r["t"]]
jan = [r for r in fin if r["d"] == dates[2]]
orla = {r["d"].month: r["t"] for r in rows if r["p"] == "Orla"}
jb = {p: min(r["t"] for r in fin if r["p"] == p) for p in sorted(squad) if squad[p] == "Juniors"}
ask("erg_tests.csv",
 ("er-fastest", "Who pulled the fastest 2k of the season and what was the time?", [[(x := top({(r["p"], i): r["t"] for i, r in enumerate(fin)}, 1, False)[0])[0][0], mmss(x[1])]]),
 ("er-sub7", "how many times did somebody go under 7 minutes?", one(sum(r["t"] < 4200 for r in fin))),
 ("er-dnf", "Wie oft wurde ein Test abgebrochen (DNF)?", one(sum(r["t"] is None for r in rows))),
 ("er-jan-squad", "January test: fastest rower in each squad?", [[s, top({r["p"]: r["t"] for r in jan if r["sq"] == s}, 1, False)[0][0]] for s in ("Juniors", "Men", "Women")]),
 ("er-orla", "How many seconds faster was Orla in March than in October?", one(F(orla[10] - orla[3], 10))),
 ("er-jun-best", "best time of every junior over the season", [[p, mmss(t)] for p, t in jb.items()]),
 ("er-heart", "What was Theo's heart rate at the end of the November test?", None))
ER = rows

# ---------------------------------------------------------------- 9 car sharing (German)
R = random.Random(1809)
cars = [("Corsa blau", "OL-CS 112"), ("Kangoo", "OL-CS 204"), ("e-Up", "OL-CS 31E"), ("Berlingo", "OL-CS 340"), ("Yaris Hybrid", "OL-CS 415")]
mem = ["Achternbusch", "Brandes", "Çelik", "Dirks", "Eilers", "Folkerts", "Gerdes", "Harms", "Ihnen", "Janßen", "Kuhlmann", "Lübben"]
rows = []; t = datetime(2025, 5, 1, 6, 30)
for i in range(190):
    t += timedelta(minutes=R.choice([45, 90, 150, 240, 330, 600, 720]) + R.choice([0, 5, 10, 20]))
    if t.hour < 6: t += timedelta(hours=6)
    car = R.choice(cars)
    km = D(str(round(R.choice([R.uniform(3, 30), R.uniform(10, 80), R.uniform(60, 240)]), 1)))
    dm = int(35 + float(km) * R.uniform(1.2, 3.5)) // 5 * 5 + 10
    rows.append(dict(nr=9100 + i, car=car[0], kz=car[1], m=R.choice(mem), a=t, e=t + timedelta(minutes=dm), km=km, k=(D("2.10") * D(dm) / 60 + km * D("0.26")).quantize(D("0.01"), ROUND_HALF_UP),
                     s=R.choices(["", "keiner", "Kratzer Tür hinten links", "Delle Stoßstange", "Steinschlag Scheibe"], [60, 25, 3, 2, 2])[0]))
rows[83].update(km=D("1204.6"), e=rows[83]["a"] + timedelta(days=4, hours=7), k=D("529.51"))
rows[140].update(e=rows[140]["a"] + timedelta(days=2, hours=1, minutes=15))
put("fahrten.csv", table([["Fahrt-Nr.", "Fahrzeug", "Kennzeichen", "Mitglied", "Beginn", "Ende", "Strecke (km)", "Kosten", "Schaden"]] +
    [[r["nr"], r["car"], r["kz"], r["m"], r["a"].strftime("%d.%m.%Y %H:%M"), r["e"].strftime("%d.%m.%Y %H:%M"), de(r["km"], 1), de(r["k"]) + " EUR", r["s"]] for r in rows], ";"), "utf-8")
mk = defaultdict(F); ck = defaultdict(F)
for r in rows: mk[r["m"]] += F(r["k"]); ck[r["car"]] += F(r["km"])
lim = 450
ask("fahrten.csv",
 ("cs-km-auto", "Wie viele Kilometer ist jedes Auto insgesamt gefahren?", [[k, num(v)] for k, v in sorted(ck.items())]),
 ("cs-laengste", "Welche Fahrt hat am längsten gedauert? Nummer reicht.", names([top({r["nr"]: r["e"] - r["a"] for r in rows})[0][0]])),
 ("cs-weekend", "How many trips began on a Saturday or Sunday?", one(sum(r["a"].weekday() >= 5 for r in rows))),
 ("cs-mitglied", "Welche drei Mitglieder haben am meisten bezahlt, und wie viel jeweils?", [[k, num(v)] for k, v in top(mk, 3)]),
 ("cs-schaden", "bei wie vielen fahrten wurde wirklich ein schaden gemeldet", one(sum(r["s"] not in ("", "keiner") for r in rows))),
 ("cs-eup-short", "How many e-Up trips were shorter than 20 km?", one(sum(r["car"] == "e-Up" and r["km"] < 20 for r in rows))))
CS = rows

# ---------------------------------------------------------------- 10 mail server log
R = random.Random(1810)
L = []   # (seconds, kind, dict, text)
ips = ["203.0.113.7", "198.51.100.24", "198.51.100.91", "203.0.113.150", "192.0.2.66"]
locals_ = ["office@harbourtrust.example", "lena@harbourtrust.example", "bookings@harbourtrust.example", "newsletter@harbourtrust.example", "it@harbourtrust.example"]
rcp = ["p.dunn", "marta", "info", "accounts", "jo.smith", "k.weber", "hello", "sales", "r.odell", "tickets"]
doms = ["gmail.example", "t-online.example", "outlook.example", "uni-bremen.example", "portside.example"]
used = set()
def sec(lo=0, hi=86399):
    while True:
        s = R.randint(lo, hi)
        if s not in used: used.add(s); return s
for i in range(95):
    s = sec(0, 86300); qid = "%06X" % R.randint(0x400000, 0xFFFFFF)
    frm = R.choice(locals_); size = R.randint(900, 90000) if R.random() < .8 else R.randint(200000, 6000000)
    L.append((s, "qmgr", dict(q=qid, frm=frm, size=size), f"postfix/qmgr[901]: {qid}: from=<{frm}>, size={size}, nrcpt=1 (queue active)"))
    to = R.choice(rcp) + "@" + R.choices(doms, [6, 4, 4, 2, 2])[0]; dl = round(R.uniform(.2, 9), 1) if R.random() < .85 else round(R.uniform(10, 60), 1)
    st_ = R.choices(["sent", "deferred", "bounced"], [78, 12, 10])[0]
    why = {"sent": "250 2.0.0 OK", "deferred": R.choice(["connect to mx1: Connection timed out", "host mx2 said: 451 4.7.1 Greylisted, try again later"]),
           "bounced": R.choice(["host mx1 said: 550 5.1.1 User unknown", "host mx2 said: 552 5.2.2 Mailbox full"])}[st_]
    dsn = {"sent": "2.0.0", "deferred": "4.4.1", "bounced": "5.1.1"}[st_]
    s2 = min(86399, s + int(dl) + 1)
    L.append((s2, "smtp", dict(to=to, delay=D(str(dl)), st=st_, why=why), f"postfix/smtp[{R.randint(3000, 3999)}]: {qid}: to=<{to}>, relay=mx.{to.split('@')[1]}[192.0.2.{R.randint(10, 60)}]:25, delay={dl}, dsn={dsn}, status={st_} ({why})"))
for ip, n in zip(ips, [31, 12, 9, 5, 3]):
    for _ in range(n):
        s = sec()
        L.append((s, "sasl", dict(ip=ip), f"postfix/smtpd[{R.randint(2000, 2999)}]: warning: unknown[{ip}]: SASL LOGIN authentication failed: UGFzc3dvcmQ6"))
for _ in range(40):
    s = sec(); u = R.choice(["lena", "office", "it", "bookings"])
    L.append((s, "imap", dict(u=u), f"dovecot: imap-login: Login: user=<{u}>, method=PLAIN, rip=10.0.4.{R.randint(2, 40)}, lip=10.0.4.1, TLS"))
L.append((15127, "start", {}, "postfix/master[880]: daemon started -- version 3.7.11, configuration /etc/postfix"))
L.append((15120, "stop", {}, "postfix/master[612]: terminating on signal 15"))
L.sort(key=lambda x: x[0])
def hms(s): return f"{s//3600:02d}:{s//60%60:02d}:{s%60:02d}"
put("mail.log", "".join(f"Mar 10 {hms(s)} mx1 {t}\n" for s, _, _, t in L))
sm = [(s, x) for s, k, x, _ in L if k == "smtp"]
big = top({(x["frm"], x["q"]): x["size"] for _, k, x, _ in L if k == "qmgr"})[0]
ask("mail.log",
 ("ml-bounced", "how many mails bounced?", one(sum(x["st"] == "bounced" for _, x in sm))),
 ("ml-sasl", "Which IP had the most failed logins, and how many?", [[k, num(v)] for k, v in top(Counter(x["ip"] for _, k, x, _ in L if k == "sasl"))]),
 ("ml-morning", "How many messages were sent successfully between 08:00 and 12:00?", one(sum(x["st"] == "sent" and 8 * 3600 <= s < 12 * 3600 for s, x in sm))),
 ("ml-start", "When was postfix started again?", [["Mar 10 " + hms(15127)]]),
 ("ml-biggest", "Size in bytes of the biggest message in the queue and who sent it", [[num(big[1]), big[0][0]]]),
 ("ml-full", "Bei welchen Empfängern war das Postfach voll (Mailbox full)?", names(sorted({x["to"] for _, x in sm if "Mailbox full" in x["why"]}))),
 ("ml-subject", "What were the subject lines of the bounced messages?", None))
assert not any(s in (8 * 3600, 12 * 3600) for s, _ in sm)
ML = L

# ---------------------------------------------------------------- 11 CI log, logfmt
R = random.Random(1811)
rows = []; t = datetime(2025, 6, 2, 7, 58, 11); pipe = 5500
jobs = {"lint": (300, 45000), "unit": (60000, 400000), "build": (120000, 900000), "e2e": (300000, 1700000), "docs": (2000, 59000)}
def gd(ms):
    if ms < 1000: return f"{ms}ms", ms
    s = ms // 1000
    return (f"{s}s" if s < 60 else f"{s//60}m{s%60}s"), s * 1000
for i in range(270):
    t += timedelta(seconds=R.randint(20, 1900))
    if R.random() < .3: pipe += 1
    x = R.random()
    if x < .06:
        mb = R.choice([R.randint(150, 980), R.randint(11, 39) * 100])
        rows.append(dict(k="disk", t=t, run=R.choice(["runner-1", "runner-2", "runner-3", "runner-4"]), mb=mb)); continue
    j = R.choice(list(jobs)); lo, hi = jobs[j]
    ms = R.randint(lo, hi) if j != "lint" else R.choice([R.randint(300, 980), R.randint(1000, 45000)])
    txt, ms = gd(ms)
    ok = R.random() > (.24 if j == "e2e" else .1)
    rows.append(dict(k="job", t=t, p=pipe, j=j, br=R.choice(["main", "main", "feature/login", "fix-typo", "release-2.4"]), run=R.choice(["runner-1", "runner-2", "runner-3", "runner-4"]),
                     ms=ms, txt=txt, ok=ok, why=None if ok else R.choice(["exit code 1", "exit code 1", "timeout", "out of memory"])))
def lf(r):
    if r["k"] == "disk":
        return "ts=%s level=warn msg=\"low disk space\" runner=%s free=%s" % (r["t"].strftime("%Y-%m-%dT%H:%M:%SZ"), r["run"], f"{r['mb']}MB" if r["mb"] < 1000 else "%.1fGB" % (r["mb"] / 1000))
    return "ts=%s level=%s msg=\"job %s\" pipeline=%d job=%s branch=%s runner=%s duration=%s status=%s%s" % (r["t"].strftime("%Y-%m-%dT%H:%M:%SZ"), "info" if r["ok"] else "error",
        "finished" if r["ok"] else "failed", r["p"], r["j"], r["br"], r["run"], r["txt"], "success" if r["ok"] else "failed", "" if r["ok"] else f' reason="{r["why"]}"')
put("ci.log", "".join(lf(r) + "\n" for r in rows))
J = [r for r in rows if r["k"] == "job"]
gj = group(J, "j")
disk = defaultdict(list)
for r in rows:
    if r["k"] == "disk": disk[r["run"]].append(r["mb"])
ask("ci.log",
 ("ci-main-fail", "how many jobs failed on main?", one(sum(not r["ok"] and r["br"] == "main" for r in J))),
 ("ci-rate", "failure rate per job in percent", [[k, num(F(100 * sum(not r["ok"] for r in g), len(g))) + "%"] for k, g in sorted(gj.items())]),
 ("ci-timeout", "Which runner had the most timeouts?", names([top(Counter(r["run"] for r in J if r["why"] == "timeout"))[0][0]])),
 ("ci-disk", "Which runner got lowest on disk space?", names([top({k: min(v) for k, v in disk.items()}, 1, False)[0][0]])),
 ("ci-e2e-20min", "How many e2e runs took more than 20 minutes?", one(sum(r["j"] == "e2e" and r["ms"] > 1200000 for r in J))),
 ("ci-subsecond", "any jobs over in less than a second, passed or failed? how many", one(sum(r["ms"] < 1000 for r in J))),
 ("ci-author", "Whose commit broke the build most often?", None))
CI = rows

# ---------------------------------------------------------------- 12 household bills
R = random.Random(1812)
rows = []
def add(d, payee, cat, amt, cur="€", status="paid", note=""): rows.append(dict(d=d, p=payee, c=cat, a=D(str(amt)), cur=cur, s=status, n=note))
for m in range(1, 13):
    add(date(2024, m, R.randint(2, 9)), "Glen Energy", "Electricity", round(R.uniform(70, 150) * (1.35 if m in (1, 2, 11, 12) else 1), 2))
    add(date(2024, m, R.randint(10, 20)), "Netwave", "Broadband", "45.00" if m < 8 else "49.50")
    if m % 2 == 1: add(date(2024, m, R.randint(5, 25)), "Calor Gas", "Heating", round(R.uniform(60, 120) * (2.1 if m in (1, 3, 11) else 1), 2))
    add(date(2024, m, 28), "BritBox", "Streaming", "5.99", "£")
    if m > 3: add(date(2024, m, 14), "Melodia", "Streaming", "10.99")
    for _ in range(R.randint(1, 3)):
        add(date(2024, m, R.randint(1, 28)), R.choice(["Fixit Plumbing, Ennis", "Murphy Hardware", "Clean Sweep", "Ash & Sons, Roofers"]), "Repairs", round(R.uniform(25, 420), 2), "€", R.choices(["paid", "paid", "paid", "open"])[0])
add(date(2024, 2, 21), "County Council", "Bins", "182.00"); add(date(2024, 8, 21), "County Council", "Bins", "182.00", "€", "open", "second reminder")
add(date(2024, 5, 6), "Axiom Insurance", "Insurance", "1148.60"); add(date(2024, 9, 3), "Glen Energy", "Electricity", "-38.40", "€", "paid", "refund, meter misread")
add(date(2024, 10, 2), "Royal Mail", "Post", "14.35", "£")
rows.sort(key=lambda r: r["d"])
def dform(d): return R.choice([d.isoformat(), f"{d.day} {d:%b %Y}", f"{d:%B} {d.day}, {d.year}"])
for r in rows: r["txt"] = dform(r["d"])
put("bills2024.csv", table([["When", "Paid to", "What for", "Amount", "Status", "Note"]] + [[r["txt"], r["p"], r["c"], ("-" if r["a"] < 0 else "") + r["cur"] + f"{abs(r['a']):,.2f}", r["s"], r["n"]] for r in rows]))
el = [r for r in rows if r["c"] == "Electricity"]
ask("bills2024.csv",
 ("hb-electric", "How much did electricity cost us over the year, taking the refund off?", one(tsum(el, "a"))),
 ("hb-pounds", "what have I been charged in pounds sterling altogether", one(tsum([r for r in rows if r["cur"] == "£"], "a"))),
 ("hb-open", "which bills are still open? list who they're owed to and the amount", [[r["p"], num(r["a"])] for r in rows if r["s"] == "open"]),
 ("hb-repairs-half", "Repairs: how much more (or less) in July-December than in January-June?", one(tsum([r for r in rows if r["c"] == "Repairs" and r["d"].month > 6], "a") - tsum([r for r in rows if r["c"] == "Repairs" and r["d"].month <= 6], "a"))),
 ("hb-broadband", "What is the date of the first broadband bill that came to more than 45 euro?", names([min((r["d"], r["txt"]) for r in rows if r["c"] == "Broadband" and r["a"] > 45)[1]])),
 ("hb-biggest", "How much was our dearest single bill, and who was it from?", [[num(max(r["a"] for r in rows)), "Axiom Insurance"]]),
 ("hb-kwh", "How many kWh did we use in January?", None))
assert max(rows, key=lambda r: r["a"])["p"] == "Axiom Insurance"
HB = rows


def everything():
    for file, questions in OUT:
        AUTHOR.ask(file, questions)
