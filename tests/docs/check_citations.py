# SPDX-License-Identifier: Apache-2.0
"""Checks that all references in the repository's comments and pages have targets.

    check_citations.py SOURCE     print references without a target; status 1 if there are any
    check_citations.py --broken   run on a tree in which every kind of citation is broken once

These are compared with the tree:
  - relative links of Markdown pages, with their anchors (headings, as GitHub spells them);
  - paths of files, in comments and in pages outside of fenced blocks: `docs/glossary.md`, or the end
    of a path, `planner/planner.hpp`;
  - sections: `docs/spec/gossip.md, sections 2.1 to 2.3` in a comment, a link followed by `, section 4`
    in a page, `section 4` alone in a page of docs/spec (its own), and `spec, section 4` in a file
    that defines "spec" as a page;
  - names in a page's code spans, `RelayProgram`, `gsm_router`, `make_plan`: some source contains or is named so. The
    change log may name removed ones.
"""
import os
import re
import sys
import tempfile

CODE = {".cpp": "//", ".hpp": "//", ".in": "//", ".sv": "//", ".svh": "//", ".js": "//", ".mjs": "//",
        ".py": "#", ".html": "//", ".json": "//", ".cmake": "#", ".txt": "#", ".yaml": "#", "": "#"}
PATH = re.compile(r"(?<![\w./<$*{-])((?:[\w-]+/)+[\w.-]+\.(?:hpp|cpp|sv|svh|py|md|js|mjs|svg|json|yaml|cff))\b")
NAME = re.compile(r"(?<![\w$<])(?:gsm_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[a-z]+_[a-z_]+)\b")
# Patterns of names in CONTRIBUTING.md.
FORMS = {"UpperCamelCase", "snake_case"}
SECTIONS = r"sections? (\d+(?:\.\d+)*(?:(?:,| to| and) \d+(?:\.\d+)*)*)"
SPEC = re.compile(r"docs/spec/([\w-]+\.md)(?:,? " + SECTIONS + ")?")
SHORT = re.compile(r"\bspec, " + SECTIONS)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
LINK_SECTION = re.compile(r"\[[^\]]*\]\(([^)\s#]+\.md)\),? " + SECTIONS)


def files(root):
    """Paths of all text files below root, relative to it."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f[0] != "." and not f.startswith("build")
                            and f not in ("node_modules", "__pycache__"))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def without_fences(text):
    """A page with the lines of its fenced blocks replaced by empty ones."""
    lines, fenced = [], False
    for line in text.splitlines():
        mark = line.lstrip().startswith("```")
        lines.append("" if fenced or mark else line)
        fenced ^= mark
    return "\n".join(lines)


def comments(path, text):
    """The text of a source file's comments, in one piece, since citations may span lines."""
    mark = CODE[os.path.splitext(path)[1]]
    found = []
    for line in text.splitlines():
        if re.match(r"\s*(/\*\*?|\*)\s", line):
            found.append(line.strip().lstrip("/*"))
        else:
            match = re.search(r"(?:^|\s)" + mark + r"[/!<]*(?:\s|$)(.*)", line)
            found.append(match.group(1) if match else "\n")
    return re.sub(r" +", " ", " ".join(found))


def anchors(text):
    """GitHub's anchors of a page's headings."""
    found = {}
    for line in without_fences(text).splitlines():
        match = re.match(r"#+ (.*)", line)
        if not match:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
    return {slug + (f"-{i}" if i else "") for slug, count in found.items() for i in range(count + 1)}


def headings(text):
    """The numbers of a page's headings: "3.1" for "### 3.1 From an eye"."""
    return set(re.findall(r"^#+ (\d+(?:\.\d+)*)[. ]", without_fences(text), re.MULTILINE))


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = set(files(root))
        self.ends = {"/".join(parts[i:]) for parts in (f.split("/") for f in self.files)
                     for i in range(len(parts))}
        self.count = 0
        self.names = set(FORMS)
        for path in self.files:
            self.names.add(os.path.splitext(os.path.basename(path))[0])
            if os.path.splitext(path)[1] in CODE and not path.startswith("docs/"):
                self.names.update(re.findall(r"[A-Za-z_]\w*", self.read(path)))

    def read(self, path):
        try:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                return file.read()
        except UnicodeDecodeError:
            return ""

    def wrong_sections(self, page, sections):
        """Cited sections that a page does not have."""
        self.count += 1
        if page not in self.files:
            return [f"{page} does not exist"]
        have = headings(self.read(page))
        return [f"{page} has no section {number}"
                for number in re.findall(r"\d+(?:\.\d+)*", sections or "") if number not in have]

    def wrong_paths(self, text):
        for path in sorted(set(PATH.findall(text))):
            self.count += 1
            placeholder = re.search(r"/[A-Z]+[._]", path)
            if path not in self.ends and not placeholder:
                yield f"{path} does not exist"

    def wrong_names(self, text):
        for span in re.findall(r"`([^`\n]+)`", text):
            # CMake composes the names of tests.
            for name in NAME.findall("" if span.startswith("ctest ") else span):
                self.count += 1
                if name not in self.names:
                    yield f"{name}: no source has this name"

    def wrong_in_page(self, page):
        text = without_fences(self.read(page))
        if page != "CHANGELOG.md":
            yield from self.wrong_names(text)
        folder = os.path.dirname(page)
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            self.count += 1
            file, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(folder, file)) if file else page
            if not os.path.exists(os.path.join(self.root, path)):
                yield f"link to {target}: {path} does not exist"
            elif anchor and anchor not in anchors(self.read(path)):
                yield f"link to {target}: {path} has no such heading"
        flat = " ".join(text.split())
        for target, sections in LINK_SECTION.findall(flat):
            yield from self.wrong_sections(os.path.normpath(os.path.join(folder, target)), sections)
        yield from self.wrong_paths(re.sub(r"\]\([^)]*\)", "]", flat))
        if folder == "docs/spec":
            for name, sections in re.findall(r"(?<![\w/])([\w-]+\.md), " + SECTIONS, flat):
                yield from self.wrong_sections("docs/spec/" + name, sections)
            own = re.sub(r"\.md[`)]*,? " + SECTIONS, ".md", flat)
            for match in re.finditer(r"\b" + SECTIONS, own):
                yield from self.wrong_sections(page, match.group(1))

    def wrong_in_code(self, path):
        text = comments(path, self.read(path))
        for page, sections in SPEC.findall(text):
            yield from self.wrong_sections("docs/spec/" + page, sections)
        called = re.search(r"docs/spec/([\w-]+\.md) \(\"spec\"\)", text)
        for sections in SHORT.findall(text):
            if called is None:
                yield f"spec, section {sections}: of which page?"
            else:
                yield from self.wrong_sections("docs/spec/" + called[1], sections)
        yield from self.wrong_paths(text)

    def wrong(self):
        for path in sorted(self.files):
            if path.endswith(".md"):
                found = self.wrong_in_page(path)
            elif os.path.splitext(path)[1] in CODE:
                found = self.wrong_in_code(path)
            else:
                continue
            for problem in found:
                yield f"{path}: {problem}"


def broken():
    """A tree with one broken citation of each kind, and one correct citation."""
    pages = {
        "docs/spec/a.md": "# A\n\n## 1. One\n\nSee section 1 and section 2, and b.md, section 7.\n",
        "docs/spec/b.md": "# B\n\n### 7.1 Deep\n",
        "docs/page.md": "[a](spec/a.md) [b](spec/c.md) [c](spec/a.md#one) [d](spec/a.md#1-one)\n"
                        "[e](spec/b.md), section 7.1 and [f](spec/b.md), section 7.2;\n"
                        "`spec/a.md`, `other/gone.hpp`, `GoneName`, `gsm_here`\n",
        "rtl/gsm_here.sv": "module gsm_here;\n",
        "sw/x.cpp": "// docs/spec/a.md, sections 1\n// and 3; docs/spec/gone.md; docs/page.md\n"
                    "int a;  // spec, section 1\n",
        "sw/y.cpp": "/// docs/spec/b.md (\"spec\")\n/// (spec, section 7.1; spec, section 8)\n",
    }
    expected = ["docs/page.md: docs/spec/b.md has no section 7.2",
                "docs/page.md: GoneName: no source has this name",
                "docs/page.md: link to spec/a.md#one: docs/spec/a.md has no such heading",
                "docs/page.md: link to spec/c.md: docs/spec/c.md does not exist",
                "docs/page.md: other/gone.hpp does not exist",
                "docs/spec/a.md: docs/spec/a.md has no section 2",
                "docs/spec/a.md: docs/spec/b.md has no section 7",
                "sw/x.cpp: docs/spec/a.md has no section 3",
                "sw/x.cpp: docs/spec/gone.md does not exist",
                "sw/x.cpp: docs/spec/gone.md does not exist",
                "sw/x.cpp: spec, section 1: of which page?",
                "sw/y.cpp: docs/spec/b.md has no section 8"]
    with tempfile.TemporaryDirectory() as root:
        for path, text in pages.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found = sorted(Tree(root).wrong())
    expected.sort()
    for line in sorted(set(found) ^ set(expected)):
        print("expected" if line in expected else "found", line)
    return found != expected


def main():
    if sys.argv[1:] == ["--broken"]:
        return broken()
    tree = Tree(sys.argv[1])
    found = list(tree.wrong())
    print("\n".join(found))
    print(f"{tree.count} citations, {len(found)} lead nowhere")
    return 1 if found or tree.count < 100 else 0


sys.exit(main())
