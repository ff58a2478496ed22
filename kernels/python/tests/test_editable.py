"""Editable installs lead to the side under test, or nowhere."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

import support  # noqa: F401
from perfgate import _editable

SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]


class ByMapping:
    """As setuptools and scikit-build-core install them."""

    def __init__(self, places):
        self.places = places

    def find_spec(self, name, path=None, target=None):
        place = self.places.get(name)
        if place is None:
            return None
        if os.path.isdir(place) and not os.path.exists(os.path.join(place, "__init__.py")):
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [place]
            return spec
        if os.path.isdir(place):
            return importlib.util.spec_from_file_location(name, os.path.join(place, "__init__.py"), submodule_search_locations=[place])
        return importlib.util.spec_from_file_location(name, place)


class Editable(unittest.TestCase):
    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = os.path.realpath(top.name)
        path, meta, modules = sys.path[:], sys.meta_path[:], set(sys.modules)

        def restore():
            sys.path[:], sys.meta_path[:] = path, meta
            for name in set(sys.modules) - modules:
                del sys.modules[name]

        self.addCleanup(restore)

    def write(self, name, text=""):
        path = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def redirect(self, side, checkout="checkout"):
        _editable.redirect(os.path.join(self.top, side), [os.path.join(self.top, checkout)])

    def test_a_path_leads_to_the_side(self):
        for side in ("checkout", "base"):
            self.write(f"{side}/python/pg_demo.py", f"WHERE = {side!r}")
        sys.path.append(os.path.join(self.top, "checkout/python"))
        self.redirect("base")
        self.assertEqual(importlib.import_module("pg_demo").WHERE, "base")
        self.assertNotIn(os.path.join(self.top, "checkout/python"), sys.path)

    def test_a_finder_leads_to_the_side(self):
        for side in ("checkout", "base"):
            self.write(f"{side}/lib/pg_pack/__init__.py", f"WHERE = {side!r}")
            self.write(f"{side}/lib/pg_pack/inner.py", f"WHERE = {side!r}")
            self.write(f"{side}/lib/pg_space/part.py", f"WHERE = {side!r}")
        self.write("checkout/lib/pg_new/__init__.py")
        lib = os.path.join(self.top, "checkout/lib")
        sys.meta_path.append(ByMapping({name: os.path.join(lib, name) for name in ("pg_pack", "pg_space", "pg_new")}))
        self.redirect("base")
        for name in ("pg_pack", "pg_pack.inner", "pg_space.part"):
            self.assertEqual(importlib.import_module(name).WHERE, "base", name)
        with self.assertRaises(ModuleNotFoundError):  # base does not have it, whatever the checkout has
            importlib.import_module("pg_new")

    def test_the_side_that_is_the_checkout(self):
        self.write("checkout/lib/pg_own/__init__.py", "WHERE = 'checkout'")
        sys.meta_path.append(ByMapping({"pg_own": os.path.join(self.top, "checkout/lib/pg_own")}))
        self.redirect("checkout", "base")
        self.assertEqual(importlib.import_module("pg_own").WHERE, "checkout")

    def test_an_extension_that_was_built_in_the_checkout(self):
        place = self.write("checkout/lib/pg_fast" + SUFFIX)
        sys.meta_path.append(ByMapping({"pg_fast": place}))
        self.redirect("base")
        with self.assertRaises(ImportError) as caught:
            importlib.import_module("pg_fast")
        self.assertIn("pg_fast is an extension of an editable install, built in the checkout", str(caught.exception))
        self.assertIn('"build: {command: ...}"', str(caught.exception))

    def test_another_repository_is_refused(self):
        sys.meta_path.append(ByMapping({"pg_by_finder": os.path.dirname(self.write("other/pg_by_finder/__init__.py"))}))
        self.write("other/more/pg_by_path.py")
        sys.path.append(os.path.join(self.top, "other/more"))
        self.redirect("base")
        for name in ("pg_by_finder", "pg_by_path"):
            with self.assertRaises(ImportError) as caught:
                importlib.import_module(name)
            self.assertIn(f"{name} is an editable install of {self.top}/other/", str(caught.exception))
            self.assertIn("outside of this repository: both sides would run what lies there", str(caught.exception))

    def test_the_innermost_folder_counts(self):
        places = _editable.Places(os.path.join(self.top, "base"), [sys.prefix + "/src/checkout"])
        self.assertEqual(places.moved(sys.prefix + "/src/checkout/k.py"), os.path.join(self.top, "base/k.py"))
        self.assertEqual(places.moved(os.__file__), os.path.realpath(os.__file__))


if __name__ == "__main__":
    unittest.main()
