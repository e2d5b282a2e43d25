"""The twenty files of the sixth batch: other domains and dialects than the files before. Needs Python 3.9; batch_six.py calls it.

Deterministic. The answers owe nothing to what this script knows: batch_six.py reads the files again.
"""
import json
import random
from datetime import date, datetime, timedelta

from common import FILES, english, german, table, write


def everything():
    shop_returns()
    patients()
    appointments()
    report_cards()
    outings()
    power_meter()
    gas_meter()
    matches()
    standings()
    nginx()
    sshd()
    workers()
    checkout()
    buses()
    loans()
    weather()
    donations()
    servers()
    firewall()
    gym()


def shop_returns():
    rng = random.Random(601)
    products = ["Kettle, steel", "Toaster", "Lamp \"Nordic\"", "Garden chair", "Rug, wool 2x3", "Blender"]
    reasons = ["damaged", "wrong size", "late delivery", "changed mind", "n/a"]
    rows = [["Return ID", "Product", "Price", "Reason", "Returned on", "Refunded"]]
    for number in range(48):
        price = rng.randrange(1500, 189900) / 100
        day = date(2026, 1, 5) + timedelta(days=rng.randrange(80))
        rows.append([f"R-{2040 + number}", rng.choice(products), f"${english(price, 2)}", rng.choice(reasons), day.strftime("%m/%d/%Y"),
                     rng.choice(["Y", "N", "Y"])])
    write("shop-returns.csv", table(rows))


def patients():
    rng = random.Random(602)
    names = ["Müller, Jörg", "Özdemir, Ayşe".replace("ş", "s"), "Krüger, Änne", "Weiß, Paul", "Böhm, Sören", "Götz, Käthe", "Lang, Ute", "Vogt, Max"]
    wards = ["Chirurgie", "Innere", "Gynäkologie", "Orthopädie"]
    lines = ["Patient;Geboren;Station;Aufnahme;Tage;Kosten;Privat"]
    for _ in range(40):
        born = date(1935, 1, 1) + timedelta(days=rng.randrange(29000))
        came = date(2025, 10, 1) + timedelta(days=rng.randrange(120))
        days = rng.randrange(1, 22)
        cost = rng.randrange(40000, 1950000) / 100
        lines.append(";".join([rng.choice(names), born.strftime("%d.%m.%Y"), rng.choice(wards), came.strftime("%d.%m.%Y"), str(days),
                               german(cost), rng.choice(["ja", "nein", "nein"])]))
    (FILES / "patienten.csv").write_bytes(("\r\n".join(lines) + "\r\n").encode("latin-1"))


def appointments():
    rng = random.Random(603)
    doctors = ["Dr. Patel", "Dr. Nguyen", "Dr. O'Hara", "Dr. Stein"]
    rows = [["appt", "doctor", "room", "start", "duration", "showed_up"]]
    for number in range(45):
        start = datetime(2026, 2, 2, 8) + timedelta(days=rng.randrange(26), minutes=15 * rng.randrange(36))
        rows.append([f"A{number + 1}", rng.choice(doctors), rng.choice(["101", "102", "205"]), start.strftime("%Y-%m-%d %H:%M"),
                     f"{rng.choice([10, 15, 20, 30, 45, 60])} min", rng.choice(["yes", "yes", "yes", "no"])])
    write("appointments.tsv", table(rows, "\t"))


def report_cards():
    rng = random.Random(604)
    pupils = ["Lena", "Jonas", "Mia", "Finn", "Emma", "Ben", "Aylin", "Noah", "Klara", "Tim"]
    classes = {name: ["7a", "7b", "8a"][index % 3] for index, name in enumerate(pupils)}
    lines = ["Schüler;Klasse;Fach;Note;Fehltage"]
    for name in pupils:
        for subject in ["Mathematik", "Deutsch", "Englisch", "Sport"]:
            mark = "" if rng.random() < 0.07 else f"{rng.randrange(10, 55) / 10:.1f}".replace(".", ",")
            lines.append(f"{name};{classes[name]};{subject};{mark};{rng.randrange(0, 9)}")
    write("zeugnisse.csv", "\n".join(lines) + "\n")


def outings():
    rng = random.Random(605)
    lines = ["# School trips", "", "Planned by the office; prices per head.", "", "| Trip | Destination | Class | Kids | Price | Date |",
             "|:-----|:------------|:-----:|-----:|------:|------|"]
    places = ["Zoo", "Museum", "Castle", "Lake", "Theatre"]
    for number in range(18):
        day = date(2026, 3, 1) + timedelta(days=rng.randrange(110))
        lines.append(f"| T{number + 1} | {rng.choice(places)} | {rng.choice(['4a', '4b', '5c'])} | {rng.randrange(14, 31)} | £{rng.randrange(400, 2600) / 100:.2f} | {day.day} {day:%B} {day.year} |")
    write("outings" ".md", "\n".join(lines) + "\n\nChanges possible.\n")


def power_meter():
    rng = random.Random(606)
    lines = ["Zeitpunkt;Zähler;Verbrauch (kWh);Status"]
    moment = datetime(2026, 2, 1)
    for _ in range(72):
        value = "" if rng.random() < 0.04 else f"{rng.randrange(20, 4900) / 1000:.3f}".replace(".", ",")
        lines.append(f"{moment:%d.%m.%Y %H:%M};{rng.choice(['Keller', 'Küche', 'Garage'])};{value};{'Fehler' if not value else 'ok'}")
        moment += timedelta(hours=3)
    write("stromzaehler.csv", "\ufeff" + "\n".join(lines) + "\n")


def gas_meter():
    rng = random.Random(607)
    lines = ["# exported 2026-04-01", "meter|read at|usage m3|temp °C|estimated"]
    for number in range(50):
        moment = datetime(2026, 3, 1, 6) + timedelta(hours=14 * number)
        usage = "-" if rng.random() < 0.06 else f"{rng.randrange(10, 990) / 100:.2f}"
        lines.append(f"{rng.choice(['G-17', 'G-18', 'G-21'])}|{moment:%Y-%m-%dT%H:%M:%SZ}|{usage}|{rng.randrange(-60, 140) / 10:.1f}|{rng.choice(['true', 'false', 'false'])}")
    write("gas-meter.txt", "\n".join(lines) + "\n")


def matches():
    rng = random.Random(608)
    teams = ["FC Nordheim", "SV Talbach", "TuS Höhe", "VfL Seestadt", "1. FC Burg", "Union Ost"]
    lines = ["Spieltag;Heim;Gast;Heimtore;Gasttore;Zuschauer;Anstoß"]
    for day in range(1, 16):
        order = rng.sample(teams, 6)
        for home, guest in zip(order[::2], order[1::2]):
            when = date(2025, 8, 16) + timedelta(days=7 * day)
            crowd = f"{rng.randrange(900, 61000):,}".replace(",", ".")
            lines.append(f"{day};{home};{guest};{rng.randrange(0, 6)};{rng.randrange(0, 5)};{crowd};{when:%d.%m.%y}")
    write("spiele.csv", "\n".join(lines) + "\n")


def standings():
    rng = random.Random(609)
    lines = ["Final table", "", "| Pos | Club | Played | Won | Drawn | Lost | Goals | Points |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    clubs = ["Ashford Town", "Brackley", "Corby Rovers", "Dunmere", "Eastleigh", "Fenwick United", "Gorley", "Hexham City", "Ilford", "Jarrow"]
    rows = []
    for club in clubs:
        won = rng.randrange(2, 14)
        drawn = rng.randrange(0, 18 - won + 1)
        rows.append((3 * won + drawn, club, won, drawn, 18 - won - drawn, rng.randrange(11, 52)))
    for position, (points, club, won, drawn, lost, goals) in enumerate(sorted(rows, reverse=True), 1):
        lines.append(f"| {position} | {club} | 18 | {won} | {drawn} | {lost} | {goals} | {points} |")
    write("standings" ".md", "\n".join(lines) + "\n")


def nginx():
    rng = random.Random(610)
    agents = ["Mozilla/5.0 (X11; Linux x86_64)", "curl/8.5.0", "Googlebot/2.1 (+http://www.google.com/bot.html)"]
    lines = []
    moment = datetime(2026, 5, 11, 6, 0)
    for _ in range(80):
        moment += timedelta(seconds=rng.randrange(5, 400))
        status = rng.choice([200, 200, 200, 200, 301, 404, 404, 500, 503])
        method = rng.choice(["GET", "GET", "GET", "POST", "DELETE"])
        path = rng.choice(["/cart", "/checkout", "/", "/product/17", "/login", "/admin"])
        referer = rng.choice(["-", "https://shop.example/"])
        lines.append(f'203.0.113.{rng.randrange(1, 8)} - - [{moment:%d/%b/%Y:%H:%M:%S} +0200] "{method} {path} HTTP/2.0" {status} {rng.randrange(120, 65000)} "{referer}" "{rng.choice(agents)}"')
    write("shop-access.log", "\n".join(lines) + "\n")


def sshd():
    rng = random.Random(611)
    lines = []
    moment = datetime(2026, 6, 9, 3, 0)
    for _ in range(70):
        moment += timedelta(seconds=rng.randrange(2, 900))
        stamp = f"{moment:%b} {moment.day:2d} {moment:%H:%M:%S} bastion"
        user, address = rng.choice(["root", "deploy", "alice", "git"]), f"198.51.100.{rng.randrange(1, 6)}"
        kind = rng.random()
        if kind < 0.45:
            lines.append(f"{stamp} sshd[{rng.randrange(900, 9000)}]: Failed password for {user} from {address} port {rng.randrange(1024, 65000)} ssh2")
        elif kind < 0.8:
            lines.append(f"{stamp} sshd[{rng.randrange(900, 9000)}]: Accepted publickey for {user} from {address} port {rng.randrange(1024, 65000)} ssh2")
        else:
            lines.append(f"{stamp} CRON[{rng.randrange(900, 9000)}]: pam_unix(cron:session): session opened for user root")
    write("auth.log", "\n".join(lines) + "\n")


def workers():
    rng = random.Random(612)
    lines = []
    for number in range(65):
        moment = datetime(2026, 7, 1, 22) + timedelta(minutes=7 * number)
        took = rng.choice([f"{rng.randrange(40, 999)}ms", f"{rng.randrange(11, 290) / 10:.1f}s"])
        size = rng.choice([f"{rng.randrange(2, 900)}KB", f"{rng.randrange(1, 40)}MB"])
        error = ' err="disk full"' if rng.random() < 0.2 else ""
        lines.append(f'ts={moment:%Y-%m-%dT%H:%M:%S}Z level={rng.choice(["info", "info", "warn", "error"])} worker=w{rng.randrange(1, 5)} tenant={rng.choice(["acme", "globex", "initech"])} took={took} size={size}{error} msg="backup done"')
    write("backups.logfmt", "\n".join(lines) + "\n")


def checkout():
    rng = random.Random(613)
    lines = []
    for number in range(55):
        moment = datetime(2026, 4, 2, 9) + timedelta(minutes=11 * number)
        entry = {"at": f"{moment:%Y-%m-%dT%H:%M:%S}Z", "customer": {"name": rng.choice(["Nora", "Oskar", "Pia", "Quirin"]), "country": rng.choice(["DE", "AT", "CH"])},
                 "cart": {"items": rng.randrange(1, 9), "total": rng.randrange(900, 45000) / 100}, "payment": rng.choice(["card", "paypal", "invoice"]),
                 "coupon": rng.choice([None, None, "SPRING"])}
        if rng.random() < 0.15:
            del entry["payment"]
        lines.append(json.dumps(entry))
    write("checkouts.jsonl", "\n".join(lines) + "\n")


def buses():
    rng = random.Random(614)
    rows = [["Line", "Driver", "Stop", "Scheduled", "Delay", "Passengers"]]
    for _ in range(52):
        minutes = 5 * rng.randrange(72, 280)
        rows.append([rng.choice(["12", "14", "N7"]), rng.choice(["Hall", "Iqbal", "Jansen"]), rng.choice(["Main St", "Harbour", "Old Mill", "Station"]),
                     f"{minutes // 60:02d}:{minutes % 60:02d}", f"{rng.randrange(0, 26)} min", rng.randrange(0, 71)])
    write("buses.csv", table(rows))


def loans():
    rng = random.Random(615)
    titles = ["Emma", "Dune", "Ulysses", "The Trial", "Beloved", "Persuasion"]
    rows = [["title", "borrower", "borrowed", "due", "returned", "fine"]]
    for _ in range(44):
        out = date(2026, 1, 2) + timedelta(days=rng.randrange(90))
        back = out + timedelta(days=rng.randrange(3, 40))
        returned = back.isoformat() if rng.random() < 0.7 else ""
        late = returned and back > out + timedelta(days=21)
        rows.append([rng.choice(titles), rng.choice(["Ines", "Karl", "Lotte", "Mehmet", "Olga"]), out.isoformat(), (out + timedelta(days=21)).isoformat(),
                     returned, f"{rng.randrange(50, 600) / 100:.2f}" if late else "0.00"])
    write("loans.csv", table(rows))


def weather():
    rng = random.Random(616)
    rows = [["Datum", "Ort", "Temperatur", "Regen", "Wind", "Wetter"]]
    for number in range(60):
        day = date(2026, 3, 1) + timedelta(days=number // 2)
        rain = f"{rng.randrange(0, 220) / 10:.1f}".replace(".", ",") if rng.random() < 0.6 else "0,0"
        rows.append([f"{day:%d.%m.%Y}", ["Kiel", "Jena"][number % 2], f"{rng.randrange(-40, 180) / 10:.1f}".replace(".", ",") + " °C", rain + " mm",
                     f"{rng.randrange(3, 88)} km/h", rng.choice(["sonnig", "bewölkt", "Regen", "Nebel"])])
    write("wetter.tsv", table(rows, "\t"))


def donations():
    rng = random.Random(617)
    lines = ["Spender;Betrag;Zweck;Datum;Quittung"]
    for _ in range(46):
        day = date(2025, 9, 1) + timedelta(days=rng.randrange(150))
        lines.append(";".join([rng.choice(["Albrecht", "Bäcker Groß", "Cramer", "Dietz", "anonym"]), german(rng.randrange(500, 260000) / 100) + " €",
                               rng.choice(["Tierheim", "Schule", "Feuerwehr"]), f"{day:%d.%m.%Y}", rng.choice(["ja", "nein"])]))
    lines.append("Summe;;;;")
    write("spenden.csv", "\n".join(lines[:-1]) + "\n")


def servers():
    rng = random.Random(618)
    hosts = []
    for number in range(24):
        hosts.append({"hostname": f"srv{number + 1:02d}", "site": rng.choice(["Berlin", "Oslo", "Porto"]), "os": {"name": rng.choice(["Debian", "Ubuntu", "FreeBSD"]), "version": rng.choice(["12", "13", "24.04"])},
                      "ram": rng.choice(["8 GB", "16 GB", "64 GB", "512 MB"]), "cpus": rng.choice([2, 4, 8, 16]), "monitored": rng.random() < 0.7})
    write("servers.json", json.dumps({"generated": "2026-05-05", "hosts": hosts}, indent=2) + "\n")


def firewall():
    rng = random.Random(619)
    lines = []
    for number in range(60):
        moment = datetime(2026, 8, 14, 10) + timedelta(seconds=83 * number)
        lines.append(f"{moment:%b %d %H:%M:%S} gw kernel: action={rng.choice(['DROP', 'DROP', 'ACCEPT'])} in=eth0 src=10.0.{rng.randrange(0, 3)}.{rng.randrange(1, 4)} dst=192.0.2.{rng.randrange(1, 4)} proto={rng.choice(['TCP', 'UDP', 'ICMP'])} dport={rng.choice([22, 53, 80, 443])} len={rng.randrange(40, 1500)}")
    write("firewall.log", "\n".join(lines) + "\n")


def gym():
    rng = random.Random(620)
    rows = [["Member", "Age", "Plan", "Joined", "Monthly fee", "Visits", "E-mail"]]
    for number in range(38):
        day = date(2023, 1, 1) + timedelta(days=rng.randrange(1150))
        plan = rng.choice(["basic", "plus", "family"])
        rows.append([f"{rng.choice(['Amy', 'Bill', 'Cleo', 'Dev', 'Eve', 'Flo'])} {chr(65 + number % 26)}{number}.", rng.randrange(16, 78), plan, f"{day.day} {day:%b} {day.year}",
                     f"£{rng.randrange(1500, 7900) / 100:.2f}", rng.randrange(0, 25), "" if rng.random() < 0.3 else f"m{number}@gym.example"])
    write("gym.csv", table(rows))
