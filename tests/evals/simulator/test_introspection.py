"""What the endpoint tells about itself, the images it has seen, and how it goes down."""

import base64
import hashlib
import time

import pytest

from evals.simulator.answers import AnswerBook, AnswerKind


def test_images_are_decoded_looked_at_and_counted(start, entry, show, png):
    urls = [png(colour) for colour in ("red", "blue")]
    digests = [hashlib.sha256(base64.b64decode(url.split(",")[1])).hexdigest() for url in urls]
    book = AnswerBook.from_entries(
        entry(
            str(place),
            prompt_text="Read it.",
            n_images=1,
            image_sha256=(digest,),
            kind=AnswerKind.OCR,
            target=(f"word{place}",),
        )
        for place, digest in enumerate(digests)
    )
    client = start(book=book)
    assert show(client, "Which colour is this image?", urls[1]).message["content"] == "The image is blue."
    assert [show(client, "Read it.", url).message["content"] for url in urls] == ["word0", "word1"]


def test_a_wrong_number_of_images_is_refused(start, entry, show, png):
    client = start(book=AnswerBook.from_entries([entry("a", n_images=2)]))
    answer = show(client, "Problem a", png("red"))
    assert answer.status == 400 and "has 2 images; 1 were sent" in answer.json()["error"]["message"]


def test_truth_is_told_and_holds(start):
    client = start()
    truth = client.send("GET", "/simulation/truth").json()
    assert truth["tasks"]["aime25"] == {
        "n_items": 3,
        "mean": 0.5,
        "items": {"always": 1.0, "half": 0.5, "never": 0.0},
    }
    for sample_id, expected in (("always", {"correct"}), ("half", {"correct", "wrong"})):
        for seed in range(12):
            answer = client.ask(f"Problem {sample_id}", seed=seed)
            is_right = r"\boxed{70}" in answer.message["content"]
            assert is_right or sample_id != "always"
        played = {item["played"][0] for item in client.ledger()["items"] if item["sample_id"] == sample_id}
        assert expected <= played


def test_the_ledger_counts_requests_statuses_and_duplicates(start):
    client = start("http_500=first:1")
    for _ in range(3):
        client.ask("Problem half", seed=4)
    client.ask("Problem half", seed=5)
    ledger = client.ledger()
    assert (ledger["n_requests"], ledger["statuses"], ledger["faults"]) == (
        4,
        {"200": 2, "500": 2},
        {"http_500": 2},
    )
    first = next(item for item in ledger["items"] if item["seed"] == 4)
    assert (first["attempts"], first["completed"], first["statuses"]) == (3, 2, [500, 200, 200])
    assert [item["seed"] for item in ledger["duplicates"]] == [4]
    assert client.send("POST", "/simulation/reset").status == 200
    assert client.ledger()["n_requests"] == 0 and client.ledger()["items"] == []


def test_bodies_are_kept_byte_for_byte_on_request(start):
    client = start(record_bodies=True)
    raw = b'{"messages": [ {"content":"hi", "role":"user"}], "model":"m","x":null}'
    client.send("POST", "/v1/chat/completions", raw)
    assert client.running.ledger.bodies == [raw]


def test_an_outage_answers_503_and_ends(start):
    client = start()
    assert client.send("POST", "/simulation/outage", {"seconds": 0.2}).status == 200
    assert [client.ask().status, client.send("GET", "/health").status] == [503, 503]
    time.sleep(0.25)
    assert client.ask().status == 200


def test_a_closed_port_refuses_and_comes_back(start):
    client = start()
    client.send("POST", "/simulation/outage", {"seconds": 0.3, "mode": "closed"})
    time.sleep(0.15)
    with pytest.raises(ConnectionRefusedError):
        client.ask()
    time.sleep(0.4)
    assert client.ask().status == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"seconds": -1},
        {"seconds": "1"},
        {"seconds": True},
        {"seconds": 1, "mode": "x"},
        {"seconds": 1, "mode": ["closed"]},
        [],
        b"{",
    ],
    ids=str,
)
def test_an_outage_that_makes_no_sense_is_a_400(start, body):
    assert start().send("POST", "/simulation/outage", body).status == 400
