"""What an endpoint says of itself before anything is generated, and every way in which it is no use."""

import http.server
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

import evals.fleet.survey
from evals.endpoint import EndpointError
from evals.fleet.survey import survey

VLLM_MODEL = {
    "id": "smollm2",
    "object": "model",
    "owned_by": "vllm",
    "root": "/weights/smollm2",
    "max_model_len": 2048,
}
LLAMA_MODEL = {
    "id": "smollm2",
    "object": "model",
    "owned_by": "llamacpp",
    "meta": {"n_ctx": 1024, "ftype": "Q4_1"},
}
LLAMA_PROPS = {
    "default_generation_settings": {"params": {"top_k": 40}, "n_ctx": 1024},
    "total_slots": 4,
    "model_path": "/weights/SmolLM2.gguf",
}
SGLANG_INFO = {
    "context_length": 262_144,
    "quantization": "modelopt_fp4",
    "kv_cache_dtype": "fp8_e4m3",
    "tp_size": 8,
    "version": "0.5.6",
}


def models(*entries, **more):
    return {"object": "list", "data": list(entries), **more}


@contextmanager
def pages(told, *, delay_s=0.0):
    """Serve ``told`` (path to value, status and value, or bytes); every other path is 404."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append((self.path, dict(self.headers)))
            time.sleep(delay_s)
            said = told.get(self.path, (404, {"detail": "Not Found"}))
            status, value = said if isinstance(said, tuple) else (200, said)
            content = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(ConnectionError):  # a client that waited long enough is gone
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()


def ask(url, **more):
    return survey(url, **{"api_key_env": "OPENAI_API_KEY", "headers": {}, **more})


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def facts_of(told, **more):
    with pages(told) as (url, _):
        return ask(url, **more)


def test_vllm():
    facts = facts_of({"/v1/models": models(VLLM_MODEL), "/version": {"version": "0.32.0"}})
    assert facts.models == ("smollm2",)
    assert (facts.engine, facts.version, facts.context_tokens) == ("vllm", "0.32.0", 2048)
    assert facts.served_path == "/weights/smollm2"


def test_llama_cpp_tells_what_one_slot_holds():
    facts = facts_of({"/v1/models": models(LLAMA_MODEL, models=[{"name": "smollm2"}]), "/props": LLAMA_PROPS})
    assert facts.models == ("smollm2",)
    assert (facts.engine, facts.context_tokens, facts.version) == ("llama.cpp", 1024, None)


def test_sglang_tells_quantization_and_cache():
    model = {"id": "kimi", "object": "model", "owned_by": "sglang", "max_model_len": 262_144}
    facts = facts_of({"/v1/models": models(model), "/get_server_info": SGLANG_INFO})
    assert (facts.engine, facts.quantization, facts.kv_cache_dtype) == ("sglang", "modelopt_fp4", "fp8_e4m3")
    assert (facts.version, facts.context_tokens) == ("0.5.6", 262_144)


def test_an_endpoint_that_says_nothing_of_itself():
    facts = facts_of({"/v1/models": models({"id": "kimi"})})
    assert facts.models == ("kimi",)
    assert (facts.engine, facts.version, facts.context_tokens, facts.quantization) == (None, None, None, None)
    json.dumps(facts.as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "value",
    [
        [],
        "text",
        5,
        None,
        {"version": None},
        {"version": {"a": 1}},
        {"context_length": "many"},
        {"context_length": -1},
    ],
    ids=repr,
)
def test_odd_pages_beside_the_api_are_passed_over(value):
    told = {
        f"/{page}": value for page in ("version", "get_server_info", "server_info", "get_model_info", "props")
    }
    assert facts_of({"/v1/models": models({"id": "kimi"}), **told}).context_tokens is None


@pytest.mark.parametrize(
    ("entries", "names"),
    [([], ()), ([{"id": "a"}, {"id": "b"}], ("a", "b")), ([{"id": "a"}, "odd", {"name": "b"}], ("a",))],
)
def test_the_models_that_are_served(entries, names):
    assert facts_of({"/v1/models": models(*entries)}).models == names


@pytest.mark.parametrize("status", [404, 405, 501])
def test_an_endpoint_without_a_list_of_models_is_used_all_the_same(status):
    assert facts_of({"/v1/models": (status, {})}).models == ()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(b"<html><title>It works!</title></html>", "not an OpenAI-compatible", id="a web page"),
        pytest.param(b"", "not an OpenAI-compatible", id="nothing"),
        pytest.param({"models": []}, "not an OpenAI-compatible", id="another API"),
        pytest.param({"data": None}, "not an OpenAI-compatible", id="null data"),
        pytest.param([], "not an OpenAI-compatible", id="a list"),
        pytest.param((500, b"boom"), "HTTP 500", id="broken"),
        pytest.param((503, {"error": {"message": "Loading model"}}), "Loading model", id="still loading"),
        pytest.param((301, b""), "HTTP 301|not an OpenAI", id="redirected to nowhere"),
    ],
)
def test_what_is_no_endpoint(answer, words):
    with pages({"/v1/models": answer}) as (url, _), pytest.raises(EndpointError, match=words) as caught:
        ask(url)
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize(
    ("key", "words"), [(None, "OPENAI_API_KEY is not set"), ("sk-wrong-key", "the key in OPENAI_API_KEY")]
)
def test_a_key_that_is_refused(monkeypatch, status, key, words):
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    told = {"/v1/models": (status, {"error": f"bad key {key}"})}
    with pages(told) as (url, _), pytest.raises(EndpointError, match=words) as caught:
        ask(url)
    assert "sk-wrong" not in str(caught.value)


def test_the_key_and_headers_are_sent(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1")
    with pages({"/v1/models": models({"id": "kimi"})}) as (url, seen):
        ask(url, api_key_env="MY_KEY", headers={"X-A": "b"})
    assert all(headers["Authorization"] == "Bearer sk-1" and headers["X-A"] == "b" for _, headers in seen)


def test_nobody_listens():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
    with pytest.raises(EndpointError, match=r"cannot be reached \(Connection refused"):
        ask(url)


def test_no_such_host():
    with pytest.raises(EndpointError, match="cannot be reached"):
        ask("http://no-such-host.invalid/v1")


def test_a_server_that_accepts_and_says_nothing(monkeypatch):
    monkeypatch.setattr(evals.fleet.survey, "SURVEY_TIMEOUT_S", 0.3)
    with (
        pages({"/v1/models": models()}, delay_s=2.0) as (url, _),
        pytest.raises(EndpointError, match=r"no answer in 0.3 s"),
    ):
        ask(url)


def test_a_server_that_is_not_http():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def greet():
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
                time.sleep(0.1)

        threading.Thread(target=greet, daemon=True).start()
        with pytest.raises(EndpointError, match="cannot be reached"):
            ask(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
