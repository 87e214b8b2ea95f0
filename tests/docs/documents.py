"""Markdown, as far as the suite needs it: fenced blocks, code spans, links, headings."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_LIST_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")
# Neither spans nor links go beyond their paragraph.
_WITHIN = r"(?:(?!\n[ \t]*\n).)"
_SPAN = re.compile(rf"(?<!`)(`+)(?!`)({_WITHIN}+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(rf"\[{_WITHIN}*?\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'(][^)]*)?\)", re.DOTALL)
_DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)


@dataclass
class Block:
    """A fenced block. `line` is that of its fence; `marks` are the words behind the language."""

    line: int
    language: str
    marks: list
    lines: list
    closed: bool = True


@dataclass
class Found:
    """A piece of running text, and the line it is on."""

    line: int
    text: str


class Document:
    def __init__(self, path):
        self.path = path
        self.blocks = []
        prose = self._without_code(path.read_text(encoding="utf-8").splitlines())
        prose = _COMMENT.sub(_blank, prose)
        self.headings = [_slug(heading) for heading in _HEADING.findall(prose)]
        self.spans = self._find(_SPAN, prose, 2)
        prose = _SPAN.sub(_blank, prose)
        self.links = self._find(_LINK, prose, 1) + self._find(_DEFINITION, prose, 1)

    @staticmethod
    def _find(pattern, text, group):
        return [Found(text.count("\n", 0, m.start()) + 1, m[group]) for m in pattern.finditer(text)]

    def _without_code(self, lines):
        """Collects the fenced blocks; returns the rest, with empty lines where there was code."""
        prose = []
        block = fence = None
        in_list = in_code = False
        for number, line in enumerate(lines, 1):
            found = _FENCE.match(line)
            if block is not None:
                if found and found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip():
                    block.closed = True
                    block = None
                else:
                    block.lines.append(line)
                prose.append("")
            elif found:
                fence = found[1]
                language, *marks = found[2].split() or [""]
                block = Block(number, language, marks, [], closed=False)
                self.blocks.append(block)
                prose.append("")
            else:
                # Four spaces after an empty line are code too, but below an item of a list they belong to it.
                indented = line.startswith("    ")
                if line.strip():
                    in_code = indented and not in_list and (in_code or not prose or not prose[-1].strip())
                    if not indented:
                        in_list = bool(_LIST_ITEM.match(line)) or (in_list and bool(prose[-1].strip()))
                prose.append("" if in_code else line)
        return "\n".join(prose)


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def _slug(heading):
    """Returns the name of a link to a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
