"""The fourteenth batch: 14 files and their questions, each answered from the records that the file is written from.

By an author who knew nothing of the grammar. Deterministic: fixed seeds.
"""
import csv, io, json, random, statistics as st
from collections import Counter, defaultdict
from datetime import datetime, date, timedelta
from decimal import Decimal, ROUND_HALF_UP

from common import Author

AUTHOR = Author("fourteen", 14)
FILE = []


def w(name, text):
    AUTHOR.write(name, text)
    FILE[:] = [name]


def q(phrase, text, rows):
    if rows is not None:
        rows = [[c if isinstance(c, str) else n(c) for c in r] for r in rows]
        assert rows, phrase
    AUTHOR.ask(FILE[0], [(phrase, text, rows)])


def n(x):
    if isinstance(x, int): return str(x)
    d = Decimal(repr(round(float(x), 9)))
    assert abs((d * 100) % 1 - Decimal('0.5')) > Decimal('0.0001'), ('half', x)
    s = str(d.quantize(Decimal('0.01'), ROUND_HALF_UP))
    return s.rstrip('0').rstrip('.') if '.' in s else s
def r1(x):
    d = Decimal(repr(round(float(x), 9))); assert abs((d * 10) % 1 - Decimal('0.5')) > Decimal('0.001'), x
    return float(d.quantize(Decimal('0.1'), ROUND_HALF_UP))
def top(d, k=1, low=False):
    """the k keys with the greatest value; no ties at the border or within"""
    s = sorted(d.items(), key=lambda t: t[1], reverse=not low)
    for a, b in zip(s[:k], s[1:k+1]): assert a[1] != b[1], ('tie', s[:k+1])
    return [t[0] for t in s[:k]]
def one(x): return [[x]]
def names(xs): return [[x] for x in dict.fromkeys(xs)]
def groups(d): return [[k, d[k]] for k in sorted(d)]
def de(x, dec=2):
    s = f'{x:,.{dec}f}'; return s.replace(',', 'X').replace('.', ',').replace('X', '.')
def csvtext(rows, delim=',', nl='\n'):
    b = io.StringIO(); csv.writer(b, delimiter=delim, lineterminator=nl).writerows(rows); return b.getvalue()


# 1 ---------------------------------------------------------------- donations (German club)
def part_1():
    R = random.Random(1401)
    donors = ['Hannelore Brandt','Jürgen Petzold','Familie Öztürk','Bäckerei Lindner GmbH','Marie-Luise Graf','Thomas Kühn','Sabine Vogt','Elektro Maaß','Dr. Anke Scholz','Peter Hüttl','Gisela Noack','Karl-Heinz Baumann','Familie Wieczorek','Apotheke am Markt','Lena Fröhlich','Uwe Sander','Ingrid Thieme','Stadtsparkasse Auental','Mehmet Demir','Rosemarie Kelch','Holger Franz','Claudia Zeisig']
    recs = []
    d = date(2024, 1, 4)
    for i in range(96):
        d += timedelta(days=R.choice([1,2,3,4,5,6]))
        if d > date(2024,12,30): d = date(2024,12,30)
        who = R.choice(donors + ['anonym']*3)
        amt = R.choice([10,15,20,25,25,30,50,50,50,75,100,100,150,200,250,12.5,33.4,47.9])
        if who == 'anonym': amt = R.choice([5,10,20,12.35,8.8])
        if who == 'Stadtsparkasse Auental': amt = R.choice([750,1250,1500])
        recs.append(dict(nr=i+1, d=d, who=who, amt=amt, zweck=R.choice(['Jugend','Dachsanierung','Allgemein','Sommerfest','Dachsanierung']), art='bar' if who=='anonym' else R.choice(['Überweisung','Überweisung','bar','PayPal','Lastschrift']), q=R.choice(['ja','ja','ja','nein',''])))
    w('spenden_2024.csv', csvtext([['Nr','Datum','Spender','Zweck','Betrag in €','Zahlungsart','Quittung']] + [[r['nr'], r['d'].strftime('%d.%m.%Y'), r['who'], r['zweck'], de(r['amt']), r['art'], r['q']] for r in recs], ';', '\r\n'))
    tot = Counter()
    for r in recs: tot[r['who']] += r['amt']
    art = Counter()
    for r in recs: art[r['art']] += r['amt']
    q('dach-summe', 'Wie viel Geld ist für die Dachsanierung zusammengekommen?', one(float(sum(r['amt'] for r in recs if r['zweck']=='Dachsanierung'))))
    q('groesster-spender', 'Wer hat übers ganze Jahr gesehen am meisten gespendet?', one(top(tot)[0]))
    q('quittung-fehlt', 'Bei wie vielen Spenden ist nicht eingetragen, ob es eine Quittung gab?', one(sum(r['q']=='' for r in recs)))
    q('je-zahlungsart', 'Was ist je Zahlungsart insgesamt reingekommen?', groups({k: float(v) for k,v in art.items()}))
    q('bar-schnitt', 'Wie viel wurde im Schnitt gegeben, wenn jemand bar gezahlt hat?', one(st.mean(r['amt'] for r in recs if r['art']=='bar')))
    q('alter-spender', 'Wie alt sind unsere Spender im Durchschnitt?', None)


# 2 ---------------------------------------------------------------- class marks
def part_2():
    R = random.Random(1402)
    studs = ['Okafor, Chidi','Lindqvist, Elsa','Baker, Tom','Moreno, Lucía','Hughes, Rhys','Patel, Anika','Novak, Petra','O\'Brien, Sean','Yamada, Kenji','Fischer, Lea','Dubois, Noé','Ahmed, Zara','Carter, Joe','Kowalski, Ola','Singh, Arjun','Evans, Megan','Rossi, Giulia','Walker, Ben','Hassan, Omar','Bennett, Ruby','Cole, Isaac','Nguyen, Linh','Turner, Alfie','Ward, Poppy','Silva, Inês','Grant, Leo','Price, Maya']
    boys = {'Okafor, Chidi','Baker, Tom','Hughes, Rhys','O\'Brien, Sean','Yamada, Kenji','Dubois, Noé','Carter, Joe','Singh, Arjun','Walker, Ben','Hassan, Omar','Cole, Isaac','Turner, Alfie','Grant, Leo'}
    recs = []
    for s in studs:
        b = R.gauss(27, 5)
        t1 = max(8, min(40, round((b + R.gauss(0,3))*2)/2)); t2 = max(8, min(40, round((b + 1 + R.gauss(0,4))*2)/2))
        recs.append(dict(s=s, sex='M' if s in boys else 'F', t1=t1, t2=t2, proj=R.choice(['A','A-','B+','B','B','B-','C+','C','']), away=R.choice([0,0,1,1,2,2,3,4,5,6,7,9,11]), rem=R.choice(['','','','chatty','sits at front, glasses','late twice','moved from 7A','very keen, reads ahead'])))
    for i in (3, 11, 20): recs[i]['t2'] = None
    for i in (8, 20): recs[i]['t1'] = None
    f = lambda x: 'abs' if x is None else n(float(x))
    w('marks_7b.csv', csvtext([['Student','Sex','Test 1 (/40)','Test 2 (/40)','Project','Days absent','Remarks']] + [[r['s'],r['sex'],f(r['t1']),f(r['t2']),r['proj'],r['away'],r['rem']] for r in recs]))
    q('t2-average', 'what did they get on average in the second test, not counting the ones who were absent?', one(st.mean(r['t2'] for r in recs if r['t2'] is not None)))
    q('missed-t2', 'Who was absent for test 2?', names(r['s'] for r in recs if r['t2'] is None))
    q('best-total', 'Which student has the highest score with both tests added up?', one(top({r['s']: r['t1']+r['t2'] for r in recs if r['t1'] is not None and r['t2'] is not None})[0]))
    q('boys-girls', 'Average mark in test 1 for boys and for girls', [[g, st.mean(r['t1'] for r in recs if r['sex']==g and r['t1'] is not None)] for g in 'FM'])
    q('improved', 'How many pupils did better in the second test than in the first?', one(sum(r['t1'] is not None and r['t2'] is not None and r['t2']>r['t1'] for r in recs)))
    q('away-a-lot', 'who has been away for more than five days', names(r['s'] for r in recs if r['away']>5))
    q('may-birthday', 'Whose birthday is in May?', None)


# 3 ---------------------------------------------------------------- nginx
def part_3():
    R = random.Random(1403)
    ips = ['198.51.100.%d' % R.randint(2,250) for _ in range(16)] + ['203.0.113.77','203.0.113.12']
    UA = {'ff':'Mozilla/5.0 (X11; Linux x86_64; rv:124.0) Gecko/20100101 Firefox/124.0','ch':'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Safari/537.36','gb':'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)','cu':'curl/8.5.0'}
    uaof = {ip: R.choice(['ff','ch','ff','ch','cu']) for ip in ips}; uaof['203.0.113.77'] = 'gb'; uaof['203.0.113.12'] = 'cu'
    t = datetime(2025,3,14,6,0,3); recs = []
    for i in range(330):
        t += timedelta(seconds=R.randint(3, 250))
        ip = R.choice(ips + ['203.0.113.12']*5 + ['203.0.113.77']*2)
        path = R.choice(['/','/','/shop','/shop/lamps','/shop/rugs','/cart','/checkout','/api/stock','/img/logo.png','/img/hero.jpg','/old-sale','/contact'])
        meth = 'GET'; s = 200; size = R.randint(900, 30000)
        if ip == '203.0.113.12': path = R.choice(['/wp-login.php','/.env','/admin','/']); 
        if ip == '203.0.113.77' and path in ('/checkout','/cart'): path = '/shop'
        if path == '/checkout' and R.random() < .7: meth = 'POST'; s = R.choice([200,200,200,500,502])
        if path in ('/wp-login.php','/.env','/old-sale'): s = 404; size = 153
        if path == '/admin': s = 403; size = 153
        if path == '/api/stock': s = R.choice([200,200,200,200,503]); size = R.randint(200,900)
        if path == '/img/hero.jpg': size = 184320
        if path == '/img/logo.png': s = R.choice([200,304]); size = 0 if s == 304 else 5120
        recs.append(dict(ip=ip, t=t, meth=meth, path=path, s=s, size=size, ua=uaof[ip]))
    w('access.log', ''.join(f'{r["ip"]} - - [{r["t"].strftime("%d/%b/%Y:%H:%M:%S")} +0000] "{r["meth"]} {r["path"]} HTTP/1.1" {r["s"]} {r["size"]} "-" "{UA[r["ua"]]}"\n' for r in recs))
    q('server-errors', 'How many requests ended in a server error (5xx)?', one(sum(r['s']>=500 for r in recs)))
    q('busiest-ip', 'which address hammered us the most?', one(top(Counter(r['ip'] for r in recs))[0]))
    q('ten-to-eleven', 'number of hits between 10:00 and 11:00', one(sum(r['t'].hour==10 for r in recs)))
    assert not any(r['t'].hour==11 and r['t'].minute==0 and r['t'].second==0 for r in recs)
    q('not-found-paths', 'Which paths came back as 404? Each one only once please', names(sorted({r['path'] for r in recs if r['s']==404})))
    q('img-bytes', 'how many bytes did we send out for everything under /img/', one(sum(r['size'] for r in recs if r['path'].startswith('/img/'))))
    q('checkout-post-failed', 'POSTs to /checkout that did not return 200: how many?', one(sum(r['meth']=='POST' and r['path']=='/checkout' and r['s']!=200 for r in recs)))


# 4 ---------------------------------------------------------------- orders JSON lines
def part_4():
    R = random.Random(1404)
    cust = [('Ines Hofer','AT'),('Lars Madsen','DK'),('Greta Voss','DE'),('Paul Renner','DE'),('Anouk Visser','NL'),('Jana Lehmann','DE'),('Felix Gruber','AT'),('Bram de Wit','NL'),('Sofie Holm','DK'),('Tim Albers','DE'),('Nora Pichler','AT'),('Mia Krause','DE'),('Daan Smit','NL'),('Ole Brandt','DE'),('Eva Steiner','AT'),('Kim Larsen','DK'),('Rosa Maier','DE'),('Jonas Beck','DE'),('Lotte Bakker','NL'),('Hugo Wolf','AT')]
    t = datetime(2025,1,2,8,0,0); recs = []
    for i in range(150):
        t += timedelta(minutes=R.randint(60, 1700))
        c = R.choice(cust + cust[:6])
        r = dict(id=f'ord_{2001+i}', t=t, c=c, total=round(R.lognormvariate(3.8,.6),2), s=R.choice(['paid']*8+['refunded','failed','failed','pending']), items=R.randint(1,6), coupon=R.choice([None]*5+['SPRING10','WELCOME5']))
        recs.append(r)
    lines = []
    for i, r in enumerate(recs):
        o = {'id': r['id'], 'created': r['t'].strftime('%Y-%m-%dT%H:%M:%SZ'), 'customer': {'name': r['c'][0], 'country': r['c'][1]}, 'total': r['total'], 'currency': 'EUR', 'status': r['s'], 'items': r['items']}
        if r['coupon'] or i % 3: o['coupon'] = r['coupon']
        lines.append(json.dumps(o, ensure_ascii=False) + '\n')
    w('orders.jsonl', ''.join(lines))
    q('feb-revenue', 'What did the paid orders in February come to?', one(sum(r['total'] for r in recs if r['s']=='paid' and r['t'].month==2)))
    q('with-coupon', 'How many orders used a coupon?', one(sum(bool(r['coupon']) for r in recs)))
    q('paid-by-country', 'Number of paid orders per country', groups(Counter(r['c'][1] for r in recs if r['s']=='paid')))
    q('biggest-order', 'What is the id of the order with the highest total?', one(top({r['id']: r['total'] for r in recs})[0]))
    q('failed-share', 'What percentage of all orders failed?', one(100*sum(r['s']=='failed' for r in recs)/len(recs)))
    q('spring10-average', 'average total of orders placed with SPRING10', one(st.mean(r['total'] for r in recs if r['coupon']=='SPRING10')))
    cc = Counter(r['c'][0] for r in recs)
    q('top-3-customers', 'Which three customers placed the most orders?', names(top(cc, 3)))
    q('pending-de', 'Wie viele Bestellungen hängen noch auf pending?', one(sum(r['s']=='pending' for r in recs)))


# 5 ---------------------------------------------------------------- logfmt worker
def part_5():
    R = random.Random(1405)
    spec = {'thumbnail':(.12,2.5),'email':(.08,1.6),'backup':(25,210),'report':(2,40),'sync':(.5,14)}
    t = datetime(2025,5,6,2,0,1); recs = []
    def dur(s):
        if s < 1: return f'{round(s*1000)}ms', round(s*1000)
        if s < 60: s = round(s,1); return f'{s:g}s', round(s*1000)
        s = round(s); return (f'{s//60}m{s%60}s' if s%60 else f'{s//60}m'), s*1000
    for i in range(210):
        t += timedelta(seconds=R.randint(5,160))
        j = R.choice(['thumbnail']*4+['email']*4+['sync']*3+['report']*2+['backup'])
        lo, hi = spec[j]; txt, ms = dur(R.uniform(lo,hi))
        ok = R.random() > .17
        recs.append(dict(t=t, job=j, txt=txt, ms=ms, ok=ok, att=R.choice([1,1,1,1,2,3]), err=None if ok else R.choice(['connection reset by peer','connection reset by peer','timeout, gave up','disk full']), wk=R.choice(['w1','w2','w3'])))
    w('worker.log', ''.join(f'ts={r["t"].strftime("%Y-%m-%dT%H:%M:%SZ")} level={"info" if r["ok"] else "error"} worker={r["wk"]} job={r["job"]} status={"ok" if r["ok"] else "failed"} attempt={r["att"]} dur={r["txt"]}' + ('' if r['ok'] else f' err="{r["err"]}"') + '\n' for r in recs))
    q('slowest-run', 'When did the slowest run get logged?', one(top({r['t'].strftime('%Y-%m-%dT%H:%M:%SZ'): r['ms'] for r in recs})[0]))
    q('email-average', 'How long does an email job take on average, in milliseconds?', one(round(st.mean(r['ms'] for r in recs if r['job']=='email'),2)))
    q('over-10s', 'how many runs needed more than 10 seconds', one(sum(r['ms']>10000 for r in recs)))
    fj = Counter(r['job'] for r in recs if not r['ok']); assert len(fj)==5
    q('failed-per-job', 'failures per kind of job', groups(fj))
    q('usual-error', 'What is the most common error message?', one(top(Counter(r['err'] for r in recs if r['err']))[0]))
    q('ok-after-retry', 'How many runs succeeded only on the second or third attempt?', one(sum(r['ok'] and r['att']>1 for r in recs)))
    q('backup-total', 'Total time spent on backup jobs, in seconds', one(sum(r['ms'] for r in recs if r['job']=='backup')/1000))
    q('memory-used', 'which worker used the most memory?', None)


# 6 ---------------------------------------------------------------- auth.log
def part_6():
    R = random.Random(1406)
    t = datetime(2025,3,3,0,1,7); recs = []; 
    bad = ['45.83.64.9','185.220.101.4','91.240.118.172','193.32.162.27']
    for i in range(280):
        t += timedelta(seconds=R.randint(20,1500))
        k = R.choice(['fail']*4+['invalid']*3+['ok']*3+['cron']*3+['sudo']*2)
        r = dict(t=t, k=k, pid=R.randint(900,29999))
        if k in ('fail','invalid'): r['ip'] = R.choice(bad+bad[:1]*2)
        if k == 'fail': r['u'] = R.choice(['root','root','root','backup','anna'])
        if k == 'invalid': r['u'] = R.choice(['admin','test','oracle','postgres','ubuntu','pi','guest','ftpuser'])
        if k == 'ok': r['u'] = R.choice(['deploy','deploy','anna','marek','sven']); r['ip'] = R.choice(['10.8.0.4','10.8.0.7','10.8.0.11']); r['m'] = R.choice(['publickey','publickey','publickey','password'])
        if k == 'sudo': r['u'] = R.choice(['anna','anna','marek','sven']); r['cmd'] = R.choice(['/usr/bin/systemctl restart nginx','/usr/bin/apt upgrade','/usr/bin/journalctl -u nginx','/usr/sbin/reboot'])
        recs.append(r)
    def line(r):
        h = f'{r["t"].strftime("%b")} {r["t"].day:2d} {r["t"].strftime("%H:%M:%S")} gate '
        p = R.randint(1025,65000)
        if r['k']=='fail': return h+f'sshd[{r["pid"]}]: Failed password for {r["u"]} from {r["ip"]} port {p} ssh2\n'
        if r['k']=='invalid': return h+f'sshd[{r["pid"]}]: Failed password for invalid user {r["u"]} from {r["ip"]} port {p} ssh2\n'
        if r['k']=='ok': return h+f'sshd[{r["pid"]}]: Accepted {r["m"]} for {r["u"]} from {r["ip"]} port {p} ssh2\n'
        if r['k']=='cron': return h+f'CRON[{r["pid"]}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)\n'
        return h+f'sudo[{r["pid"]}]: {r["u"]} : TTY=pts/0 ; PWD=/home/{r["u"]} ; USER=root ; COMMAND={r["cmd"]}\n'
    w('auth.log', ''.join(map(line, recs)))
    fl = [r for r in recs if r['k'] in ('fail','invalid')]
    q('failed-passwords', 'How many failed password attempts are in here?', one(len(fl)))
    q('worst-ip', 'From which IP did most of the failed passwords come?', one(top(Counter(r['ip'] for r in fl))[0]))
    q('who-got-in', 'Which users logged in successfully?', names(sorted({r['u'] for r in recs if r['k']=='ok'})))
    q('invalid-names', 'How many different invalid user names were tried?', one(len({r['u'] for r in recs if r['k']=='invalid'})))
    q('password-logins', 'how many of the accepted logins were done with a password instead of a key', one(sum(r['k']=='ok' and r['m']=='password' for r in recs)))
    q('sudo-most', 'who used sudo the most?', one(top(Counter(r['u'] for r in recs if r['k']=='sudo'))[0]))
    q('deploy-de', 'Wie oft hat sich deploy erfolgreich angemeldet?', one(sum(r['k']=='ok' and r['u']=='deploy' for r in recs)))


# 7 ---------------------------------------------------------------- bike shop markdown
def part_7():
    R = random.Random(1407)
    items = [('Inner tube 26"','Tyres','Velomax',2.1),('Inner tube 700c','Tyres','Velomax',2.3),('Road tyre 25mm','Tyres','Velomax',14.5),('Gravel tyre 40mm','Tyres','Harlow & Sons',19.8),('Tubeless kit','Tyres','Harlow & Sons',16.25),('Front light 300 lm','Lights','Brightside',11.4),('Front light 800 lm','Lights','Brightside',24.6),('Rear light','Lights','Brightside',7.35),('Light set kids','Lights','Velomax',6.9),('Dynamo headlight','Lights','Brightside',31.2),('Chain 9 speed','Drivetrain','Harlow & Sons',9.9),('Chain 11 speed','Drivetrain','Harlow & Sons',15.75),('Cassette 11-32','Drivetrain','Harlow & Sons',27.4),('Chain oil, 100 ml','Care','Peakline',3.15),('Degreaser','Care','Peakline',4.05),('Bike wash 1 l','Care','Peakline',4.6),('Brake pads disc','Brakes','Harlow & Sons',6.45),('Brake pads rim','Brakes','Velomax',3.3),('Brake cable','Brakes','Velomax',1.45),('Hydraulic hose','Brakes','Harlow & Sons',12.95),('Helmet adult M','Helmets','Peakline',21.0),('Helmet adult L','Helmets','Peakline',21.5),('Helmet kids','Helmets','Peakline',14.2),('U-lock','Locks','Brightside',18.6),('Folding lock','Locks','Brightside',33.9),('Cable lock','Locks','Velomax',5.7),('Bell','Accessories','Velomax',1.9),('Bottle cage','Accessories','Peakline',2.75),('Water bottle 0.75 l','Accessories','Peakline',2.2),('Mudguard set','Accessories','Harlow & Sons',13.3),('Pannier bag','Accessories','Peakline',29.5),('Floor pump','Tools','Brightside',17.8),('Mini pump','Tools','Brightside',8.1),('Multitool','Tools','Peakline',9.25)]
    recs = []
    for it, cat, sup, cost in items:
        re_ = R.choice([2,3,4,5,6,10]); stock = R.choice([0,1,2,3,4,5,7,8,9,11,12,14,20,25])
        if stock == re_: stock += 1
        recs.append(dict(it=it, cat=cat, sup=sup, cost=cost, price=round(cost*R.uniform(1.5,2.1))+.99 if cost>5 else round(cost*2,1)+.05, re=re_, stock=stock))
    for i in (4, 19, 28): recs[i]['stock'] = None
    w('stock' '.md', '# Stock, end of April\n\ncounted by Dee, prices incl. VAT\n\n| Item | Category | Supplier | In stock | Reorder below | Cost | Price |\n|:-----|:---------|:---------|---------:|--------:|-----:|------:|\n' + ''.join(f'| {r["it"]} | {r["cat"]} | {r["sup"]} | {"" if r["stock"] is None else r["stock"]} | {r["re"]} | £{r["cost"]:.2f} | £{r["price"]:.2f} |\n' for r in recs))
    cn = [r for r in recs if r['stock'] is not None]
    q('need-reorder', 'What do I have to reorder, i.e. where is the stock below the reorder level?', names(r['it'] for r in cn if r['stock']<r['re']))
    q('stock-value', 'What is the stock worth at cost price (leave out what was not counted)?', one(sum(r['stock']*r['cost'] for r in cn)))
    q('best-margin', 'On which item do we make the most per piece (price minus cost)?', one(top({r['it']: round(r['price']-r['cost'],2) for r in recs})[0]))
    q('per-supplier', 'How many items do we get from each supplier?', groups(Counter(r['sup'] for r in recs)))
    q('not-counted', 'which items were not counted?', names(r['it'] for r in recs if r['stock'] is None))
    q('lights-price', 'Average selling price of the lights', one(st.mean(r['price'] for r in recs if r['cat']=='Lights')))
    q('best-seller', 'Which item sold best in April?', None)


# 8 ---------------------------------------------------------------- ward observations
def part_8():
    R = random.Random(1408)
    pats = ['Mr Aldous','Mrs Beck','Ms Chowdhury','Mr Doyle','Mrs Ekwueme','Mr Farrow','Mrs Gill','Mr Hartigan','Ms Ito','Mrs Jessop','Mr Kaplan','Mrs Lowe']
    base = {p:(R.gauss(37.0,.35),R.gauss(128,12),R.gauss(80,9),R.gauss(95.5,1.2)) for p in pats}
    recs = []
    for d in (12, 13):
        for hh in ('02:00','08:00','14:00','20:00'):
            for bed, p in enumerate(pats, 1):
                b = base[p]; sy = round(b[1]+R.gauss(0,8))
                recs.append(dict(d=f'2025-05-{d}', h=hh, bed=bed, p=p, temp=round(b[0]+R.gauss(0,.4),1), sy=sy, di=round(sy*.58+R.gauss(0,4)), pulse=None if R.random()<.07 else round(b[2]+R.gauss(0,6)), o2=min(100,round(b[3]+R.gauss(0,1.4))), pain=R.choice([0,0,1,2,2,3,4,5,6,7]), nurse={'02:00':'Kirsty','08:00':R.choice(['Femi','Joan']),'14:00':R.choice(['Femi','Joan']),'20:00':R.choice(['Kirsty','Joan'])}[hh]))
    low = min(r['o2'] for r in recs)
    if sum(r['o2']==low for r in recs) > 1: next(r for r in recs if r['o2']==low)['o2'] = low-1
    rows = [['Date','Time','Bed','Patient','Temp','BP','Pulse','SpO2','Pain (0-10)','Nurse']]
    for i, r in enumerate(recs): rows.append([r['d'],r['h'],r['bed'],r['p'],f'{r["temp"]:.1f}' if i%9 else f'{r["temp"]:.1f} °C',f'{r["sy"]}/{r["di"]}','' if r['pulse'] is None else r['pulse'],f'{r["o2"]}%',r['pain'],r['nurse']])
    w('ward_obs.csv', csvtext(rows))
    q('fever', 'Which patients had a temperature of 38 or higher at some point?', names(r['p'] for r in recs if r['temp']>=38))
    q('lowest-sats', 'Who had the lowest oxygen saturation?', one(top({(r['p'],i): r['o2'] for i,r in enumerate(recs)}, low=True)[0][0]))
    q('bed4-pulse', 'mean pulse of the patient in bed 4', one(st.mean(r['pulse'] for r in recs if r['bed']==4 and r['pulse'] is not None)))
    q('systolic-140', 'How many blood pressure readings had a systolic value above 140?', one(sum(r['sy']>140 for r in recs)))
    q('pulse-missing', 'how often was no pulse written down', one(sum(r['pulse'] is None for r in recs)))
    q('busiest-nurse', 'Which nurse did the most observations?', one(top(Counter(r['nurse'] for r in recs))[0]))
    q('pain-night', 'Who reported pain of 5 or more in the 2 am round on 13 May?', names(r['p'] for r in recs if r['d']=='2025-05-13' and r['h']=='02:00' and r['pain']>=5))
    q('antibiotics', 'Which antibiotic is Mrs Gill on?', None)


# 9 ---------------------------------------------------------------- rents (German)
def part_9():
    R = random.Random(1409)
    ten = ['Abel','Bauer','Celik','Dietz','Engel','Fuchs','Götz','Heinze','Ivanov','Jung','Köhler','Lorenz','Marx','Nguyen','Otto','Pohl','Quandt','Richter','Schäfer','Tran','Ulrich','Voigt','Weiß','Yilmaz','Zimmer','Arnold','Busch','Conrad','Dörr','Ernst','Franke','Groß','Horn','Jäger','Krüger','Lang']
    recs = []; k = 0
    for obj, cnt, pre in (('Lindenweg 12',14,'LW'),('Bahnhofstr. 3',10,'BH'),('Am Anger 7a',12,'AA')):
        for i in range(cnt):
            fl_ = R.choice([38,42.5,48,55,61.5,64,72,78.5,84,96,112])
            r = dict(obj=obj, whg=f'{pre}-{i+1:02d}', fl=fl_, kalt=round(fl_*R.uniform(7.4,12.6),2), nk=R.choice([110,140,165,180,195,230]), ein=date(R.randint(1998,2024),R.randint(1,12),R.choice([1,1,1,15])), rs=R.choice([0,0,0,0,0,0,120.5,340,612.4,890,1480.75]), mieter=ten[k]); k += 1
            recs.append(r)
    for i in (5, 17, 24, 30): recs[i].update(mieter=None, kalt=None, nk=None, ein=None, rs=None)
    rows = [['Objekt','Wohnung','Mieter','Wohnfläche','Kaltmiete','Nebenkosten','Einzug','Rückstand']]
    for r in recs:
        v = r['mieter'] is None
        rows.append([r['obj'],r['whg'],'Leerstand' if v else r['mieter'],de(r['fl'],1)+' m²','' if v else de(r['kalt'])+' €','' if v else de(r['nk'])+' €','' if v else r['ein'].strftime('%Y-%m-%d' if r['whg'].endswith('4') else '%d.%m.%Y'),'' if v else de(r['rs'])+' €'])
    w('mieten.csv', csvtext(rows, ';'))
    oc = [r for r in recs if r['mieter']]
    q('leerstand', 'Welche Wohnungen stehen leer?', names(r['whg'] for r in recs if not r['mieter']))
    km = defaultdict(float)
    for r in oc: km[r['obj']] += r['kalt']
    q('kalt-je-haus', 'Wie hoch ist die Kaltmiete pro Haus zusammengerechnet?', groups(km))
    q('laengster-mieter', 'Welcher Mieter wohnt schon am längsten bei uns?', one(top({r['mieter']: r['ein'] for r in oc}, low=True)[0]))
    q('teuerster-qm', 'In welcher Wohnung ist die Kaltmiete pro Quadratmeter am höchsten?', one(top({r['whg']: r['kalt']/r['fl'] for r in oc})[0]))
    q('rueckstand-500', 'Wer ist mit mehr als 500 € im Rückstand?', names(r['mieter'] for r in oc if r['rs']>500))
    q('warm-lw', 'Was zahlen die Mieter im Lindenweg 12 zusammen im Monat warm, also Kaltmiete plus Nebenkosten?', one(sum(r['kalt']+r['nk'] for r in oc if r['obj']=='Lindenweg 12')))
    q('kaution', 'Wie viel Kaution hat Familie Celik hinterlegt?', None)


# 10 --------------------------------------------------------------- expenses TSV
def part_10():
    R = random.Random(1410)
    whats = ['Taxi to airport','taxi, client visit','Lunch with client','Train ticket','Hotel, 2 nights','Coffee for workshop','Printer paper','Parking','Software licence','Dinner team','Taxi home (late)','Postage','Hotel 1 night','Conference fee']
    recs = []; d = date(2025,1,7)
    for i in range(84):
        d += timedelta(days=R.choice([0,1,1,2,2]))
        wt = R.choice(whats); cur = R.choice(['USD','USD','EUR','EUR','GBP'])
        amt = round(R.uniform(4,60),2) if not wt.startswith(('Hotel','Conf','Soft')) else round(R.uniform(90,640),2)
        recs.append(dict(d=d, who=R.choice(['Maya','Gordon','Gordon','Priya','Stefan','Gordon','Maya']), what=wt, cur=cur, amt=amt, pay=R.choice(['card','Card','cash','company card','card','']), re=R.choice(['yes','yes','no'])))
    rows = [['Date','Who','What','Amount','Paid with','Reimbursed']]
    for i, r in enumerate(recs):
        ds = r['d'].strftime('%Y-%m-%d') if i%4 else f'{r["d"].day} {r["d"].strftime("%b %Y")}'
        a = {'USD': f'${r["amt"]:,.2f}', 'EUR': f'€{r["amt"]:,.2f}' if i%3 else f'{r["amt"]:,.2f} EUR', 'GBP': f'£{r["amt"]:,.2f}'}[r['cur']]
        rows.append([ds,r['who'],r['what'],a,r['pay'],r['re']])
    w('expenses.tsv', csvtext(rows, '\t'))
    q('euros-total', 'How much did we spend in euros?', one(sum(r['amt'] for r in recs if r['cur']=='EUR')))
    q('usd-open', 'How many dollars have not been reimbursed yet?', one(sum(r['amt'] for r in recs if r['cur']=='USD' and r['re']=='no')))
    q('february', 'number of expenses in February', one(sum(r['d'].month==2 for r in recs)))
    q('most-claims', 'who put in the most claims?', one(top(Counter(r['who'] for r in recs))[0]))
    q('taxis', 'How many taxi rides are on the list?', one(sum('taxi' in r['what'].lower() for r in recs)))
    q('no-method', 'For how many is it not noted how they were paid?', one(sum(r['pay']=='' for r in recs)))
    q('priya-pounds', 'How much has Priya spent in pounds?', one(sum(r['amt'] for r in recs if r['who']=='Priya' and r['cur']=='GBP')))


# 11 --------------------------------------------------------------- running log
def part_11():
    R = random.Random(1411)
    recs = []; d = date(2025,3,30)
    for i in range(64):
        d += timedelta(days=R.choice([1,1,2,2]))
        route = R.choice(['Canal loop','Canal loop','Park','Hill reps','Track','Long Sunday','Park'])
        km = {'Canal loop':8.4,'Park':round(R.uniform(4,7),1),'Hill reps':round(R.uniform(5,8),1),'Track':R.choice([3.0,4.8,5.0,6.4]),'Long Sunday':round(R.uniform(12,21),1)}[route]
        sec = round(km*R.uniform(292,352)*(1.1 if route=='Hill reps' else 1))
        recs.append(dict(d=d, route=route, km=km, sec=sec, hr=None if R.random()<.12 else R.randint(132,171), shoes=R.choice(['Pegasus','Pegasus','Kinvara','Speedgoat']), note=R.choice(['','','','left knee sore','windy, cold','felt great','Knee ok again','with Jo','rain'])))
    hms = lambda s: f'{s//3600}:{s%3600//60:02d}:{s%60:02d}' if s>=3600 else f'{s//60}:{s%60:02d}'
    rows = [['Date','Route','Distance','Time','Avg HR','Shoes','Notes']]
    for r in recs: rows.append([r['d'].strftime('%d %b %Y'),r['route'],f'{round(r["km"]*1000)} m' if r['route']=='Track' else f'{r["km"]} km',hms(r['sec']),'-' if r['hr'] is None else r['hr'],r['shoes'],r['note']])
    w('running.csv', csvtext(rows))
    q('april-km', 'How many km did I run in April?', one(sum(r['km'] for r in recs if r['d'].month==4)))
    q('longest-run', 'when was my longest run (by distance)?', one(top({r['d'].strftime('%d %b %Y'): r['km'] for r in recs})[0]))
    q('over-an-hour', 'How many runs took me longer than an hour?', one(sum(r['sec']>3600 for r in recs)))
    sh = defaultdict(float)
    for r in recs: sh[r['shoes']] += r['km']
    q('km-per-shoe', 'km on each pair of shoes', groups(sh))
    q('canal-hr', 'Average heart rate on the canal loop', one(st.mean(r['hr'] for r in recs if r['route']=='Canal loop' and r['hr'] is not None)))
    q('knee', 'How many times did I write something about my knee?', one(sum('knee' in r['note'].lower() for r in recs)))
    mo = Counter()
    for r in recs: mo[r['d'].month] += r['km']
    assert mo[5] != mo[4]
    q('may-vs-april', f'How many kilometres {"more" if mo[5]>mo[4] else "fewer"} did I run in May than in April?', one(round(abs(mo[5]-mo[4]),1)))
    q('hr-missing-de', 'Bei wie vielen Läufen fehlt der Puls?', one(sum(r['hr'] is None for r in recs)))


# 12 --------------------------------------------------------------- school library
def part_12():
    R = random.Random(1412)
    books = [('Lion, the Witch and the Wardrobe, The','C. S. Lewis'),('A Wizard of Earthsea','Ursula K. Le Guin'),('The Tombs of Atuan','Ursula K. Le Guin'),('The Farthest Shore','Ursula K. Le Guin'),('Holes','Louis Sachar'),('Matilda','Roald Dahl'),('The BFG','Roald Dahl'),('Skellig','David Almond'),('Wonder','R. J. Palacio'),('"Wolf Brother"','Michelle Paver'),('Goodnight Mister Tom','Michelle Magorian'),('Coraline','Neil Gaiman'),('Stormbreaker','Anthony Horowitz'),('The Hobbit','J. R. R. Tolkien')]
    kids = [(a, c) for a, c in zip(['Amy Lund','Ben Okoro','Cara Diaz','Dev Mehta','Ella Fox','Finn Roe','Gwen Pugh','Hal Moss','Isla Kerr','Jack Tan','Kit Shaw','Lily Zhou','Max Reid','Nia Bell','Omar Aziz','Pia Holt','Quinn Day','Rory Lamb'], ['5A','5B','6A','6B']*5)]
    recs = []; d = date(2024,9,9)
    for i in range(118):
        d += timedelta(days=R.choice([0,0,1,1,2]))
        b = R.choice(books + [books[4]]*3); kd = R.choice(kids)
        ret = None if (d > date(2024,11,10) and R.random()<.22) else d + timedelta(days=R.randint(2,24))
        recs.append(dict(id=f'L{i+301}', t=b[0], a=b[1], k=kd[0], c=kd[1], d=d, due=d+timedelta(days=14), ret=ret))
    m = max((r['ret']-r['due'] for r in recs if r['ret']))
    r = R.choice([r for r in recs if r['ret'] and r['ret']-r['due']==m]); r['ret'] += timedelta(days=9)
    rows = [['Loan','Title','Author','Borrower','Class','Lent on','Due','Returned']]
    for r in recs: rows.append([r['id'],r['t'],r['a'],r['k'],r['c'],r['d'].isoformat(),r['due'].isoformat(),r['ret'].isoformat() if r['ret'] else ''])
    w('library_loans.csv', csvtext(rows))
    q('favourite-book', 'Which book is borrowed most often?', one(top(Counter(r['t'] for r in recs))[0]))
    q('still-out', 'How many loans have not been returned?', one(sum(r['ret'] is None for r in recs)))
    q('two-out', 'Which children have two or more books that are not back yet?', names(sorted(k for k,v in Counter(r['k'] for r in recs if not r['ret']).items() if v>1)))
    q('late-returns', 'how many books came back after the due date?', one(sum(bool(r['ret'] and r['ret']>r['due']) for r in recs)))
    q('latest-return', 'Who brought a book back the most days late?', one(top({(r['k'],r['id']): (r['ret']-r['due']).days for r in recs if r['ret']})[0][0]))
    q('loans-per-class', 'Loans per class please', groups(Counter(r['c'] for r in recs)))
    q('le-guin', 'What titles by Le Guin were lent out?', names(sorted({r['t'] for r in recs if 'Le Guin' in r['a']})))
    q('days-kept', 'How many days is a book kept on average before it is returned?', one(st.mean((r['ret']-r['d']).days for r in recs if r['ret'])))


# 13 --------------------------------------------------------------- weather (German)
def part_13():
    R = random.Random(1413)
    recs = []
    for i in range(92):
        d = date(2024,6,1)+timedelta(days=i); tx = round(R.gauss(26,4.2),1); rain = 0.0 if R.random()<.6 else round(R.expovariate(1/6)+.1,1)
        recs.append(dict(d=d, tx=tx, tn=round(tx-R.uniform(7,15),1), rain=None if R.random()<.04 else rain, wind=R.randint(8,74), sun=None if R.random()<.05 else round(R.uniform(0,14.5),1), b=R.choice(['Gewitter am Abend','Gewitter, Hagel']) if rain>5 else R.choice(['','','','Nebel','schwül','etwas Dunst'])))
    hot = max(recs, key=lambda r: r['tx']); hot['tx'] = round(hot['tx']+.7, 1)
    wide = max(recs, key=lambda r: r['tx']-r['tn']); wide['tn'] = round(wide['tn']-.6, 1)
    k = lambda x: 'k.A.' if x is None else de(x,1)
    w('wetter_sommer.csv', csvtext([['Datum','Tmin °C','Tmax °C','Regen mm','Böen km/h','Sonne h','Bemerkung']]+[[r['d'].strftime('%d.%m.%Y'),k(r['tn']),k(r['tx']),k(r['rain']),r['wind'],k(r['sun']),r['b']] for r in recs], ';'))
    dd = lambda r: r['d'].strftime('%d.%m.%Y')
    q('heissester-tag', 'Welcher Tag war der heißeste?', one(top({dd(r): r['tx'] for r in recs})[0]))
    q('regen-juli', 'Wie viel Regen fiel im Juli insgesamt?', one(sum(r['rain'] for r in recs if r['d'].month==7 and r['rain'] is not None)))
    q('tage-ab-30', 'an wie vielen Tagen hatten wir 30 Grad oder mehr?', one(sum(r['tx']>=30 for r in recs)))
    q('gewitter', 'Wie oft ist ein Gewitter notiert?', one(sum('Gewitter' in r['b'] for r in recs)))
    q('spanne', 'An welchem Tag war der Unterschied zwischen Höchst- und Tiefsttemperatur am größten?', one(top({dd(r): round(r['tx']-r['tn'],1) for r in recs})[0]))
    q('august-tmax', 'What was the average daily high in August?', one(st.mean(r['tx'] for r in recs if r['d'].month==8)))
    q('luftdruck', 'Wie hoch war der Luftdruck am 5. Juli?', None)


# 14 --------------------------------------------------------------- backups, columns by blanks
def part_14():
    R = random.Random(1414)
    recs = []
    for d in range(1,15):
        for h, sz in (('atlas',(4e3,9e3)),('boreas',(200,900)),('ceres',(700,1600)),('dione',(.08,.6))):
            if R.random()<.06: continue
            mb = R.uniform(*sz); ok = R.random()>.13
            s = f'{mb/1000:.1f}G' if mb>=1000 else f'{mb:.0f}M' if mb>=1 else f'{mb*1000:.0f}K'
            sec = round({'atlas':1.0,'boreas':.55,'ceres':.5,'dione':60}[h]*mb*R.uniform(.7,1.2))+2
            if sec>=3600: tk=f'{sec//3600}h{sec%3600//60}m'; sec=sec//60*60
            elif sec>=60: tk=f'{sec//60}m{sec%60}s'
            else: tk=f'{sec}s'
            kb = float(s[:-1])*{'G':1e6,'M':1e3,'K':1}[s[-1]]
            recs.append(dict(h=h, t=f'2025-06-{d:02d} 0{R.randint(1,4)}:{R.randint(0,59):02d}', s=s, kb=kb, tk=tk, sec=sec, ok=ok))
    for r in recs:
        if not r['ok']: r['s']='-'; r['kb']=None
    bigr = max((r for r in recs if r['ok']), key=lambda r: r['kb']); bigr['kb'] += .3e6; bigr['s'] = f'{bigr["kb"]/1e6:.1f}G'
    txt = f'{"HOST":<9}{"DATE":<12}{"TIME":<7}{"SIZE":>7}  {"TOOK":>8}  STATUS\n'
    for r in recs: a,b = r['t'].split(); txt += f'{r["h"]:<9}{a:<12}{b:<7}{r["s"]:>7}  {r["tk"]:>8}  {"OK" if r["ok"] else "FAILED"}\n'
    w('backups.txt', txt)
    q('failed-per-host', 'How many backups failed on each host?', groups(Counter(r['h'] for r in recs if not r['ok'])))
    assert len({r['h'] for r in recs if not r['ok']})==4
    big = max(r['kb'] for r in recs if r['kb']); bg=[r for r in recs if r['kb']==big]; assert len(bg)==1
    q('largest-backup', 'on which day did we have the biggest backup', one(bg[0]['t'].split()[0]))
    q('bigger-2g', 'How many backups were bigger than 2 GB?', one(sum(bool(r['kb'] and r['kb']>2.1e6) for r in recs)))
    assert not any(r['kb'] and 1.9e6<r['kb']<=2.1e6 for r in recs)
    q('atlas-median', 'Median size of the successful atlas backups in GB', one(st.median(float(r['s'][:-1]) for r in recs if r['h']=='atlas' and r['ok'])))
    q('success-share', 'What share of the backups went OK, in percent?', one(100*sum(r['ok'] for r in recs)/len(recs)))
    q('ceres-seconds', 'How long did all the ceres runs take together, in seconds?', one(sum(r['sec'] for r in recs if r['h']=='ceres')))


def everything():
    for make in (part_1, part_2, part_3, part_4, part_5, part_6, part_7, part_8, part_9, part_10, part_11, part_12, part_13, part_14):
        make()
