"""Office files by hand: what libraries do not write, but programs do."""

import io
import zipfile

from office_expected import Expected

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
WORD = (
    f'xmlns:w="{W}" xmlns:r="{R}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
SLIDE = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="' + R + '"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)


def packed(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in members.items():
            made.writestr(name, text if text.startswith("<?xml") else HEAD + text)
    return data.getvalue()


def relations(*pairs, base=R):
    entries = "".join(
        f'<Relationship Id="rId{index + 1}" Type="{kind if ":" in kind else base + "/" + kind}" Target="{target}"/>'
        for index, (kind, target) in enumerate(pairs)
    )
    return f'<Relationships xmlns="{RELATIONS}">{entries}</Relationships>'


def run(text, properties=""):
    properties = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs, style="", level=None, number=1):
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if level is not None:
        properties += f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    inner = "".join(part if part.startswith("<") else run(part) for part in runs)
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def cell(*blocks, properties=""):
    inner = "".join(block if block.startswith("<") else paragraph(block) for block in blocks)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inner}</w:tc>"


def table(*rows, look=""):
    rows = "".join(f"<w:tr>{''.join(cells)}</w:tr>" for cells in rows)
    return f"<w:tbl><w:tblPr>{look}</w:tblPr>{rows}</w:tbl>"


def contract():
    """A contract as lawyers pass them around: numbered clauses, notes, remarks, changes."""
    levels = "".join(
        f'<w:lvl w:ilvl="{index}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{style}<w:lvlText w:val="{text}"/></w:lvl>'
        for index, (form, text, style) in enumerate(
            [
                ("decimal", "%1.", '<w:pStyle w:val="Clause"/>'),
                ("decimal", "%1.%2", ""),
                ("lowerLetter", "(%3)", ""),
                ("lowerRoman", "%4.", ""),
            ]
        )
    )
    bullets = '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl>'
    numbering = (
        f'<w:numbering {WORD}><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1">{bullets}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="2"><w:startOverride w:val="1"/>'
        "</w:lvlOverride></w:num></w:numbering>"
    )
    styles = (
        f'<w:styles {WORD}><w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/>'
        '</w:pPr></w:style><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/>'
        '<w:basedOn w:val="berschrift1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Source"><w:name w:val="Source Code"/></w:style></w:styles>'
    )
    reference = '<w:r><w:{0}Reference w:id="{1}"/></w:r>'.format
    footnotes = (
        f'<w:footnotes {WORD}><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="7">{paragraph("<w:r><w:footnoteRef/></w:r>", " See the annex.")}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph(" Without value added tax.")}</w:footnote></w:footnotes>'
    )
    endnotes = f'<w:endnotes {WORD}><w:endnote w:id="3">{paragraph("As of spring.")}</w:endnote></w:endnotes>'
    comments = f'<w:comments {WORD}><w:comment w:id="0" w:author="R. Roe">{paragraph("Too low?")}</w:comment></w:comments>'

    def field(instruction, result):
        char = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
        return (
            char("begin") + f"<w:r><w:instrText>{instruction}</w:instrText></w:r>" + char("separate") + run(result) + char("end")
        )

    header = (
        f'<w:hdr {WORD}><w:p>{run("Contract 17/2024, page ")}{field(" PAGE ", "3")}{run(" of ")}{field("NUMPAGES", "12")}</w:p></w:hdr>'
    )
    footer = f'<w:ftr {WORD}><w:p>{run("- ")}<w:fldSimple w:instr=" PAGE ">{run("3")}</w:fldSimple>{run(" -")}</w:p></w:ftr>'
    box = f"<w:txbxContent>{paragraph('Important: sign both copies.')}</w:txbxContent>"
    frame = (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx>{box}</wps:txbx></wps:wsp></w:drawing>'
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    formula = (
        "<m:oMath><m:r><m:t>i=</m:t></m:r><m:f><m:num><m:r><m:t>p+1</m:t></m:r></m:num><m:den><m:r><m:t>12</m:t></m:r></m:den></m:f></m:oMath>"
    )
    nested = table([cell("gas"), cell("oil")])
    wide = '<w:gridSpan w:val="2"/>'
    body = "".join(
        [
            paragraph("Contract of Delivery", style="Title"),
            paragraph("Subject", style="Clause"),
            paragraph("The seller delivers ", "<w:ins>" + run("forty") + "</w:ins>", "<w:del><w:r><w:delText>thirty</w:delText></w:r></w:del>",
                      " pumps", reference("footnote", 7), " a year", reference("endnote", 3), ".", level=1),
            paragraph("Each pump is tested:", level=1),
            paragraph("for pressure,", level=2),
            paragraph("for noise", level=2),
            paragraph("at night,", level=3),
            paragraph("for leaks.", level=2),
            paragraph("Price", style="Clause"),
            paragraph("The price is ", field(' IF "a" = "b" ', "900 euros"), reference("footnote", 2), " a pump",
                      reference("comment", 0), ".", level=1),
            paragraph("Interest is ", formula, " a month.", frame, level=1),
            paragraph("for the first year", level=2, number=3),
            paragraph("by wire", level=0, number=2),
            paragraph("by cheque", level=0, number=2),
            "<w:moveFrom>" + paragraph("moved away") + "</w:moveFrom>",
            paragraph("Tick: ", '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', " agreed", run(" not for your eyes", "<w:vanish/>"),
                      '<w:r><w:noBreakHyphen/></w:r>', "in", '<w:r><w:br/></w:r>', "full.",
                      '<w:hyperlink r:id="rId99">' + run(" See our site.") + "</w:hyperlink>"),
            paragraph("let x = 1;", style="Source"),
            paragraph("  print(x);", style="Source"),
            table(
                ['<w:trPr><w:tblHeader/></w:trPr>', cell("Fuel", properties=wide), cell("Price")],
                [cell("solid", properties='<w:vMerge w:val="restart"/>'), cell("coal"), cell("3")],
                [cell("", properties="<w:vMerge/>"), cell("wood"), cell("4")],
                [cell("other"), cell("either", nested, ""), cell("5")],
                ['<w:trPr><w:del w:id="1"/></w:trPr>', cell("struck"), cell("out"), cell("0")],
            ),
            table([cell(paragraph("Annex", style="berschrift1"), paragraph("All in a frame."))]),
            '<w:sdt><w:sdtPr/><w:sdtContent>' + paragraph("Signed: ", field("FORMTEXT", "A. Doe")) + "</w:sdtContent></w:sdt>",
        ]
    )
    parts = ["styles", "numbering", "footnotes", "endnotes", "comments", "header", "footer"]
    expected = Expected()
    expected.say("Header: Contract 17/2024, page of Contract of Delivery 1. Subject")
    expected.say("1.1 The seller delivers forty pumps[1] a year[i]. [1] See the annex. 1.2 Each pump is tested:")
    expected.say("(a) for pressure, (b) for noise i. at night, (c) for leaks. 2. Price 2.1 The price is 900 euros[2] a pump.")
    expected.say("[2] Without value added tax. R. Roe: Too low? 2.2 Interest is i=(p+1)/12 a month. Important: sign both copies.")
    expected.say("(a) for the first year by wire by cheque Tick: ☑ agreed-in full. See our site. let x = 1; print(x);")
    expected.table([["Fuel", "", "Price"], ["solid", "coal", "3"], ["", "wood", "4"], ["other", "either gas oil", "5"]], headers=[0])
    expected.say("Annex All in a frame. Signed: A. Doe [i] As of spring.")
    expected.place("forty pumps", "1. Subject")
    expected.place("for noise", "1. Subject")
    expected.place("Without value", "2. Price")
    expected.place("wood", "2. Price")
    expected.place("in a frame", "Annex")
    expected.warning("hidden was left out")
    data = packed(
        {
            "_rels/.rels": relations(("officeDocument", "/word/document.xml")),
            "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(*[(part, f"{part}.xml") for part in parts]),
            "word/styles.xml": styles,
            "word/numbering.xml": numbering,
            "word/footnotes.xml": footnotes,
            "word/endnotes.xml": endnotes,
            "word/comments.xml": comments,
            "word/header.xml": header,
            "word/footer.xml": footer,
        }
    )
    return "contract.docx", data, expected


def strict():
    """Strict Open XML, with prefixes, slashes and names of members as only some programs write them."""
    strict_space = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = (
        '<p><pPr><pStyle ns0:val="Heading1"/></pPr><r><t>Überblick &amp; Ziele</t></r></p>'
        "<p><r><t>Der Zähler &lt;ZÄ-7&gt; wird </t></r><r><t>ab&#x20;Mai abgelesen.</t></r><r><t><![CDATA[ Immer.]]></t></r></p>"
    )
    expected = Expected()
    expected.say("Überblick & Ziele Der Zähler <ZÄ-7> wird ab Mai abgelesen. Immer.")
    expected.place("ab Mai abgelesen", "Überblick & Ziele")
    data = packed(
        {
            "_rels/.rels": relations(("officeDocument", "Word\\Document2.xml"), base="http://purl.oclc.org/ooxml/officeDocument/relationships"),
            "word\\document2.xml": f'<document xmlns="{strict_space}" xmlns:ns0="{strict_space}"><body>{body}</body></document>',
        }
    )
    return "strict.docx", data, expected


def remarks():
    """Slides in another order than their files, with comments, a diagram, numbers and a slide without a title."""

    def shape(text, kind="", properties=""):
        placeholder = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else "<p:nvPr/>"
        lines = text if isinstance(text, list) else [text]
        paragraphs = "".join(f"<a:p>{properties}<a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
        return f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/>{placeholder}</p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>'

    def slide(*shapes):
        return f"<p:sld {SLIDE}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"

    diagram = (
        '<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
        ' r:dm="rId1"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    points = "".join(f"<dgm:pt><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>" for text in ["Ask", "Listen", "Decide"])
    expected = Expected()
    expected.say("Agenda 1. Welcome 2. Vote the end Kim Yi: Who speaks first? Slide 2 The chair asks: what next?")
    expected.say("Ask Listen Decide")
    expected.place("Vote", "slide 1")
    expected.place("Who speaks", "slide 1")
    expected.place("Listen", "slide 2")
    data = packed(
        {
            "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation {SLIDE}><p:sldIdLst><p:sldId id="257" r:id="rId2"/><p:sldId id="256" r:id="rId1"/>'
            "</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(
                ("slide", "slides/slide1.xml"), ("slide", "slides/slide2.xml"), ("commentAuthors", "commentAuthors.xml")
            ),
            "ppt/slides/slide1.xml": slide(shape("The chair asks: what next?"), diagram),
            "ppt/slides/_rels/slide1.xml.rels": relations(("diagramData", "../diagrams/data1.xml")),
            "ppt/slides/slide2.xml": slide(
                shape(["Welcome", "Vote"], "body", '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'),
                shape("Agenda", "title"),
                shape("the end"),
                shape("7", "sldNum"),
                shape("1 March 2024", "dt"),
            ),
            "ppt/slides/_rels/slide2.xml.rels": relations(("comments", "../comments/comment1.xml")),
            "ppt/comments/comment1.xml": f'<p:cmLst {SLIDE}><p:cm authorId="4"><p:pos x="1" y="1"/><p:text>Who speaks first?</p:text></p:cm></p:cmLst>',
            "ppt/commentAuthors.xml": f'<p:cmAuthorLst {SLIDE}><p:cmAuthor id="4" name="Kim Yi" initials="KY"/></p:cmAuthorLst>',
            "ppt/diagrams/data1.xml": '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
            f' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>',
        }
    )
    return "remarks.pptx", data, expected


def tracked():
    """OpenDocument text with changes, a heading's number, continued lists, a frame and a formula."""
    spaces = "".join(
        f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in [("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style")]
    )
    spaces += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    item = "<text:list-item><text:p>{}</text:p></text:list-item>".format
    content = (
        f"<office:document-content{spaces}><office:automatic-styles>"
        '<text:list-style style:name="A"><text:list-level-style-number text:level="1" style:num-format="I" style:num-prefix="("'
        ' style:num-suffix=")"/></text:list-style></office:automatic-styles><office:body><office:text>'
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>was deleted</text:p></text:deletion></text:changed-region>"
        "</text:tracked-changes>"
        '<text:h text:outline-level="1">Minutes</text:h>'
        '<text:p>All were <text:change text:change-id="c1"/>present<text:line-break/>on time.<text:tab/>Almost.</text:p>'
        f'<text:list text:style-name="A">{item("budget")}{item("roof")}</text:list>'
        "<text:p>After a break:</text:p>"
        f'<text:list text:style-name="A" text:continue-numbering="true">{item("elections")}</text:list>'
        '<text:h text:outline-level="2">Roof</text:h>'
        '<text:p>It leaks.<draw:frame><draw:text-box><text:p>Photo: the attic</text:p></draw:text-box><svg:desc'
        ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0">not shown</svg:desc></draw:frame></text:p>'
        '<text:p>Area: <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> square metres</text:p>'
        "<text:p>Ask <text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby> again.</text:p>"
        '<text:h text:outline-level="1">Elections</text:h><text:p>None.</text:p>'
        "</office:text></office:body></office:document-content>"
    )
    styles = (
        f"<office:document-styles{spaces}><office:styles><text:outline-style>"
        '<text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
        "</text:outline-style></office:styles></office:document-styles>"
    )
    formula = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>a</mi><mo>=</mo><mn>12</mn></mrow>'
        '<annotation encoding="StarMath 5.0">a = 12</annotation></semantics></math>'
    )
    expected = Expected()
    expected.say("1. Minutes All were present on time. Almost. (I) budget (II) roof After a break: (III) elections")
    expected.say("1.1 Roof It leaks. Photo: the attic Area: a=12 square metres Ask 東京 again. 2. Elections None.")
    expected.place("elections", "1. Minutes")
    expected.place("the attic", "1. Minutes > 1.1 Roof")
    expected.place("None", "2. Elections")
    data = packed({"content.xml": content, "styles.xml": styles, "Object 1/content.xml": formula})
    return "tracked.odt", data, expected


def cached():
    """Formulas with the values that a program stored, texts in runs, errors, a cell far away."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Net</t></is></c><c r="C1" t="s"><v>1</v></c></row>'
        '<row r="2"><c r="A2" t="str"><f>"Nor"&amp;"th"</f><v>North</v></c><c r="B2"><v>100</v></c><c r="C2"><f>B2*1.1</f><v>110.00000000000001</v></c></row>'
        '<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3"><v>1E3</v></c><c r="C3" t="e"><f>B3/0</f><v>#DIV/0!</v></c></row>'
        '<row r="4"><c r="A4" s="1"/><c r="B4"><f>SUM(B2:B3)</f><v>1100</v></c></row>'
        '<row r="9"><c r="B9" t="s"><v>3</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>0.5</v></c></row>'
    )
    strings = "".join(
        f"<si>{text}</si>"
        for text in [
            "<t>Region</t>",
            '<r><t xml:space="preserve">Gross </t></r><r><rPr><b/></rPr><t>2024</t></r><rPh sb="0" eb="1"><t>no</t></rPh>',
            "<t>South &amp; East</t>",
            "<t>line one\nline two</t>",
        ]
    )
    expected = Expected()
    expected.say("Sales")
    expected.table([["Region", "Net", "Gross 2024"], ["North", "100", "110"], ["South & East", "1000", "#DIV/0!"], ["", "1100"]], headers=[0])
    expected.say("line one line two 0.5")
    expected.place("South & East", "Sales!A3:C3")
    expected.place("line two", "Sales!B9")
    expected.place("0.5", "Sales!XFD1048576")
    data = packed(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            + "".join(
                f'<Override PartName="/xl/{part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml"/>'
                for part, kind in [
                    ("workbook", "sheet.main"), ("worksheets/sheet1", "worksheet"), ("sharedStrings", "sharedStrings"), ("styles", "styles"),
                ]
            )
            + "</Types>",
            "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook {main} xmlns:r="{R}"><sheets><sheet name="Sales" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(
                ("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")
            ),
            "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>",
            "xl/sharedStrings.xml": f"<sst {main}>{strings}</sst>",
            "xl/styles.xml": f'<styleSheet {main}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>'
            '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="9"/></cellXfs></styleSheet>',
        }
    )
    return "cached.xlsx", data, expected


def files():
    return [contract(), strict(), remarks(), tracked(), cached()]
