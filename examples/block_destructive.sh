#!/bin/sh
# pre_tool_call: blocks commands that destroy what cannot be had back. It reads a command as a shell would (quotes, `;`,
# pipes, `$(…)`, `sh -c`, sudo, xargs, heredocs) and judges what stands at command position: `echo "rm -rf /"` passes,
# `sudo \rm -fr /` does not. It runs nothing. What only a running shell could know (`rm -rf "$x"`) counts as
# destructive; what another language, a script on disk or the output of a program does is beyond it.
# -I: no module of the workspace is imported, so nobody can plant a json.py there that answers for this guard.
exec python3 -IS /dev/fd/3 "$@" 3<<'PY'
import json, os, re, shlex, sys

UNKNOWN = "\0"  # stands in a word for what only a running shell knows
SHARED = r"(?P<open>\$\()|(?P<tick>`)|(?P<parameter>\$(?:[A-Za-z_]\w*|[0-9@*#?!$-]|\{(?:[^{}]|\{[^{}]*\})*\}))"
QUOTED = re.compile(rf"""{SHARED}|\\(?P<escape>[$`"\\])|(?P<quote>")|(?P<literal>\\\n|[^\\$`"]+|[\\$])""")
PLAIN = re.compile(
    r"""\\(?P<escape>[^\n]?)(?!\n)|(?P<join>\\\n)|'(?P<single>[^']*)'?|\$'(?P<ansi>(?:\\.|[^'\\])*)'?|(?P<quote>\$?")"""
    rf"""|(?P<number>\$?\(\([^()`]*\)\))|{SHARED}|(?P<reach>[<>]\()|(?P<operator>&>>?|<<<|<<-?|<>|>>|>\||>&|<&|>|<|&&|\|\||\|&|;;&?|;&|[;&|()\n])"""
    r"""|(?P<comment>(?<![^\s;&|()])#[^\n]*)|(?P<space>[^\S\n]+)|(?P<literal>[^\s\\'"$`&|;<>()]+|\$)""", re.S)
HEREDOC = re.compile(r"[ \t]*(['\"\\]?)([^\s'\"<>|&;()]+)['\"]?")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.S)
FORK_BOMB = re.compile(r"([^\s(){}|&;]{1,64})\s*(?:\(\s*\))?\s*\{\s*\1\s*\|\s*\1\s*&")
DEVICE = re.compile(r"/dev/(?!(?:null|zero|full|u?random|std(?:in|out|err)|tty\w*|pts/\d+|fd/\d+|shm/.*|tcp/.*|udp/.*)$)")
ERASER = re.compile(r"mkfs(\..*)?|mke2fs|mkswap|newfs.*|blkdiscard|wipefs|shutdown|reboot|halt|poweroff")
KEYWORDS = set("if then elif else while until do ! { } time coproc export local declare readonly typeset".split())
SHELLS = set("sh bash dash zsh ksh ash fish su".split())
WRAPPERS = set("sudo doas env nohup nice ionice timeout stdbuf setsid command exec builtin busybox xargs chroot watch flock runuser ssh".split())
RISKY = SHELLS | WRAPPERS | set("rm find chmod chown chgrp dd eval git tee cp mv shred init systemctl".split())
TEXT_KEYS = set("command cmd script shell commands argv".split())


class Destructive(Exception):
    pass


def shown(word):
    return "".join(char if char.isprintable() else "…" for char in word)[:80]


def options(args):
    """The letters of the short options, the long options, the operands."""
    end = args.index("--") if "--" in args else len(args)
    flags = [arg for arg in args[:end] if arg.startswith("-") and len(arg) > 1]
    operands = [arg for arg in args[:end] if arg not in flags] + args[end + 1:]
    return "".join(flag[1:] for flag in flags if flag[1] != "-"), [flag for flag in flags if flag[1] == "-"], operands


def is_recursive(args):
    short, long, _ = options(args)
    return bool({"r", "R"} & set(short)) or any(len(flag) > 2 and "--recursive".startswith(flag) for flag in long)


class Frame:
    """A command line being read: the outermost one, or one inside `$(…)`, backticks or parentheses."""
    def __init__(self, cwd, closing="", value=None):
        self.stages, self.word, self.wants, self.in_quotes, self.sign = [], None, "words", False, ""
        self.cwd, self.closing, self.value = cwd, closing, value
        self.new_stage()

    def new_stage(self):
        self.stages.append({"words": [], "out": [], "in": [], "stdin": []})

    def add(self, text):
        self.word = (self.word or "") + text

    def add_value(self, value):
        """What an expansion gives: outside quotes it falls into words."""
        for piece in [value] if self.in_quotes else re.split(r"(\s+)", value):
            if piece.isspace() and not self.in_quotes:
                self.end_word()
            elif piece:
                self.add(piece)

    def is_pattern(self):
        """Whether a closing parenthesis would end a pattern of `case`, and not this command line."""
        words = self.stages[-1]["words"] + ([self.word] if self.word is not None else [])
        first = next((word for word in words if word not in KEYWORDS), "")
        return first == "case" or self.sign == ";;" and first != "esac"

    def end_word(self):
        if self.word is not None:
            self.stages[-1][self.wants].append(self.word)
            self.word, self.wants = None, "words"


class Judge:
    def __init__(self, base):
        self.base = self.cwd = os.path.normpath(base)
        self.variables = {"HOME": "~", "PWD": self.base, "IFS": " "}

    def forbid(self, what, paths, is_strict=True):
        """Raises for a path whose loss would hurt. Not strict: for one outside the workspace only."""
        for path in paths:
            for piece in [path] + (re.split("[{},]", path) if "{" in path else []):
                full = "/" + os.path.normpath(os.path.join(self.cwd, piece)).lstrip("/")
                inner = os.path.relpath(full, self.base).split("/")
                if piece.startswith(UNKNOWN):
                    raise Destructive(f"{what} a path that is only known while it runs")
                if piece.startswith("~") or piece and (full.count("/") == 1 or self.base == "/" or inner[0] == ".."):
                    raise Destructive(f"{what} {shown(piece)}, outside the workspace")
                if is_strict and piece and (inner == ["."] or all(re.fullmatch(r"[.!^]*[*?\[][].*?!^[]*", part) for part in inner)):
                    raise Destructive(f"{what} {shown(piece)}, all of the workspace")

    def is_device(self, word):
        return DEVICE.match("/" + os.path.normpath(os.path.join(self.cwd, word)).lstrip("/"))

    def pipeline(self, stages, depth):
        upstream = []
        for stage in stages:
            words, assigned = list(stage["words"]), {}
            if any(map(self.is_device, stage["out"])):
                raise Destructive("a write to a device")
            while words and (words[0] in KEYWORDS or ASSIGNMENT.match(words[0])):
                match = ASSIGNMENT.match(words.pop(0))
                assigned.update([match.groups()] if match else [])
            words = words[2:] if words[:1] == ["function"] else words
            if words:
                self.command(words, upstream, stage["stdin"], depth)
            else:
                self.variables.update(assigned)
            upstream.append((words, stage["stdin"]))

    def command(self, words, upstream, stdin, depth):
        name, args = os.path.basename(words[0]), words[1:]
        short, long, operands = options(args)
        if UNKNOWN in name or re.search(r"[*?\[]", name) and name not in ("[", "[["):
            name = "rm" if {"r", "f"} <= set(short.lower()) else name
        if name in WRAPPERS:
            self.wrapper(name, args, upstream, stdin, depth)
        elif name in SHELLS:
            self.shell(args, operands, upstream + [([], stdin)], depth)
        elif name == "eval":
            self.scan(" ".join(args), depth + 1)
        elif name == "for" and args[1:2] == ["in"]:
            self.variables[args[0]] = min(args[2:] or [""], key=lambda word: word[:1] not in ("/", "~", ".", "*", UNKNOWN))
        elif name in ("cd", "pushd"):
            to = (operands or ["~"])[0]
            self.cwd = "/~/~" if to.startswith("~") else self.cwd if to.startswith(UNKNOWN) else os.path.join(self.cwd, to)
        elif name == "rm" and any(len(flag) > 3 and "--no-preserve-root".startswith(flag) for flag in long):
            raise Destructive("rm without its protection of /")
        elif name == "rm" and is_recursive(args):
            self.forbid("rm -r of", operands)
        elif name == "find":
            runs = [args[place + 1:] for place, arg in enumerate(args) if arg in ("-exec", "-execdir", "-ok", "-okdir")]
            if "-delete" in args or any(os.path.basename(run[0]) in ("rm", "shred") for run in runs if run):
                start = next((place for place, arg in enumerate(args) if arg[:1] in ("-", "(", "!")), len(args))
                self.forbid("find deletes below", args[:start], is_strict=False)
            for run in runs:
                self.command([word for word in run if word not in ("{}", ";", "+")] or ["true"], [], [], depth + 1)
        elif name in ("chmod", "chown", "chgrp") and is_recursive(args):
            self.forbid(f"{name} -R of", operands[1:], is_strict=False)
        elif name == "dd" and any(self.is_device(arg[3:]) or arg[3:].startswith(UNKNOWN) for arg in args if arg.startswith("of=")):
            raise Destructive("dd onto a device")
        elif name in ("tee", "cp", "mv", "shred") and operands and self.is_device(operands[-1]):
            raise Destructive(f"{name} onto a device")
        elif ERASER.fullmatch(name) and not (name == "shutdown" and "c" in short):
            raise Destructive(f"{name} erases a disk or stops the machine")
        elif name == "init" and operands[:1] in (["0"], ["6"]) or name == "systemctl" and {"poweroff", "reboot", "halt"} & set(operands):
            raise Destructive(f"{name} stops the machine")
        elif name == "git" and "push" in operands:
            refs = operands[operands.index("push") + 2:]
            is_main = any(re.fullmatch(r"(refs/heads/)?(main|master)", ref.lstrip("+").split(":")[-1]) for ref in refs)
            is_forced = "f" in short or "--force" in long or any(ref.startswith("+") for ref in refs)
            if "--mirror" in long or is_forced and (is_main or not refs) or is_main and ("--delete" in long or "d" in short or any(ref.startswith(":") for ref in refs)):
                raise Destructive("a forced push that can rewrite the main branch; name another branch, or use --force-with-lease")

    def wrapper(self, name, args, upstream, stdin, depth):
        """Finds what sudo, env, xargs and their like run, among options whose values it need not know."""
        may_skip, is_value = name in ("timeout", "chroot", "flock", "ssh"), False
        for place, word in enumerate(args):
            if re.search(r"\s", word) and (is_value or name in ("watch", "ssh")):
                self.scan(word, depth + 1)  # env -S '…', flock f -c '…', ssh host '…'
            is_known = os.path.basename(word) in RISKY or ERASER.fullmatch(os.path.basename(word))
            if is_known or not (word.startswith("-") or is_value or may_skip or ASSIGNMENT.match(word)):
                self.command(args[place:], upstream, stdin, depth + 1)
                if name == "xargs" and os.path.basename(word) == "rm" and is_recursive(args[place + 1:]):
                    self.piped_targets(upstream[0][0] if upstream else [])
                return
            may_skip = may_skip and word.startswith("-") or is_value and may_skip
            is_value = word.startswith("-")

    def piped_targets(self, source):
        name = os.path.basename(source[0]) if source else ""
        if name not in ("echo", "printf", "find", "fd", "ls", "grep", "rg", "git"):
            raise Destructive("rm -r of paths that come out of a pipe")
        self.forbid("rm -r of", " ".join(source[1:]).split(), is_strict=name in ("echo", "printf"))

    def shell(self, args, operands, upstream, depth):
        """A shell inside the shell: its text follows -c, or comes down the pipe."""
        for place, arg in enumerate(args):
            if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*|--command", arg):
                return self.scan(next((word for word in args[place + 1:] if not word.startswith("-")), ""), depth + 1)
        for words, texts in upstream if not operands or "-s" in args else []:
            for text in texts + ([" ".join(words[1:])] if words[:1] in (["echo"], ["printf"]) else []):
                self.scan(text, depth + 1)

    def scan(self, text, depth=0):
        """Judges every command in a shell's text."""
        if depth > 10:
            raise Destructive("commands too deeply nested to be read")
        frames, bare, at, may_skip = [Frame(self.cwd)], [], 0, True
        while at < len(text):
            frame = frames[-1]
            match = (QUOTED if frame.in_quotes else PLAIN).match(text, at)
            kind, found, at = match.lastgroup, match[match.lastgroup], match.end()
            is_bare = kind in ("operator", "literal") and not frame.in_quotes
            if is_bare or bare[-1:] != [" "]:
                bare.append(found if is_bare else " ")
            if kind == "quote":
                frame.in_quotes = not frame.in_quotes
                frame.add("")
            elif kind in ("literal", "single", "escape"):
                frame.add("" if found == "\\\n" and kind == "literal" else found)
            elif kind == "ansi":
                frame.add(found.encode("latin-1", "replace").decode("unicode_escape", "replace"))
            elif kind == "parameter":
                name = found[1:].strip("{}")
                if "$(" in name or "`" in name:
                    self.scan(name, depth + 1)
                frame.add_value(self.variables.get(name, UNKNOWN))
            elif kind == "number":
                frame.add(UNKNOWN)
            elif found == frame.closing and (kind == "tick" or kind == "operator" and not frame.is_pattern()):
                frames = self.close(frames, depth)
            elif kind in ("open", "tick", "reach"):
                made = re.compile(r"\s*(?:(pwd)|mktemp)\b").match(text, at)
                value = UNKNOWN if not made else self.cwd if made[1] else self.base + "/mktemp"
                frames.append(Frame(self.cwd, "`" if kind == "tick" else ")", value))
            elif found == "(":
                self.end_pipeline(frame, depth)
                frames.append(Frame(self.cwd, ")"))
            elif kind == "operator" and ("<" in found or ">" in found):
                frame.word = None if frame.word is not None and frame.word.isdigit() else frame.word
                frame.end_word()
                frame.wants = "stdin" if found == "<<<" else "out" if ">" in found else "in"
                mark = HEREDOC.match(text, at) if may_skip and found in ("<<", "<<-") else None
                start = text.find("\n", mark.end()) + 1 if mark else 0
                end = re.compile(rf"^\t*{re.escape(mark[2])}$", re.M).search(text, start) if start else None
                may_skip = bool(end) or mark is None and may_skip  # After one without its end nothing more is skipped.
                if end:
                    body, frame.wants, at = text[start:end.start()], "words", mark.end()
                    text = text[:start] + text[end.end() + 1:]
                    frame.stages[-1]["stdin"].append(body)
                    if not mark[1]:
                        self.scan('true "' + body.replace('"', "") + '"', depth + 1)
            elif found in ("|", "|&"):
                frame.end_word()
                frame.new_stage()
            elif kind == "space":
                frame.end_word()
            elif kind == "operator" and not (found == "\n" and len(frame.stages) > 1 and frame.word is None and not frame.stages[-1]["words"]):
                self.end_pipeline(frame, depth)
                frame.sign = found
        while frames:
            frames = self.close(frames, depth)
        if FORK_BOMB.search("".join(bare)):
            raise Destructive("a fork bomb")

    def end_pipeline(self, frame, depth):
        frame.end_word()
        self.pipeline(frame.stages, depth)
        if frame.value == UNKNOWN and len(frame.stages) == 1 and frame.stages[0]["words"][:1] in (["echo"], ["printf"]):
            frame.value = " ".join(frame.stages[0]["words"][1:])
        frame.stages.clear()
        frame.new_stage()

    def close(self, frames, depth):
        frame = frames.pop()
        self.end_pipeline(frame, depth)
        self.cwd = frame.cwd if frames else self.cwd
        if frame.value is not None:
            frames[-1].add_value(frame.value)
        return frames


def command_lines(value, key=""):
    """What a tool's input would have a shell run: the texts and word lists under the usual keys, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            words = value.get("args")
            if name in TEXT_KEYS and isinstance(inner, str) and isinstance(words, list):
                inner += " " + " ".join(shlex.quote(str(word)) for word in words)
            yield from command_lines(inner, name)
    elif isinstance(value, list) and key in TEXT_KEYS - {"commands"}:
        yield " ".join(shlex.quote(str(word)) for word in value)
    elif isinstance(value, list):
        for inner in value:
            yield from command_lines(inner, key)
    elif isinstance(value, str) and key in TEXT_KEYS:
        yield value


def judge(payload):
    given = payload.get("tool_input")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            pass
    if not isinstance(given, dict):
        given = {"command": given}
    if not set(given) & TEXT_KEYS and re.search(r"(?i)bash|shell|terminal|exec|command|\bsh\b", str(payload.get("tool_name"))):
        given = {"commands": [text for text in given.values() if isinstance(text, str)]}
    try:
        for line in command_lines(given):
            reader = Judge(payload.get("cwd") or os.getcwd())
            for place in [given[name] for name in ("cwd", "workdir", "working_directory") if isinstance(given.get(name), str)]:
                reader.command(["cd", place], [], [], 0)
            reader.scan(line)
    except Destructive as found:
        return {"decision": "block", "reason": f"Blocked as destructive: {found}. Name exactly what may go, inside the workspace, or ask the person to do it."}
    return None


BLOCKED = r"""
rm -rf / | sudo rm -rf / | rm -r -f ~ | rm --recursive --force $HOME/x | rm -fr -- * | rm -rf ./* | rm -rf . | rm -rf .. | rm / -Rf | rm -rf //
\rm -rf / | /bin/rm -rf /etc | r''m -rf / | "rm" -rf "/" | $'\x72m' -rf / | rm${IFS}-rf${IFS}/ | A=1 B=2 rm -rf / | X=/; rm -rf $X | X=rm; $X -rf /
rm -rf "$DIR" | rm -rf "$DIR"/* | rm -rf /{bin,etc} | rm -rf {/etc,b} | cd / && rm -rf home | rm -rf build/../../other | rm -rf --no-preserve-root x
sh -c "rm -rf /" | bash -lc 'rm -rf ~' | sudo -u root bash -c "rm -rf /" | env -i A=1 rm -rf / | env -S 'rm -rf /' | flock f -c 'rm -rf /' | nohup nice -n 5 rm -rf / & | timeout 5 rm -rf /
echo $(rm -rf /) | echo "x `rm -rf /`" | echo "a $(echo "$(rm -rf /)")" | (rm -rf /) | { rm -rf /; } | if true; then rm -rf /; fi | true\nrm -rf / | true # x\nrm -rf /
eval "rm -rf /" | echo / ¦ xargs rm -rf | echo "rm -rf /" ¦ sh | sh -c 'eval "rm \\\n -rf /"' | bash <<< "rm -rf /" | bash <<EOF\nrm -rf /\nEOF | cat <<E\n$(rm -rf /)\nE | echo $((1<<2))\nrm -rf /
find / -delete | find ~ -name x -exec rm {} \; | find / ¦ xargs rm -rf | f() { rm -rf /; }; f | su -c 'rm -rf /' | r\m -rf / | rm \\n -rf / | case x in x) rm -rf /;; esac
dd if=/dev/zero of=/dev/sda | mkfs.ext4 /dev/sdb1 | cat x > /dev/sda | x ¦ tee /dev/nvme0n1 | :(){ :¦:& };: | b() { b ¦ b & }; b | chmod -R 777 / | chown -R me /usr | x > /dev//sda | $(echo rm -rf /) | echo "$(case x in x) rm -rf /;; y) ;; esac)" | cd /dev && x > sda | /bin/r? -rf /
sudo shutdown -h now | reboot | systemctl poweroff | git push --force origin main | git push -f | git -C x push origin +master | git push origin :main
"""
PASSED = r"""
rm -rf node_modules | rm -rf ./build dist/* | rm -rf /home/me/project/tmp | rm x.txt | rm -f * | X=build; rm -rf "$X" | rm -rf "$PWD/out" | t=$(mktemp -d); rm -rf "$t"
echo "rm -rf /" | echo 'rm -rf /' ¦ cat | grep -r "rm -rf /" . | git commit -m "never rm -rf / again" | # rm -rf / | echo rm -rf / | printf '%s' "dd of=/dev/sda" | man rm
cat > notes.md <<'EOF'\nrm -rf /\n$(rm -rf /)\nEOF | git commit -m "$(cat <<'E'\nrm -rf /\nE\n)" | cat <<-X ¦ wc\n\trm -rf /\n\tX | python3 -c 'print("rm -rf /")'
find . -name '*.pyc' -delete | find . -name x -exec rm -rf {} + | find . -name node_modules ¦ xargs rm -rf | for d in a b; do rm -rf "$d/out"; done | (cd / && ls); rm -rf out
dd if=a of=b | ls > /dev/null 2>&1 | x &> /dev/null | chmod -R u+w . | chmod 777 / | git push | git push --force origin topic | git push --force-with-lease | sudo apt install mkfs-tools | sudo -E echo "rm -rf /"
shutdown -c | echo $((2 * (3 + 4))) | cat /dev/sda | cp /dev/null x | npm run format | docker rm -f x | echo 'it''s' "rm" -rf / | cd build && rm -rf out | 'unclosed rm -rf /
"""


def self_test():
    wrong, count = [], 0
    for table, is_hit in ((BLOCKED, True), (PASSED, False)):
        for case in re.split(r" \| |\n", table.strip()):
            line = case.replace("\\n", "\n").replace("\\t", "\t").replace("¦", "|")
            count += 1
            if bool(judge({"cwd": "/home/me/project", "tool_name": "bash", "tool_input": {"command": line}})) != is_hit:
                wrong.append(case)
    print(f"{count - len(wrong)} passed, {len(wrong)} failed", *wrong, sep="\n  ")
    return 1 if wrong else 0


if sys.argv[1:] == ["--self-test"]:
    sys.exit(self_test())
try:
    answer = judge(json.load(sys.stdin))
except (ValueError, TypeError, AttributeError, RecursionError) as error:
    sys.exit(f"Expected one JSON payload on stdin, got something that cannot be read ({type(error).__name__}).")
if answer:
    print(json.dumps(answer))
PY
