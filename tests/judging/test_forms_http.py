"""Forms that no browser of ours sends: read or refused, and never a failure of the server."""

from __future__ import annotations

import pytest

from tests.judging.asgi import TestClient
from truegain.cli.annotate_serve import keep_password, parts_of
from truegain.judging.server.app import create_app
from truegain.judging.server.organizer import password_hash_of
from truegain.judging.store.database import default_url
from truegain.judging.study.simulated import simulated_study

PART = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n--b--\r\n'
CODECS = ("undefined", "idna", "punycode", "unicode_escape", "utf-16", "utf-7", "base64", "rot13", "none at all", "")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """The app as it is served, with the organizer's page; an error of ours is a 500, not an exception."""
    folder = tmp_path_factory.mktemp("served") / "study"
    study = simulated_study(folder, topics=1, docs=8, judgments=1)
    keep_password(study.folder, password_hash_of("seven lamps by the river"))
    app = create_app(study, default_url(folder), more=parts_of(study), limits=None)
    return TestClient(app, follow_redirects=False, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def addresses(client: TestClient) -> tuple[str, ...]:
    """Every address that takes a form, of a person who is at a page."""
    unit = client.post("/s/simulated/").headers["location"].rstrip("/")
    own = tuple(f"{unit}/{name}" for name in ("consent", "practice/1", "doc/1", "leave", "notice", "another"))
    organizer = tuple(f"/organize/simulated/{name}" for name in ("", "sign-in", "sign-out", "assessors/a/exclude"))
    return ("/s/simulated/", *own, *organizer)


@pytest.mark.few(1)
@pytest.mark.parametrize("codec", CODECS)
def test_a_character_set_that_is_none_is_no_failure(client: TestClient, addresses: tuple[str, ...], codec: str) -> None:
    """Guards forms in parts, whose sender names the character set: any name is answered, and with no 5xx."""
    kind = {"Content-Type": f"multipart/form-data; boundary=b; charset={codec}"}
    for body in (PART % (b"reason", b"a"), PART % (b"rea\xff\x00son", b"\xff\xfe\xd8\\N{x}"), PART[:20], b""):
        for address in addresses:
            answer = client.post(address, content=body, headers=kind)
            assert answer.status_code < 500, (address, body, answer.text)


def test_what_cannot_be_read_is_told(client: TestClient, addresses: tuple[str, ...]) -> None:
    """Guards the word on it: 400, as for every form that cannot be read, where a person sent it from a page."""
    kind = {"Content-Type": "multipart/form-data; boundary=b; charset=undefined"}
    page = next(address for address in addresses if address.endswith("/consent"))
    assert client.post(page, content=PART % (b"action", b"next"), headers=kind).status_code == 400
