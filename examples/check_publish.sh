#!/bin/sh
# on_completion_claim: refuses "it is published" when no publish tool succeeded in this session, or when the claim cites
# an address that no tool returned. Every other claim passes. When a client reports only the names of its tools, the name of
# a publish tool is enough, whatever address is cited. The name of a tool says whether it is a publish tool. PUBLISH_TOOLS,
# a regular expression in the entry's env, sets other names (for instance "bash" where publishing is a shell command).
# -I: no module of the workspace is imported, so nobody can plant a json.py there that answers for this guard.
exec python3 -IS /dev/fd/3 "$@" 3<<'PY'
import json, os, re, sys

EVENTS = ("on_completion_claim", "on_stop")
PUBLISH_TOOL = r"(?i)publish|deploy|release|go_?live|vercel|netlify|upload_?(?:site|page)"
THING = (
    r"(?i)\b(?:it|this|they|them|everything|(?:web)?sites?|(?:web)?pages?|apps?|application|blog|posts?|articles?|dashboard|games?"
    r"|project|portfolio|shop|store|demo|prototype|docs|documentation|service|bot|api)\b|网站|网页|页面|应用|博客|文章|站点|项目|它"
)
CLAIM = re.compile(
    r"(?i)\b(?:published|deployed|launched|gone live|went live|(?:is|are|now|'s) live|live (?:now|at|on)"
    r"|(?:available|hosted|online|accessible) (?:online )?(?:at|on|under|here)\b(?=.{0,40}https?://))|已(?:经)?(?:发布|部署|上线)|(?:发布|部署)(?:了|成功|完成)|上线了"
)
# What before the verb makes it no claim: a denial, a plan, a condition, or a mere adjective ("the published page").
NO_CLAIM = re.compile(
    r"(?i)(?:\b(?:not|never|cannot|unable|failed|without|before|until|once|when|if|will|should|would|could|ready|can|must|needs?)\b|n['’]t\b"
    r"|没有|尚未|还未|未能|将)[^,;，；]{0,30}$|\b(?:the|an?|our|your|its|their|any|already|previously)\s+$|(?:un|re-?)$"
)
ADDRESS = re.compile(r"(?i)https?://[^\s<>\"'`，。；）】]{1,2000}")
LOCAL = re.compile(r"(?i)https?://(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])(?=[:/]|$)")


def plain(address):
    """One spelling of an address: no scheme, no fragment, no closing punctuation, the host in lower case."""
    address = re.sub(r"^[A-Za-z]+:/{2}|#.*|(?:/index\.html?)$", "", address.rstrip(".,;:!?)]}*_~\\"))
    host, slash, path = address.rstrip("/").partition("/")
    return host.lower() + slash + path


def is_claim(sentence):
    for match in CLAIM.finditer(sentence):
        if not NO_CLAIM.search(sentence[max(0, match.start() - 80):match.start()]) and not re.match(r"(?i)\s+by\b", sentence[match.end():]):
            return bool(re.search(THING, sentence) or ADDRESS.search(sentence)) or len(sentence.split()) < 5
    return False


def judge(payload):
    text = "\n".join(str(payload.get(field) or "") for field in ("summary", "response"))
    # A full stop inside an address ends no sentence.
    if not any(map(is_claim, re.split(r"(?<=[.!?])\s+|[\n。！？]+", text))):
        return None
    tools = [tool for tool in payload.get("tools") or [] if isinstance(tool, dict)]
    good = [tool for tool in tools if not tool.get("is_error") and tool.get("exit_code") in (0, None)]
    pattern = os.environ.get("PUBLISH_TOOLS") or PUBLISH_TOOL
    reported = {tool.get("name") for tool in tools}
    # A client that reports names alone does not say how a call went, nor which addresses it returned.
    named = any(re.search(pattern, str(name)) for name in payload.get("tool_names") or [] if name not in reported)
    if not named and not any(re.search(pattern, str(tool.get("name"))) for tool in good):
        return {"decision": "block", "reason": "You say that something was published, but no publish tool succeeded in this session. "
                "Publish it with the tool for that and cite the address it returns, or say plainly that it is not published."}
    if named:
        return None
    returned = [plain(address) for tool in good for address in tool.get("urls") or [] if isinstance(address, str)]
    for address in ADDRESS.findall(text):
        cited = plain(address)
        if not LOCAL.match(address) and not any(cited == known or cited.startswith(known + "/") for known in returned):
            return {"decision": "block", "reason": f"You cite https://{cited[:200]}, but no tool of this session returned that address. "
                    "Cite the address that the publish tool returned, or leave the address out."}
    return None


def self_test():
    site = "https://my-site.example"
    published = [{"name": "publish_site", "is_error": False, "exit_code": None, "urls": [site + "/"]}]
    failed = [{"name": "publish_site", "is_error": True, "exit_code": None, "urls": [site]}]
    shell = [{"name": "bash", "is_error": False, "exit_code": 0, "urls": [site]}]
    cases = (
        ("Published the site.", [], True), ("All done: I published it.", shell, True), ("The site is live!", [], True), ("Your app has been deployed.", [], True),
        (f"Deployed at {site}", shell, True), ("Published the site.", failed, True), ("网站已发布。", [], True), ("Successfully deployed!", [], True), (f"It is available at {site}.", [], True),
        ("I could not fix the footer, but I published the page.", [], True), ("published the site", [{"name": "deploy", "is_error": False, "exit_code": 1, "urls": []}], True),
        ("Published the site.", published, False), (f"Published the site at {site}.", published, False), (f"Deployed: **{site}/about** is live.", published, False),
        ("Published the site at https://other.example.", published, True), (f"The page is published. See {site}.evil.example/", published, True),
        (f"Published the site at {site}-2/", published, True), ("Launched the app: http://My-Site.example/index.html", published, False),
        ("Fixed the bug in the parser.", [], False), ("The site is not published yet.", [], False), ("I haven't deployed the app.", [], False),
        ("The page is ready to be published.", [], False), ("Added a publish button to the page.", [], False), ("Tests for the deployed app pass.", [], False),
        ("See https://docs.example/guide for the API.", [], False), ("Handled events published by the bus on the page.", [], False), ("尚未发布网站", [], False),
        ("The dev server runs at http://localhost:3000.", [], False), ("Once deployed, the app will send mail.", [], False), ("", [], False),
    )
    wrong = [case for case in cases if bool(judge({"summary": case[0], "tools": case[1], "tool_names": [tool["name"] for tool in case[1]]})) != case[2]]
    by_name = ((f"Published the site at {site}.", ["bash", "publish_site"], False), (f"Published the site at {site}.", ["bash"], True), ("Published it.", [], True))
    wrong += [case for case in by_name if bool(judge({"summary": case[0], "tool_names": case[1]})) != case[2]]
    print(f"{len(cases) + len(by_name) - len(wrong)} passed, {len(wrong)} failed", *wrong, sep="\n  ")
    return 1 if wrong else 0


if sys.argv[1:] == ["--self-test"]:
    sys.exit(self_test())
try:
    payload = json.load(sys.stdin)
    if payload.get("event") not in EVENTS:
        sys.exit(f"Expected one of the events {', '.join(EVENTS)}, got {str(payload.get('event'))[:40]}. Move the entry to one of them")
    answer = judge(payload)
except (ValueError, TypeError, AttributeError, RecursionError, re.error) as error:
    sys.exit(f"Expected one JSON payload on stdin, got something that cannot be read ({type(error).__name__}).")
if answer:
    print(json.dumps(answer))
PY
