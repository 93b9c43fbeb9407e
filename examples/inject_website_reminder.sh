#!/bin/sh
# pre_llm_call: when the folder that the agent works in has a file `.published`, whose first line is the address of its
# website, the model is reminded of it at each call. Otherwise this prints nothing. A link, a pipe or a folder of that
# name is not read: whoever can write the workspace must not be able to show the model somebody else's file. It does the
# same at the other EVENTS, at each of them.
exec python3 -IS /dev/fd/3 "$@" 3<<'PY'
import json, os, stat, sys, unicodedata

EVENTS = ("pre_llm_call", "on_user_message", "on_session_start", "on_subagent_start")
MAX_CHARS = 200


def address_in(folder):
    """The first line of the folder's `.published` in printable characters, or nothing."""
    try:
        file = os.open(os.path.join(folder, ".published"), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return ""
        line = os.read(file, 4096).decode("utf-8", "replace").lstrip("\ufeff").split("\n")[0]
    finally:
        os.close(file)
    shown = "".join(char for char in line if unicodedata.category(char)[0] not in "CZ" or char == " ")
    return " ".join(shown.split())[:MAX_CHARS]


def judge(payload):
    address = address_in(payload.get("cwd") or ".")
    if not address:
        return None
    return {"context": f"This workspace has a published website: {address}\nAfter a change to it, say that the published copy is old until it is published again."}


def self_test():
    import tempfile
    cases = (
        (b"https://my-site.example\n", "https://my-site.example"), (b"https://a.example/?q=\"x\"\\y", 'https://a.example/?q="x"\\y'), (b"first\nsecond", "first"),
        (b"", ""), (b"\n\n", ""), (b"\xef\xbb\xbfhttps://b.example\r\n", "https://b.example"), (b"a\x00\x1b[31mb\xe2\x80\xaec", "a[31mbc"),
        (b"x" * 5000, "x" * 200), (b"\xff\xfe", "\ufffd\ufffd"), ("https://例え.example".encode(), "https://例え.example"),
    )
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, ".published")
        for content, expected in cases:
            with open(path, "wb") as file:
                file.write(content)
            answer = judge({"cwd": folder})
            told = json.loads(json.dumps(answer))["context"].split("\n")[0].partition(": ")[2] if answer else ""
            if told != expected:
                wrong.append(content)
        os.rename(path, path + "-real")
        for name, make in (("none", lambda: None), ("link", lambda: os.symlink(path + "-real", path)), ("pipe", lambda: (os.remove(path), os.mkfifo(path))), ("folder", lambda: (os.remove(path), os.mkdir(path)))):
            make()
            if judge({"cwd": folder}) is not None:
                wrong.append(name)
    print(f"{len(cases) + 4 - len(wrong)} passed, {len(wrong)} failed", *wrong, sep="\n  ")
    return 1 if wrong else 0


if sys.argv[1:] == ["--self-test"]:
    sys.exit(self_test())
try:
    payload = json.load(sys.stdin)
    if payload.get("event") not in EVENTS:
        sys.exit(f"Expected one of the events {', '.join(EVENTS)}, got {str(payload.get('event'))[:40]}. Move the entry to one of them")
    answer = judge(payload)
except (ValueError, TypeError, AttributeError, RecursionError) as error:
    sys.exit(f"Expected one JSON payload on stdin, got something that cannot be read ({type(error).__name__}).")
if answer:
    print(json.dumps(answer))
PY
