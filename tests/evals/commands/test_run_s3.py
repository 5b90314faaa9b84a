"""A run kept in S3, against a local S3 server: the real client, the real protocol, nothing outside 127.0.0.1."""

import secrets

import pytest
import s3fs

server = pytest.importorskip("moto.server", reason="moto is a development dependency")


@pytest.fixture
def s3(monkeypatch, tmp_path):
    """A running S3 server and the URL of a bucket in it: the server forgets none while the process lives."""
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "made-up",
        "AWS_SECRET_ACCESS_KEY": "made-up",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
        "QUANTCHECK_CACHE": str(tmp_path / "cache"),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    bucket = f"bucket-{secrets.token_hex(4)}"
    s3fs.S3FileSystem().mkdir(bucket)
    yield running, f"s3://{bucket}/runs"
    s3fs.S3FileSystem.clear_instance_cache()
    running.stop()


def test_a_run_in_s3_from_one_machine_to_the_next(ask, serve, cli, s3, tmp_path):
    endpoint, (_, url) = serve(), s3
    first = ask(endpoint.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "one", "--json")
    assert (first.code, first.document["requests_sent"]) == (0, 12)
    again = ask(endpoint.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "two", "--json")
    assert (again.code, again.document["requests_sent"]) == (0, 0)
    compared = cli("compare", f"{url}/x", f"{url}/x", "--out", tmp_path / "out")
    assert compared.code in (0, 3) and "6 items, 2 epochs" in compared.out
    exported = cli("export", f"{url}/x")
    assert exported.code == 0 and exported.out.count("\n") == 13


def test_no_such_bucket_costs_no_request(ask, serve, s3):
    endpoint = serve()
    ended = ask(endpoint.base_url, "--runs-dir", "s3://nosuch/runs")
    assert (
        ended.code == 5
        and "object storage s3://nosuch/runs: " in ended.line
        and "bucket does not exist" in ended.line
    )
    assert endpoint.ledger.n_requests == 0


def test_a_store_that_goes_away_loses_nothing(ask, serve, s3, tmp_path, monkeypatch):
    endpoint, (store, url) = serve(), s3
    asked = endpoint.ledger.begin

    def begin(key):
        store.stop()
        return asked(key)

    monkeypatch.setattr(endpoint.ledger, "begin", begin)
    ended = ask(endpoint.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "spool")
    assert ended.code == 5
    (last,) = [line for line in ended.err.splitlines() if line.startswith("quantcheck: ")]
    assert "Could not connect" in last and f"the run is in {tmp_path / 'spool'}" in last
    assert len(list((tmp_path / "spool").rglob("*.eval"))) == 1
