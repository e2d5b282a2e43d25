#!/usr/bin/env python3
"""Writes documents/corpus/web and documents/corpus/text: files, and beside each what is to be read from it.

Needs Python 3.9 or newer and nothing else. The output is the same in every run: times and boundaries are fixed.

X.json says: `text`, the words in reading order; `places`, pairs of words and where their block stands; `tables`, the
rows of each table; `documents`, the names of all documents in the file.
"""

import gzip
import io
import json
import pathlib
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write(folder, name, content, **expected):
    path = ROOT / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    shown = json.dumps(expected, ensure_ascii=False, indent=1)
    path.with_name(name + ".json").write_text(shown + "\n", encoding="utf-8")


def zipped(files, first=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in ([first] if first else []) + files:
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if first and name == first[0] else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


def tarred(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.mtime = 1704067200
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def gz(content):
    return gzip.compress(content, mtime=0)


SUBJECTS = ["river", "harbour", "market", "library", "bridge", "garden", "station", "mill"]
CHANGES = ["was rebuilt", "was sold", "was measured again", "lost its roof", "opened early", "closed for repairs"]
REASONS = ["after the flood", "because the council had agreed", "before winter came", "when the lease ended"]


def sentence(number):
    return (
        f"In {1950 + number} the {SUBJECTS[number % 8]} {CHANGES[number % 6]} {REASONS[number % 4]}, "
        f"at a cost of {number * 137 % 9000 + 500} crowns."
    )


def paragraph(number, length=4):
    return " ".join(sentence(number * 5 + offset) for offset in range(length))


def words(*parts):
    return " ".join(" ".join(part.split()) for part in parts)


# Pages

navigation = "".join(f"<li><a href='/{name}'>All about the {name}</a></li>" for name in SUBJECTS)
body = [paragraph(number) for number in range(8)]
article = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The town - Chronicle</title>
<style>p {{ color: black }}</style><script>var seen = "never";</script></head><body>
<div class="topbar"><div class="menu"><ul>{navigation}</ul></div></div>
<div id="page"><div class="article-body"><h1>The town and its river</h1><p class="byline">By Ann Lee</p>
{''.join(f'<p>{text}</p>' for text in body[:4])}
<h2>After the flood</h2>{''.join(f'<p>{text}</p>' for text in body[4:])}</div></div>
<div class="sidebar widget"><h3>Most read</h3><ul>{navigation}</ul></div>
<div class="footer"><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></div></body></html>"""
write("web", "article.html", article,
      text=words("The town and its river By Ann Lee", *body[:4], "After the flood", *body[4:]),
      headings=["The town and its river", "After the flood"])

semantic = f"""<!doctype html><html><head><title>Rules</title></head><body><header><h1>House rules</h1><p>Skip this
slogan</p></header><nav><ul>{navigation}</ul></nav><main><h2>1 Quiet</h2><p>{body[0]}</p><h2>2 Waste</h2><p>{body[1]}</p>
<aside class="note"><p>Ask the caretaker.</p></aside></main><aside><p>Advertisement</p></aside><footer>Printed 2024</footer>
</body></html>"""
write("web", "semantic.html", semantic,
      text=words("House rules 1 Quiet", body[0], "2 Waste", body[1], "Ask the caretaker."),
      headings=["House rules", "1 Quiet", "2 Waste"])

rows = [["Item", "Quantity", "Price"]] + [[name.title(), str(index * 3 + 1), f"{index * 211 + 90}.50"]
                                          for index, name in enumerate(SUBJECTS)]
cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[1:])
table = f"""<html><head><title>Prices</title></head><body><h1>Prices</h1><table border=1><caption>Prices in crowns</caption>
<thead><tr>{''.join(f'<th scope=col>{cell}' for cell in rows[0])}</tr></thead><tbody>{cells}</tbody></table>
<p>Two tables follow.</p><table><tr><td><b>Year</b></td><td><b>Rent</b></td></tr><tr><td>2023</td><td>1,150</td></tr>
<tr><td>2024</td><td>1,200</td></tr></table>
<table><tr><th rowspan=2>Region<th colspan=2>Sales<tr><th>2023<th>2024<tr><td>North<td>1<td>2<tr><td>South<td>3<td>4</table>
</body></html>"""
merged = [["Region", "Sales", ""], ["", "2023", "2024"], ["North", "1", "2"], ["South", "3", "4"]]
second = [["Year", "Rent"], ["2023", "1,150"], ["2024", "1,200"]]
flat = lambda grid: " ".join(cell for row in grid for cell in row if cell)
write("web", "tables.html", table, tables=[rows, second, merged],
      text=words("Prices Prices in crowns", flat(rows), "Two tables follow.", flat(second), flat(merged)))

inner = [["a", "b"], ["1", "2"]]
layout = """<html><body><table width=600><tr><td><h2>Offer</h2><p>We sell <b>mills</b>.</p></td></tr><tr><td>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr></table></body></html>"""
write("web", "layout.html", layout, tables=[inner], text="Offer We sell mills . a b 1 2".replace(" .", "."))

lists = """<!doctype html><body><h1>Steps</h1><ol><li>Open the gate<ul><li>left wing</li><li>right wing<ul><li>hinge</li>
</ul></li></ul></li><li>Close it</li></ol><ol start="5" type="a"><li>again</li></ol><dl><dt>Gate</dt><dd>A door</dd></dl>
<pre><code>if open:
    close()
</code></pre></body>"""
write("web", "lists.html", lists,
      text="Steps 1. Open the gate left wing right wing hinge 2. Close it e. again Gate A door if open: close()",
      lists=[[0, "1. Open the gate"], [1, "left wing"], [1, "right wing"], [2, "hinge"], [0, "2. Close it"],
             [0, "e. again"], [0, "Gate"], [1, "A door"]])

docs = f"""<!DOCTYPE html><html><head><title>gate - manual</title></head><body><div class="sidebar" role="navigation"><ul>
{navigation}</ul></div><div role="main" class="document"><h1>gate<a class="headerlink" href="#gate" aria-hidden="true">¶</a></h1>
<p>{body[2]}</p><dl class="function"><dt><code>open(width: int)</code></dt><dd><p>Opens the gate.</p></dd></dl>
<div class="highlight"><pre><span class="k">import</span> gate
gate.open(<span class="m">3</span>)</pre></div><p>{body[3]}</p></div><div role="contentinfo">Built with care</div></body></html>"""
write("web", "docs.html", docs,
      text=words("gate", body[2], "open(width: int) Opens the gate. import gate gate.open(3)", body[3]),
      headings=["gate"])

write("web", "latin1.html", ("<html><head><meta http-equiv='Content-Type' content='text/html; charset=iso-8859-1'></head>"
      "<body><p>Größe über alles: schöne Grüße</p></body></html>").encode("latin-1"), text="Größe über alles: schöne Grüße")
write("web", "shift-jis.html", "<html><head><meta charset=Shift_JIS></head><body><p>家賃は十二万円です。</p></body></html>"
      .encode("shift_jis"), text="家賃は十二万円です。")
write("web", "hidden.html", "<html><body><p>seen</p><div style='display:none'>gone</div><p hidden>gone</p>"
      "<template>gone</template><noscript>gone</noscript><details><summary>More</summary>seen too</details></body></html>",
      text="seen More seen too")

# Books

chapters = [(f"Chapter {number + 1}", paragraph(number + 20), paragraph(number + 30)) for number in range(3)]
xhtml = "<?xml version='1.0' encoding='utf-8'?><!DOCTYPE html><html xmlns=\"http://www.w3.org/1999/xhtml\">"
pages = [(f"OEBPS/text/c{index}.xhtml", f"{xhtml}<head><title/><link rel='stylesheet' href='x.css'/></head><body><a id='p'/>"
          f"<h1>{title}</h1><p>{first}</p><p>{second}</p></body></html>") for index, (title, first, second) in enumerate(chapters)]
container = ("META-INF/container.xml", "<?xml version='1.0'?><container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'>"
             "<rootfiles><rootfile full-path='OEBPS/book.opf' media-type='application/oebps-package+xml'/></rootfiles></container>")
items = "".join(f"<item id='c{index}' href='text/c{index}.xhtml' media-type='application/xhtml+xml'/>" for index in range(3))
spine = "".join(f"<itemref idref='c{index}'/>" for index in (0, 1, 2))
book_text = words(*(part for chapter in chapters for part in chapter))
mime = ("mimetype", "application/epub+zip")
nav = f"{xhtml}<body><nav><ol>" + "".join(
    f"<li><a href='text/c{index}.xhtml'>{chapter[0]}</a></li>" for index, chapter in enumerate(chapters)) + "</ol></nav></body></html>"
opf3 = (f"<?xml version='1.0'?><package version='3.0'><metadata><dc:title>A town</dc:title></metadata><manifest>{items}"
        f"<item id='nav' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/></manifest><spine>"
        f"<itemref idref='nav'/>{spine}</spine></package>")
chapter_places = [[chapter[1].split(",")[0], {"chapter": {"chapter": index + 1, "title": chapter[0]}}]
                  for index, chapter in enumerate(chapters)]
write("web", "book3.epub", zipped(pages[::-1] + [container, ("OEBPS/book.opf", opf3), ("OEBPS/nav.xhtml", nav)], mime),
      text=book_text, places=chapter_places, title="A town")
ncx = "<?xml version='1.0'?><ncx><head/><docTitle><text>A town</text></docTitle><navMap>" + "".join(
    f"<navPoint><navLabel><text>Part {index + 1}</text></navLabel><content src='text/c{index}.xhtml#p'/></navPoint>"
    for index in range(3)) + "</navMap></ncx>"
opf2 = (f"<?xml version='1.0'?><opf:package><opf:metadata><dc:title>A town</dc:title></opf:metadata><opf:manifest>"
        f"{items.replace('<item', '<opf:item')}<opf:item id='ncx' href='toc.ncx' media-type='application/x-dtbncx+xml'/>"
        f"</opf:manifest><opf:spine toc='ncx'>{spine.replace('<itemref', '<opf:itemref')}</opf:spine></opf:package>")
write("web", "book2.epub", zipped(pages + [container, ("OEBPS/book.opf", opf2), ("OEBPS/toc.ncx", ncx)], mime),
      text=book_text, title="A town",
      places=[[words, {"chapter": {"chapter": place["chapter"]["chapter"], "title": f"Part {place['chapter']['chapter']}"}}]
              for words, place in chapter_places])

# Mail

mail = """From: =?utf-8?b?SsO2cmcgTWVpZXI=?= <joerg@example.org>
To: Ann Lee <ann@example.org>
Cc: office@example.org
Date: Tue, 2 Jan 2024 09:30:00 +0100
Subject: =?iso-8859-1?q?Miete_f=FCr_Januar?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="outer"

--outer
Content-Type: multipart/alternative; boundary="inner"

--inner
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Hello Ann,

the rent for January is 1200 =E2=82=AC. Please
see the list.

> When is it due?

On the third.
--=20
J=C3=B6rg
--inner
Content-Type: text/html; charset=utf-8

<p>Never this part.</p>
--inner--
--outer
Content-Type: text/csv; name="rents.csv"
Content-Disposition: attachment; filename="rents.csv"

month,rent
January,1200
--outer
Content-Type: text/html; charset=utf-8
Content-Disposition: attachment; filename="page.html"

<html><body><p>An attached page.</p></body></html>
--outer--
"""
fields = ("From: Jörg Meier <joerg@example.org> To: Ann Lee <ann@example.org> Cc: office@example.org "
          "Date: 2024-01-02T09:30:00+01:00 Subject: Miete für Januar")
write("web", "mail.eml", mail.replace("\n", "\r\n"), documents=["mail.eml", "mail.eml/rents.csv", "mail.eml/page.html"],
      text=words(fields, "Hello Ann, the rent for January is 1200 €. Please see the list. > When is it due? On the third. Jörg "
                 "month,rent January,1200 An attached page."),
      places=[["On the third", {"message": {"message": 1, "subject": "Miete für Januar"}}]])

messages = "".join(f"""From ann@example.org Tue Jan  2 0{number}:00:00 2024
From: Ann <ann@example.org>
Date: Tue, 2 Jan 2024 0{number}:00:00 +0000
Subject: Note {number}

{sentence(number)}

>From then on it was quiet.

""" for number in range(1, 6))
write("web", "box.mbox", messages, documents=["box.mbox"],
      text=words(*(f"Note {number} From: Ann <ann@example.org> Date: 2024-01-02T0{number}:00:00Z Subject: Note {number} "
                   f"{sentence(number)} From then on it was quiet." for number in range(1, 6))),
      places=[[sentence(4), {"message": {"message": 4, "subject": "Note 4"}}]])
html_mail = ("From: shop@example.org\r\nTo: ann@example.org\r\nSubject: Order\r\nMIME-Version: 1.0\r\n"
             "Content-Type: text/html; charset=windows-1252\r\n\r\n").encode() + (
    "<html><body><table><tr><td><h1>Danke für die Bestellung</h1></td></tr><tr><td><table><tr><th>Item</th><th>Price</th></tr>"
    "<tr><td>Mill</td><td>5 €</td></tr></table></td></tr></table></body></html>").encode("cp1252")
write("web", "html-mail.eml", html_mail, tables=[[["Item", "Price"], ["Mill", "5 €"]]],
      text="From: shop@example.org To: ann@example.org Subject: Order Danke für die Bestellung Item Price Mill 5 €")

# Archives

mixed = [("notes/one.txt", b"The first note.\n"), ("page.html", b"<html><body><p>A page in a box.</p></body></html>"),
         ("data.csv", b"a,b\n1,2\n"), ("inner.zip", zipped([("deep.txt", b"Deep inside.\n")])), ("picture.png", b"\x89PNG\r\n\x1a\n\0\0")]
box_text = "The first note. A page in a box. a,b 1,2 Deep inside."
inside = ["notes/one.txt", "page.html", "data.csv", "inner.zip", "inner.zip/deep.txt", "picture.png"]
named = lambda box: [box] + [f"{box}/{name}" for name in inside]
write("web", "box.zip", zipped(mixed), documents=named("box.zip"), text=box_text)
write("web", "box.tar", tarred(mixed), documents=named("box.tar"), text=box_text)
write("web", "box.tar.gz", gz(tarred(mixed)), documents=named("box.tar.gz"), text=box_text)
write("web", "app.log.gz", gz(b"started\nstopped\n"), documents=["app.log.gz", "app.log.gz/app.log"], text="started stopped")

# Subtitles and text

srt = """1
00:00:01,000 --> 00:00:02,500
The rent is

2
00:00:02,600 --> 00:00:04,000
<i>twelve hundred</i> a month.

3
00:01:10,000 --> 00:01:12,000
- Really?
"""
write("text", "talk.srt", srt.replace("\n", "\r\n"), text="The rent is twelve hundred a month. - Really?",
      places=[["twelve hundred", {"time": {"start_ms": 1000, "end_ms": 4000}}],
              ["Really", {"time": {"start_ms": 70000, "end_ms": 72000}}]])
write("text", "talk.vtt", "WEBVTT\n\nNOTE never\n\n00:01.000 --> 00:02.000 align:start\n<v Ann>It is due.\n\n"
      "00:05.000 --> 00:06.000\n<v Tom>When &amp; where?\n", text="Ann: It is due. Tom: When & where?",
      places=[["due", {"time": {"start_ms": 1000, "end_ms": 2000}}], ["where", {"time": {"start_ms": 5000, "end_ms": 6000}}]])

german = "Die Miete beträgt 1200 Euro. Schöne Grüße aus Köln, und über die Größe reden wir später.\r\nZweite Zeile.\r\n"
japanese = "家賃は月に十二万円です。支払いは毎月三日までにお願いします。遅れる場合は管理人に連絡してください。\n"
write("text", "latin1.txt", german.encode("latin-1"), text=words(german), guessed="windows-1252")
write("text", "windows-1252.txt", ("Der Preis: 5 € – „teuer“. " + german).encode("cp1252"),
      text=words("Der Preis: 5 € – „teuer“.", german), guessed="windows-1252")
write("text", "utf-16le.txt", "\ufeff".encode("utf-16-le") + german.encode("utf-16-le"), text=words(german))
write("text", "utf-16be.txt", german.encode("utf-16-be"), text=words(german), guessed="UTF-16BE")
write("text", "shift-jis.txt", japanese.encode("shift_jis"), text=words(japanese), guessed="Shift_JIS")
write("text", "bom.txt", b"\xef\xbb\xbf" + german.encode(), text=words(german))
write("text", "crlf.txt", "# Rent\r\n\r\nIt is 1200.\r\n", text="# Rent It is 1200.")
