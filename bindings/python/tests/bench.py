# SPDX-License-Identifier: MIT
"""Measures calls over the binding, as `bench/client calls` does in C.

    bench.py BUILD-DIRECTORY MODE [CALLS [INFLIGHT]]

MODE is `sync`, `asyncio` (tasks that await) or `gather` (one future for many calls).
Prints one line of JSON: the median of one call in us, and calls in a second.
"""
from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import Any

import mcphost
from mcphost import sync


def report(mode: str, inflight: int, times: list[float], n: int, seconds: float) -> None:
    """Prints the measures."""
    times.sort()
    print(json.dumps({"mode": mode, "inflight": inflight,
                      "p50_us": round(times[len(times) // 2] * 1e6, 2) if times else None,
                      "per_s": round(n / seconds)}))


def settings(build: str) -> dict[str, Any]:
    """Returns how the host is made."""
    return {"guard_path": os.path.join(build, "bin/mcphost-guard")}


def run_sync(build: str, n: int) -> None:
    """One call after the other."""
    with sync.Host.stdio("s", [build + "/bench/server"], **settings(build)) as host:
        dialog = host.dialog("me")
        call, clock = dialog.call, time.perf_counter
        for _ in range(1000):
            call("text64", {"n": 1}).text
        times = []
        begin = clock()
        for _ in range(n):
            t = clock()
            call("text64", {"n": 1}).text
            times.append(clock() - t)
        report("sync", 1, times, n, clock() - begin)


async def run_asyncio(build: str, n: int, inflight: int, is_gather: bool) -> None:
    """Tasks that each make one call after the other, or rounds of `inflight` calls."""
    async with mcphost.Host.stdio("s", [build + "/bench/server"],
                                  **settings(build)) as host:
        dialog = await host.dialog("me")
        call, clock = dialog.call, time.perf_counter
        times: list[float] = []

        async def work(count: int) -> None:
            for _ in range(count):
                t = clock()
                (await call("text64", {"n": 1})).text
                times.append(clock() - t)

        async def rounds(count: int) -> None:
            for _ in range(count):
                for one in await asyncio.gather(
                        *[call("text64", {"n": 1}) for _ in range(inflight)]):
                    one.text

        await work(1000)
        times.clear()
        begin = clock()
        if is_gather:
            await rounds(n // inflight)
        else:
            await asyncio.gather(*[work(n // inflight) for _ in range(inflight)])
        report("gather" if is_gather else "asyncio", inflight, times, n, clock() - begin)


def main() -> None:
    build = os.path.realpath(sys.argv[1])
    mode = sys.argv[2]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
    inflight = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if mode == "sync":
        run_sync(build, n)
    else:
        asyncio.run(run_asyncio(build, n, inflight, mode == "gather"))


if __name__ == "__main__":
    main()
