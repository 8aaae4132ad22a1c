"""The order of the subpackages: each imports only from subpackages above it, and only `view` draws."""

import ast
import re
from pathlib import Path

import pytest
from forked import forked

PACKAGE = Path(__file__).resolve().parents[1] / "support"
ORDER = ["core", "text", "worlds", "model", "ancestors", "training", "generation", "inside"]
ORDER += ["alignment", "exchange", "zoo", "view"]
ONLY_VIEW = {"matplotlib", "ipywidgets"}
CHAPTER = re.compile(r"\bchapter\s+\d|\b\d\d_[a-z_]+\.ipynb|notebooks/\d\d", re.IGNORECASE)


def imported(tree: ast.AST, package: tuple[str, ...]) -> set[str]:
    """The full names of the modules that a file imports, wherever in the file."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            names.add(module)
            names |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("optional", "import_module"):
            names |= {
                a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)
            }
    return names


def breaches(package: Path) -> list[str]:
    """One sentence for each import that goes the wrong way, and each mention of a chapter's number."""
    found = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        place = parts[:-1]
        # A command stands at the end of the order: it may import from everywhere, and nothing imports it.
        subpackage = parts[1] if len(parts) > 2 and path.name != "__main__.py" else None
        text = path.read_text(encoding="utf8")
        where = "/".join(parts)
        for name in sorted(imported(ast.parse(text), place)):
            top, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if top in ONLY_VIEW and subpackage != "view":
                found.append(f"{where} imports {top}: only view draws")
            lower = subpackage in ORDER and other in ORDER and ORDER.index(other) > ORDER.index(subpackage)
            if lower and top == package.name:
                found.append(f"{where} imports upwards, {subpackage} from {other}")
        if CHAPTER.search(text):
            found.append(f"{where} knows a chapter: {CHAPTER.search(text).group()!r}")
    return found


def test_no_file_of_the_package_has_more_than_300_lines():
    lengths = {path: len(path.read_text(encoding="utf8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert not [path.relative_to(PACKAGE) for path, lines in lengths.items() if lines > 300]


def test_the_package_tells_its_order_as_it_is():
    """The list in its first lines, those on the disk, and the page that it points to."""
    listed = re.search(r"`(core, .*?)`", (PACKAGE / "__init__.py").read_text(encoding="utf8"))[1].split(", ")
    there = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file()}
    assert listed == [name for name in ORDER if name in there] and set(listed) == there
    page = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf8")
    assert "## Where things live" in page and all(name in page for name in listed)


def test_every_room_keeps_the_order():
    assert breaches(PACKAGE) == []


def test_the_subpackages_are_the_ones_of_the_design():
    there = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()}
    assert there <= set(ORDER)
    assert there >= set(ORDER) - {"alignment"}


@pytest.mark.parametrize(
    "subpackage, line, sentence",
    [
        ("text", "from support.model import GPT", "text from model"),
        ("text", "import support.view.plots", "text from view"),
        ("core", "def f():\n    from support import zoo", "core from zoo"),
        ("model", "from ..training import train", "model from training"),
        (
            "model",
            "from support.core import optional\nplt = optional('matplotlib.pyplot', extra='x')",
            "only view",
        ),
        ("inside", "import ipywidgets as w", "only view"),
        ("inside", "# as in chapter 12", "knows a chapter"),
    ],
)
def test_a_breach_is_found(tmp_path, subpackage, line, sentence):
    for name in ORDER:
        (tmp_path / "support" / name).mkdir(parents=True)
        (tmp_path / "support" / name / "__init__.py").write_text("")
    assert breaches(tmp_path / "support") == []
    (tmp_path / "support" / subpackage / "module.py").write_text(line)
    found = breaches(tmp_path / "support")
    assert found and all(sentence in breach for breach in found)


def test_a_command_may_import_from_everywhere_and_is_imported_by_nothing():
    commands = [path.parent.name for path in PACKAGE.rglob("__main__.py")]
    assert "training" in commands
    for path in PACKAGE.rglob("*.py"):
        names = imported(
            ast.parse(path.read_text(encoding="utf8")), path.relative_to(PACKAGE.parent).parts[:-1]
        )
        assert not any(name.endswith("__main__") for name in names), path


def test_downward_and_inner_imports_pass(tmp_path):
    (tmp_path / "support" / "model").mkdir(parents=True)
    lines = "from support.core import need\nfrom . import norms\nfrom support.model.norms import RMSNorm\n"
    (tmp_path / "support" / "model" / "block.py").write_text(lines)
    assert breaches(tmp_path / "support") == []


def test_the_library_imports_nothing_that_only_the_book_needs():
    """What a builder imports brings neither plots nor notebooks nor scikit-learn, transformers or UMAP."""
    above = [name for name in ORDER if name != "view" and (PACKAGE / name / "__init__.py").exists()]
    heavy = ["matplotlib", "IPython", "ipywidgets", "sklearn", "scipy", "umap", "transformers", "tokenizers"]
    heavy += ["mcp", "anyio", "faiss", "peft"]
    code = (
        f"import sys, {', '.join(f'support.{name}' for name in above)}\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = forked(code)
    assert done.stdout.strip() == "[]", done.stderr


def test_loading_a_model_does_not_load_the_compiler():
    """It takes longer than all else together; drawing on the meta device would load it."""
    code = (
        "import sys; from support import zoo; zoo.load('calling-game'); print('torch._dynamo' in sys.modules)"
    )
    done = forked(code)
    assert done.stdout.split() == ["False"], done.stderr[-500:]
