"""Writes the fourteen files of the ninth batch, always the same (fixed seed). Python 3.9, standard library only."""
import html
import json
import random
from datetime import date, datetime, timedelta

import common

FILES = common.FILES / "nine"
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def save(name, text, encoding="utf-8"):
    (FILES / name).write_bytes(text.encode(encoding))


def de(value, places=2):
    text = f"{value:,.{places}f}"
    return text.replace(",", "_").replace(".", ",").replace("_", ".")


def cafe(r):
    """A cafe's till: American dates, dollars, one line per receipt."""
    menu = [("Flat white", "Hot drinks", 4.5), ("Americano", "Hot drinks", 3.75), ("Hot chocolate", "Hot drinks", 4.95), ("Earl Grey", "Hot drinks", 3.25),
            ("Almond croissant", "Pastry", 4.25), ("Cinnamon bun", "Pastry", 3.95), ("Banana bread", "Pastry", 3.5), ("Turkey sandwich", "Lunch", 9.95),
            ("Lentil soup", "Lunch", 8.5), ("Orange juice", "Cold drinks", 5.25), ("Iced latte", "Cold drinks", 5.5)]
    catering = [("Catering tray, large", "Catering", 145.0), ("Catering tray, small", "Catering", 85.0)]
    rows = []
    day, number = date(2025, 1, 6), 20417
    for _ in range(318):
        if r.random() < .45:
            day += timedelta(days=1)
        if r.random() < .04:
            item, category, price = r.choice(catering)
            count = r.randint(2, 12)
        else:
            item, category, price = r.choice(menu)
            count = r.choice([1, 1, 1, 2, 2, 3, 4])
        paid = r.choices(["Card", "Cash", "Gift card", ""], [60, 30, 7, 3])[0]
        staff = r.choices(["Maya", "Tom", "Priya", "Jess"], [30, 22, 32, 16])[0]
        if r.random() < .06:
            staff += " "
        rows.append([str(number), day.strftime("%m/%d/%Y"), f"{r.randint(7, 16)}:{r.randint(0, 59):02d}", f'"{item}"' if "," in item else item,
                     category, str(count), f"${price:.2f}", f'"${price * count:,.2f}"' if price * count >= 1000 else f"${price * count:.2f}", paid, staff])
        number += r.choice([1, 1, 1, 2])
    save("cafe_till.csv", "\n".join(",".join(row) for row in [["Receipt #", "Date", "Time", "Item", "Category", "Qty", "Unit price", "Line total", "Paid by", "Staff"], *rows]) + "\n")


def bank(r):
    """A German current account as the bank exports it: a preamble, semicolons, cp1252, minus signs."""
    rows = []
    for month in range(1, 13):
        def put(day, who, what, category, amount):
            rows.append((date(2024, month, day), who, what, category, amount))
        put(1, "Hausverwaltung Brückner", f"Miete {month:02d}/2024 Whg 14", "Wohnen", -1085.0)
        put(3, "Stadtwerke Musterstadt", "Abschlag Strom/Gas 4471120", "Wohnen", -148.0)
        put(27, "Nordlicht Software GmbH", f"Gehalt {month:02d}/2024", "Gehalt", 3187.45 if month != 11 else 4962.1)
        put(15, "Telefónica Germany", "Mobilfunk Rechnung", "Telefon", -24.99)
        for _ in range(r.randint(4, 7)):
            put(r.randint(2, 26), r.choice(["REWE Markt GmbH", "EDEKA Lange", "ALDI SUED", "REWE Markt GmbH"]), "Kartenzahlung girocard", r.choices(["Lebensmittel", ""], [92, 8])[0], -round(r.uniform(8, 118), 2))
        for _ in range(r.randint(1, 3)):
            who, what, category = r.choice([("DB Vertrieb GmbH", "Fahrkarte", "Reisen"), ("Amazon EU S.a.r.l.", "Bestellung 302-77", "Einkauf"), ("Zahnarztpraxis Dr. Ohm", "Rechnung", "Gesundheit"), ("Buchhandlung Graff", "Kartenzahlung", "Einkauf")])
            put(r.randint(2, 26), who, what, category, -round(r.uniform(12, 260), 2))
        if month % 3 == 0:
            put(18, "Familienkasse", "Kindergeld", "", 250.0)
    rows.append((date(2024, 5, 14), "Finanzamt Musterstadt", "Erstattung ESt 2023", "Steuern", 1318.77))
    rows.append((date(2024, 8, 9), "Fahrrad Kessler e.K.", "Rechnung 2024-881 E-Bike", "Einkauf", -2749.0))
    rows.sort(key=lambda row: row[0], reverse=True)
    lines = ['"Girokonto";"DE02 1203 0000 0000 2020 51"', '"Zeitraum:";"01.01.2024 - 31.12.2024"', '"Kontostand vom 31.12.2024:";"6.204,18 EUR"', '""',
             '"Buchungstag";"Wertstellung";"Auftraggeber / Empfänger";"Verwendungszweck";"Kategorie";"Betrag (EUR)"']
    for day, who, what, category, amount in rows:
        value = day + timedelta(days=1) if day.day < 26 and "Stadtwerke" not in who and r.random() < .3 else day
        lines.append(";".join(f'"{cell}"' for cell in [day.strftime("%d.%m.%Y"), value.strftime("%d.%m.%Y"), who, what, category, de(amount)]))
    save("umsaetze_girokonto.csv", "\r\n".join(lines) + "\r\n", "cp1252")


def marks(r):
    """A class teacher's list: German marks (1 is best), decimal commas, BOM."""
    girls = "Amelie Berger,Zeynep Demir,Lina Fischer,Charlotte Groß,Mia Hartung,Ida Jansen,Emilia Köhler,Nele Lorenz,Sofia Marković,Paula Neumann,Greta Schäfer,Hannah Vogt,Johanna Weiß".split(",")
    boys = "Ben Albrecht,Luca Brandt,Emre Çelik,Jonas Ebert,Finn Gebhardt,Mats Hoffmann,Oskar Krüger,Anton Lehmann,Noah Möller,Felix Peters,Jakob Richter,Elias Seidel,Paul Thiele,Theo Winter".split(",")
    people = sorted([(name.split()[1], name.split()[0], "w") for name in girls] + [(name.split()[1], name.split()[0], "m") for name in boys])
    remarks = ["", "", "", "", "", "Nachhilfe Mathe", "Klassensprecher/in", "Brille vergessen", "bekommt Nachhilfe in Englisch", "LRS", "sehr still"]
    lines = ["\ufeffNachname;Vorname;m/w;Mathe;Deutsch;Englisch;Sport;Fehltage;Bemerkung"]
    for last, first, sex in people:
        def mark(low, high, gap):
            return r.choice(["", "-"]) if r.random() < gap else de(r.randint(int(low * 10), int(high * 10)) / 10, 1)
        english = "5,6" if last == "Ebert" else mark(1.2, 4.8, .04)
        lines.append(";".join([last, first, sex, mark(1.3, 5.0, .05), mark(1.5, 4.3, .13), english, mark(1, 3, .1), str(r.choice([0, 0, 1, 2, 3, 3, 4, 5, 6, 8, 11, 14, 19])), r.choice(remarks)]))
    save("Noten_8a.csv", "\n".join(lines) + "\n")


def ward(r):
    """Observations on a ward: per cent signs, empty cells, 'refused'."""
    patients = [("A1", "Okafor, Grace"), ("A2", "Lindqvist, Per"), ("A3", "Doyle, Maureen"), ("A4", "Singh, Harpreet"), ("B1", "Whitfield, Arthur"), ("B2", "Nowak, Halina"), ("B3", "Castillo, Rosa"), ("B4", "Pemberton, Joyce"), ("C1", "Ahmed, Yusuf")]
    nurses = ["Kelly", "Femi", "Sandra", "Bogdan"]
    lines = ["Obs time,Bed,Patient,Temp (C),BP,Pulse,SpO2,Pain (0-10),Taken by"]
    for day in range(3, 9):
        for hour in (6, 12, 18, 22):
            for place, (bed, who) in enumerate(patients):
                if who.startswith("Ahmed") and day < 5 or r.random() < .06:
                    continue
                warm = who.startswith("Doyle") or who.startswith("Castillo")
                temp = round(r.gauss(38.1 if warm else 36.9, .42 if warm else .3), 1)
                oxygen = min(100, round(r.gauss(91.8 if who.startswith("Whitfield") else 96.5, 1.6)))
                pain = r.choices([str(r.randint(0, 7)), "refused", ""], [88, 5, 7])[0]
                lines.append(",".join([f"2025-02-{day:02d} {hour:02d}:{5 + place * 5 + r.randint(0, 4):02d}", bed, f'"{who}"', "" if r.random() < .05 else f"{temp:.1f}",
                                       f"{r.randint(98, 162)}/{r.randint(58, 94)}", str(round(r.gauss(78, 11))), f"{oxygen}%", pain, r.choices(nurses, [30, 36, 20, 14])[0]]))
    save("ward_obs.csv", "\n".join(lines) + "\n")


def rowing(r):
    """A rowing club's subscriptions: tabs, British dates, pounds, a total at the foot."""
    first = "Alan Beth Colin Diane Ewan Fiona Gareth Helen Ian Judith Keith Laura Martin Nora Owen Pamela Quentin Rachel Stuart Teresa Umar Vera William Yvonne Zoe Callum Aisha Duncan Morag Rhys".split()
    last = "Ashworth Bainbridge Carrick Dunmore Eccles Fairley Garside Hartley Inglis Jessop Kirkby Langton Mowbray Newsome Ormerod Pickering Quayle Rowntree Sedgwick Thackray".split()
    fees = {"Full": 240, "Junior": 95, "Student": 120, "Social": 45.5, "Family": 410}
    seen, rows = set(), []
    while len(rows) < 94:
        name = f"{r.choice(first)} {r.choice(last)}"
        if name in seen:
            continue
        seen.add(name)
        kind = r.choices(list(fees), [45, 14, 12, 14, 15])[0]
        joined = date(r.randint(1988, 2024), r.randint(1, 12), r.randint(1, 28))
        fee = fees[kind]
        state = r.random()
        paid = fee if state < .8 else round(fee / 2, 2) if state < .9 else 0
        when = (date(2025, 3, 10) + timedelta(days=int(r.triangular(0, 75, 22)))).strftime("%d/%m/%Y") if paid else ""
        how = r.choices(["Bank transfer", "Cheque", "Cash"], [70, 18, 12])[0] if paid else ""
        note = r.choice(["", "", "", "", "", "", "cox", "has boathouse key", "chase!", "new address"])
        rows.append([str(101 + len(rows)), name, joined.strftime("%d/%m/%Y"), kind, fee, paid, when, how, note])
    lines = ["Member no\tName\tJoined\tMembership\tFee due\tPaid so far\tDate paid\tHow\tNotes"]
    for row in rows:
        lines.append("\t".join([*row[:4], f"£{row[4]:,.2f}", f"£{row[5]:,.2f}" if row[5] else "", *row[6:]]))
    lines.append("\t".join(["", "TOTAL", "", "", f"£{sum(row[4] for row in rows):,.2f}", f"£{sum(row[5] for row in rows):,.2f}", "", "", ""]))
    save("rowing_club_subs.tsv", "\n".join(lines) + "\n")


def helpdesk(r):
    """Tickets as JSON lines, nested, with nulls."""
    customers = [("Brightwater Dental", "pro", "IE"), ("Kanzlei Roth", "pro", "DE"), ("Møller & Co", "free", "DK"), ("Gasthof Adler", "free", "DE"), ("Sunrise Yoga", "free", "US"), ("Peak Logistics", "enterprise", "US"), ("Atelier Lune", "free", "FR"), ("Fjord Bikes", "pro", "NO"), ("Castle Books", "free", "GB")]
    subjects = [("Password reset link does not arrive", ["login"]), ("Cannot log in after update", ["login", "bug"]), ("Wrong VAT on invoice", ["billing"]), ("Please cancel my subscription", ["billing", "churn"]), ("Export to PDF is blank", ["bug", "export"]), ("Forgot password for second user", ["login"]), ("Feature request: dark mode", ["feature"]), ("Charged twice this month", ["billing", "bug"]), ("How do I import contacts?", ["how-to"]), ("App is slow since Monday", ["bug", "performance"])]
    at, lines = datetime(2025, 5, 1, 7, 12), []
    for number in range(146):
        at += timedelta(minutes=r.randint(20, 800))
        name, plan, country = r.choices(customers, [12, 14, 9, 17, 8, 16, 7, 10, 9])[0]
        subject, tags = r.choice(subjects)
        priority = r.choices(["low", "normal", "high", "urgent"], [25, 45, 22, 8])[0]
        agent = None if r.random() < .07 else {"name": r.choices(["Lena", "Marcus", "Ines", "Dev"], [34, 28, 22, 16])[0], "team": "first line"}
        closed = (at + timedelta(minutes=r.randint(45, 6000))).strftime("%Y-%m-%dT%H:%M:%SZ") if agent and r.random() < .85 else None
        reply = r.randint(4, 60) if priority in ("high", "urgent") else r.randint(30, 420)
        record = {"id": f"T-{1041 + number}", "opened": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "closed": closed, "customer": {"name": name, "plan": plan, "country": country}, "priority": priority, "subject": subject, "tags": tags, "agent": agent}
        if agent:
            record["first_reply_min"] = reply
        lines.append(json.dumps(record, ensure_ascii=False))
        if number == 70:
            lines.append("")
    save("helpdesk.jsonl", "\n".join(lines) + "\n")


def nginx(r):
    """A web shop's access log over five days, with a few lines of noise."""
    addresses = [(f"{r.randint(11, 220)}.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 254)}", r.randint(3, 20)) for _ in range(27)] + [("185.220.101.47", 46)]
    pages = [("/", 14), ("/products/garden-hose", 8), ("/products/rain-barrel", 7), ("/cart", 9), ("/checkout", 6), ("/css/main.css", 9), ("/img/logo.png", 8), ("/search?q=hose", 5), ("/about", 3), ("/api/stock", 6)]
    missing = [("/wp-login.php", 14), ("/favicon.ico", 6), ("/.env", 5), ("/products/wheelbarow", 3)]
    agents = ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/124.0 Safari/537.36", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148", "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0"]
    google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    at, lines = datetime(2025, 4, 7, 0, 3, 11), []
    for number in range(356):
        at += timedelta(seconds=r.randint(20, 2300) if at.day != 9 else r.randint(10, 1500))
        address = r.choices([a for a, _ in addresses], [w for _, w in addresses])[0]
        agent = r.choice(agents)
        if r.random() < .09:
            address, agent = "66.249.66." + r.choice(["12", "77"]), google
        method = "GET"
        if r.random() < .17:
            page, status = r.choices([p for p, _ in missing], [w for _, w in missing])[0], 404
        else:
            page = r.choices([p for p, _ in pages], [w for _, w in pages])[0]
            status = r.choices([200, 304, 301, 500, 502, 403], [80, 8, 3, 4, 3, 2])[0]
            if page == "/checkout" and agent != google:
                method = "POST"
        size = {304: 0, 301: 178, 404: 153, 500: 571, 502: 157, 403: 146}.get(status) if status != 200 else r.randint(400, 48000)
        lines.append(f'{address} - - [{at.day:02d}/{MONTHS[at.month - 1]}/{at.year}:{at:%H:%M:%S} +0200] "{method} {page} HTTP/1.1" {status} {size} "{r.choice(["-", "-", "https://shop.example/"])}" "{agent}"')
        if number in (90, 233):
            lines.append(f'45.33.80.9 - - [{at.day:02d}/{MONTHS[at.month - 1]}/{at.year}:{at:%H:%M:%S} +0200] "\\x16\\x03\\x01\\x00\\xEE\\x01" 400 157 "-" "-"')
    save("shop-nginx.log", "\n".join(lines) + "\n")


def syslog(r):
    """A small server's syslog over six days of March."""
    at, lines = datetime(2025, 3, 2, 0, 1, 4), []
    bad = ["103.77.192.14", "61.177.172.98", "193.32.162.5", "45.148.10.240"]
    names = ["admin", "oracle", "test", "ubuntu", "pi", "postgres", "git"]
    for _ in range(262):
        at += timedelta(seconds=r.randint(60, 3700))
        what = r.choices(["fail", "ok", "cron", "dhcp", "oom", "disk", "ntp"], [30, 7, 30, 14, 2, 5, 12])[0]
        if what == "fail":
            user = r.choice(names + ["root", "root", "root"])
            text = f"sshd[{r.randint(900, 30000)}]: Failed password for {'' if user == 'root' else 'invalid user '}{user} from {r.choices(bad, [8, 14, 5, 3])[0]} port {r.randint(30000, 61000)} ssh2"
        elif what == "ok":
            text = f"sshd[{r.randint(900, 30000)}]: Accepted publickey for {r.choice(['karin', 'backup', 'deploy'])} from 192.168.1.{r.choice([20, 31])} port {r.randint(30000, 61000)} ssh2"
        elif what == "cron":
            text = f"CRON[{r.randint(900, 30000)}]: (root) CMD ({r.choice(['/usr/local/bin/backup.sh', 'run-parts /etc/cron.hourly', 'test -x /usr/sbin/anacron'])})"
        elif what == "dhcp":
            text = f"dhclient[611]: DHCPREQUEST for 192.168.1.{r.randint(2, 90)} on eth0 to 192.168.1.1 port 67"
        elif what == "oom":
            text = f"kernel: [{r.randint(100, 900000)}.{r.randint(100000, 999999)}] Out of memory: Killed process {r.randint(900, 30000)} ({r.choice(['java', 'mysqld', 'node'])}) total-vm:{r.randint(900000, 4000000)}kB"
        elif what == "disk":
            text = f"smartd[702]: Device: /dev/sda [SAT], {r.randint(2, 16)} Currently unreadable (pending) sectors"
        else:
            text = f"systemd-timesyncd[488]: Synchronized to time server {r.choice(['ptbtime1.ptb.de', '0.debian.pool.ntp.org'])}"
        lines.append(f"{MONTHS[at.month - 1]} {at.day:2d} {at:%H:%M:%S} garage-pi {text}")
    save("garage-pi.syslog", "\n".join(lines) + "\n")


def java(r):
    """An order service's log with stack traces over two days."""
    at, lines, order = datetime(2025, 6, 11, 6, 0, 2, 118000), [], 48800
    traces = {
        "npe": ["java.lang.NullPointerException: Cannot invoke \"com.acme.order.Address.getZip()\" because \"address\" is null", "\tat com.acme.order.ShippingService.quote(ShippingService.java:88)", "\tat com.acme.order.OrderController.create(OrderController.java:41)", "\t... 31 common frames omitted"],
        "timeout": ["java.net.SocketTimeoutException: Read timed out", "\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)", "\tat com.acme.order.PaymentClient.charge(PaymentClient.java:117)", "\t... 24 common frames omitted"],
        "sql": ["org.springframework.dao.DuplicateKeyException: could not execute statement", "\tat com.acme.order.OrderRepository.save(OrderRepository.java:63)", "Caused by: java.sql.SQLIntegrityConstraintViolationException: Duplicate entry for key 'orders.ref'", "\tat com.mysql.cj.jdbc.ClientPreparedStatement.executeUpdate(ClientPreparedStatement.java:1061)", "\t... 40 more"],
    }

    def put(level, where, text, trace=()):
        lines.append(f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {level:<5} [http-nio-8080-exec-{r.randint(1, 9)}] c.a.order.{where} - {text}")
        lines.extend(trace)
    for _ in range(214):
        at += timedelta(milliseconds=r.randint(4000, 1100000))
        order += 1
        what = r.choices(["created", "paid", "slow", "npe", "timeout", "sql", "stock", "mail"], [26, 30, 10, 4, 5, 2, 8, 8])[0]
        if what == "created":
            put("INFO", "OrderController", f"Order {order} created, total {r.randint(900, 28000) / 100:.2f} EUR")
        elif what == "paid":
            put("INFO", "PaymentClient", f"Payment for order {order} took {r.randint(120, 2900)} ms")
        elif what == "slow":
            put("WARN", "OrderRepository", f"Slow query: {r.randint(1000, 7900)} ms")
        elif what == "npe":
            put("ERROR", "ShippingService", f"Could not quote shipping for order {order}", traces["npe"])
        elif what == "timeout":
            put("ERROR", "PaymentClient", f"Payment gateway timeout for order {order}", traces["timeout"])
        elif what == "sql":
            put("ERROR", "OrderRepository", f"Could not store order {order}", traces["sql"])
        elif what == "stock":
            put("WARN", "StockChecker", f"Stock low for article {r.choice(['GH-20', 'RB-300', 'WB-1'])}: {r.randint(1, 9)} left")
        else:
            put("INFO", "MailSender", f"Confirmation mail sent for order {order}")
    save("orderservice.log", "\n".join(lines) + "\n")


def mailer(r):
    """A mailer's logfmt; durations in ms and s, as Go prints them."""
    at, lines = datetime(2025, 1, 14, 6, 2, 11), []
    for _ in range(188):
        at += timedelta(seconds=r.randint(30, 5000))
        domain = r.choices(["gmail.com", "gmx.de", "web.de", "outlook.com", "t-online.de"], [34, 22, 18, 14, 12])[0]
        template = r.choices(["newsletter", "invoice", "password-reset", "welcome"], [44, 28, 16, 12])[0]
        bounced = r.random() < {"gmx.de": .2, "t-online.de": .3}.get(domain, .06)
        took = r.randint(90, 990) if r.random() < .75 else r.randint(1001, 6900)
        parts = [f"ts={at:%Y-%m-%dT%H:%M:%SZ}", f"level={'warn' if bounced else 'info'}", f'msg="{"mail bounced" if bounced else "mail sent"}"', f"to_domain={domain}", f"template={template}", f"attempt={r.choices([1, 2, 3], [86, 10, 4])[0]}", f"took={took}ms" if took < 1000 else f"took={took / 1000:g}s"]
        if bounced:
            parts.append(f'reason="{r.choice(["mailbox full", "user unknown", "blocked as spam"])}"')
        lines.append(" ".join(parts))
    save("mailer.logfmt", "\n".join(lines) + "\n")


def bees(r):
    """A beekeeper's notes in Markdown: words, then a table, then words."""
    hives = ["Linden", "Orchard", "Stone wall", "Brook"]
    rows, day = [], date(2025, 4, 5)
    top = 0
    while day < date(2025, 8, 20):
        for hive in hives:
            if r.random() < .2:
                continue
            honey = r.choice(["", f"{r.randint(20, 145) / 10:.1f}"]) if day.month in (6, 7, 8) else ""
            mites = "" if r.random() < .1 else f"{round(r.uniform(0, 2 + (day.month - 4) * 2.2), 1)}"
            note = r.choice(["", "", "", "", "calm", "swarm cells cut out", "fed syrup", "swarmed, caught by the oak", "wax moth"]) if day.month < 8 else r.choice(["", "treated", "calm"])
            rows.append([f"{day.day} {MONTHS[day.month - 1]} 2025", hive, r.choices(["yes", "no"], [72, 28])[0], str(r.randint(3, 9)), mites, honey, note])
        day += timedelta(days=12)
    lines = ["# Bees 2025", "", "Four hives behind the village hall. I write down each look into a hive; honey is what I took off that day.", "", "## Inspections", "",
             "| Date | Hive | Queen seen? | Frames of brood | Mites per day | Honey (kg) | Remarks |", "|------|:-----|:---:|---:|---:|---:|------|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += ["", "## To do", "", "- order 40 frames", "- ask Derek about the extractor", ""]
    save("bees-2025" ".md", "\n".join(lines))


def store(r):
    """A hardware store's stock as an HTML page with entities and a total at the foot."""
    goods = ["Holzschrauben 4x40", "Holzschrauben 5x60", "Senkkopfschrauben M6", "Sechskantschrauben M8", "Dübel 8 mm", "Dübel 10 mm", "Winkelverbinder 90°", "Akkuschleifer AS 18", "Stichsäge ST 650", "Bohrmaschine BM 850", "Kappsäge KS 216", "Hochdruckreiniger HD 140", "Spachtel 60 mm", "Farbroller Set", "Wandfarbe weiß 10 l", "Lack anthrazit 750 ml", "Malerkrepp 50 m", "Schleifpapier K120", "Arbeitshandschuhe Gr. 9", "Schutzbrille klar", "Zollstock 2 m", "Wasserwaage 80 cm", "Hammer 300 g", "Kombizange 180", "Kabeltrommel 25 m", "LED-Strahler 50 W", "Gartenschlauch 20 m", "Regentonne 300 l", "Schubkarre 85 l", "Spaten Edelstahl", "Laubrechen", "Blumenerde 40 l", "Silikon transparent", "Montagekleber", "Fugenmörtel 5 kg", "Fliesenkleber 25 kg", "Steckdose weiß", "Lichtschalter weiß", "Kupferrohr 15 mm", "Eckventil 1/2\"", "Siphon chrom", "Dichtungsband PTFE"]
    dear = {"Akkuschleifer AS 18": 89.9, "Stichsäge ST 650": 74.5, "Bohrmaschine BM 850": 119.0, "Kappsäge KS 216": 1049.0, "Hochdruckreiniger HD 140": 1249.5, "Schubkarre 85 l": 62.3, "Regentonne 300 l": 58.75, "Wandfarbe weiß 10 l": 31.4, "Kabeltrommel 25 m": 44.9}
    lines = ["<!DOCTYPE html>", "<html lang=\"de\"><head><meta charset=\"utf-8\"><title>Lagerbestand</title></head>", "<body>", "<h1>Lagerbestand Baumarkt Hoffmann</h1>", "<p>Stand: 30.09.2025, Preise netto</p>", "<table class=\"stock\">",
             "<thead><tr><th>Artikel-Nr.</th><th>Bezeichnung</th><th>Lieferant</th><th>Bestand</th><th>Mindestbestand</th><th>EK netto</th><th>Regal</th><th>letzte Inventur</th></tr></thead>", "<tbody>"]
    whole = 0
    for number, name in enumerate(goods):
        price = dear.get(name) or round(r.uniform(.9, 24), 2)
        least = r.choice([2, 3, 4]) if name in dear else r.choice([10, 20, 40, 100])
        have = max(0, least - r.randint(1, least - 1)) if r.random() < .14 else least + r.randint(1, 12 if name in dear else 1300)
        whole += have
        counted = date(2025, 1, 2) + timedelta(days=r.randint(0, 260)) if name != "Siphon chrom" else date(2023, 11, 6)
        cells = [f"BM-{4000 + number * 7}", html.escape(name), html.escape(r.choices(["Hoffmann & Söhne", "Würzer Großhandel", "Toolmax", "Baustoff Kling"], [30, 26, 24, 20])[0]), de(have, 0), str(least), de(price) + "&nbsp;&euro;", "" if r.random() < .12 else f"{r.choice('ABCD')}{r.randint(1, 12)}", counted.strftime("%d.%m.%Y")]
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    lines += ["</tbody>", f"<tfoot><tr><td>Summe</td><td></td><td></td><td><b>{de(whole, 0)}</b></td><td></td><td></td><td></td><td></td></tr></tfoot>", "</table>", "<p>Fragen an: lager@hoffmann-baumarkt.example</p>", "</body></html>"]
    save("lagerbestand.html", "\n".join(lines) + "\n")


def solar(r):
    """A roof's yield per day, March to September: two-digit years, decimal commas, gaps."""
    lines, day = ["Datum;Ertrag (kWh);davon eingespeist (kWh);Wetter"], date(2024, 3, 1)
    base = {3: 13, 4: 20, 5: 26, 6: 29, 7: 27, 8: 24, 9: 16}
    while day <= date(2024, 9, 30):
        weather = r.choices(["sonnig", "wolkig", "Regen", "wechselhaft"], [36, 26, 16, 22])[0]
        made = round(base[day.month] * {"sonnig": 1.3, "wolkig": .8, "Regen": .35, "wechselhaft": .95}[weather] * r.uniform(.85, 1.12), 1)
        gap = r.random() < .04
        lines.append(";".join([day.strftime("%d.%m.%y"), *(r.choice([["", ""], ["n/a", "n/a"]]) if gap else [de(made, 1), de(round(made * r.uniform(.3, .75), 1), 1)]), weather]))
        day += timedelta(days=1)
    save("pv_ertrag_2024.csv", "\n".join(lines) + "\n")


def invoices(r):
    """An agency's invoices: pipes, dates such as 14-Mar-2025, three currencies."""
    clients = [("Harbour Foods", "GBP", "20%"), ("Sandstone Legal", "GBP", "20%"), ("Oak & Ivy Interiors", "GBP", "20%"), ("Delft Ceramics BV", "EUR", "0%"), ("Müller Maschinenbau", "EUR", "0%"), ("Prairie Outfitters", "USD", "0%"), ("Nimbus Analytics", "USD", "0%"), ("Age Well Charity", "GBP", "5%")]
    lines, issued = ["Invoice|Client|Issued|Due|Net|VAT|Currency|Paid on|Account manager"], date(2025, 1, 8)

    def text(day):
        return f"{day.day:02d}-{MONTHS[day.month - 1]}-{day.year}"
    for number in range(112):
        issued += timedelta(days=r.choice([0, 1, 1, 2, 3]))
        client, currency, vat = r.choice(clients)
        due = issued + timedelta(days=30)
        age = (date(2025, 7, 31) - issued).days
        paid = issued + timedelta(days=r.choice([9, 14, 21, 26, 28, 30, 33, 41, 52]))
        unpaid = paid > date(2025, 7, 31) or r.random() < (.4 if client == "Harbour Foods" else .1)
        net = round(r.choice([r.uniform(180, 2400), r.uniform(1500, 14500)]), 2)
        lines.append("|".join([f"INV-{2501 + number}", client, text(issued), text(due), f"{net:,.2f}", vat, currency, "" if unpaid else text(paid), r.choice(["Sam", "Olivia", "Raj", "Olivia"])]))
    save("invoices_2025.txt", "\n".join(lines) + "\n")


def main():
    FILES.mkdir(parents=True, exist_ok=True)
    for place, make in enumerate([cafe, bank, marks, ward, rowing, helpdesk, nginx, syslog, java, mailer, bees, store, solar, invoices]):
        make(random.Random(26112700 + place))
