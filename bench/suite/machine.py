"""machine.py - where and with what it was measured."""
import os
import platform
import subprocess
import time


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def field_of(path, name):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(name):
                return line.split(":", 1)[1].strip()
    return "unknown"


def caches():
    found = [line.split(":", 1) for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines()]
    return ", ".join(f"{name.strip()} {value.strip()}" for name, value in found if name.strip() in ("L2 cache", "L3 cache"))


def moment(bench):
    """When a section was measured, on what, and how busy the machine was at its start."""
    about = facts(bench)
    return {"date": time.strftime("%Y-%m-%d %H:%M"), "commit": first_line("git", "describe", "--always", "--dirty"),
            "load": round(os.getloadavg()[0], 1), "machine": f"{about['processor']} ({about['caches']}, {about['vectors']})"}


def facts(bench):
    kilobytes = int(field_of("/proc/meminfo", "MemTotal").split()[0])
    vectors = [name for name in ("avx2", "avx512f") if name in field_of("/proc/cpuinfo", "flags").split()]
    return {
        "processor": field_of("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "caches": caches(),
        "vectors": ", ".join(vectors) or "none",
        "memory": f"{kilobytes * 1024 / 1e9:.0f} GB",
        "system": f"{field_of_release()}, Linux {platform.release()}",
        "compiler": first_line("gcc", "--version"),
        "smerf": first_line(str(bench.build / "smerf"), "--version"),
        "python": platform.python_version(),
        "r": first_line("Rscript", "-e", "cat(R.version.string)"),
    }


def field_of_release():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def versions(sections):
    """Those that the tools told of themselves."""
    found = {row["version"] for section in sections for row in section["rows"] if row.get("version")}
    return sorted(found - {"plain reading"}, key=str.lower)
