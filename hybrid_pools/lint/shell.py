"""What shell scripts in manifests do with the exit code and the signals of the program that they start. No shell is understood here: known
ways to lose a code are found, and a script that finds a new one is not."""

import re
from collections.abc import Iterator

from hybrid_pools.workload.reading import Value

_SHELLS = re.compile(r"(?:.*/)?(?:ba|da|a|k|z)?sh")
_FLAG = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*")

_WAYS = (
    (re.compile(r"\|\|\s*(?:/bin/)?(?:true|:|exit\s+0|echo|printf)(?![\w/])"), "an error is turned into success by `{}`"),
    (re.compile(r"\btrap\s+(['\"]).*?\bexit(?:\s+0)?\s*;?\s*\1", re.DOTALL), "a trap exits with 0: `{}`"),
    (re.compile(r"\btrap\s+(''|\"\"|-)\s+[\w\s]*\bTERM\b"), "the signal to stop is ignored: `{}`"),
    (re.compile(r"(?:;|(?<!&&)(?<!\\)\n|(?<!&)&(?!&))\s*exit\s+0\b"), "the script ends with `exit 0` whatever came before"),
    (re.compile(r"[;\n]\s*(?:/bin/)?(?:true|:)\s*$"), "the script ends with a command that always succeeds"),
    (re.compile(r"(?:^|[;\n&|(]\s*)(?:if|while|until)?\s*!\s+\w"), "`!` turns an error into success"),
)
_LAST_WORDS = re.compile(r"[;\n]\s*(?:echo|printf|date|sleep|rm|touch|sync|gsutil|gcloud)\b[^;&|\n]*\s*$")
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_STOPS_AT_ERRORS = re.compile(r"\bset\s+-[a-z]*e|\bset\s+-o\s+errexit")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_SEVERAL = re.compile(r"&&|;|\n|\|")
_HANDS_OVER = re.compile(r"\bexec\s+(?![0-9]*[<>])\S|\btrap\b|\bwait\b|\btini\b|\bdumb-init\b")


def scripts_of(container: Value) -> Iterator[Value]:
    """Every script that the container gives to a shell.

    Raises:
        NotReadable: Its command cannot be read.
    """
    words = [*container.of("command").items(), *container.of("args").items()]
    texts = [word.text() or "" for word in words]
    for index, text in enumerate(texts):
        if text.endswith("sh") and _SHELLS.fullmatch(text):
            for flag in range(index + 1, len(texts) - 1):
                if _FLAG.fullmatch(texts[flag]):
                    yield words[flag + 1]
                    break
                if not texts[flag].startswith("-"):
                    break


def hiding(script: str) -> Iterator[str]:
    """Every way in which the script hides how its program ended."""
    told = _without_comments(script)
    for way, saying in _WAYS:
        found = way.search(told)
        if found:
            yield saying.format(" ".join(found[0].split())[:60])
    bare = _QUOTED.sub("''", told)
    if _LAST_WORDS.search(bare) and not _STOPS_AT_ERRORS.search(bare):
        yield "the script goes on after an error, and its last command decides"
    if _PIPE.search(bare) and "pipefail" not in bare:
        yield "the last program of a pipe decides, whatever the first one ended with"


def swallowing(script: str) -> bool:
    """Whether a shell stays between the signal and the program."""
    told = _QUOTED.sub("''", _without_comments(script)).strip()
    return bool(_SEVERAL.search(told)) and not _HANDS_OVER.search(told)


def _without_comments(script: str) -> str:
    return re.sub(r"(?m)(?:^|(?<=\s))#.*$", "", script).rstrip()
