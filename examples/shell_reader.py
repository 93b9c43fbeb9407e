# This is not a hook by itself: block_destructive.sh imports it from its own folder. It reads a shell's text (words, quotes, operators,
# substitutions, heredocs) into the commands that it would run. It runs nothing, opens no file and judges nothing.
import os, re

UNKNOWN = "\0"  # stands in a word for what only a running shell knows
SHARED = r"(?P<open>\$\()|(?P<tick>`)|(?P<parameter>\$(?:[A-Za-z_]\w*|[0-9@*#?!$-]|\{(?:[^{}]|\{[^{}]*\})*\}))"
QUOTED = re.compile(rf"""{SHARED}|\\(?P<escape>[$`"\\])|(?P<quote>")|(?P<literal>\\\n|[^\\$`"]+|[\\$])""")
PLAIN = re.compile(
    r"""(?P<join>\\\n)|\\(?P<escape>[^\n]?)|'(?P<single>[^']*)'?|\$'(?P<ansi>(?:\\.|[^'\\])*)'?|(?P<quote>\$?")"""
    rf"""|(?P<number>\$?\(\([^()`]*\)\))|{SHARED}|(?P<reach>[<>]\()|(?P<operator>&>>?|<<<|<<-?|<>|>>|>\||>&|<&|>|<|&&|\|\||\|&|;;&?|;&|[;&|()\n])"""
    r"""|(?P<comment>(?<![^\s;&|()])#[^\n]*)|(?P<space>[^\S\n]+)|(?P<literal>[^\s\\'"$`&|;<>()]+|\$)""", re.S)
HEREDOC = re.compile(r"[ \t]*(['\"\\]?)([^\s'\"<>|&;()]+)['\"]?")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.S)
OPEN, CLOSE, COMMA = "\1\2\3"  # stand in a word for the braces and commas that are not quoted
MARKED, SHOWN = str.maketrans("{},", OPEN + CLOSE + COMMA), str.maketrans(OPEN + CLOSE + COMMA, "{},")
SEQUENCE = re.compile(r"(?:(-?\d{1,6})\.\.(-?\d{1,6})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.-?\d{1,6})?")
STARTUP = set("BASH_ENV ENV PROMPT_COMMAND PS0 PS1 PS4".split())  # variables whose text, or file, a shell runs by itself
KEYWORDS = set("if then elif else while until do ! { } time coproc export local declare readonly typeset".split())
SHELLS = set("sh bash dash zsh ksh ash fish su".split())
WRAPPERS = set(
    "sudo doas pkexec env nohup nice ionice time timeout stdbuf setsid command exec builtin busybox toybox xargs parallel chroot watch flock runuser sg ssh"
    " script unbuffer unshare nsenter setpriv capsh prlimit taskset chrt numactl cpulimit setarch linux32 linux64 arch strace ltrace systemd-run fakeroot proot"
    " firejail bwrap tini entr caffeinate dbus-run-session xvfb-run".split())
LOADER = re.compile(r"ld(?:-linux|-musl)?[\w-]*\.so.*")


class TooDeep(Exception):
    """The text nests deeper than it is read. Nothing can be said about it, so it must not pass."""


def expanded(word):
    """The words that a shell makes of one with braces: `r{m,} -rf` runs rm. Braces that make nothing stay as they are."""
    if OPEN not in word:
        return [word.translate(SHOWN)]
    pieces, levels = re.split(f"([{OPEN}{CLOSE}{COMMA}])", word), [([], [""])]
    for piece in pieces:
        done, now = levels[-1]
        if piece == OPEN:
            levels.append(([], [""]))
        elif piece == COMMA and len(levels) > 1:
            levels[-1] = (done + now, [""])
        elif piece == CLOSE and len(levels) > 1:
            levels.pop()
            steps = SEQUENCE.fullmatch(now[0])
            made = done + now if done else sequence(steps) if steps else ["{" + inner + "}" for inner in now]
            levels[-1] = (levels[-1][0], [start + end for start in levels[-1][1] for end in made])
        else:
            levels[-1] = (done, [start + piece.translate(SHOWN) for start in now])
        if len(pieces) > 1000 or len(levels) > 50 or sum(map(len, levels[-1][1])) > 100_000 or len(levels[-1][0]) + len(levels[-1][1]) > 1000:
            raise TooDeep("braces that make more words than are read")
    while len(levels) > 1:
        done, now = levels.pop()
        levels[-1] = (levels[-1][0], [start + "{" + ",".join(done + now) for start in levels[-1][1]])
    return levels[0][1]


def sequence(steps):
    first, last = (ord(steps[3]), ord(steps[4])) if steps[3] else (int(steps[1]), int(steps[2]))
    if abs(first - last) > 1000:
        raise TooDeep("braces that make more words than are read")
    numbers = range(min(first, last), max(first, last) + 1)
    return [chr(number) if steps[3] else str(number) for number in numbers]


def options(args):
    """The letters of the short options, the long options, the operands."""
    end = args.index("--") if "--" in args else len(args)
    flags = [arg for arg in args[:end] if arg.startswith("-") and len(arg) > 1]
    operands = [arg for arg in args[:end] if arg not in flags] + args[end + 1:]
    return "".join(flag[1:] for flag in flags if flag[1] != "-"), [flag for flag in flags if flag[1] == "-"], operands


class Frame:
    """A command line being read: the outermost one, or one inside `$(…)`, backticks or parentheses."""
    def __init__(self, cwd, closing="", value=None, is_file=False):
        self.is_file = is_file  # `<(…)`: what it prints is a file's text
        self.stages, self.word, self.wants, self.in_quotes, self.sign = [], None, "words", False, ""
        self.cwd, self.closing, self.value = cwd, closing, value
        self.new_stage()

    def new_stage(self):
        self.stages.append({"words": [], "out": [], "in": [], "stdin": []})

    def add(self, text):
        self.word = (self.word or "") + text

    def add_value(self, value, is_whole):
        """What an expansion gives: whole in quotes, in words elsewhere."""
        for piece in [value] if is_whole else re.split(r"(\s+)", value):
            if piece.isspace() and not is_whole:
                self.end_word()
            elif piece:
                self.add(piece)

    def is_pattern(self):
        """Whether a closing parenthesis would end a pattern of `case`, and not this command line."""
        words = self.stages[-1]["words"] + ([self.word.translate(SHOWN)] if self.word is not None else [])
        first = next((word for word in words if word not in KEYWORDS), "")
        return first == "case" or self.sign == ";;" and first != "esac"

    def end_word(self):
        if self.word is not None:
            self.stages[-1][self.wants].extend(expanded(self.word))
            self.word, self.wants = None, "words"


class ShellReader:
    """`scan(text)` reads in the folder `base` and calls what a subclass defines; whatever that raises ends the reading:
    judge(name, args, depth): a command, also one that sudo, xargs, `sh -c` or eval would run. `cwd` is the folder it runs in
    fed(name, args, feeder): a command that xargs gives further words, out of what the words `feeder` print ([]: unknown)
    is_judged(name): whether a word after sudo and its like is a command, where it could also be an option's value
    write(target): the target of a redirection
    outline(text): the operators and bare words of a text, for what shows in no single command"""
    def __init__(self, base):
        self.base = self.cwd = os.path.normpath(base)
        self.variables = {"HOME": "~", "PWD": self.base, "IFS": " "}

    def pipeline(self, stages, depth):
        upstream = []
        for stage in stages:
            words, assigned = list(stage["words"]), {}
            for target in stage["out"]:
                self.write(target)
            while words and (words[0] in KEYWORDS or words[0] == "function" or ASSIGNMENT.match(words[0])):
                first = words.pop(0)
                match = ASSIGNMENT.match(first)
                assigned.update([match.groups()] if match else [])
                is_named = first == "function" or first == "coproc" and KEYWORDS & set(words[1:2])
                words = words[1:] if is_named or first == "time" and words[:1] == ["-p"] else words
            for text in [text for name in STARTUP & set(assigned) for text in [assigned[name], *stage["stdin"]]]:
                self.scan(text, depth + 1)
            if words:
                self.command(words, upstream, stage["stdin"], depth)
            else:
                self.variables.update(assigned)
            upstream.append((words, stage["stdin"]))

    def command(self, words, upstream, stdin, depth):
        # In lower case: a file system that does not tell cases apart finds rm under RM.
        name, args = os.path.basename(words[0]).lower(), words[1:]
        if name in WRAPPERS or LOADER.fullmatch(name):
            self.wrapper(name, args, upstream, stdin, depth)
        elif name in SHELLS:
            self.shell(args, upstream + [([], stdin)], depth)
        elif name in (".", "source", "at", "batch"):
            self.shell(["-s"], upstream + [([], stdin)], depth)
        elif name == "eval":
            self.scan(" ".join(args[1:] if args[:1] == ["--"] else args), depth + 1)
        elif name in ("trap", "alias"):
            for text in options(args)[2][:1] if name == "trap" else [arg.partition("=")[2] for arg in args]:
                self.scan(text, depth + 1)
        elif name in ("test", "[", "[[", "let"):
            for arg in args:  # In an index, arithmetic runs what is quoted, too.
                self.scan("true " + "".join(re.findall(r"\$\([^()]*\)|`[^`]*`", arg)), depth + 1)
        elif name == "set":
            self.variables["@"] = self.variables["*"] = " ".join(options(args)[2])
        elif name == "for" and args[1:2] == ["in"]:
            self.variables[args[0]] = min(args[2:] or [""], key=lambda word: word[:1] not in ("/", "~", ".", "*", UNKNOWN))
        elif name in ("cd", "pushd"):
            to = (options(args)[2] or ["~"])[0]
            self.cwd = "/~/~" if to.startswith("~") else self.cwd if to.startswith(UNKNOWN) else os.path.join(self.cwd, to)
        else:
            self.judge(name, args, depth)

    def wrapper(self, name, args, upstream, stdin, depth):
        """Finds what sudo, env, xargs and their like run, among options whose values it need not know."""
        may_skip, is_value = name in ("timeout", "chroot", "flock", "ssh", "sg", "taskset", "chrt", "setarch", "newgrp"), False
        for place, word in enumerate(args):
            if re.search(r"\s", word) and (is_value or word.startswith("-") or name in ("watch", "ssh")):
                # env -S '…', env -S'…', flock f -c '…', ssh host '…'
                self.scan(re.sub(r"^(?:--[\w-]+=|-\w*S|-\w)", "", word), depth + 1)
            inner = os.path.basename(word).lower()
            is_known = inner in SHELLS or inner in WRAPPERS or inner == "eval" or self.is_judged(inner)
            if is_known or not (word.startswith("-") or is_value or may_skip or ASSIGNMENT.match(word)):
                words = args[place:]
                if name == "xargs" and inner in SHELLS:
                    # What takes the place of {} is only known while it runs.
                    words = [word.replace("{}", UNKNOWN) for word in words]
                self.command(words, upstream, stdin, depth + 1)
                if name == "xargs":
                    self.fed(inner, args[place + 1:], upstream[0][0] if upstream else [])
                return
            may_skip = may_skip and word.startswith("-") or is_value and may_skip
            is_value = word.startswith("-")

    def shell(self, args, upstream, depth):
        """A shell inside the shell: its text follows -c, or comes down the pipe."""
        for place, arg in enumerate(args):
            if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*|--command", arg):
                return self.scan(next((word for word in args[place + 1:] if not word.startswith("-")), ""), depth + 1)
        is_fed = "-s" in args or [os.path.basename(word) for word in options(args)[2][:1]] in ([], ["-"], ["stdin"], [UNKNOWN])
        for words, texts in upstream if is_fed else []:
            for text in texts + ([" ".join(words[1:])] if words[:1] in (["echo"], ["printf"]) else []):
                self.scan(text, depth + 1)

    def scan(self, text, depth=0):
        """Reads a shell's text to its end and hands over every command in it."""
        if depth > 10:
            raise TooDeep("commands too deeply nested to be read")
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
                is_plain = kind == "literal" and not frame.in_quotes
                frame.add("" if found == "\\\n" and kind == "literal" else found.translate(MARKED) if is_plain else found)
            elif kind == "ansi":
                frame.add(found.encode("latin-1", "replace").decode("unicode_escape", "replace"))
            elif kind in ("parameter", "number"):
                name = found[1:].strip("{}")
                if "$(" in name or "`" in name:
                    self.scan(name, depth + 1)
                frame.add_value(self.variables.get(name, UNKNOWN), frame.in_quotes and name != "@")
            elif found == frame.closing and (kind == "tick" or kind == "operator" and not frame.is_pattern()):
                self.close(frames, depth)
            elif kind in ("open", "tick", "reach"):
                made = re.compile(r"\s*(?:(pwd)|mktemp)\b").match(text, at)
                value = UNKNOWN if not made else self.cwd if made[1] else self.base + "/mktemp"
                frames.append(Frame(self.cwd, "`" if kind == "tick" else ")", value, kind == "reach"))
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
            self.close(frames, depth)
        self.outline("".join(bare))

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
        if frame.value is not None and frame.is_file:
            frames[-1].stages[-1]["stdin"].append(frame.value)
            frames[-1].add(UNKNOWN)
        elif frame.value is not None:
            frames[-1].add_value(frame.value, frames[-1].in_quotes)
