"""What the room offers, and what it must not need."""

import importlib
import pkgutil
import subprocess
import sys

import isotone.text


def test_all_names_exist() -> None:
    names = [module.name for module in pkgutil.walk_packages(isotone.text.__path__, "isotone.text.")]
    for name in ["isotone.text", *names]:
        module = importlib.import_module(name)
        assert all(hasattr(module, public) for public in module.__all__), name


def test_no_torch() -> None:
    code = "import sys, isotone.text; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
