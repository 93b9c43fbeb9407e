#!/bin/sh
# post_tool_call: appends one line of JSON for each call to AUDIT_FILE (an option of the entry's env; default
# .hookgate-audit.jsonl in the workspace): when, which tool, whether it failed, how long its result was. AUDIT_COMMANDS=1
# adds the beginning of a shell command, which may hold secrets. It never records what the result holds. One line is one write under a lock, so parallel calls cannot mix. It refuses a link or a
# pipe in place of the file.
exec python3 -IS /dev/fd/3 "$@" 3<<'PY'
import fcntl, json, os, stat, sys, time

EVENTS = ("post_tool_call",)


def text_or_none(value, max_chars):
    return value[:max_chars] if isinstance(value, str) else None


def append(payload, path):
    result = payload.get("tool_result")
    line = {
        "time": text_or_none(payload.get("timestamp"), 40) or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "event_id": text_or_none(payload.get("event_id"), 100),
        "tool": text_or_none(payload.get("tool_name"), 200),
        "is_error": bool(payload.get("tool_error")),
        "result_chars": len(result) if isinstance(result, str) else 0 if result is None else len(json.dumps(result, ensure_ascii=False)),
    }
    called = payload.get("tool_input")
    if os.environ.get("AUDIT_COMMANDS") == "1" and isinstance(called, dict):
        line["command"] = text_or_none(called.get("command"), 500)
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError("not a regular file")
        fcntl.flock(file, fcntl.LOCK_EX)
        os.write(file, (json.dumps(line) + "\n").encode())
    finally:
        os.close(file)


def self_test():
    import tempfile
    call = {"timestamp": "2026-01-02T03:04:05.000Z", "event_id": "e1", "tool_name": "bash", "tool_result": "secret", "tool_error": False}
    cases = (
        (call, ("bash", False, 6)), ({**call, "tool_error": True}, ("bash", True, 6)), ({**call, "tool_result": {"a": [1]}}, ("bash", False, 10)),
        ({**call, "tool_result": None}, ("bash", False, 0)), ({**call, "tool_name": "x\n\"y" * 100}, (("x\n\"y" * 100)[:200], False, 6)), ({}, (None, False, 0)),
        ({**call, "tool_name": "\ud800"}, ("\ud800", False, 6)),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "audit.jsonl")
        for payload, _ in cases:
            append(payload, path)
        for number in range(20):
            if os.fork() == 0:
                append({**call, "tool_name": f"parallel-{number}"}, path)
                os._exit(0)
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
        with open(path) as file:
            text = file.read()
        lines = [json.loads(line) for line in text.splitlines()]
        wrong = [case for case, line in zip(cases, lines) if (line["tool"], line["is_error"], line["result_chars"]) != case[1]]
        wrong += [] if {line["tool"] for line in lines[len(cases):]} == {f"parallel-{number}" for number in range(20)} else ["parallel"]
        wrong += ["content"] if "secret" in text else []
        os.environ["AUDIT_COMMANDS"] = "1"
        append({**call, "tool_input": {"command": "ls -la"}}, path + "-2")
        with open(path + "-2") as file:
            wrong += [] if json.loads(file.read()).get("command") == "ls -la" else ["command"]
        os.symlink(path, path + "-link")
        try:
            append(call, path + "-link")
            wrong.append("link")
        except OSError:
            pass
    print(f"{len(cases) + 4 - len(wrong)} passed, {len(wrong)} failed", *wrong, sep="\n  ")
    return 1 if wrong else 0


if sys.argv[1:] == ["--self-test"]:
    sys.exit(self_test())
try:
    payload = json.load(sys.stdin)
    if payload.get("event") not in EVENTS:
        sys.exit(f"Expected one of the events {', '.join(EVENTS)}, got {str(payload.get('event'))[:40]}. Move the entry to one of them")
    append(payload, os.environ.get("AUDIT_FILE") or ".hookgate-audit.jsonl")
except (ValueError, TypeError, AttributeError, RecursionError, OSError) as error:
    sys.exit(f"The call was not recorded: {type(error).__name__}{f', {error.strerror}' if isinstance(error, OSError) else ''}.")
PY
