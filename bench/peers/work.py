"""work.py - what the other tools' sides share: words of the form name=value, time and memory of one piece of work."""
import json
import sys
import time

WORDS = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)


def count(name):
    return int(WORDS[name])


def memory_mb(field):
    """VmRSS: what the process holds; VmHWM: the most that it ever held."""
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024 / 1e6
    return None


class Work:
    """`with Work() as work:` times its body; work.tell(...) then prints one line of JSON."""

    def __enter__(self):
        self.before_mb = memory_mb("VmRSS")
        self.cpu_seconds = time.process_time()
        self.seconds = time.perf_counter()
        return self

    def __exit__(self, kind, value, trace):
        self.seconds = time.perf_counter() - self.seconds
        self.cpu_seconds = time.process_time() - self.cpu_seconds
        self.peak_mb = memory_mb("VmHWM")

    def tell(self, **further):
        print(json.dumps({**vars(self), **further}), flush=True)
