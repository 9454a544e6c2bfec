"""What shell scripts in manifests do with the exit code and the signals of the program that they start. No shell is understood here: known
ways to lose a code are found, and a script that finds a new one is not."""

import re
from collections.abc import Iterator

from hybrid_pools.workload.reading import Value

_SHELLS = re.compile(r"(?:.*/)?(?:ba|da|a|k|z)?sh")
_FLAG = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*")

_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_HOUSEKEEPING = (
    *("apt-get", "cd", "chmod", "chown", "cp", "export", "git", "kill", "ln", "ls", "mkdir", "mount", "mv"),
    *("nvidia-smi", "pip", "pkill", "rm", "sleep", "source", "sync", "test", "touch", "ulimit", "umount"),
)
"""Commands whose failure is often nobody's business. The work itself is none of them."""

_SUCCESS = re.compile(r"\|\|\s*(?:/bin/)?(?:true\b|:(?!\S)|exit\s+0\b|echo\b|printf\b)")
_ENDS_WELL = re.compile(r"(?:/bin/)?(?:true|:|exit\s+0)")
_TRAP = re.compile(r"\btrap\s+(?:'[^']{0,2000}?\bexit(?:\s+0)?\s*;?\s*'|\"[^\"]{0,2000}?\bexit(?:\s+0)?\s*;?\s*\")")
_IGNORED = re.compile(r"\btrap\s+(?:''|\"\")\s+[\w ]*\b(?:SIG)?TERM\b")
_LAST_WORD = re.compile(r"(?:echo|printf|date|sleep|rm|touch|sync|cp|mv|gsutil|gcloud|aws)\b")
_SINK = re.compile(r"(?<!\|)\|(?!\|)&?\s*(?:\S*/)?(?:awk|cat|cut|egrep|grep|head|logger|nl|sed|sort|tail|tee|tr|ts|uniq)\b")
_STOPS_AT_ERRORS = re.compile(r"\bset\s+-[a-z]*e|\bset\s+-o\s+errexit")
_SEVERAL = re.compile(r"&&|;|\n|\|")
_HANDS_OVER = re.compile(r"\bexec\s+(?![0-9]*[<>])\S|\btrap\b|\bwait\b|\btini\b|\bdumb-init\b")
_BECOMES = re.compile(r"(?:.*&&\s*)?exec\s+(?![0-9]*[<>])\S", re.DOTALL)


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
    written = _tidy(script)
    bare = _QUOTED.sub("''", written)
    statements = _statements(bare)
    last = statements[-1] if statements else ""
    if _IGNORED.search(written):
        yield "the signal to stop is ignored"
    if "pipefail" not in bare and _SINK.search(bare):
        yield "the last program of a pipe decides, whatever the first one ended with"
    elif _BECOMES.match(last):
        return  # the shell becomes the program, and nothing of the script is left to hide anything
    if _TRAP.search(written):
        yield "a trap exits with 0"
    for statement in statements:
        found = _SUCCESS.search(statement)
        if found and (statement is last or statement.split(None, 1)[0] not in _HOUSEKEEPING):
            yield f"an error is turned into success by `{' '.join(found[0].split())}`"
            break
    if len(statements) > 1 and _ENDS_WELL.fullmatch(last):
        yield f"the script ends with `{' '.join(last.split())}` whatever came before"
    elif last.startswith("! "):
        yield "`!` turns an error into success"
    elif len(statements) > 1 and _LAST_WORD.match(last) and not _STOPS_AT_ERRORS.search(bare):
        yield "the script goes on after an error, and its last command decides"


def swallowing(script: str) -> bool:
    """Whether a shell stays between the signal and the program."""
    bare = _QUOTED.sub("''", _tidy(script))
    return bool(_SEVERAL.search(bare)) and not _HANDS_OVER.search(bare)


def _tidy(script: str) -> str:
    """Without comments, without lines that are empty, with lines that go on put together."""
    joined = script.replace("\\\n", " ")
    return re.sub(r"\s*\n\s*", "\n", _COMMENT.sub("", joined)).strip()


def _statements(bare: str) -> list[str]:
    """What runs one after the other. Brackets around a part are no concern here."""
    parts = re.split(r";|\n|(?<![&>|])&(?![&>])", bare)
    return [stripped for part in parts if (stripped := part.strip().strip("(){} "))]
