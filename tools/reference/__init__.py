"""Pages of the reference, written from the code before each build of the site.

Each page comes from what the program itself uses: commands from their help pages, Python names from their docstrings,
measures from the catalogue, study files from the options of a study, errors from the statements that raise them.
"""

from __future__ import annotations

from pathlib import Path

from tools.reference import api, commands, errors, measures, study_file

FOLDERS = ("api", "commands", "errors")
PAGES = ("errors.md", "measures.md", "study-file.md")


def write_reference(folder: Path) -> list[Path]:
    """Write the pages into a folder of the site; the paths of those that changed.

    A page that is as it was is left alone, so that Sphinx reads it no second time; one that is of nothing anymore is
    removed.
    """
    docs = folder.parent
    pages = {
        **commands.pages(docs),
        **api.pages(),
        **errors.pages(),
        "measures.md": measures.page(),
        "study-file.md": study_file.page(),
    }
    written = {folder / name: text for name, text in pages.items()}
    for inner in FOLDERS:
        (folder / inner).mkdir(parents=True, exist_ok=True)
        for old in (folder / inner).iterdir():
            if old not in written:
                old.unlink()
    changed = [path for path, text in written.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in changed:
        path.write_text(written[path], encoding="utf-8")
    return changed
