"""What a reader should find in a file, put down while the file is made."""

import copy


class Expected:
    def __init__(self, value=None):
        self.value = copy.deepcopy(value) or {"text": "", "places": [], "tables": [], "headers": []}

    def say(self, text):
        """Words that follow in reading order."""
        self.value["text"] = " ".join((self.value["text"] + " " + text).split())

    def heading(self, level, text):
        """A heading; its level is told by the places of what follows."""
        assert 1 <= level <= 6
        self.say(text)

    def place(self, quote, place):
        self.value["places"].append({"quote": quote, "place": place})

    def table(self, rows, headers=()):
        self.value["tables"].append(rows)
        self.value["headers"].append(list(headers))
        for row in rows:
            self.say(" ".join(row))

    def title(self, title):
        self.value["title"] = title

    def warning(self, words):
        self.value.setdefault("warnings", []).append(words)

    def converted(self, name):
        """What is left of it when LibreOffice has written it in another format."""
        changed = Expected(self.value)
        value = changed.value
        edit = EDITS.get(name)
        if edit:
            edit(value)
        return changed


def computed(value):
    """LibreOffice computes the formula of which the other file stores no value."""
    value["text"] = value["text"].replace("Sums Total", "Sums Total 1295.5")
    value["tables"][-1] = [["Total", "1295.5"], ["merged", "", "right"]]
    value["warnings"] = [words for words in value["warnings"] if "formula" not in words]


def computed_old(value):
    """Of Excel 97 files, the title is not read."""
    computed(value)
    del value["title"]


# What is not the same in what LibreOffice writes, file by file.
EDITS = {
    "libreoffice-costs.ods": computed,
    "libreoffice-costs.xlsx": computed,
    "libreoffice-costs.xls": computed_old,
}
