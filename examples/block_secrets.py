#!/usr/bin/env python3
"""Keeps private keys, seed phrases and access tokens from leaving.

At on_outbound_message and pre_tool_call it blocks. At the other EVENTS, such as on_user_message and pre_llm_call, it
warns the person. Elsewhere there is nothing to read, so it fails and says so.
It names the kind and the length of a find, never the find itself. A find must prove itself: base58 and BIP-39 by checksum,
a JWT by its header, a 64-digit hex number by the words before it. It does not find what is encoded
on purpose (base64, a cipher).
Of a file it reads all text up to 5 MB, and the names inside a zip; it does not look into pictures, documents or packed files.
"""
import json
import os
import re
import stat
import sys

BLOCKING = ("on_outbound_message", "pre_tool_call")
# The fields that it reads at each event.
EVENTS = {
    "on_outbound_message": "notification", "pre_tool_call": "tool_input", "on_user_message": "message", "pre_llm_call": "last_user_message",
    "post_llm_call": "response", "post_tool_call": "tool_input tool_result", "transform_tool_result": "tool_result",
    "on_completion_claim": "summary response", "on_stop": "response", "on_session_start": "initial_prompt",
}
MAX_FILE, MAX_BINARY, MAX_NAMES = 5_000_000, 25_000_000, 10_000
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

# Kind, what must be in the text for the pattern to be tried at all (compiling costs more than searching), pattern.
TOKENS = (
    ("private key (PEM)", "PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,120}?(?:[A-Za-z0-9+/=]\s?){40}"),
    ("private key (PuTTY)", "PuTTY-User-Key", r"Private-Lines: \d{1,3}\s{1,4}(?:[A-Za-z0-9+/=]\s?){40}"),
    ("private key (age)", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    ("GitHub token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    ("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{60,255}"),
    ("GitLab token", "glpat-", r"\bglpat-[\w-]{20,255}"),
    ("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{34}\b"),
    ("API key (sk-)", "sk-", r"(?<![\w-])sk-[\w-]{20,255}"),
    ("AWS access key id", "IA", r"(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("AWS secret key", "ecret", r"(?i:secret_?access_?key)\W{1,6}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"),
    ("Slack token", "xox", r"\bxox[abeoprs]-(?=[A-Za-z-]{0,40}\d)[A-Za-z0-9-]{10,255}"),
    ("Slack token", "xapp-", r"\bxapp-\d-[A-Za-z0-9-]{20,255}"),
    ("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,}"),
    ("Telegram bot token", ":", r"(?<!\d)\d{6,12}:(?=[\w-]{0,34}[A-Z])(?=[\w-]{0,34}[a-z])[\w-]{35}(?![\w-])"),
    ("Google API key", "AIza", r"(?<![\w-])AIza[\w-]{35}(?![\w-])"),
    ("Google OAuth secret", "GOCSPX-", r"\bGOCSPX-[\w-]{28}"),
    ("Stripe key", "k_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("JSON web token", "eyJ", r"(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{20,2000}"),
    ("private key (base58check)", "", r"(?<![1-9A-Za-z])(?:[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}|[xyztuvYZUV]prv[1-9A-HJ-NP-Za-km-z]{107})(?![1-9A-Za-z])"),
    ("private key (hex)", "", r"(?<![0-9A-Za-z])(?:0[xX])?[0-9a-fA-F]{64}(?![0-9A-Za-z])"),
)
# The nearest of these words before a hex number decides what it is.
CONTEXT = (
    r"(?i)(?P<key>priv(?:ate)?[ _-]?key|(?:secret|signing|signer|wallet|deployer|api)[ _-]?key|secret|seed|mnemonic|私钥|密钥)"
    r"|(?P<hash>(?<![a-z])tx|transaction|hash|digest|sha-?\d|checksum|block|root|topic|commit|signature|public)"
)


def clean(text):
    """The text as its reader sees it: nothing invisible, full-width forms folded."""
    if text.isascii():
        return text
    from unicodedata import category, normalize
    invisible = {char: None for char in map(ord, set(text)) if category(chr(char)) == "Cf" or 0xFE00 <= char <= 0xFE0F}
    return normalize("NFKC", text.translate(invisible))


def is_base58check(text):
    from hashlib import sha256
    number = 0
    for char in text:
        number = number * 58 + BASE58.index(char)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(raw) in (37, 38, 82) and sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def is_random(text):
    """Neither a placeholder nor a name in kebab case."""
    digits, upper, lower = (sum(map(test, text)) for test in (str.isdigit, str.isupper, str.islower))
    return len(set(text)) >= 12 and (digits >= 3 or (digits >= 1 and upper >= 3 and lower >= 3))


def is_jwt(text):
    from base64 import urlsafe_b64decode
    try:
        head, body = (json.loads(urlsafe_b64decode(part + "===")) for part in text.split(".")[:2])
        return "alg" in head and isinstance(body, dict)
    except (ValueError, TypeError):
        return False


def is_hex_key(text, match):
    digits = match.group().lower()[-64:]
    if len(set(digits)) < 8 or digits.startswith("0" * 16):
        return False
    before = text[max(0, match.start() - 80):match.start()]
    # A line of sha256sum: the number, two characters, a file's name.
    if (before == "" or before[-1] == "\n") and re.match(r"[ \t][ *]\S", text[match.end():match.end() + 3]):
        return False
    words = list(re.finditer(CONTEXT, before))
    if words:
        return words[-1].lastgroup == "key"
    return len(match.group()) == 66 and not re.search(r"https?://\S*$", before)


def is_real(kind, text, match):
    if kind == "API key (sk-)":
        return is_random(match.group()[3:])
    if kind == "JSON web token":
        return is_jwt(match.group())
    if kind == "private key (base58check)":
        return is_base58check(match.group())
    return kind != "private key (hex)" or is_hex_key(text, match)


def seed_phrases(text):
    """Runs of 12 to 24 words of the English BIP-39 list whose checksum holds; whatever stands between them."""
    run, runs = [], []
    for match in re.finditer(r"[^\W\d_]+", text):
        if 3 <= match.end() - match.start() <= 8 and match.group().isascii():
            run.append(match)
        else:
            runs.append(run)
            run = []
    runs = [run for run in runs + [run] if len(run) >= 12]
    if not runs:
        return
    from hashlib import sha256
    index = {word: number for number, word in enumerate(WORDS.split())}
    for run in runs:
        numbers = [index.get(match.group().lower(), -1) for match in run]
        if "y" * 12 not in "".join("n" if number < 0 else "y" for number in numbers):
            continue
        for count in (24, 21, 18, 15, 12):
            check, mask = count // 3, (1 << 11 * count) - 1
            bits = known = rising = 0
            tried = set()
            for end, number in enumerate(numbers):
                known = known + 1 if number >= 0 else 0
                rising = rising + 1 if end > 0 and number > numbers[end - 1] else 1
                bits = (bits << 11 | number) & mask
                # A strictly rising window is an excerpt of the list itself.
                if known < count or rising >= count or bits in tried:
                    continue
                tried.add(bits)
                entropy = (bits >> check).to_bytes(check * 4, "big")
                if sha256(entropy).digest()[0] >> (8 - check) == bits & ((1 << check) - 1):
                    yield f"seed phrase ({count} words)", run[end - count + 1].start(), run[end].end()


def finds(text):
    """Every find as (what to call it, start, end)."""
    for kind, hint, pattern in TOKENS:
        if hint in text:
            for match in re.finditer(pattern, text):
                if is_real(kind, text, match):
                    yield f"{kind} ({match.end() - match.start()} characters)", match.start(), match.end()
    yield from seed_phrases(text)


def leaves(value, label=""):
    """Every text in a JSON value, each behind its key, which may say what it is."""
    if isinstance(value, str):
        yield f"{label}: {value}" if label else value
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, key)


def readable(data):
    """What can be read in bytes that are no text, or that want to pass for none."""
    return b"\n".join(re.findall(rb"[\t\n\r\x20-\x7e]{8,}", data.replace(b"\0", b"")))


def text_in(path):
    """What of a file is text. Raises an error where it could not read all of that."""
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("no regular file")
        data = file.read(MAX_FILE + 1)
        if data.startswith((b"PK\3\4", b"PK\5\6")):
            from zipfile import BadZipFile, ZipFile
            try:
                names = ZipFile(file).namelist()
            except (BadZipFile, NotImplementedError, EOFError) as error:
                raise ValueError("a broken zip") from error
            if len(names) > MAX_NAMES:
                raise ValueError("too many names")
            return "\n".join(names)
        is_wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        if not is_wide and b"\0" in data:
            data += file.read(MAX_BINARY)
            if len(data) > MAX_BINARY:
                raise ValueError("too long")
            data = readable(data)
    if len(data) > MAX_FILE:
        raise ValueError("too long")
    text = data.decode("utf-16" if is_wide else "utf-8", "replace")
    # Not every reader believes the mark of a wide text.
    return f"{text}\n{readable(data).decode()}" if is_wide else text


def judge_files(files):
    """The kinds of what is found in files, and the names of those that could not be read."""
    found, unread = [], []
    for file in files:
        try:
            found += [f"{kind} in a file" for kind, _, _ in finds(clean(text_in(file["path"])))]
        except (OSError, ValueError, KeyError, TypeError):
            name = clean(str(file.get("name")))[:80]
            unread.append("a file" if any(finds(name)) else name)
    return found, unread


def judge(payload):
    event = payload["event"]
    said = [payload.get(field) for field in EVENTS[event].split()] + [part.get("text") for part in payload.get("parts") or []]
    messages = payload.get("messages") or []
    if event == "pre_llm_call" and messages and messages[-1].get("role") != "user":
        return None  # A later call of the same turn: the person was warned at the first one.
    text = "\n".join(map(clean, leaves(said)))
    found = [kind for kind, _, _ in finds(text)]
    # What stood in an edited message is read before what stands there now.
    recent = [clean("\n".join(leaves(item))) for item in [payload.get("before") or "", *(payload.get("recent") or [])] if item]
    for glue in ("\n", "") if recent and not found else ():
        before = glue.join(recent) + glue
        # What was said before is said; only a find that this message completes is news.
        known = {start for _, start, _ in finds(before)}
        found += [kind for kind, start, end in finds(before + text) if end > len(before) and start not in known]
    in_files, unread = judge_files(payload.get("files") or []) if event == "on_outbound_message" else ([], [])
    found += in_files
    if unread and not found:
        return {"decision": "block", "reason": f"Held back, because these files could not be read: {', '.join(unread)}. Send them as text of at most 5 MB, or send the message without them."}
    if not found:
        return None
    kinds = ", ".join(sorted(set(found)))
    if event in BLOCKING:
        return {"decision": "block", "reason": f"Held back, because it contains: {kinds}. Say where the secret is kept (a variable, a file) instead of quoting it."}
    return {"add_warning": f"This contains: {kinds}. It was passed on. Treat it as known to others: delete the message and replace the secret."}


def self_test():
    # Glued together here, so that no scanner takes this file for a leak.
    phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    wif = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvb" + "TLvyTJ"
    github, digest = "gh" + "p_" + "a1B2" * 9, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    jwt = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
    cases = (
        ("seed phrase", phrase, True), ("numbered", " ".join(f"{n}. {w}\n" for n, w in enumerate(phrase.split(), 1)), True),
        ("24 words", "letter advice cage absurd amount doctor acoustic avoid " * 2 + "letter advice cage absurd amount doctor acoustic bless", True),
        ("wrong checksum", phrase.replace("yellow", "zoo"), False),
        ("prose", "please check every little thing about this simple garden before winter comes again", False),
        ("WIF", f"key {wif}.", True), ("WIF, one digit off", wif[:-1] + "K", False),
        ("GitHub", github, True), ("zero width", github[:9] + "\u200b" + github[9:], True), ("soft hyphen", github[:9] + "\u00ad" + github[9:], True),
        ("full width", "".join(chr(ord(c) + 0xFEE0) for c in github), True), ("too short", github[:20], False),
        ("hex key", f"0x{digest}", True), ("hex with words", f"PRIVATE_KEY={digest}", True), ("transaction", f"tx 0x{digest}", False),
        ("explorer", f"https://scan.example/0x{digest}", False), ("sha256sum", f"{digest}  a.txt\n{digest} *private_key.pem", False), ("git", f"commit {digest[:40]}", False),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", False), ("zeros", "0x" + "0" * 63 + "1", False),
        ("PEM", "-----BEGIN PRIVATE " + "KEY-----\n" + "MC4CAQAwBQYDK2VwBCIEI" * 3, True), ("PEM, named only", "grep 'BEGIN PRIVATE " + "KEY-----'", False),
        ("sk-", "sk-" + "ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5", True), ("kebab case", "sk-loading-spinner-container-wide", False),
        ("AWS", "AKIA" + "IOSFODNN7EXAMPLE", True), ("Slack", "xoxb-" + "123456789012-abcdefGHIJKL", True), ("Stripe", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", True),
        ("Telegram", "123456789:" + "AAF1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q", True), ("Google", "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", True),
        ("npm", "npm_" + "a1B2" * 9, True), ("JWT", jwt, True), ("not a JWT", "eyJub3RoaW5nIGhlcmU." + "eyJub3RoaW5nIGhlcmU." + "a" * 30, False),
        ("image", "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 40, False),
    )
    wrong = []
    for name, text, is_hit in cases:
        told = judge({"event": "on_outbound_message", "notification": "Look:", "parts": [{"field": "caption", "text": text}]})
        call = judge({"event": "pre_tool_call", "tool_name": "write", "tool_input": {"content": [text]}})
        heard = judge({"event": "on_user_message", "message": text})
        quoted = any(len(word) > 11 and word in json.dumps([told, call, heard]) for word in text.split())
        if [bool(told), bool(call), bool(heard)] != [is_hit] * 3 or quoted or (is_hit and (told["decision"] != "block" or "decision" in heard)):
            wrong.append(name)
    words = phrase.split()
    split = {"event": "on_outbound_message", "notification": " ".join(words[8:]), "recent": [" ".join(words[:4]), " ".join(words[4:8])]}
    after = {"event": "on_outbound_message", "notification": "done", "recent": [phrase, github]}
    wrong += [name for name, payload, is_hit in (("split", split, True), ("said before", after, False)) if bool(judge(payload)) != is_hit]
    from tempfile import TemporaryDirectory
    from zipfile import ZipFile
    with TemporaryDirectory() as folder:
        files = (
            ("a text", f"key: {github}".encode(), True), ("a wide text", f"key: {github}".encode("utf-16"), True),
            ("a text with the mark of a wide one", b"\xff\xfekey: " + github.encode(), True), ("an honest text", b"hello", False),
            ("a picture", b"\x89PNG\r\n\0\0" * 9, False), ("a text with a zero byte", b"\0key: " + github.encode(), True), ("a broken zip", b"PK\3\4 and no more", True), ("a long text", b"Hi. " * 1_250_001, True),
            ("a zip with a name", None, True), ("no file", None, True),
        )
        for name, data, is_hit in files:
            path = os.path.join(folder, name)
            if data is not None:
                with open(path, "wb") as file:
                    file.write(data)
            elif name != "no file":
                with ZipFile(path, "w") as archive:
                    archive.writestr(f"{github}.txt", "x")
            told = judge({"event": "on_outbound_message", "notification": "Look:", "files": [{"name": name, "path": path}]})
            if bool(told) != is_hit or github in json.dumps(told) or (told and "could not be read" in told["reason"] and name not in told["reason"]):
                wrong.append(name)
    asked = {"event": "pre_llm_call", "last_user_message": github, "messages": [{"role": "user", "content": github}]}
    again = {**asked, "messages": [*asked["messages"], {"role": "tool", "content": "done"}]}
    wrong += [] if "add_warning" in (judge(asked) or {}) and judge(again) is None and judge({"event": "pre_llm_call", "last_user_message": "hi"}) is None else ["before a model call"]
    edit = {"event": "on_outbound_message", "type": "edit", "notification": github[20:], "before": github[:20]}
    wrong += [] if judge(edit) else ["split over an edit"]
    passed = len(cases) + len(files) + 4 - len(wrong)
    print(f"{passed} passed, {len(wrong)} failed{': ' if wrong else ''}{', '.join(wrong)}")
    return 1 if wrong else 0


# The English list of BIP-39, in its order.
WORDS = """
abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic acquire across act action actor actress actual adapt add addict address adjust admit adult advance advice aerobic affair afford afraid again age agent agree ahead aim air airport aisle alarm album alcohol alert alien all alley allow almost alone alpha already also alter always amateur amazing among amount amused analyst anchor ancient anger angle angry animal ankle announce annual another answer antenna antique anxiety any apart apology appear apple approve april arch arctic area arena argue arm armed armor army around arrange arrest arrive arrow art artefact artist artwork ask aspect assault asset assist assume asthma athlete atom attack attend attitude attract auction audit august aunt author auto autumn average avocado avoid awake aware away awesome awful awkward axis baby bachelor bacon badge bag balance balcony ball bamboo banana banner bar barely bargain barrel base basic basket battle beach bean beauty because become beef before begin behave behind believe below belt bench benefit best betray better between beyond bicycle bid bike bind biology bird birth bitter black blade blame blanket blast bleak bless blind blood blossom blouse blue blur blush board boat body boil bomb bone bonus book boost border boring borrow boss bottom bounce box boy bracket
brain brand brass brave bread breeze brick bridge brief bright bring brisk broccoli broken bronze broom brother brown brush bubble buddy budget buffalo build bulb bulk bullet bundle bunker burden burger burst bus business busy butter buyer buzz cabbage cabin cable cactus cage cake call calm camera camp can canal cancel candy cannon canoe canvas canyon capable capital captain car carbon card cargo carpet carry cart case cash casino castle casual cat catalog catch category cattle caught cause caution cave ceiling celery cement census century cereal certain chair chalk champion change chaos chapter charge chase chat cheap check cheese chef cherry chest chicken chief child chimney choice choose chronic chuckle chunk churn cigar cinnamon circle citizen city civil claim clap clarify claw clay clean clerk clever click client cliff climb clinic clip clock clog close cloth cloud clown club clump cluster clutch coach coast coconut code coffee coil coin collect color column combine come comfort comic common company concert conduct confirm congress connect consider control convince cook cool copper copy coral core corn correct cost cotton couch country couple course cousin cover coyote crack cradle craft cram crane crash crater crawl crazy cream credit creek crew cricket crime crisp critic crop cross crouch crowd crucial cruel cruise crumble crunch crush cry crystal cube culture cup
cupboard curious current curtain curve cushion custom cute cycle dad damage damp dance danger daring dash daughter dawn day deal debate debris decade december decide decline decorate decrease deer defense define defy degree delay deliver demand demise denial dentist deny depart depend deposit depth deputy derive describe desert design desk despair destroy detail detect develop device devote diagram dial diamond diary dice diesel diet differ digital dignity dilemma dinner dinosaur direct dirt disagree discover disease dish dismiss disorder display distance divert divide divorce dizzy doctor document dog doll dolphin domain donate donkey donor door dose double dove draft dragon drama drastic draw dream dress drift drill drink drip drive drop drum dry duck dumb dune during dust dutch duty dwarf dynamic eager eagle early earn earth easily east easy echo ecology economy edge edit educate effort egg eight either elbow elder electric elegant element elephant elevator elite else embark embody embrace emerge emotion employ empower empty enable enact end endless endorse enemy energy enforce engage engine enhance enjoy enlist enough enrich enroll ensure enter entire entry envelope episode equal equip era erase erode erosion error erupt escape essay essence estate eternal ethics evidence evil evoke evolve exact example excess exchange excite exclude excuse execute exercise exhaust exhibit
exile exist exit exotic expand expect expire explain expose express extend extra eye eyebrow fabric face faculty fade faint faith fall false fame family famous fan fancy fantasy farm fashion fat fatal father fatigue fault favorite feature february federal fee feed feel female fence festival fetch fever few fiber fiction field figure file film filter final find fine finger finish fire firm first fiscal fish fit fitness fix flag flame flash flat flavor flee flight flip float flock floor flower fluid flush fly foam focus fog foil fold follow food foot force forest forget fork fortune forum forward fossil foster found fox fragile frame frequent fresh friend fringe frog front frost frown frozen fruit fuel fun funny furnace fury future gadget gain galaxy gallery game gap garage garbage garden garlic garment gas gasp gate gather gauge gaze general genius genre gentle genuine gesture ghost giant gift giggle ginger giraffe girl give glad glance glare glass glide glimpse globe gloom glory glove glow glue goat goddess gold good goose gorilla gospel gossip govern gown grab grace grain grant grape grass gravity great green grid grief grit grocery group grow grunt guard guess guide guilt guitar gun gym habit hair half hammer hamster hand happy harbor hard harsh harvest hat have hawk hazard head health heart heavy hedgehog height hello helmet help hen hero hidden high hill hint hip hire
history hobby hockey hold hole holiday hollow home honey hood hope horn horror horse hospital host hotel hour hover hub huge human humble humor hundred hungry hunt hurdle hurry hurt husband hybrid ice icon idea identify idle ignore ill illegal illness image imitate immense immune impact impose improve impulse inch include income increase index indicate indoor industry infant inflict inform inhale inherit initial inject injury inmate inner innocent input inquiry insane insect inside inspire install intact interest into invest invite involve iron island isolate issue item ivory jacket jaguar jar jazz jealous jeans jelly jewel job join joke journey joy judge juice jump jungle junior junk just kangaroo keen keep ketchup key kick kid kidney kind kingdom kiss kit kitchen kite kitten kiwi knee knife knock know lab label labor ladder lady lake lamp language laptop large later latin laugh laundry lava law lawn lawsuit layer lazy leader leaf learn leave lecture left leg legal legend leisure lemon lend length lens leopard lesson letter level liar liberty library license life lift light like limb limit link lion liquid list little live lizard load loan lobster local lock logic lonely long loop lottery loud lounge love loyal lucky luggage lumber lunar lunch luxury lyrics machine mad magic magnet maid mail main major make mammal man manage mandate mango mansion manual maple marble march
margin marine market marriage mask mass master match material math matrix matter maximum maze meadow mean measure meat mechanic medal media melody melt member memory mention menu mercy merge merit merry mesh message metal method middle midnight milk million mimic mind minimum minor minute miracle mirror misery miss mistake mix mixed mixture mobile model modify mom moment monitor monkey monster month moon moral more morning mosquito mother motion motor mountain mouse move movie much muffin mule multiply muscle museum mushroom music must mutual myself mystery myth naive name napkin narrow nasty nation nature near neck need negative neglect neither nephew nerve nest net network neutral never news next nice night noble noise nominee noodle normal north nose notable note nothing notice novel now nuclear number nurse nut oak obey object oblige obscure observe obtain obvious occur ocean october odor off offer office often oil okay old olive olympic omit once one onion online only open opera opinion oppose option orange orbit orchard order ordinary organ orient original orphan ostrich other outdoor outer output outside oval oven over own owner oxygen oyster ozone pact paddle page pair palace palm panda panel panic panther paper parade parent park parrot party pass patch path patient patrol pattern pause pave payment peace peanut pear peasant pelican pen penalty pencil people pepper
perfect permit person pet phone photo phrase physical piano picnic picture piece pig pigeon pill pilot pink pioneer pipe pistol pitch pizza place planet plastic plate play please pledge pluck plug plunge poem poet point polar pole police pond pony pool popular portion position possible post potato pottery poverty powder power practice praise predict prefer prepare present pretty prevent price pride primary print priority prison private prize problem process produce profit program project promote proof property prosper protect proud provide public pudding pull pulp pulse pumpkin punch pupil puppy purchase purity purpose purse push put puzzle pyramid quality quantum quarter question quick quit quiz quote rabbit raccoon race rack radar radio rail rain raise rally ramp ranch random range rapid rare rate rather raven raw razor ready real reason rebel rebuild recall receive recipe record recycle reduce reflect reform refuse region regret regular reject relax release relief rely remain remember remind remove render renew rent reopen repair repeat replace report require rescue resemble resist resource response result retire retreat return reunion reveal review reward rhythm rib ribbon rice rich ride ridge rifle right rigid ring riot ripple risk ritual rival river road roast robot robust rocket romance roof rookie room rose rotate rough round route royal rubber rude rug rule run runway
rural sad saddle sadness safe sail salad salmon salon salt salute same sample sand satisfy satoshi sauce sausage save say scale scan scare scatter scene scheme school science scissors scorpion scout scrap screen script scrub sea search season seat second secret section security seed seek segment select sell seminar senior sense sentence series service session settle setup seven shadow shaft shallow share shed shell sheriff shield shift shine ship shiver shock shoe shoot shop short shoulder shove shrimp shrug shuffle shy sibling sick side siege sight sign silent silk silly silver similar simple since sing siren sister situate six size skate sketch ski skill skin skirt skull slab slam sleep slender slice slide slight slim slogan slot slow slush small smart smile smoke smooth snack snake snap sniff snow soap soccer social sock soda soft solar soldier solid solution solve someone song soon sorry sort soul sound soup source south space spare spatial spawn speak special speed spell spend sphere spice spider spike spin spirit split spoil sponsor spoon sport spot spray spread spring spy square squeeze squirrel stable stadium staff stage stairs stamp stand start state stay steak steel stem step stereo stick still sting stock stomach stone stool story stove strategy street strike strong struggle student stuff stumble style subject submit subway success such sudden suffer sugar suggest
suit summer sun sunny sunset super supply supreme sure surface surge surprise surround survey suspect sustain swallow swamp swap swarm swear sweet swift swim swing switch sword symbol symptom syrup system table tackle tag tail talent talk tank tape target task taste tattoo taxi teach team tell ten tenant tennis tent term test text thank that theme then theory there they thing this thought three thrive throw thumb thunder ticket tide tiger tilt timber time tiny tip tired tissue title toast tobacco today toddler toe together toilet token tomato tomorrow tone tongue tonight tool tooth top topic topple torch tornado tortoise toss total tourist toward tower town toy track trade traffic tragic train transfer trap trash travel tray treat tree trend trial tribe trick trigger trim trip trophy trouble truck true truly trumpet trust truth try tube tuition tumble tuna tunnel turkey turn turtle twelve twenty twice twin twist two type typical ugly umbrella unable unaware uncle uncover under undo unfair unfold unhappy uniform unique unit universe unknown unlock until unusual unveil update upgrade uphold upon upper upset urban urge usage use used useful useless usual utility vacant vacuum vague valid valley valve van vanish vapor various vast vault vehicle velvet vendor venture venue verb verify version very vessel veteran viable vibrant vicious victory video view village vintage violin
virtual virus visa visit visual vital vivid vocal voice void volcano volume vote voyage wage wagon wait walk wall walnut want warfare warm warrior wash wasp waste water wave way wealth weapon wear weasel weather web wedding weekend weird welcome west wet whale what wheat wheel when where whip whisper wide width wife wild will win window wine wing wink winner winter wire wisdom wise wish witness wolf woman wonder wood wool word work world worry worth wrap wreck wrestle wrist write wrong yard year yellow you young youth zebra zero zone zoo
"""


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    try:
        payload = json.load(sys.stdin)
        if payload.get("event") not in EVENTS:
            sys.exit(f"Expected one of the events {', '.join(EVENTS)}, got {str(payload.get('event'))[:40]}. Move the entry to one of them")
        answer = judge(payload)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        sys.exit(f"Expected one JSON payload on stdin, got something else ({type(error).__name__}).")
    if answer is not None:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
