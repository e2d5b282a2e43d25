"""The tokenizer: byte-level BPE whose merges lie inside words only.

GGUF runtimes split text with the qwen2 pattern before they merge. That pattern glues one leading
character to a word (`=failed`, ` failed`, `"failed`). Were merges allowed across that border, one
word would have several spellings in tokens, and copying would have to be learned for each. Here the
merges are trained on bare words, so a word has the same tokens wherever it stands; digits, spaces
and punctuation are single tokens.
"""

import argparse
import re

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
         r"|\s*[\r\n]+|\s+(?!\S)|\s+")
END, USER, ANSWER, START = "<|end|>", "<|user|>", "<|answer|>", "<|start|>"
SPECIAL = [END, USER, ANSWER, START]  # ids 0 to 3; START is named as bos but never written
TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'user' %}<|user|>{{ message['content'] }}"
    "{% elif message['role'] == 'assistant' %}<|answer|>{{ message['content'] }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|answer|>{% endif %}"
)
QUESTION_WORDS = """plan count list exists find sum min max first last average free copy same better question record
answer how many which what is are the of with for by from in on does do did has have had was were where whose who when
that not than more less greater larger smaller bigger above below over under at least most between before after since
until there any some show me give tell please number lines line records entries events rows orders tickets requests
payments invoices messages transactions total largest highest maximum smallest lowest minimum mean sum add up all every
each contains containing mention mentions mentioning word text equal equals largest biggest cheapest value yes no can
you could would name status failed error"""


def build(size=768, seed=11):
    from asks import copy_example
    from kinds import KEYS, NAMES
    from words import CITIES, FILLER, LEVELS, NAMES as PEOPLE, PRODUCTS, SERVICES, STATUSES, TECH, VERBS, Source

    source = Source(seed)
    words = []
    for table in (KEYS, NAMES):
        for names in table.values():
            for name in names:
                words += re.findall(r"[^\W\d_]+", name) * 30
    words += QUESTION_WORDS.split() * 40
    for table in (STATUSES, LEVELS, FILLER, TECH, VERBS, SERVICES):
        words += [w for w in table if w.isalpha()] * 8
    for table in (PEOPLE, PRODUCTS, CITIES):
        words += table * 3
    for _ in range(6000):
        words += re.findall(r"[^\W\d_]+", copy_example(source)[0])
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bpe.train_from_iterator(words, trainers.BpeTrainer(
        vocab_size=size, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    bpe.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN2), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    bpe.decoder = decoders.ByteLevel()
    return bpe


def load(path):
    return Tokenizer.from_file(str(path))


def render(prompt, answer=""):
    """One turn as the chat template writes it, with the answer and its end where there is one."""
    return f"{USER}{prompt}{ANSWER}" + (f"{answer}{END}" if answer else "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="tokenizer.json")
    parser.add_argument("--size", type=int, default=768)
    args = parser.parse_args()
    built = build(args.size)
    built.save(args.out)
    for text in ["status=failed", " failed", '"failed"', "copy user_id, latency_ms\n001 order 4001 by user1 amount 3 shipped", "Öztürk €5"]:
        encoded = built.encode(text)
        print(encoded.tokens, built.decode(encoded.ids, skip_special_tokens=False) == text)
