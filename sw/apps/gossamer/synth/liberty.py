# SPDX-License-Identifier: Apache-2.0
# Reads cell libraries in the Liberty format, checks them, and writes one library for yosys and abc, which take one
# file each. A part of synth.py, which is placed after it.
import bisect
import gzip
import itertools
import re
import sys
import zlib


def fail(text, status=1):
    """Ends with one line on standard error."""
    print(f"gossamer: {OPTIONS['command']}: {text}", file=sys.stderr)
    sys.exit(status)


TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|\\\r?\n|\n|[ \t\r]+|("(?:[^"\\]|\\.)*")|([{}();:,])|([^\s{}();:,"]+)|(.)', re.S)


class Group:
    """NAME (ARGUMENTS) { ... }: attributes by name (the last of each) and groups, with their place in the text."""

    def __init__(self, name, arguments, start):
        self.name, self.arguments, self.start, self.end = name, arguments, start, start
        self.attributes, self.groups = {}, []

    def find(self, *names):
        return [group for group in self.groups if group.name in names]

    def attribute(self, name, default=None):
        value = self.attributes.get(name)
        return value[0] if value else default


class Liberty:
    """One file: its text and its library. Ends the program where the file cannot be read."""

    def __init__(self, path):
        self.path = path
        try:
            with open(os.path.join(OPTIONS["folder"], path), "rb") as file:
                data = file.read()
            if data.startswith(b"\x1f\x8b"):
                data = gzip.decompress(data)
        except OSError as error:
            fail(f"{path}: {error.strerror or error}")
        except (EOFError, zlib.error) as error:
            fail(f"{path}: damaged gzip file: {error}")
        self.text = data.decode("latin-1")
        self.lines = [match.start() for match in re.finditer("\n", self.text)]
        self.tokens = []
        for match in TOKEN.finditer(self.text):
            if match.lastindex == 4:
                self.broken(match.start(), f"unexpected {match.group()!r}" if match.group() != '"' else "open text")
            if match.lastindex:
                self.tokens.append((match.group(), match.start()))
        self.at = 0
        name, start = self.next("library (NAME) {")
        if name != "library":
            self.broken(start, "a Liberty file begins with library (NAME) {")
        self.library = self.group_or_values(name, start)
        if not isinstance(self.library, Group):
            self.broken(start, "a Liberty file begins with library (NAME) {")

    def line(self, position):
        return bisect.bisect_left(self.lines, position) + 1

    def broken(self, position, text):
        fail(f"{self.path}:{self.line(position)}: {text}")

    def next(self, expected):
        if self.at == len(self.tokens):
            self.broken(len(self.text.rstrip()), f"the file ends where {expected} is expected")
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def group_or_values(self, name, start):
        """After NAME: (ARGUMENTS) and, of a group, its contents; a list of arguments for a complex attribute."""
        token, position = self.next("(")
        if token != "(":
            self.broken(position, f"( is expected after {name}, not {token}")
        arguments = []
        while True:
            token, position = self.next(")")
            if token == ")":
                break
            if token in "{};":
                self.broken(position, f") is expected, not {token}")
            if token != ",":
                arguments.append(token.strip('"'))
        if self.peek() != "{":
            if self.peek() == ";":
                self.at += 1
            return arguments
        self.at += 1
        group = Group(name, arguments, start)
        while True:
            token, position = self.next("}")
            if token == "}":
                group.end = position + 1
                return group
            if token == ";":
                continue
            if token in "{():,":
                self.broken(position, f"a name or }} is expected, not {token}")
            if self.peek() == ":":
                self.at += 1
                group.attributes[token] = self.value(position)
            else:
                found = self.group_or_values(token, position)
                if isinstance(found, Group):
                    group.groups.append(found)
                else:
                    group.attributes[token] = found

    def value(self, start):
        """After NAME : as [text]; ends with ; or with the line."""
        words, line = [], None
        while self.at < len(self.tokens):
            token, position = self.tokens[self.at]
            if token == ";":
                self.at += 1
                break
            if token in "{}" or (line is not None and self.line(position) != line):
                break
            line = self.line(position)
            words.append(token.strip('"'))
            self.at += 1
        if not words:
            self.broken(start, "a value is expected after :")
        return [" ".join(words)]


def truth_table(function, inputs):
    """The values of a Liberty function, by input assignment; None where it has other names."""
    tokens = re.findall(r"[A-Za-z_]\w*(?:\[\d+\])?|[01!'^*&+|()]", function)
    at = 0

    def peek():
        return tokens[at] if at < len(tokens) else ""

    def take():
        nonlocal at
        at += 1
        return tokens[at - 1]

    def factor(values):
        token = take() if peek() else ")"
        if token == "!":
            result = not factor(values)
        elif token == "(":
            result = either(values)
            if peek() == ")":
                take()
        elif token in "01":
            result = token == "1"
        else:
            result = values[token]
        while peek() == "'":
            take()
            result = not result
        return result

    def exclusive(values):
        result = factor(values)
        while peek() == "^":
            take()
            result ^= factor(values)
        return result

    def both(values):
        result = exclusive(values)
        while peek() and peek() not in ")+|":
            if peek() in "*&":
                take()
            result &= exclusive(values)
        return result

    def either(values):
        result = both(values)
        while peek() in ("+", "|"):
            take()
            result |= both(values)
        return result

    found = []
    for values in itertools.product((False, True), repeat=len(inputs)):
        at = 0
        try:
            found.append(either(dict(zip(inputs, values))))
        except KeyError:
            return None
    return tuple(found)


class Cell:
    """A cell of the library: area in um2, its kind, and what timing needs."""

    def __init__(self, group):
        self.group, self.name = group, group.arguments[0]
        self.area = float(group.attribute("area", "0"))
        self.flip_flop = bool(group.find("ff"))
        self.pins = {pin.arguments[0]: pin for pin in group.find("pin") if pin.arguments}
        self.inputs = [name for name, pin in self.pins.items() if pin.attribute("direction") == "input"]
        outputs = [pin for pin in self.pins.values() if pin.attribute("direction") == "output"]
        self.table = None
        stores = group.find("ff", "latch", "statetable", "ff_bank", "latch_bank")
        if not stores and len(outputs) == 1 and len(self.inputs) <= 2 and outputs[0].attribute("function"):
            self.table = truth_table(outputs[0].attribute("function"), self.inputs)

    def is_buffer(self):
        return len(self.inputs) == 1 and self.table == (False, True)

    def is_inverter(self):
        return len(self.inputs) == 1 and self.table == (True, False)

    def is_gate(self):
        """And, or, with any inputs and output inverted: with an inverter all logic can be built of it."""
        return len(self.inputs) == 2 and self.table is not None and sum(self.table) in (1, 3)


def numbers(texts):
    return [float(word) for text in texts for word in re.split(r"[\s,]+", text.strip()) if word]


def interpolated(table, templates, wanted):
    """A lookup table's value; wanted: the value of a variable by the first letters of its name."""
    template = templates.get(table.arguments[0]) if table.arguments else None
    values = numbers(table.attributes.get("values", []))
    axes = []
    for number in (1, 2, 3):
        index = table.attributes.get(f"index_{number}") or (template and template.attributes.get(f"index_{number}"))
        if not index:
            break
        variable = template.attribute(f"variable_{number}", "") if template else ""
        axes.append((numbers(index), next((value for start, value in wanted.items() if variable.startswith(start)),
                                          None)))
    if len(values) == 1 or not axes:
        return values[0] if values else None
    for axis, want in reversed(axes):
        want = axis[0] if want is None else want
        at = min(max(bisect.bisect_right(axis, want) - 1, 0), max(len(axis) - 2, 0))
        rows = []
        for row in range(0, len(values), len(axis)):
            low, high = values[row + at], values[row + min(at + 1, len(axis) - 1)]
            span = axis[min(at + 1, len(axis) - 1)] - axis[at]
            rows.append(low if span == 0 else low + (high - low) * (want - axis[at]) / span)
        values = rows
    return values[0]


class Library:
    """The cells of all files. Ends the program, with one line, where they cannot map a tile."""

    SCALE = {"fs": 1e-3, "ps": 1.0, "ns": 1e3, "us": 1e6}

    def __init__(self, paths):
        self.cells, self.templates, self.files = {}, {}, paths
        parts, first = [], None
        for number, path in enumerate(paths):
            file = Liberty(path)
            if first is None:
                first = file
                parts.append(self.head(file))
            for unit in ("time_unit", "capacitive_load_unit"):
                mine, others = (" ".join(f.library.attributes.get(unit, ["not given"])) for f in (file, first))
                if mine != others:
                    fail(f"{path}: {unit} is {mine}, but {others} in {first.path}; one unit is needed")
            parts += self.add(file, number)
        self.text = "".join(parts) + "}\n"
        unit = re.match(r"\s*([\d.]*)\s*(\w+)", first.library.attribute("time_unit", "1ns"))
        self.picoseconds = float(unit.group(1) or 1) * self.SCALE.get(unit.group(2).lower(), 1e3)
        load = first.library.attributes.get("capacitive_load_unit", ["1", "pf"])
        self.femtofarads = float(load[0]) * {"ff": 1.0, "pf": 1e3}.get(load[1].lower(), 1e3)
        self.check(" ".join(paths))

    def head(self, file):
        """The library without its cells and templates."""
        library, text, at = file.library, [], file.library.start
        for group in library.find("cell", "lu_table_template"):
            text.append(file.text[at:group.start])
            at = group.end
        return "".join(text) + file.text[at:library.end - 1]

    def add(self, file, number):
        """The texts of a file's templates and cells. Names of templates that another file uses otherwise are changed."""
        texts, renamed = [], {}
        for group in file.library.find("lu_table_template"):
            name = group.arguments[0]
            body = file.text[group.start:group.end]
            known = self.templates.get(name)
            if known is not None and known.attributes == group.attributes:
                continue
            if known is not None:
                renamed[name] = f"{name}_{number}"
                body = body.replace(name, renamed[name], 1)
            self.templates[renamed.get(name, name)] = group
            texts.append(body + "\n")
        change = re.compile(r"\(\s*(" + "|".join(map(re.escape, renamed)) + r")\s*\)") if renamed else None
        for group in file.library.find("cell"):
            if not group.arguments:
                file.broken(group.start, "a cell has no name")
            if group.attribute("dont_use", "false").lower() == "true":
                continue
            name = group.arguments[0]
            if name in self.cells:
                file.broken(group.start, f"cell {name} is in two files")
            try:
                self.cells[name] = Cell(group)
            except ValueError as error:
                file.broken(group.start, f"cell {name}: area: {error}")
            body = file.text[group.start:group.end]
            if change is not None:
                body = change.sub(lambda match: f"({renamed[match.group(1)]})", body)
                for table in self.tables(group):
                    table.arguments = [renamed.get(word, word) for word in table.arguments]
            texts.append(body + "\n")
        return texts

    def tables(self, group):
        for inner in group.groups:
            if "values" in inner.attributes:
                yield inner
            yield from self.tables(inner)

    def check(self, files):
        of = self.cells.values()
        if not any(cell.flip_flop for cell in of):
            fail(f"{files}: no flip-flop: no cell has a group ff")
        if not any(cell.is_inverter() for cell in of):
            fail(f"{files}: no inverter: no cell has the function !A")
        if not any(cell.is_gate() for cell in of):
            fail(f"{files}: no two-input gate: no cell is an and, or, nand or nor of two inputs")

    def smallest(self, is_wanted):
        found = [cell for cell in self.cells.values() if is_wanted(cell)]
        return min(found, key=lambda cell: (cell.area, cell.name)) if found else None

    def load(self):
        """Four inverters' inputs, in the library's unit."""
        inverter = self.smallest(Cell.is_inverter)
        return 4 * float(inverter.pins[inverter.inputs[0]].attribute("capacitance", "1"))

    def constraints(self):
        """abc's: what drives inputs, and what outputs drive in femtofarads."""
        driver = self.smallest(Cell.is_buffer) or self.smallest(Cell.is_inverter)
        return f"set_driving_cell {driver.name}\nset_load {self.load() * self.femtofarads:.6g} [all_outputs]\n"

    def worst(self, pins, types, kinds, wanted):
        found = []
        for pin in pins:
            for timing in pin.find("timing"):
                if timing.attribute("timing_type", "").startswith(types):
                    found += [interpolated(table, self.templates, wanted) for table in timing.find(*kinds)]
        found = [value for value in found if value is not None]
        return max(found) * self.picoseconds if found else None

    def flip_flop_times(self, cell):
        """Clock to output with a load of four inverters, and setup, in ps, with the fastest edges of the tables."""
        outputs = [pin for pin in cell.pins.values() if pin.attribute("direction") == "output"]
        to_output = self.worst(outputs, ("rising_edge", "falling_edge"), ("cell_rise", "cell_fall"),
                               {"total_output": self.load()})
        setup = self.worst(cell.pins.values(), ("setup_",), ("rise_constraint", "fall_constraint"), {})
        return to_output, setup
