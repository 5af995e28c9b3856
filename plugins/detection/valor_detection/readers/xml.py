"""XML files that may come from anywhere: entities are refused, which could grow without end."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from valor_files import unreadable

from valor_core.errors import ReadError


def xml_root(path: Path) -> Element:
    """The outermost element of an XML file.

    Raises
    ------
    ReadError
        If it is no XML, or declares entities; names the line.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: Any) -> NoReturn:
        raise ReadError(
            f"{path}, line {parser.CurrentLineNumber}: expected XML without entities of its own, "
            "found a declaration of one",
            "Remove the DOCTYPE and its entities from the file.",
        )

    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except OSError as error:
        raise unreadable(path, error) from error
    except expat.ExpatError as error:
        raise ReadError(f"{path}, line {error.lineno}: expected XML, found: {error}") from error
    except LookupError as error:
        raise ReadError(f"{path}: expected XML in a known encoding, found: {error}") from error
    return builder.close()
