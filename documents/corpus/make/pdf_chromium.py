#!/usr/bin/env python3
"""PDFs by Chromium: articles in columns, a contract, tables, right-to-left and East Asian text, lists and code.

Needs chromium, poppler-utils, pikepdf (PyPI) and the fonts DejaVu, Noto (fonts-noto-core) and WenQuanYi Micro Hei (fonts-wqy-microhei).
"""

import pathlib
import subprocess
import tempfile

import pikepdf

from pdf_texts import CLAUSES, DUTIES, GOODS_HEADER, OUT, PROSE, STATIONS, cells, expect, goods

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-pdf-header-footer"]


def chromium(name, body, style, *flags):
    path = OUT / f"{name}.pdf"
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style><body>{body}</body></html>')
        subprocess.run(["chromium", *FLAGS, *flags, f"--user-data-dir={folder}/profile", f"--print-to-pdf={path}", page.as_uri()], check=True, capture_output=True)
    # Dates and identifiers would differ each time.
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        del pdf.docinfo["/CreationDate"]
        del pdf.docinfo["/ModDate"]
        pdf.save(path, deterministic_id=True)


def paragraphs(indices):
    return "".join(f"<p>{PROSE[index]}</p>" for index in indices)


def table(rows, header=True):
    head = "<thead><tr>" + "".join(f"<th>{cell}</th>" for cell in rows[0]) + "</tr></thead>" if header else ""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[1 if header else 0:])
    return f"<table>{head}<tbody>{body}</tbody></table>"


BASE = "@page{size:A4;margin:22mm} body{font:10.5pt/1.35 'DejaVu Serif'} h1{font-size:18pt} h2{font-size:12.5pt}"


def columns():
    style = BASE + "main{column-count:2;column-gap:8mm;text-align:justify;hyphens:auto} h2{break-after:avoid}"
    sections = [("Background", [0, 1, 2]), ("Erosion", [3, 4]), ("Sources of error", [5]), ("Trade and people", [6, 7, 8])]
    body = "<h1>The moving shore of Easton</h1><p>" + PROSE[11] + "</p><main>"
    flow = ["The moving shore of Easton", PROSE[11]]
    for title, indices in sections:
        body += f"<h2>{title}</h2>" + paragraphs(indices)
        flow += [title, *(PROSE[index] for index in indices)]
    chromium("chromium-two-columns", body + "</main>", style)
    expect("chromium-two-columns", "chromium", False, flow)


def newsletter():
    style = BASE + "main{column-count:3;column-gap:6mm;font-size:9pt} p{margin:0 0 2mm} h1{text-align:center}"
    body = "<h1>Harbour News, Winter Edition</h1><main>" + paragraphs(range(12)) + "</main>"
    chromium("chromium-three-columns", body, style)
    expect("chromium-three-columns", "chromium", False, ["Harbour News, Winter Edition", *PROSE])


def contract():
    style = BASE + ("body{font:12pt/1.5 'DejaVu Serif'} header{position:fixed;top:-14mm;font-size:9pt} footer{position:fixed;bottom:-14mm;font-size:9pt}"
                    "@page{margin:30mm 25mm}")
    style = style.replace("top:-14mm", "top:0").replace("bottom:-14mm", "bottom:0") + "main{padding:14mm 0}"
    body = "<table style='width:100%'><thead><tr><td style='height:16mm'></td></tr></thead><tbody><tr><td>"
    body = "<header>Tenancy agreement, 14 Quay Street</header><footer>Harbour Estates Limited</footer>" + body + "<h1>Tenancy agreement</h1>"
    flow = ["Tenancy agreement"]
    for number, (title, texts) in enumerate(CLAUSES, 1):
        body += f"<h2>§ {number} {title}</h2>"
        flow.append(f"§ {number} {title}")
        for part, text in enumerate(texts, 1):
            body += f"<p>({part}) {text}</p>"
            flow.append(f"({part}) {text}")
    body += "</td></tr></tbody><tfoot><tr><td style='height:16mm'></td></tr></tfoot></table>"
    chromium("chromium-contract", body, style)
    expect("chromium-contract", "chromium", False, flow, kinds={"headings": [f"§ {n} {title}" for n, (title, _) in enumerate(CLAUSES, 1)]})


def tables():
    stock = [GOODS_HEADER, *goods(70, 3)]
    style = BASE + (".ruled table{border-collapse:collapse} .ruled td,.ruled th{border:0.7pt solid #333;padding:3pt 6pt;text-align:left}"
                    ".plain td,.plain th{padding:2pt 12pt;text-align:left} .plain td+td,.plain th+th{text-align:right}")
    merged = "<table><tr><th colspan='2'>Northern stations</th><th>Depth</th></tr><tr><td>Aldbrook</td><td>1921</td><td>4.2 m</td></tr><tr><td>Carrow</td><td>1957</td><td>6.1 m</td></tr></table>"
    merged_rows = [["Northern stations", "", "Depth"], ["Aldbrook", "1921", "4.2 m"], ["Carrow", "1957", "6.1 m"]]
    body = (f"<h1>Inventory</h1><p>{PROSE[0]}</p><div class=ruled>{table(DUTIES)}</div><p>{PROSE[1]}</p><div class=plain>{table(STATIONS)}</div>"
            f"<p>{PROSE[2]}</p><div class=ruled>{merged}</div><p>{PROSE[3]}</p><div class=ruled>{table(stock)}</div><p>{PROSE[4]}</p>")
    chromium("chromium-tables", body, style)
    flow = ["Inventory", PROSE[0], *cells(DUTIES), PROSE[1], *cells(STATIONS), PROSE[2], *cells(merged_rows), PROSE[3], *cells(stock), PROSE[4]]
    expect("chromium-tables", "chromium", False, flow, [DUTIES, STATIONS, merged_rows, stock], [True, False, True, True])


ARABIC = ["عقد الإيجار", "يبدأ عقد الإيجار في الأول من أبريل ويستمر لمدة ثلاث سنوات، وينتهي دون حاجة إلى إشعار من أي من الطرفين.",
          "يدفع المستأجر مبلغ 1450 يورو في اليوم الثالث من كل شهر إلى الحساب الذي يحدده المالك.",
          "لا يجوز استعمال المكان إلا ورشة لإصلاح الآلات الموسيقية، ولا يجوز تأجيره من الباطن إلا بموافقة المالك."]
HEBREW = ["הסכם שכירות", "תקופת השכירות מתחילה באחד באפריל ונמשכת שלוש שנים, והיא מסתיימת בלי צורך בהודעה מאחד הצדדים.",
          "השוכר משלם 1450 אירו בכל חודש לחשבון שבעל הבית מציין."]


def right_to_left():
    body = "<div lang=ar dir=rtl>" + f"<h1>{ARABIC[0]}</h1>" + "".join(f"<p>{text}</p>" for text in ARABIC[1:]) + "</div>"
    body += "<div lang=he dir=rtl style=\"font-family:'Noto Serif Hebrew'\">" + f"<h2>{HEBREW[0]}</h2>" + "".join(f"<p>{text}</p>" for text in HEBREW[1:]) + "</div>"
    chromium("chromium-right-to-left", body, "@page{size:A5} body{font:13pt/1.6 'Noto Naskh Arabic'} h1{font-size:20pt}")
    places = {"places": [{"quote": "يستمر لمدة ثلاث سنوات", "page": 1}, {"quote": "השוכר משלם 1450 אירו", "page": 1}]}
    expect("chromium-right-to-left", "chromium", False, [*ARABIC, *HEBREW], quotes=places)


CHINESE = ["房屋租赁合同", "本合同自二〇二四年四月一日起生效，租期三年，期满自动终止，双方无需另行通知。租金为每月一千四百五十元，承租人应于每月三日前支付至出租人指定的账户。",
           "未经出租人书面同意，承租人不得转租，也不得将房屋用于修理乐器以外的用途。房屋的结构和外部由出租人负责维修，内部由承租人保持清洁。"]
JAPANESE = ["港の記録", "この町の港は一八四三年の冬に造られた。外壁の花崗岩は艀で運ばれ、三隻に一隻は嵐で失われたという。潮位の観測は百年以上続き、海岸で最も長い記録となっている。",
            "記録は役に立つかどうか分からなくても残しておく価値がある。"]


def east_asian():
    style = "@page{size:A5;margin:18mm} body{font:11pt/1.7 'WenQuanYi Micro Hei';text-align:justify} h1{font-size:18pt}"
    body = "".join(f"<div lang={lang}><h1>{texts[0]}</h1>" + "".join(f"<p>{text}</p>" for text in texts[1:]) + "</div>" for lang, texts in (("zh", CHINESE), ("ja", JAPANESE)))
    chromium("chromium-chinese-japanese", body, style)
    places = {"places": [{"quote": "租金为每月一千四百五十元", "page": 1}, {"quote": "潮位の観測は百年以上続き", "page": 1}]}
    expect("chromium-chinese-japanese", "chromium", False, [*CHINESE, *JAPANESE], quotes=places)


def lists():
    code = ["def level(scale):", "    if scale is None:", "        return 0", "    return scale.read()"]
    items = ["Read the brass scale before each high tide.", "Write the level into the log, with the time and the name of the keeper who has read it on that day.", "Close the gates."]
    inner = ["the upper gate first", "then the lower one"]
    style = BASE + "pre{font:9.5pt 'DejaVu Sans Mono'} figure{margin:4mm 0} figcaption{font-size:9pt}"
    figure = '<svg width="300" height="80"><rect width="300" height="80" fill="#dde"/><circle cx="90" cy="40" r="30" fill="#557"/></svg>'
    body = (f"<h1>Handbook</h1><h2>1 Duties</h2><p>{PROSE[1]}</p><ul><li>{items[0]}</li><li>{items[1]}<ul><li>{inner[0]}</li><li>{inner[1]}</li></ul></li><li>{items[2]}</li></ul>"
            f"<h2>2 Program</h2><p>{PROSE[4]}</p><pre>" + "\n".join(code) + f"</pre><figure>{figure}<figcaption>Figure 1: The basin seen from above.</figcaption></figure>"
            f"<h2>2.1 Order of work</h2><ol><li>{items[0]}</li><li>{items[2]}</li></ol><p>{PROSE[5]}</p>")
    chromium("chromium-lists", body, style, "--generate-pdf-document-outline")
    flow = ["Handbook", "1 Duties", PROSE[1], "• " + items[0], "• " + items[1], "◦ " + inner[0], "◦ " + inner[1], "• " + items[2], "2 Program", PROSE[4], *code,
            "Figure 1: The basin seen from above.", "2.1 Order of work", "1. " + items[0], "2. " + items[2], PROSE[5]]
    expect("chromium-lists", "chromium", False, flow, kinds={"headings": ["Handbook", "1 Duties", "2 Program", "2.1 Order of work"]})
    # The same without a word on which characters the glyphs are.
    with pikepdf.open(OUT / "chromium-lists.pdf") as pdf:
        for object_ in pdf.objects:
            if isinstance(object_, pikepdf.Dictionary) and "/ToUnicode" in object_:
                del object_["/ToUnicode"]
        del pdf.Root["/Outlines"]
        pdf.save(OUT / "chromium-without-unicode.pdf", deterministic_id=True)
    expect("chromium-without-unicode", "chromium", False, [], quotes=[], ends="do not tell which characters")


if __name__ == "__main__":
    columns()
    newsletter()
    contract()
    tables()
    right_to_left()
    east_asian()
    lists()
