"""How whole requests are sent: as they say, or as the run says."""

import pytest

from tasks.stream_way import drawn_epoch, in_its_way


@pytest.mark.parametrize(
    ("options", "epoch", "own", "sent"),
    [
        pytest.param({}, 1, {}, {}, id="says nothing: nothing is added"),
        pytest.param({}, 1, {"stream": True}, {"stream": True}, id="its own"),
        pytest.param({}, 2, {"stream": None}, {"stream": None}, id="its own null"),
        pytest.param({"stream": True}, 1, {"stream": False}, {"stream": True}, id="--stream"),
        pytest.param({"stream": False}, 1, {"stream": True}, {"stream": False}, id="--no-stream"),
        pytest.param({"stream": False}, 1, {}, {"stream": False}, id="--no-stream where it does not say"),
        pytest.param(
            {"both_ways": True}, 1, {"stream": False}, {"stream": True}, id="both: odd epochs stream"
        ),
        pytest.param(
            {"both_ways": True}, 2, {"stream": True}, {"stream": False}, id="both: even ones do not"
        ),
        pytest.param({"both_ways": True}, 7, {}, {"stream": True}, id="both: later ones too"),
    ],
)
def test_the_way_of_a_request(options, epoch, own, sent):
    request = {"messages": [1], **own, "tools": None}
    result = in_its_way(request, options, epoch)
    assert result == {"messages": [1], **sent, "tools": None}
    if own:
        assert list(result) == ["messages", "stream", "tools"]  # where it stood


def test_both_ways_of_one_request_share_their_draw():
    assert [drawn_epoch({"both_ways": True}, epoch) for epoch in (1, 2, 3, 4)] == [1, 1, 2, 2]
    assert [drawn_epoch({}, epoch) for epoch in (1, 2, 3)] == [1, 2, 3]
