"""Prompts in tokens: an upper bound from their text, or as the endpoint's own tokenizer page counts them."""

import http.server
import json
import threading
from contextlib import contextmanager

import pytest

from evals.endpoint import Endpoint
from evals.prompts.prompt_length import count_longest, estimate_tokens, longest_prompt
from tasks.benchmark import Item, ItemForm
from tasks.spec import ThinkMode


@contextmanager
def tokenizer(answer, status=200):
    """Serve a tokenizer page that gives ``answer`` to every request; keeps what it was asked."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield (
            Endpoint(
                base_url=f"http://127.0.0.1:{server.server_port}/v1",
                model="m",
                label="m",
                think_mode=ThinkMode.OPENSOURCE,
                thinking=False,
            ),
            seen,
        )
    finally:
        server.shutdown()
        server.server_close()


def item(prompt="How many?", sample_id="a", **more):
    return Item(sample_id=sample_id, prompt=prompt, target="1", content_hash=sample_id, **more)


@pytest.mark.parametrize(
    ("text", "n_tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("x" * 100, 50, id="two characters a token"),
        pytest.param("你好", 4, id="two tokens a character outside ASCII"),
    ],
)
def test_an_estimate_is_an_upper_bound(text, n_tokens):
    assert estimate_tokens(text) == n_tokens


@pytest.mark.parametrize(
    ("more", "n_at_least"),
    [
        pytest.param({}, 4, id="the prompt"),
        pytest.param(
            {"forms": (ItemForm(prompt="y" * 1000, target="1", grading={}),)}, 500, id="its longest form"
        ),
        pytest.param({"images": ("a.png", "b.png")}, 8192, id="two images"),
        pytest.param(
            {"request": {"messages": [{"role": "user", "content": "z" * 2000}], "tools": []}},
            1000,
            id="a whole request",
        ),
        pytest.param({"request": {"prompt": "z" * 3000}}, 1500, id="a rendered prompt"),
    ],
)
def test_everything_that_is_sent_counts(more, n_at_least):
    length = longest_prompt([item(**more)])
    assert length is not None and n_at_least <= length.tokens < n_at_least + 120
    assert not length.is_exact


def test_vllm_counts_with_its_chat_template():
    with tokenizer({"count": 123, "max_model_len": 2048, "tokens": []}) as (endpoint, seen):
        length = count_longest([item()], endpoint, "vllm")
    assert length is not None and (length.tokens, length.is_exact) == (123, True)
    path, body = seen[0]
    assert path == "/tokenize" and body["messages"] == [{"role": "user", "content": "How many?"}]
    assert body["chat_template_kwargs"] == {"thinking": False}


def test_vllm_counts_whole_requests():
    request = {"messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function"}], "seed": 1}
    with tokenizer({"count": 50}) as (endpoint, seen):
        length = count_longest([item(request=request)], endpoint, "vllm")
    assert length is not None and length.tokens == 50
    assert seen[0][1]["tools"] == request["tools"] and "seed" not in seen[0][1]


def test_llama_cpp_counts_without_a_template():
    with tokenizer({"tokens": [{"id": 1}, {"id": 2}, {"id": 3}]}) as (endpoint, seen):
        length = count_longest([item()], endpoint, "llama.cpp")
    assert length is not None and length.tokens == 3 + 64  # room for the template
    assert seen[0][1]["content"] == "How many?"


def test_only_the_longest_are_asked_about():
    items = [item("x" * (10 * n), f"s{n}") for n in range(1, 30)]
    with tokenizer({"count": 9}) as (endpoint, seen):
        count_longest(items, endpoint, "vllm")
    assert len(seen) == 8 and max(len(body["messages"][0]["content"]) for _, body in seen) == 290


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        pytest.param({"detail": "Not Found"}, 404, id="no such page"),
        pytest.param({"count": "many"}, 200, id="no number"),
        pytest.param([1, 2], 200, id="no object"),
        pytest.param(b"<html>", 200, id="no JSON"),
        pytest.param({"count": 0, "tokens": []}, 200, id="nothing counted"),
    ],
)
def test_a_page_that_does_not_count_is_no_count(answer, status):
    with tokenizer(answer, status) as (endpoint, _):
        assert count_longest([item()], endpoint, "vllm") is None


def test_images_and_whole_requests_elsewhere_are_not_counted():
    with tokenizer({"count": 9}) as (endpoint, seen):
        assert count_longest([item(images=("a.png",))], endpoint, "vllm") is None
        assert count_longest([item(request={"messages": []})], endpoint, "llama.cpp") is None
    assert seen == []
