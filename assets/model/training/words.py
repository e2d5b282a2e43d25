"""Words and values: large open sets, so that the model learns to copy and not to remember.

`Source` draws every value. A `Source` for evaluation draws invented words and listed words that a
`Source` for training never draws (they are told apart by a checksum of the word).
"""

import random
import zlib

NAMES = """alice bob carol dave erin frank grace heidi ivan judy mallory oscar peggy sybil trent victor walter
mara lindt anna jonas paul lena emil nora finn clara theo ida hugo mia leo zoe max eva tim jan kim lee ana luis
jose maria pedro carla diego sofia mateo lucia pablo elena bruno livia marco giulia luca chiara yuki kenji haruto
sakura mei li wei chen ling ravi priya amit sunita omar layla hassan fatima yusuf amina kofi ama kwame zola olga
ivanna sergei dmitri natasha pavel jana tomas eliska lars ingrid sven astrid bjorn freya john mary james linda
robert susan peter karen tom sara ben ruth sam nina adam rosa henry alma felix greta otto ella karl vera""".split()
SURNAMES = """Lindt Meyer Smith Jones Garcia Novak Kowalski Rossi Silva Tanaka Kim Singh Haddad Okafor Larsen
Berg Holm Dubois Moreau Weber Keller Huber Vogel Stein Brown Clark Lopez Costa Ferrari Petrov Sokolov Nguyen Tran
Ahmed Khan Cohen Levi Mensah Diallo O'Neill Schmidt-Roth Álvarez Müller Żak Öztürk Åberg""".split()
STATUSES = """ok failed shipped pending paid open closed refunded cancelled delivered timeout retrying success error
active inactive done new blocked running stopped completed rejected accepted approved denied queued processing
returned lost damaged waiting resolved unresolved escalated archived draft sent received bounced expired overdue
confirmed unconfirmed booked void settled disputed partial finished started aborted skipped ready unknown valid
invalid late missing online offline healthy degraded packed picked hold reserved declined unpaid canceled passed
OK FAILED DONE SUCCESS Pending Shipped Paid Closed Open in_progress on_hold not_found backordered""".split()
LEVELS = """ERROR WARN INFO DEBUG FATAL TRACE WARNING CRITICAL NOTICE ALERT SEVERE error warn info debug fatal
warning notice critical Error Info Warning ERR CRIT""".split()
CITIES = """Berlin Paris Rome Madrid London Vienna Oslo Prague Warsaw Lisbon Dublin Athens Zurich Geneva Hamburg
Munich Cologne Lyon Milan Turin Naples Porto Seville Tokyo Osaka Kyoto Seoul Delhi Mumbai Cairo Lagos Nairobi Accra
Lima Quito Bogota Boston Denver Austin Chicago Seattle Toronto Montreal Sydney Perth Auckland""".split()
LONG_CITIES = ["New York", "San Jose", "Los Angeles", "Cape Town", "Rio de Janeiro", "Den Haag", "Bad Homburg"]
COUNTRIES = """Germany France Italy Spain Austria Norway Poland Portugal Ireland Greece Japan India Egypt Nigeria
Kenya Ghana Peru Canada Brazil Chile DE FR IT ES US UK JP BR""".split()
PRODUCTS = """lamp chair desk table mouse keyboard screen phone charger cable laptop tablet printer toner paper pen
book mug bottle bag shirt shoe sock hat jacket tent bike helmet pump drill hammer saw nail screw paint brush rug
sofa pillow blanket clock vase plant seed soap towel knife fork spoon plate bowl kettle toaster fan heater""".split()
SERVICES = """auth db api billing cache scheduler worker gateway payments search mailer web frontend backend queue
ingest storage proxy router kernel sshd nginx cron postgres redis kafka checkout inventory catalog session notifier
indexer uploader exporter monitor backup sync crawler reporter dispatcher parser""".split()
TECH = """login session request query connection upload download backup token cache index job worker payload
certificate disk memory queue message packet socket page file record account password checkout cart report export
import transaction replica shard cluster node volume key lock thread process config schema table""".split()
VERBS = """failed succeeded started finished expired dropped accepted refused created deleted updated restored
rotated exceeded reached rejected completed stalled resumed timed-out closed opened lost renewed""".split()
FILLER = """the a on in after before with for at while during again now too slow fast old new twice printer fire down
cannot reach open password reset please urgent screen blank wrong address broken late invoice missing VPN laptop
mouse does not work login page office floor coffee machine customer asked about refund call back tomorrow morning
delivery left at door gift card parcel weekly monthly rent salary groceries bus ticket book club dinner lunch fee
insurance gas water power bill internet phone repair garage train hotel flight status user order amount level date""".split()
CURRENCIES = ["EUR", "USD", "GBP", "CHF", "JPY", "PLN", "SEK"]
METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
ONSETS = "b c d f g h j k l m n p r s t v w z b c d f g h k l m n p r s t b c d f g h j k l m n p q r s t v w x y z bl br ch cl cr dr fl fr gl gr kn pl pr qu sc sh sk sl sm sn sp st str sw th tr tw wh zh".split()
VOWELS = "a e i o u a e i o u ai ea ee ia io oa oo ou ui y".split()
CODAS = ["", "", "", "", "", "", "n", "r", "s", "l", "n", "r", "s", "t", "l", "m", "d", "k", "x", "ck", "nd", "nt", "rd", "st", "ng", "p", "b", "g", "sh", "lt", "ph"]


def reserved(word, share=8):
    """True for the words kept for evaluation."""
    return zlib.crc32(word.encode()) % share == 0


class Source:
    def __init__(self, seed, held_out=False):
        self.r = random.Random(seed)
        self.held_out = held_out
        self.file = None  # a files.File that gives the values, where records are to look like one file

    # -- plumbing ------------------------------------------------------------------------------
    def chance(self, p):
        return self.r.random() < p

    def pick(self, items):
        return items[int(self.r.random() * len(items))]

    def int(self, low, high):
        return low + int(self.r.random() * (high - low + 1))

    def listed(self, words):
        """A word of a list, from the part of the list that belongs to this split."""
        want = self.held_out and self.chance(0.5)
        for _ in range(30):
            word = self.pick(words)
            if reserved(word) == want:
                return word
        return word

    # -- words ---------------------------------------------------------------------------------
    def pseudo(self, low=1, high=3):
        while True:
            word = "".join(
                self.pick(ONSETS) + self.pick(VOWELS) + (self.pick(CODAS) if self.chance(0.6) else "")
                for _ in range(self.int(low, high))
            )
            if len(word) > 2 and reserved(word) == self.held_out:
                return word

    def letters(self, low=2, high=8):
        return "".join(self.pick("abcdefghijklmnopqrstuvwxyz") for _ in range(self.int(low, high)))

    def digits(self, low, high):
        n = self.int(low, high)
        return self.pick("123456789") + "".join(self.pick("0123456789") for _ in range(n - 1))

    def name(self):
        x = self.r.random()
        if x < 0.40:
            return self.listed(NAMES)
        if x < 0.65:
            return self.pseudo(1, 3)
        if x < 0.72:
            return self.letters(3, 8)
        return self.pseudo(1, 2).capitalize()

    def user(self):
        x = self.r.random()
        if x < 0.42:
            return self.name()
        if x < 0.56:
            return self.pick(["user", "user", "u", "customer", "usr", "client", "acct"]) + str(self.int(1, 99 if self.chance(0.6) else 9999))
        if x < 0.64:
            return self.name() + self.pick("._-") + self.name().lower()
        if x < 0.70:
            return self.name() + str(self.int(1, 99))
        if x < 0.76:
            return self.pick(["user", "u", "usr"]) + self.pick("_-") + self.digits(1, 4)
        if x < 0.90:
            return self.listed(NAMES).capitalize()
        return self.pseudo(2, 3)

    def full_name(self):
        first = self.listed(NAMES).capitalize() if self.chance(0.6) else self.pseudo(1, 2).capitalize()
        last = self.listed(SURNAMES) if self.chance(0.5) else self.pseudo(1, 3).capitalize()
        x = self.r.random()
        if x < 0.08:
            return f"{first[0]}. {last}"
        if x < 0.13:
            return f"{first} {self.pick('ABCDEFGHJKLMNPRST')}. {last}"
        return f"{first} {last}"

    def status(self, known=False):
        if known or self.chance(0.72):
            return self.listed(STATUSES)
        word = self.pseudo(1, 3)
        return word if self.chance(0.8) else word.upper() if self.chance(0.5) else word.capitalize()

    def service(self):
        x = self.r.random()
        if x < 0.55:
            return self.listed(SERVICES)
        if x < 0.75:
            return self.listed(SERVICES) + self.pick(["-service", "-api", "-worker", "d", "_svc", "-" + str(self.int(1, 9))])
        return self.pseudo(1, 3)

    def host(self):
        base = self.pick(["web", "db", "node", "app", "srv", "cache", "edge", "worker", "mail", "host", "prod", "vm"]) if self.chance(0.6) else self.pseudo(1, 2)
        x = self.r.random()
        if x < 0.45:
            return f"{base}-{self.int(1, 40):02d}"
        if x < 0.65:
            return f"{base}{self.int(1, 99)}"
        if x < 0.8:
            return f"{base}{self.int(1, 9)}.{self.pseudo(1, 2)}.{self.pick(['net', 'com', 'org', 'local', 'example'])}"
        return f"{base}-{self.pick(['eu', 'us', 'ap'])}-{self.int(1, 9)}"

    def ip(self):
        if self.chance(0.06):
            return ":".join(f"{self.int(0, 65535):x}" for _ in range(8)) if self.chance(0.5) else f"2001:db8::{self.int(1, 65535):x}"
        if self.chance(0.5):
            return f"{self.pick(['10.0', '192.168', '172.16', '10.1'])}.{self.int(0, 255)}.{self.int(1, 254)}"
        return ".".join(str(self.int(1, 254)) for _ in range(4))

    def path(self):
        parts = [self.pick(["api", "v1", "v2", "users", "orders", "login", "static", "cart", "img", "health", "items"]) if self.chance(0.6) else self.pseudo(1, 2) for _ in range(self.int(1, 4))]
        text = "/" + "/".join(parts)
        x = self.r.random()
        if x < 0.25:
            text += "/" + self.digits(1, 5)
        elif x < 0.35:
            text += self.pick([".html", ".css", ".js", ".png", ".php"])
        elif x < 0.45:
            text += f"?{self.pick(['id', 'q', 'page', 'user'])}={self.digits(1, 3) if self.chance(0.6) else self.pseudo(1, 2)}"
        elif x < 0.50:
            text = "https://" + self.pseudo(1, 2) + ".example" + text
        return text

    def email(self):
        left = self.name().lower() + (self.pick("._") + self.name().lower() if self.chance(0.4) else str(self.int(1, 99)) if self.chance(0.3) else "")
        return f"{left}@{self.pseudo(1, 2) if self.chance(0.6) else self.pick(['example', 'mail', 'corp'])}.{self.pick(['com', 'net', 'org', 'de', 'io'])}"

    # -- numbers -------------------------------------------------------------------------------
    def number(self):
        x = self.r.random()
        if x < 0.3:
            return str(self.int(0, 9))
        if x < 0.6:
            return str(self.int(10, 99))
        if x < 0.9:
            return str(self.int(100, 9999))
        return str(self.int(10000, 9999999))

    def amount(self):
        x = self.r.random()
        if x < 0.30:
            text = self.number()
        elif x < 0.78:
            text = f"{self.int(0, 99) if self.chance(0.6) else self.int(100, 9999)}.{self.int(0, 99):02d}"
        elif x < 0.84:
            text = f"{self.int(1, 99)},{self.int(0, 999):03d}.{self.int(0, 99):02d}"
        elif x < 0.88:
            text = f"{self.int(1, 999)},{self.int(0, 99):02d}"
        else:
            text = f"{self.int(0, 999)}.{self.int(0, 9)}"
        if self.chance(0.12):
            text = self.pick(["-", "-", "-", "+"]) + text
        elif self.chance(0.10):
            text = self.pick("$$€£") + text
        return text

    def duration(self):
        x = self.r.random()
        if x < 0.5:
            return f"{self.int(1, 9999)}ms"
        if x < 0.7:
            return f"{self.int(0, 90)}.{self.digits(1, 3)}s"
        if x < 0.8:
            return f"{self.int(1, 120)}s"
        return self.number()

    def order(self):
        x = self.r.random()
        if x < 0.55:
            return str(self.int(1000, 9999)) if self.chance(0.7) else self.digits(2, 8)
        if x < 0.8:
            return self.pick(["ORD", "A", "B", "INV", "TICKET", "T", "REQ", "PO", "ID", "R", "BUG"] ) + self.pick(["-", "-", "", "_"]) + self.digits(2, 6)
        if x < 0.9:
            return self.letters(1, 3).upper() + self.pick(["-", "", "/"]) + self.digits(2, 5)
        return "".join(self.pick("0123456789abcdef") for _ in range(self.int(4, 12)))

    # -- dates and times -----------------------------------------------------------------------
    def date(self):
        y, m, d = self.int(2019, 2029), self.int(1, 12), self.int(1, 28)
        x = self.r.random()
        if x < 0.62:
            return f"{y}-{m:02d}-{d:02d}"
        if x < 0.72:
            return f"{d:02d}.{m:02d}.{y}"
        if x < 0.82:
            return f"{y}/{m:02d}/{d:02d}" if self.chance(0.5) else f"{m:02d}/{d:02d}/{y}"
        if x < 0.88:
            return f"{d:02d}-{MONTHS[m - 1]}-{y}"
        return f"{y}-{m:02d}-{d:02d}"

    def time(self):
        text = f"{self.int(0, 23):02d}:{self.int(0, 59):02d}"
        if self.chance(0.85):
            text += f":{self.int(0, 59):02d}"
            if self.chance(0.15):
                text += self.pick(".,") + f"{self.int(0, 999):03d}"
        return text

    def stamp(self):
        """A date and time as one text: (text, {kind: part})."""
        x = self.r.random()
        date, time = self.date(), self.time()
        if x < 0.34:
            iso = f"{self.int(2019, 2029)}-{self.int(1, 12):02d}-{self.int(1, 28):02d}"
            text = f"{iso}T{time}{self.pick(['Z', 'Z', '', '+00:00', '+02:00'])}"
            return text, {"timestamp": text, "date": iso, "time": text}  # its time is not a word of its own
        if x < 0.60:
            text = f"{date} {time}"
            return text, {"timestamp": text, "date": date, "time": time}
        if x < 0.72:
            return time, {"timestamp": time, "time": time}
        if x < 0.80:
            return date, {"timestamp": date, "date": date}
        if x < 0.90:
            day = f"{self.pick(MONTHS)} {self.int(1, 28):2d}"
            time = f"{self.int(0, 23):02d}:{self.int(0, 59):02d}:{self.int(0, 59):02d}"
            return f"{day} {time}", {"timestamp": f"{day} {time}", "date": day, "time": time}
        text = str(self.int(1500000000, 1999999999)) + (f".{self.int(0, 999):03d}" if self.chance(0.3) else "")
        return text, {"timestamp": text}

    # -- text ----------------------------------------------------------------------------------
    def word(self):
        x = self.r.random()
        if x < 0.4:
            return self.pick(FILLER)
        if x < 0.6:
            return self.pick(TECH)
        if x < 0.7:
            return self.pick(VERBS)
        return self.pseudo(1, 3)

    def phrase(self, low=2, high=6):
        return " ".join(self.word() for _ in range(self.int(low, high)))
