"""Asks over a document through `frlm serve` with the clients that people use.

usage: ask.py PATH_TO_FRLM

Starts a relay, two providers with the embedded model and the service on loopback, in throwaway homes. The environment is
that of requirements.txt. Each check prints a line; the first that fails ends with its reason.
"""
import base64, os, signal, socket, subprocess, sys, tempfile, time, urllib.request

import openai
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from llama_index.core import get_response_synthesizer
from llama_index.core.llms import ChatMessage
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.llms.openai_like import OpenAILike

FRLM = os.path.abspath(sys.argv[1])
KEY = "no-key-is-needed"
# By the model of the providers, and by code.
FAILED = "How many orders have status failed?"
LINES = "How many lines contain shipped?"
LOG = "".join(
    f"order={number} user=user{number % 7} status={'failed' if number % 5 == 0 else 'shipped'}\n" for number in range(1, 41)
)
children = []


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(work, home, *args):
    env = dict(os.environ, FRLM_HOME=os.path.join(work, home), NO_COLOR="1")
    log = open(os.path.join(work, f"{home}.log"), "w")
    children.append(subprocess.Popen([FRLM, *args], env=env, stdout=log, stderr=log))


def wait_until(what, is_so, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if is_so():
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"clients: {what} within {seconds} s")


def check(name, ok, detail=""):
    print(("ok      " if ok else "FAILED  ") + name + ("" if ok else f": {detail}"), flush=True)
    if not ok:
        raise SystemExit(1)


def is_cited(record, file):
    """Whether each quote stands in the lines of the file that the answer names."""
    lines = LOG.splitlines(keepends=True)
    cited = record["citations"]
    return bool(cited) and all(
        c["file"] == file and c["quote"] in "".join(lines[c["lines"][0] - 1 : c["lines"][1]]) for c in cited
    )


def ask_with_openai(url):
    client = openai.OpenAI(base_url=url, api_key=KEY, max_retries=0)
    data = "data:text/plain;base64," + base64.b64encode(LOG.encode()).decode()
    part = {"type": "file", "file": {"filename": "orders.log", "file_data": data}}

    def question(text, *parts):
        return [{"role": "user", "content": [*parts, {"type": "text", "text": text}]}]

    answer = client.chat.completions.create(model="frlm", messages=question(FAILED, part))
    content, record = answer.choices[0].message.content, answer.frlm
    check("openai: a file part is counted by the swarm", content.startswith("8 "), content)
    check("openai: frlm.question echoes the question", record["question"] == FAILED, record["question"])
    check("openai: each citation stands in the file", is_cited(record, "orders.log"), record["citations"])
    check("openai: the swarm was asked", record["subtasks"]["swarm"] > 0, record["subtasks"])

    file = client.files.create(file=("orders.log", LOG.encode()), purpose="user_data")
    check("openai: files.list knows the upload", [f.id for f in client.files.list()] == [file.id])
    check("openai: files.retrieve knows it", client.files.retrieve(file.id).filename == "orders.log")
    check("openai: files.content gives it back", client.files.content(file.id).text == LOG)
    kept = {"type": "file", "file": {"file_id": file.id}}
    answer = client.chat.completions.create(model="frlm", messages=question(LINES, kept))
    content = answer.choices[0].message.content
    check("openai: an uploaded file is asked about by its id", content.startswith("32 "), content)
    check("openai: and cited by its name", is_cited(answer.frlm, "orders.log"), answer.frlm["citations"])
    check("openai: files.delete deletes it", client.files.delete(file.id).deleted)
    try:
        client.chat.completions.create(model="frlm", messages=question(LINES, kept))
        check("openai: a deleted file is refused", False)
    except openai.NotFoundError as error:
        check("openai: a deleted file is refused by its field", error.param.endswith("file_id"), error)

    options = {"include_usage": True}
    stream = client.chat.completions.create(
        model="frlm", messages=question(FAILED, part), stream=True, stream_options=options
    )
    chunks = list(stream)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    content = "".join(delta.content or "" for delta in deltas)
    progress = [delta.reasoning_content for delta in deltas if getattr(delta, "reasoning_content", None)]
    check("openai: a stream comes in parts", len(chunks) >= 5, len(chunks))
    check("openai: all of them have one id", len({chunk.id for chunk in chunks}) == 1, [chunk.id for chunk in chunks])
    check("openai: a stream tells its progress", "1 document" in progress[0] and "verified" in progress[-1], progress)
    check("openai: and ends with the answer", content.startswith("8 "), content)
    check("openai: and with what models read", chunks[-1].usage.total_tokens > 0, chunks[-1])

    for field, value in (("n", 2), ("response_format", {"type": "json_object"})):
        try:
            client.chat.completions.create(model="frlm", messages=question(LINES, part), **{field: value})
            check(f"openai: {field} is refused", False)
        except openai.BadRequestError as error:
            check(f"openai: {field} is refused by its name", error.param == field, error)
    try:
        client.chat.completions.create(model="frlm", messages=question(LINES + "a" * (33 << 20), part))
        check("openai: a request that is too long is refused", False)
    except openai.APIStatusError as error:
        refused = error.status_code == 413 and "32 MiB" in str(error)
        check("openai: a request that is too long is told the limit", refused, str(error)[:200])


def ask_with_langchain(url):
    model = ChatOpenAI(model="frlm", base_url=url, api_key=KEY, max_retries=0)
    documents = [Document(page_content=LOG.strip())]
    context = "\n\n".join(document.page_content for document in documents)
    system = (
        "You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the "
        "question. If you don't know the answer, say that you don't know.\n\n{context}"
    )
    in_system = ChatPromptTemplate.from_messages([("system", system), ("human", "{question}")])
    in_string = ChatPromptTemplate.from_template(
        "Answer the question based only on the following context:\n{context}\n\nQuestion: {question}\n"
    )
    tutorial = ChatPromptTemplate.from_template(
        "You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the "
        "question. Use three sentences maximum and keep the answer concise.\nQuestion: {question} \nContext: {context} "
        "\nAnswer:"
    )
    for name, prompt in (("the system message", in_system), ("one string", in_string), ("the tutorial", tutorial)):
        chain = prompt | model | StrOutputParser()
        answer = chain.invoke({"context": context, "question": LINES})
        check(f"langchain: a document in {name} is counted", answer.startswith("32 "), answer)
    data = base64.b64encode(LOG.encode()).decode()
    block = {"type": "file", "base64": data, "mime_type": "text/plain", "filename": "orders.log"}
    answer = model.invoke([("human", [{"type": "text", "text": FAILED}, block])])
    check("langchain: a file block is counted by the swarm", answer.content.startswith("8 "), answer.content)
    parts = list(model.stream(in_string.invoke({"context": context, "question": LINES})))
    content = "".join(part.content for part in parts)
    check("langchain: a stream comes in parts", len(parts) > 2 and content.startswith("32 "), parts)
    check("langchain: all of them have one id", len({part.id for part in parts}) == 1, [part.id for part in parts])


def ask_with_llama_index(url):
    nodes = [NodeWithScore(node=TextNode(text=LOG.strip()), score=1.0)]
    for is_chat_model in (True, False):
        model = OpenAILike(model="frlm", api_base=url, api_key=KEY, is_chat_model=is_chat_model, max_retries=0)
        kind = "chat" if is_chat_model else "completions"
        answer = get_response_synthesizer(llm=model).synthesize(LINES, nodes=nodes)
        check(f"llama_index: a query over nodes is counted ({kind})", str(answer).startswith("32 "), answer)
        parts = list(model.stream_complete(f"{LOG}\nQuestion: {LINES}"))
        check(f"llama_index: a stream comes in parts ({kind})", len(parts) > 1 and parts[-1].text.startswith("32 "), parts)
        check(f"llama_index: all of them have one id ({kind})", len({part.raw.id for part in parts}) == 1)
    model = OpenAILike(model="frlm", api_base=url, api_key=KEY, is_chat_model=True, max_retries=0)
    answer = model.chat([ChatMessage(role="user", content=f"{LOG}\n\n{LINES}")])
    record = answer.raw.frlm
    check("llama_index: one string is counted", answer.message.content.startswith("32 "), answer.message.content)
    check("llama_index: frlm.question echoes the question", record["question"] == LINES, record["question"])
    check("llama_index: each citation stands in the text", is_cited(record, "text-1.txt"), record["citations"])


def main(work):
    port = free_port()
    relay = f"ws://127.0.0.1:{port}"
    start(work, "relay", "relay", "--listen", f"127.0.0.1:{port}")
    wait_until("the relay did not start", lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None)
    for number in range(2):
        start(work, f"provider{number}", "provide", "--relay", relay)
    address = f"127.0.0.1:{free_port()}"
    start(work, "service", "serve", "--relay", relay, "--listen", address)
    health = f"http://{address}/health"
    wait_until("the service did not start", lambda: urllib.request.urlopen(health, timeout=1).status == 200)
    # Runs wait for providers by themselves.
    for ask in (ask_with_openai, ask_with_langchain, ask_with_llama_index):
        ask(f"http://{address}/v1")


with tempfile.TemporaryDirectory() as work:
    try:
        main(work)
    finally:
        for child in children:
            child.send_signal(signal.SIGINT)
        for child in children:
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
