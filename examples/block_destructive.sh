#!/bin/sh
# pre_tool_call: blocks commands that destroy what cannot be restored. It reads a command as a shell would (quotes, `;`,
# pipes, `$(…)`, `sh -c`, sudo, xargs, heredocs) and judges what stands at command position: `echo "rm -rf /"` passes,
# `sudo \rm -fr /` does not. It runs nothing. What only a running shell could know (`rm -rf "$x"`) counts as
# destructive. The folder of such a `cd` counts as the one before. It does not judge what another language, a script on
# disk or the output of a program does, nor what destroys without a word for it (`> notes.txt`, `mv`, `rsync`).
# It needs shell_reader.py beside it: the entry's `files:` names it, so that both are sealed together.
# -I: no module of the workspace is imported, so nobody can plant a json.py there that answers for this guard. -B: no
# bytecode is written beside it.
exec python3 -ISB /dev/fd/3 "$0" "$@" 3<<'PY'
import itertools, json, os, re, shlex, sys

# Last, so that no file in this folder can take the place of a standard module.
sys.path.append(os.path.dirname(os.path.realpath(sys.argv[1])))
try:
    from shell_reader import UNKNOWN, ShellReader, TooDeep, options
except Exception as error:  # Without it no command can be judged, so none passes.
    found = "none" if isinstance(error, ModuleNotFoundError) else f"one that cannot be used ({type(error).__name__})"
    print(json.dumps({"decision": "block", "reason": f"Expected shell_reader.py beside block_destructive.sh, got {found}, so no command can be "
        "judged. The person can put it there, name it under `files` of this hook's entry, and approve the hook again."}))
    sys.exit(1 if sys.argv[2:] else 0)

EVENTS = ("pre_tool_call", "on_permission_request")
FORK_BOMB = re.compile(r"([^\s(){}|&;]{1,64})\s*(?:\(\s*\))?\s*\{\s*\1\s*\|\s*\1\s*&")
DEVICE = re.compile(r"/dev/(?!(?:null|zero|full|u?random|std(?:in|out|err)|tty\w*|pts/\d+|fd/\d+|shm/.*|tcp/.*|udp/.*)$)")
ERASER = re.compile(r"mkfs(\..*)?|mke2fs|mkswap|newfs.*|blkdiscard|wipefs|shutdown|reboot|halt|poweroff")
JUDGED = set("rm find chmod chown chgrp dd git tee cp mv shred init systemctl".split())
TEXT_KEYS = set("command cmd script shell commands argv".split())


class Destructive(Exception):
    pass


def shown(word):
    return "".join(char if char.isprintable() else "…" for char in word)[:80]


def is_recursive(args):
    short, long, _ = options(args)
    return bool({"r", "R"} & set(short)) or any(len(flag) > 2 and "--recursive".startswith(flag) for flag in long)


class Judge(ShellReader):
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

    def write(self, target):
        if self.is_device(target):
            raise Destructive("a write to a device")

    def outline(self, text):
        if FORK_BOMB.search(text):
            raise Destructive("a fork bomb")

    def is_judged(self, name):
        return name in JUDGED or ERASER.fullmatch(name)

    def judge(self, name, args, depth):
        short, long, operands = options(args)
        if UNKNOWN in name or re.search(r"[*?\[]", name) and name not in ("[", "[["):
            name = "rm" if {"r", "f"} <= set(short.lower()) else name
        if name == "rm" and any(len(flag) > 3 and "--no-preserve-root".startswith(flag) for flag in long):
            raise Destructive("rm without its protection of /")
        elif name == "rm" and is_recursive(args):
            self.forbid("rm -r of", operands)
        elif name == "find":
            runs = [args[place + 1:] for place, arg in enumerate(args) if arg in ("-exec", "-execdir", "-ok", "-okdir")]
            if "-delete" in args or any(os.path.basename(run[0]) in ("rm", "unlink", "shred") for run in runs if run):
                places = list(itertools.dropwhile(lambda arg: re.fullmatch("-[HLP]|-O.*|-D", arg), args))
                start = next((place for place, arg in enumerate(places) if arg[:1] in ("-", "(", "!")), len(places))
                self.forbid("find deletes below", places[:start], is_strict=False)
            for run in runs:
                self.command([word for word in run if word not in ("{}", ";", "+")] or ["true"], [], [], depth + 1)
        elif name in ("chmod", "chown", "chgrp") and is_recursive(args):
            self.forbid(f"{name} -R of", operands[1:], is_strict=False)
        elif name == "dd" and any(self.is_device(arg[3:]) or arg[3:].startswith(UNKNOWN) for arg in args if arg.startswith("of=")):
            raise Destructive("dd onto a device")
        elif name in ("tee", "cp", "mv", "shred") and operands and self.is_device(operands[-1]):
            raise Destructive(f"{name} onto a device")
        elif name == "shred":
            self.forbid("shred of", operands, is_strict=False)
        elif ERASER.fullmatch(name) and not (name == "shutdown" and "c" in short):
            raise Destructive(f"{name} erases a disk or stops the machine")
        elif name == "init" and operands[:1] in (["0"], ["6"]) or name == "systemctl" and {"poweroff", "reboot", "halt"} & set(operands):
            raise Destructive(f"{name} stops the machine")
        elif name == "git" and "push" in operands:
            self.settings(args, depth)
            refs = operands[operands.index("push") + 2:]
            is_main = any(re.fullmatch(r"(refs/heads/)?(main|master)", ref.lstrip("+").split(":")[-1]) or UNKNOWN in ref for ref in refs)
            is_forced = "f" in short or "--force" in long or any(ref.startswith("+") for ref in refs)
            if "--mirror" in long or is_forced and (is_main or not refs) or is_main and ("--delete" in long or "d" in short or any(ref.startswith(":") for ref in refs)):
                raise Destructive("a forced push that can rewrite the main branch; name another branch, or use --force-with-lease")

        elif name == "git":
            self.settings(args, depth)

    def settings(self, args, depth):
        """What git's own options would have a shell run, as an alias or a pager does."""
        for option, setting in itertools.pairwise(args):
            if option == "-c" and re.search(r"=!|\s", setting):
                self.scan(setting.partition("=")[2].lstrip("!"), depth + 1)

    def fed(self, name, args, feeder):
        origin = os.path.basename(feeder[0]) if feeder else ""
        if name in ("rm", "unlink", "shred") and origin in ("find", "fd") and not is_recursive(args):
            self.forbid(f"{name} of what {origin} finds below", [word for word in feeder[1:] if word[:1] != "-"][:1], is_strict=False)
        if name != "rm" or not is_recursive(args):
            return
        if origin not in ("echo", "printf", "find", "fd", "ls", "grep", "rg", "git"):
            raise Destructive("rm -r of paths that come out of a pipe")
        self.forbid("rm -r of", " ".join(feeder[1:]).split(), is_strict=origin in ("echo", "printf"))


def command_lines(value, key=""):
    """What a tool's input would have a shell run: the texts and word lists under the usual keys, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            words = value.get("args")
            name = name.lower()  # A client in Go takes CMD for cmd.
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
    if not set(map(str.lower, given)) & TEXT_KEYS and re.search(r"(?i)bash|shell|terminal|exec|command|\bsh\b", str(payload.get("tool_name"))):
        given = {"commands": [text for text in given.values() if isinstance(text, str)]}
    try:
        for line in command_lines(given):
            reader = Judge(payload.get("cwd") or os.getcwd())
            for place in [given[name] for name in ("cwd", "workdir", "working_directory") if isinstance(given.get(name), str)]:
                reader.command(["cd", place], [], [], 0)
            reader.scan(line)
    except (Destructive, TooDeep) as found:
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
echo \\\nrm -rf / | coproc X { rm -rf /; } | time -p rm -rf / | r{m,} -rf / | {rm,-rf,/} | r{m..m} -rf / | rm -rf {/etc,} | rm -r{f,} ~ | gi{t,} push -f origin main | re{boot,} | RM -rf / | function f { rm -rf /; }; f | trap 'rm -rf /' EXIT | alias x='rm -rf /'
eval -- rm -rf / | . <(echo rm -rf /) | source <(echo rm -rf /) | bash <(echo rm -rf /) | sh < <(echo rm -rf /) | bash - <<< 'rm -rf /' | at now <<< 'rm -rf /' | BASH_ENV=<(echo rm -rf /) bash -c true | set -- rm -rf /; "$@"
script -c 'rm -rf /' /dev/null | unshare -r rm -rf / | taskset 1 rm -rf / | strace -o f rm -rf / | parallel rm -rf ::: / | env -S'rm -rf /' | env --split-string='rm -rf /' | /lib64/ld-linux-x86-64.so.2 /bin/rm -rf / | test -v 'a[$(rm -rf /)]'
find -L / -delete | find / -type f ¦ xargs rm | find / -exec unlink {} \; | echo / ¦ xargs -I{} sh -c 'rm -rf {}' | shred -u /etc/passwd | git -c alias.x='!rm -rf /' x | git push -f origin $(git branch --show-current)
sudo shutdown -h now | reboot | systemctl poweroff | git push --force origin main | git push -f | git -C x push origin +master | git push origin :main
"""
PASSED = r"""
rm -rf node_modules | rm -rf ./build dist/* | rm -rf /home/me/project/tmp | rm x.txt | rm -f * | X=build; rm -rf "$X" | rm -rf "$PWD/out" | t=$(mktemp -d); rm -rf "$t"
echo "rm -rf /" | echo 'rm -rf /' ¦ cat | grep -r "rm -rf /" . | git commit -m "never rm -rf / again" | # rm -rf / | echo rm -rf / | printf '%s' "dd of=/dev/sda" | man rm
cat > notes.md <<'EOF'\nrm -rf /\n$(rm -rf /)\nEOF | git commit -m "$(cat <<'E'\nrm -rf /\nE\n)" | cat <<-X ¦ wc\n\trm -rf /\n\tX | python3 -c 'print("rm -rf /")'
find . -name '*.pyc' -delete | find . -name x -exec rm -rf {} + | find . -name node_modules ¦ xargs rm -rf | for d in a b; do rm -rf "$d/out"; done | (cd / && ls); rm -rf out
dd if=a of=b | ls > /dev/null 2>&1 | x &> /dev/null | chmod -R u+w . | chmod 777 / | git push | git push --force origin topic | git push --force-with-lease | sudo apt install mkfs-tools | sudo -E echo "rm -rf /"
rm -rf {dist,build}/out | mkdir -p a/{b,c} && rm -rf a/{b,c} | echo {rm,-rf,/} | git show HEAD@{1} | git stash drop stash@{0} | find . -type f ¦ xargs rm | trap 'rm -rf build' EXIT | git -c user.name='A B' commit | shred -u x | diff <(ls) <(ls -a)
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


if sys.argv[2:] == ["--self-test"]:
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
