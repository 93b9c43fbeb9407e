# This is not a hook by itself: block_destructive.sh imports it from its own folder. It reads a shell's text (words, quotes, operators,
# substitutions, heredocs) into the commands that it would run. It runs nothing, opens no file and judges nothing.
import os, re

UNKNOWN = "\0"  # stands in a word for what only a running shell knows
SHARED = r"(?P<open>\$\()|(?P<tick>`)|(?P<parameter>\$(?:[A-Za-z_]\w*|[0-9@*#?!$-]|\{(?:[^{}]|\{[^{}]*\})*\}))"
QUOTED = re.compile(rf"""{SHARED}|\\(?P<escape>[$`"\\])|(?P<quote>")|(?P<literal>\\\n|[^\\$`"]+|[\\$])""")
PLAIN = re.compile(
    r"""\\(?P<escape>[^\n]?)(?!\n)|(?P<join>\\\n)|'(?P<single>[^']*)'?|\$'(?P<ansi>(?:\\.|[^'\\])*)'?|(?P<quote>\$?")"""
    rf"""|(?P<number>\$?\(\([^()`]*\)\))|{SHARED}|(?P<reach>[<>]\()|(?P<operator>&>>?|<<<|<<-?|<>|>>|>\||>&|<&|>|<|&&|\|\||\|&|;;&?|;&|[;&|()\n])"""
    r"""|(?P<comment>(?<![^\s;&|()])#[^\n]*)|(?P<space>[^\S\n]+)|(?P<literal>[^\s\\'"$`&|;<>()]+|\$)""", re.S)
HEREDOC = re.compile(r"[ \t]*(['\"\\]?)([^\s'\"<>|&;()]+)['\"]?")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.S)
KEYWORDS = set("if then elif else while until do ! { } time coproc export local declare readonly typeset".split())
SHELLS = set("sh bash dash zsh ksh ash fish su".split())
WRAPPERS = set("sudo doas env nohup nice ionice timeout stdbuf setsid command exec builtin busybox xargs chroot watch flock runuser ssh".split())


class TooDeep(Exception):
    """The text nests deeper than it is read. Nothing can be said about it, so it must not pass."""


def options(args):
    """The letters of the short options, the long options, the operands."""
    end = args.index("--") if "--" in args else len(args)
    flags = [arg for arg in args[:end] if arg.startswith("-") and len(arg) > 1]
    operands = [arg for arg in args[:end] if arg not in flags] + args[end + 1:]
    return "".join(flag[1:] for flag in flags if flag[1] != "-"), [flag for flag in flags if flag[1] == "-"], operands


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
        if name in WRAPPERS:
            self.wrapper(name, args, upstream, stdin, depth)
        elif name in SHELLS:
            self.shell(args, upstream + [([], stdin)], depth)
        elif name == "eval":
            self.scan(" ".join(args), depth + 1)
        elif name == "for" and args[1:2] == ["in"]:
            self.variables[args[0]] = min(args[2:] or [""], key=lambda word: word[:1] not in ("/", "~", ".", "*", UNKNOWN))
        elif name in ("cd", "pushd"):
            to = (options(args)[2] or ["~"])[0]
            self.cwd = "/~/~" if to.startswith("~") else self.cwd if to.startswith(UNKNOWN) else os.path.join(self.cwd, to)
        else:
            self.judge(name, args, depth)

    def wrapper(self, name, args, upstream, stdin, depth):
        """Finds what sudo, env, xargs and their like run, among options whose values it need not know."""
        may_skip, is_value = name in ("timeout", "chroot", "flock", "ssh"), False
        for place, word in enumerate(args):
            if re.search(r"\s", word) and (is_value or name in ("watch", "ssh")):
                self.scan(word, depth + 1)  # env -S '…', flock f -c '…', ssh host '…'
            inner = os.path.basename(word)
            is_known = inner in SHELLS or inner in WRAPPERS or inner == "eval" or self.is_judged(inner)
            if is_known or not (word.startswith("-") or is_value or may_skip or ASSIGNMENT.match(word)):
                self.command(args[place:], upstream, stdin, depth + 1)
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
        for words, texts in upstream if not options(args)[2] or "-s" in args else []:
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
                frame.add("" if found == "\\\n" and kind == "literal" else found)
            elif kind == "ansi":
                frame.add(found.encode("latin-1", "replace").decode("unicode_escape", "replace"))
            elif kind in ("parameter", "number"):
                name = found[1:].strip("{}")
                if "$(" in name or "`" in name:
                    self.scan(name, depth + 1)
                frame.add_value(self.variables.get(name, UNKNOWN))
            elif found == frame.closing and (kind == "tick" or kind == "operator" and not frame.is_pattern()):
                self.close(frames, depth)
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
        if frame.value is not None:
            frames[-1].add_value(frame.value)
