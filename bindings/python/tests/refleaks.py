# SPDX-License-Identifier: MIT
"""Runs each test of four modules several times, and looks for references that are not
returned.

    python3-dbg refleaks.py

It needs a debug build of Python, and a module that was compiled for this build: both count
all references.  The first runs fill caches and are not counted.  A test leaks if each later
run adds more references than a test that does nothing.  The last line is
`N passed, N failed`.
"""
from __future__ import annotations

import gc
import io
import sys
import unittest
from collections.abc import Iterator

import test_async
import test_life
import test_schema
import test_sync

WARM, RUNS = 3, 4

# Skip the tests that call these functions, because these tests run another process, whose
# references are not counted here.
ELSEWHERE = {"run_python", "check_exit"}


def count() -> int:
    """Returns the number of references that exist."""
    for _ in range(3):
        gc.collect()
    return int(getattr(sys, "gettotalrefcount")())


def tests(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    """Returns the single tests."""
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from tests(each)
        elif isinstance(each, unittest.TestCase):
            yield each


def run_once(name: str) -> str:
    """Runs a test.  Returns what went wrong, or nothing."""
    runner = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0)
    result = runner.run(unittest.defaultTestLoader.loadTestsFromName(name))
    return "".join(text for _, text in result.failures + result.errors)


class Nothing(unittest.TestCase):
    """What this program itself adds."""

    def test_nothing(self) -> None:
        """Does nothing."""


def leak(name: str, own: int) -> tuple[str, int]:
    """Runs a test several times.  Returns what went wrong, or nothing, and the growth."""
    grown = []
    for number in range(WARM + RUNS):
        before = count()
        failure = run_once(name)
        if failure:
            return failure, 0
        if number >= WARM:
            grown.append(count() - before)
    lost = min(grown) > own
    return f"references that were not returned: {grown}" if lost else "", max(grown)


def main() -> int:
    """Runs all tests."""
    if not hasattr(sys, "gettotalrefcount"):
        print("refleaks: this Python does not count references")
        return 2
    passed, failed = 0, 0
    _, own = leak("refleaks.Nothing.test_nothing", 0)
    loader = unittest.defaultTestLoader
    for module in (test_sync, test_async, test_schema, test_life):
        for test in tests(loader.loadTestsFromModule(module)):
            method = getattr(test, test.id().rpartition(".")[2])
            if ELSEWHERE.intersection(method.__code__.co_names):
                continue
            wrong, _ = leak(test.id(), own)
            failed += bool(wrong)
            passed += not wrong
            if wrong:
                print(f"{test.id()}: {wrong}")
    # Run these tests only once, because they run other processes.  One of these processes
    # counts references itself.
    wrong = run_once("test_interpreters")
    failed += bool(wrong)
    passed += not wrong
    if wrong:
        print(f"test_interpreters: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
