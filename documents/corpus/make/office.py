"""Makes documents/corpus/office/: Office files, and beside each what a reader should find in it.

    python3 documents/corpus/make/office.py [--libreoffice]

Needs python-docx 1.2, python-pptx 1.0, openpyxl 3.1, odfpy 1.4 and xlwt 1.3 from PyPI. With --libreoffice, the files in
CONVERTED are made, too, by LibreOffice 7.4 (`soffice`); they are what a program of today writes. Without it they stay as
they are. All dates are fixed: the same programs make the same bytes, but for LibreOffice's ids.

Beside X.ext stands X.ext.json: "text" are the expected words in reading order, "places" are quotes with where they stand
(headings joined with " > ", "slide 2", "Sheet!B2:D2"), "tables" are the cells, row by row, "headers" the rows that name
columns, "title" and "warnings" what is told beside the text.
"""

import datetime
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import office_handmade
from office_expected import Expected

OUT = pathlib.Path(__file__).resolve().parent.parent / "office"
DATE = datetime.datetime(2024, 3, 1, 8, 30)


def repacked(data):
    """A zip with fixed dates, outside and inside."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name.startswith(("Thumbnails/", "Configurations2/")) or name.endswith((".jpeg", ".png")):
                continue
            content = old.read(name)
            if name.endswith(("core.xml", "meta.xml")):
                content = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?", b"2024-03-01T08:30:00", content)
            entry = zipfile.ZipInfo(name, (2024, 3, 1, 8, 30, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
    return packed.getvalue()


def write(name, data, expected):
    if data[:2] == b"PK":
        data = repacked(data)
    (OUT / name).write_bytes(data)
    write_expected(name, expected)


def write_expected(name, expected):
    text = json.dumps(expected.value, ensure_ascii=False, indent=1)
    (OUT / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def saved(save):
    data = io.BytesIO()
    save(data)
    return data.getvalue()


# Word, by python-docx


def letter():
    """What most Word files are made of."""
    import docx

    document, expected = docx.Document(), Expected()
    document.core_properties.title = "Lease of Harbour Street 7"
    expected.title("Lease of Harbour Street 7")
    section = document.sections[0]
    section.header.paragraphs[0].text = "Harbour Estates Ltd"
    section.footer.paragraphs[0].text = "Page 1 of 2"
    expected.say("Header: Harbour Estates Ltd")

    document.add_heading("Lease Agreement", 0)
    expected.heading(1, "Lease Agreement")
    paragraph = document.add_paragraph("This lease is made between ")
    paragraph.add_run("Harbour Estates Ltd").bold = True
    paragraph.add_run(" and Ms Ines Calvo.\tIt begins on 1 April 2024.")
    expected.say("This lease is made between Harbour Estates Ltd and Ms Ines Calvo. It begins on 1 April 2024.")
    expected.place("made between Harbour Estates", "Lease Agreement")
    for level, title, text in [
        (1, "Rent", "The rent is 1,200 euros a month, due on the third working day."),
        (2, "Late payment", "Interest of four percent is due after thirty days."),
        (1, "Term", "The lease runs for two years.\nIt then goes on from month to month."),
    ]:
        document.add_heading(title, level)
        document.add_paragraph(text)
        expected.heading(level, title)
        expected.say(text)
    expected.place("four percent", "Rent > Late payment")
    expected.place("month to month", "Term")
    document.add_heading("What the tenant pays", 2)
    expected.heading(2, "What the tenant pays")
    for item in ["water and heating", "the lift", "insurance of the building"]:
        document.add_paragraph(item, style="List Bullet")
        expected.say(item)
    for item in ["pay the deposit", "collect the keys", "read the meters"]:
        document.add_paragraph(item, style="List Number")
    expected.say("1. pay the deposit 2. collect the keys 3. read the meters")
    rows = [["Item", "Per month", "Note"], ["Rent", "1200", "cold"], ["Heating", "95.50", ""], ["Lift", "12", "shared"]]
    table = document.add_table(rows=len(rows), cols=3, style="Table Grid")
    for row, cells in zip(table.rows, rows):
        for cell, text in zip(row.cells, cells):
            cell.text = text
    expected.table(rows, headers=[0])
    expected.place("Heating", "Term > What the tenant pays")
    document.add_paragraph("Costs of the flat in euros", style="Caption")
    document.add_paragraph("Signed in Valencia.")
    expected.say("Costs of the flat in euros Signed in Valencia.")
    write("letter.docx", saved(document.save), expected)
    return expected


# PowerPoint, by python-pptx


def deck():
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck, expected = Presentation(), Expected()
    deck.core_properties.title = "Quarterly review"
    expected.title("Quarterly review")

    def slide(layout, title=None):
        made = deck.slides.add_slide(deck.slide_layouts[layout])
        if title:
            made.shapes.title.text = title
            expected.say(title)
        return made

    first = slide(0, "Quarterly review")
    first.placeholders[1].text = "Board meeting in Porto"
    expected.say("Board meeting in Porto")
    expected.place("meeting in Porto", "slide 1")

    second = slide(1, "Results")
    frame = second.placeholders[1].text_frame
    frame.text = "Revenue grew by nine percent"
    for level, text in [(1, "mostly in the north"), (2, "Norway above all"), (0, "Costs were flat")]:
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    second.notes_slide.notes_text_frame.text = "Mention the late invoices here."
    expected.say("Revenue grew by nine percent mostly in the north Norway above all Costs were flat")
    expected.say("Mention the late invoices here.")
    expected.place("Norway above all", "slide 2")
    expected.place("late invoices", "slide 2")

    third = slide(5, "Figures")
    rows = [["Region", "2023", "2024"], ["North", "10.5", "12"], ["South", "8", "8.25"]]
    table = third.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for index, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(index, column).text = text
    table.cell(3, 0).merge(table.cell(3, 2))
    table.cell(3, 0).text = "in million euros"
    expected.table([*rows, ["in million euros", "", ""]], headers=[0])
    expected.place("South", "slide 3")

    fourth = slide(6)
    group = fourth.shapes.add_group_shape()
    for index, text in enumerate(["Plan", "Build", "Measure"]):
        box = group.shapes.add_textbox(Inches(1 + index * 2), Inches(1), Inches(2), Inches(1))
        box.text_frame.text = text
        expected.say(text)
    expected.place("Build", "slide 4")

    fifth = slide(5, "Orders")
    data = CategoryChartData()
    data.categories = ["January", "February"]
    data.add_series("Bikes", (19.2, 21.4))
    data.add_series("Boats", (3, 5))
    chart = fifth.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
    chart.chart.has_title = True
    chart.chart.chart_title.text_frame.text = "Orders by month"
    expected.say("Orders by month")
    expected.table([["", "Bikes", "Boats"], ["January", "19.2", "3"], ["February", "21.4", "5"]], headers=[0])

    sixth = slide(1, "Backup")
    sixth.placeholders[1].text = "Only if somebody asks"
    sixth._element.set("show", "0")
    expected.say("Only if somebody asks")
    expected.place("if somebody asks", "slide 6")
    expected.warning("slide 6 is hidden")
    write("deck.pptx", saved(deck.save), expected)


# OpenDocument, by odfpy


def report():
    from odf import office, style, table, text
    from odf.dc import Creator
    from odf.opendocument import OpenDocumentText

    document, expected = OpenDocumentText(), Expected()
    numbered = text.ListStyle(name="L1")
    numbered.addElement(text.ListLevelStyleNumber(level="1", numformat="1", numsuffix="."))
    numbered.addElement(text.ListLevelStyleNumber(level="2", numformat="a", numsuffix=")"))
    bullets = text.ListStyle(name="L2")
    bullets.addElement(text.ListLevelStyleBullet(level="1", bulletchar="•"))
    for made in (numbered, bullets):
        document.automaticstyles.addElement(made)
    layout = style.PageLayout(name="P1")
    document.automaticstyles.addElement(layout)
    page = style.MasterPage(name="Standard", pagelayoutname="P1")
    header, footer = style.Header(), style.Footer()
    header.addElement(text.P(text="Field report"))
    number = text.P(text="Page ")
    number.addElement(text.PageNumber(text="1"))
    footer.addElement(number)
    page.addElement(header)
    page.addElement(footer)
    document.masterstyles.addElement(page)
    expected.say("Header: Field report")

    def add(element):
        document.text.addElement(element)

    def heading(level, title):
        add(text.H(outlinelevel=level, text=title))
        expected.heading(level, title)

    heading(1, "Storks on the Elbe")
    paragraph = text.P(text="In May we counted")
    paragraph.addElement(text.S(c=3))
    paragraph.addElement(text.Span(text="forty-two"))
    paragraph.addText(" pairs")
    note = text.Note(noteclass="footnote", id="n1")
    note.addElement(text.NoteCitation(text="1"))
    body = text.NoteBody()
    body.addElement(text.P(text="Nests without birds are not counted."))
    note.addElement(body)
    paragraph.addElement(note)
    paragraph.addText(" between two bridges.")
    remark = office.Annotation(name="a1")
    remark.addElement(Creator(text="Jo Brandt"))
    remark.addElement(text.P(text="Was it not forty-three?"))
    paragraph.addElement(remark)
    add(paragraph)
    expected.say("In May we counted forty-two pairs[1] between two bridges.")
    expected.say("[1] Nests without birds are not counted. Jo Brandt: Was it not forty-three?")
    expected.place("without birds", "Storks on the Elbe")

    heading(2, "How we counted")
    outer = text.List(stylename="L1")
    for item, inner in [("from the dyke", ["by car", "on foot"]), ("from the river", [])]:
        element = text.ListItem()
        element.addElement(text.P(text=item))
        if inner:
            below = text.List()
            for name in inner:
                deeper = text.ListItem()
                deeper.addElement(text.P(text=name))
                below.addElement(deeper)
            element.addElement(below)
        outer.addElement(element)
    add(outer)
    expected.say("1. from the dyke a) by car b) on foot 2. from the river")
    points = text.List(stylename="L2")
    for name in ["binoculars", "a boat"]:
        element = text.ListItem()
        element.addElement(text.P(text=name))
        points.addElement(element)
    add(points)
    expected.say("binoculars a boat")
    expected.place("on foot", "Storks on the Elbe > How we counted")

    heading(1, "Numbers")
    rows = table.Table(name="T1")
    rows.addElement(table.TableColumn(numbercolumnsrepeated=3))

    def row(texts, parent):
        made = table.TableRow()
        for cell in texts:
            if cell is None:
                made.addElement(table.CoveredTableCell())
                continue
            span = 2 if cell == "all" else 1
            element = table.TableCell(numbercolumnsspanned=span) if span > 1 else table.TableCell()
            element.addElement(text.P(text=cell))
            made.addElement(element)
        parent.addElement(made)

    head = table.TableHeaderRows()
    row(["Village", "Pairs", "Young"], head)
    rows.addElement(head)
    row(["Rühstädt", "31", "72"], rows)
    row(["Wahrenberg", "11", "20"], rows)
    row(["all", None, "92"], rows)
    add(rows)
    expected.table([["Village", "Pairs", "Young"], ["Rühstädt", "31", "72"], ["Wahrenberg", "11", "20"], ["all", "", "92"]], headers=[0])
    expected.place("Wahrenberg", "Numbers")
    add(text.P(text="鹳鸟每年春天回来。"))
    add(text.P(text="يعود اللقلق كل ربيع."))
    expected.say("鹳鸟每年春天回来。 يعود اللقلق كل ربيع.")
    write("report.odt", saved(lambda data: document.write(data)), expected)
    return expected


def talk():
    from odf import draw, presentation, style, text
    from odf.namespaces import PRESENTATIONNS
    from odf.opendocument import OpenDocumentPresentation

    document, expected = OpenDocumentPresentation(), Expected()
    document.automaticstyles.addElement(style.PageLayout(name="PL"))
    document.masterstyles.addElement(style.MasterPage(name="M", pagelayoutname="PL"))
    hidden = style.Style(name="dp2", family="drawing-page")
    hidden.addElement(style.DrawingPageProperties(visibility="hidden"))
    document.automaticstyles.addElement(hidden)

    def frame(page, kind, content):
        made = draw.Frame(width="20cm", height="3cm", x="2cm", y="2cm")
        if kind:
            made.setAttrNS(PRESENTATIONNS, "class", kind)
        box = draw.TextBox()
        content(box)
        made.addElement(box)
        page.addElement(made)

    def paragraphs(*texts):
        return lambda box: [box.addElement(text.P(text=line)) for line in texts]

    def bullets(items):
        def fill(box):
            made = text.List()
            for item, inner in items:
                element = text.ListItem()
                element.addElement(text.P(text=item))
                for deeper in inner:
                    below, entry = text.List(), text.ListItem()
                    entry.addElement(text.P(text=deeper))
                    below.addElement(entry)
                    element.addElement(below)
                made.addElement(element)
            box.addElement(made)

        return fill

    one = draw.Page(name="page1", masterpagename="M")
    frame(one, "title", paragraphs("Bread at home"))
    frame(one, "subtitle", paragraphs("An evening class"))
    two = draw.Page(name="page2", masterpagename="M")
    frame(two, "title", paragraphs("What you need"))
    frame(two, "outline", bullets([("flour", ["rye", "spelt"]), ("water", []), ("salt", [])]))
    notes = presentation.Notes()
    frame(notes, "notes", paragraphs("Hand out the starter now."))
    two.addElement(notes)
    three = draw.Page(name="page3", masterpagename="M", stylename="dp2")
    frame(three, "title", paragraphs("If time is left"))
    frame(three, None, paragraphs("Show the oven."))
    for page in (one, two, three):
        document.presentation.addElement(page)
    expected.say("Bread at home An evening class What you need flour rye spelt water salt")
    expected.say("Hand out the starter now. If time is left Show the oven.")
    expected.place("evening class", "slide 1")
    expected.place("spelt", "slide 2")
    expected.place("the starter", "slide 2")
    expected.place("the oven", "slide 3")
    expected.warning("slide 3 is hidden")
    write("talk.odp", saved(lambda data: document.write(data)), expected)
    return expected


# Sheets

COSTS = [
    ["Item", "Booked", "Amount", "Share", "Paid"],
    ["Rent", datetime.date(2024, 3, 1), 1200, 0.5, True],
    ["Heating", datetime.date(2024, 3, 15), 95.5, 0.07, False],
    ["Lift", datetime.datetime(2024, 3, 20, 9, 45), 0.1 + 0.2, 0.125, True],
]
COSTS_TEXT = [
    ["Item", "Booked", "Amount", "Share", "Paid"],
    ["Rent", "2024-03-01", "1200", "50%", "TRUE"],
    ["Heating", "2024-03-15", "95.5", "7%", "FALSE"],
    ["Lift", "2024-03-20 09:45:00", "0.3", "12.5%", "TRUE"],
]
PEOPLE = [["Name", "Town", "Born"], ["Ann Lee", "Graz", 1990], ["Bo Ek", "Malmö", 1985]]


def costs_expected(shares=True):
    expected = Expected()
    expected.say("Costs Costs of March")
    rows = [list(row) for row in COSTS_TEXT]
    if not shares:
        for row, value in zip(rows[1:], ["0.5", "0.07", "0.125"]):
            row[3] = value
    expected.table(rows, headers=[0])
    expected.table([["Note", "", "cold"], ["", "", "and dark"]])
    expected.place("Costs of March", "Costs!B2")
    expected.place("Booked", "Costs!B4:F4")
    expected.place("Heating", "Costs!B6:F6")
    expected.place("dark", "Costs!D11")
    expected.say("People")
    expected.table([["Name", "Town", "Born"], ["Ann Lee", "Graz", "1990"], ["Bo Ek", "Malmö", "1985"]], headers=[0])
    expected.place("Malmö", "People!A3:C3")
    return expected


def costs_xlsx():
    import openpyxl
    from openpyxl.styles import Font

    book, expected = openpyxl.Workbook(), costs_expected()
    sheet = book.active
    sheet.title = "Costs"
    sheet["B2"] = "Costs of March"
    for index, row in enumerate(COSTS):
        for column, value in enumerate(row):
            cell = sheet.cell(4 + index, 2 + column, value)
            if isinstance(value, (datetime.date, datetime.datetime)):
                cell.number_format = "dd/mm/yyyy hh:mm" if isinstance(value, datetime.datetime) else "d mmm yy"
            if column == 3 and index:
                cell.number_format = "0.0%"
    sheet["B10"], sheet["D10"], sheet["D11"] = "Note", "cold", "and dark"
    people = book.create_sheet("People")
    for row in PEOPLE:
        people.append(row)
    secret = book.create_sheet("Secret")
    secret.append(["code", 4711])
    secret.sheet_state = "hidden"
    expected.say("Secret")
    expected.table([["code", "4711"]])
    expected.warning("\"Secret\" is hidden")
    book.create_sheet("Empty")
    sums = book.create_sheet("Sums")
    sums.append(["Total", "=Costs!D5+Costs!D6"])
    sums.append(["merged", None, "right"])
    sums.merge_cells("A2:B2")
    for cell in people[1]:
        cell.font = Font(bold=True)
    # What is left of the first row is a single cell, as of a title.
    expected.say("Sums Total")
    expected.table([["merged", "", "right"]])
    expected.warning("one formula")
    book.properties.title = "Household"
    expected.title("Household")
    book.properties.created = book.properties.modified = DATE
    write("costs.xlsx", saved(book.save), expected)


def old_xls():
    import xlwt

    book, expected = xlwt.Workbook(), costs_expected(shares=False)
    sheet = book.add_sheet("Costs")
    sheet.write(1, 1, "Costs of March")
    for index, row in enumerate(COSTS):
        for column, value in enumerate(row):
            style = xlwt.XFStyle()
            if isinstance(value, (datetime.date, datetime.datetime)):
                style.num_format_str = "DD/MM/YYYY hh:mm"
            sheet.write(3 + index, 1 + column, value, style)
    sheet.write(9, 1, "Note")
    sheet.write(9, 3, "cold")
    sheet.write(10, 3, "and dark")
    people = book.add_sheet("People")
    for index, row in enumerate(PEOPLE):
        for column, value in enumerate(row):
            people.write(index, column, value)
    write("old.xls", saved(book.save), expected)


def costs_ods():
    from odf import office, style, table, text
    from odf.opendocument import OpenDocumentSpreadsheet

    book, expected = OpenDocumentSpreadsheet(), costs_expected()
    hidden = style.Style(name="ta2", family="table")
    hidden.addElement(style.TableProperties(display="false"))
    book.automaticstyles.addElement(hidden)

    def cell(value, share=False):
        shown = text.P(text=str(value))
        if isinstance(value, bool):
            made = table.TableCell(valuetype="boolean", booleanvalue="true" if value else "false")
        elif isinstance(value, (datetime.date, datetime.datetime)):
            made = table.TableCell(valuetype="date", datevalue=value.isoformat())
        elif isinstance(value, (int, float)):
            made = table.TableCell(valuetype="percentage" if share else "float", value=repr(value))
        else:
            made = table.TableCell(valuetype="string")
        made.addElement(shown)
        return made

    def row(*cells, repeated=None):
        made = table.TableRow(numberrowsrepeated=repeated) if repeated else table.TableRow()
        for content in cells:
            made.addElement(content)
        return made

    def empty(count=1):
        return table.TableCell(numbercolumnsrepeated=count)

    sheet = table.Table(name="Costs")
    sheet.addElement(row(empty(1024)))
    sheet.addElement(row(empty(), cell("Costs of March"), empty(1022)))
    sheet.addElement(row(empty(1024)))
    for index, values in enumerate(COSTS):
        shares = [column == 3 and index > 0 for column in range(5)]
        sheet.addElement(row(empty(), *map(cell, values, shares)))
    sheet.addElement(row(empty(1024), repeated=2))
    sheet.addElement(row(empty(), cell("Note"), empty(), cell("cold")))
    sheet.addElement(row(empty(3), cell("and dark")))
    sheet.addElement(row(empty(1024), repeated=1048565))
    people = table.Table(name="People")
    for values in PEOPLE:
        people.addElement(row(*map(cell, values)))
    secret = table.Table(name="Secret", stylename="ta2")
    repeated = cell(7)
    repeated.setAttribute("numbercolumnsrepeated", 3)
    secret.addElement(row(cell("code"), repeated, repeated=2))
    for made in (sheet, people, secret):
        book.spreadsheet.addElement(made)
    expected.say("Secret")
    expected.table([["code", "7", "7", "7"], ["code", "7", "7", "7"]])
    expected.warning("\"Secret\" is hidden")
    write("costs.ods", saved(lambda data: book.write(data)), expected)


CONVERTED = [
    # The file it is made from, the new format, and what is not the same in it.
    ("letter.docx", "odt"),
    ("report.odt", "docx"),
    ("deck.pptx", "odp"),
    ("deck.pptx", "pptx"),
    ("cached.xlsx", "ods"),
    ("costs.xlsx", "ods"),
    ("costs.xlsx", "xlsx"),
    ("costs.xlsx", "xls"),
]


def convert():
    """Files that LibreOffice makes of the others; what is expected of them is in office_expected."""
    for source, extension in CONVERTED:
        stem = source.split(".")[0]
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / source
            shutil.copy(OUT / source, copy)
            subprocess.run(
                ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", extension]
                + ["--outdir", f"{folder}/out", str(copy)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            data = (pathlib.Path(folder) / "out" / f"{stem}.{extension}").read_bytes()
        name = f"libreoffice-{stem}.{extension}"
        expected = Expected(json.loads((OUT / f"{source}.json").read_text(encoding="utf-8")))
        write(name, data, expected.converted(name))


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    letter()
    deck()
    report()
    talk()
    costs_xlsx()
    old_xls()
    costs_ods()
    for name, data, expected in office_handmade.files():
        write(name, data, expected)
    if "--libreoffice" in sys.argv:
        convert()


if __name__ == "__main__":
    main()
