#!/usr/bin/env python3
"""Checks a built `frlm` against the command contract (docs/design.md, section 3).

usage: cli_contract.py PATH_TO_FRLM

Starts only processes on loopback, in throwaway homes. Prints one line per check and a closing
line 'N passed, N failed'. Standard library only.
"""
import json, os, signal, socket, subprocess, sys, tempfile, time

frlm = os.path.abspath(sys.argv[1])
work = tempfile.TemporaryDirectory()
passed, failed, children = 0, 0, []


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok      " if ok else "FAILED  ") + name + (f": {detail}" if detail and not ok else ""))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(*args, home="asker", timeout=60, stdin=None):
    env = dict(os.environ, FRLM_HOME=os.path.join(work.name, home), NO_COLOR="1")
    try:
        p = subprocess.run([frlm, *args], env=env, capture_output=True, text=True, timeout=timeout, input=stdin or "")
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired:
        return "timeout", "", f"no end within {timeout} s"


def start(*args, home):
    env = dict(os.environ, FRLM_HOME=os.path.join(work.name, home), NO_COLOR="1")
    p = subprocess.Popen([frlm, *args], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children.append(p)
    return p


def answer(out):
    try:
        return json.loads(out)
    except ValueError:
        return None


def budget_adds_up(b):
    return b["limit_sats"] == b["spent_sats"] + b["reserved_sats"] + b["pending_refund_sats"] + b["available_sats"]


KEYS = {"run_id", "answer", "method", "confidence", "coverage", "citations", "budget", "subtasks", "verification", "decisions", "duration_ms"}


def main():
    document = os.path.join(work.name, "orders.log")
    with open(document, "w") as f:
        for i in range(1, 121):
            f.write(f"{i:03d} order {4000 + i} by user{i % 7} amount {i * 3} {'failed' if i % 5 == 0 else 'shipped'}\n")
    binary = os.path.join(work.name, "blob.bin")
    with open(binary, "wb") as f:
        f.write(bytes(range(256)) * 64)
    empty = os.path.join(work.name, "empty.txt")
    open(empty, "w").close()

    code, out, _ = run("--help")
    check("--help exits 0 and names every command", code == 0 and all(c in out for c in ("demo", "ask", "provide", "relay", "wallet", "runs", "cache", "doctor")))
    check("an unknown command exits 2", run("frobnicate")[0] == 2)

    code, out, err = run("demo", "--json", timeout=180)
    j = answer(out)
    check("demo --json exits 0 with one JSON object on stdout", code == 0 and j is not None, err[-200:])
    if j:
        check("the object has the contract's keys", KEYS <= set(j), str(KEYS - set(j)))
        check("the demo's coverage is 1.0 and it cites", j.get("coverage") == 1.0 and j.get("citations"))
        check("the demo's budget adds up", budget_adds_up(j["budget"]), str(j.get("budget")))
        check("the demo's subtasks went through the swarm", j["subtasks"].get("swarm", 0) > 0)

    port = free_port()
    relay = f"ws://127.0.0.1:{port}"
    start("relay", "--listen", f"127.0.0.1:{port}", home="relay")
    time.sleep(2)
    question = "How many lines have status failed?"
    code, out, err = run("ask", question, "--file", document, "--relay", relay, "--json", "--yes")
    j = answer(out)
    by_code = code == 0 and j is not None and j.get("method") == "code" and "24" in j["answer"]
    check("no providers and no local model: exit 4, or code answers alone", code == 4 or by_code, f"{code}: {err[-200:]}")
    if code == 4:
        check("and the message names the fix", "provide" in err, err[-200:])
    code, _, err = run("ask", "Why were the orders of user3 delayed?", "--file", document, "--relay", relay, "--json", "--yes")
    check("a question that takes a model, with nobody there: exit 4", code == 4, f"{code}: {err[-200:]}")
    for n in range(2):
        start("provide", "--relay", relay, home=f"provider{n}")
    time.sleep(8)
    code, out, err = run("ask", question, "--file", document, "--relay", relay, "--json", "--yes", timeout=180)
    j = answer(out)
    check("two provider processes answer over the relay", code == 0 and j is not None, f"{code}: {err[-200:]}")
    if j:
        check("the answer is 24", "24" in j["answer"], j["answer"][:80])
        check("every citation's quote stands in its lines", all(c["quote"] in "".join(open(document).readlines()[c["lines"][0] - 1:c["lines"][1]]) for c in j["citations"]))
        code, out, _ = run("runs", "list")
        check("runs list knows the run", code == 0 and j["run_id"][:8] in out)
        check("runs show prints it", run("runs", "show", j["run_id"])[0] == 0)
        check("runs replay replays it", run("runs", "replay", j["run_id"])[0] == 0)
    code, out, err = run("ask", question, "--file", document, "--relay", relay, "--dry-run")
    check("--dry-run exits 0 and publishes nothing", code == 0, f"{code}: {err[-200:]}")

    for name, args, expected in (
        ("a missing file exits 2", ("ask", "q", "--file", os.path.join(work.name, "nope.txt"), "--relay", relay), 2),
        ("a binary file exits 2", ("ask", "q", "--file", binary, "--relay", relay), 2),
        ("an empty file exits 2", ("ask", "q", "--file", empty, "--relay", relay), 2),
        ("an empty question exits 2", ("ask", "  ", "--file", document, "--relay", relay), 2),
        ("a malformed relay exits 2", ("ask", "q", "--file", document, "--relay", "http:/nonsense"), 2),
        ("an unknown policy exits 2", ("ask", "q", "--file", document, "--relay", relay, "--verify", "wishful"), 2),
        ("an unreachable relay exits 4", ("ask", "q", "--file", document, "--relay", f"ws://127.0.0.1:{free_port()}", "--yes"), 4),
    ):
        code, out, err = run(*args, timeout=30)
        check(name, code == expected, f"{code}: {err[-160:]}")
        check("  and says why in words", len(err.strip()) > 10 and "panicked" not in err and out.strip() == "", err[-160:])


try:
    main()
finally:
    for p in children:
        p.send_signal(signal.SIGINT)
    for p in children:
        try:
            p.wait(10)
        except subprocess.TimeoutExpired:
            p.kill()
            check("background processes stop on Ctrl-C within 10 s", False)
    work.cleanup()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
