"""Switchyard in a pytest suite, with the standard library alone: one server, and a session of its mock for each test."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.request
from urllib.parse import urlsplit

import pytest

ROUTES = [{"id": "charge", "method": "POST", "path": "/charges", "responses": [{"status": 201}]}]


class Api:
    def __init__(self, server, key):
        self.url, self.key = f"{server}/v1", key

    def __call__(self, method, path, body=None):
        headers = {"x-api-key": self.key, "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or "{}").get("data")


@pytest.fixture(scope="session")
def api(tmp_path_factory):
    """The API of the server that SWITCHYARD_SERVER and SWITCHYARD_API_KEY name, or of one that runs as long as the suite."""
    if "SWITCHYARD_SERVER" in os.environ:
        yield Api(os.environ["SWITCHYARD_SERVER"], os.environ["SWITCHYARD_API_KEY"])
        return
    folder = tmp_path_factory.mktemp("switchyard")
    key, log = folder / "key", folder / "log"
    command = ["npx", "switchyard-server", "serve", "--port", "0", "--mock-port", "0", "--data", folder / "data"]
    environment = {**os.environ, "SWITCHYARD_KEY_FILE": str(key)}
    server = subprocess.Popen(command, stdout=log.open("w"), env=environment, start_new_session=True)
    while not (ready := re.search(r"ready: API (\S+)/v1 ", log.read_text())):
        assert server.poll() is None, "the server did not start"
        time.sleep(0.1)
    yield Api(ready[1], key.read_text().strip())
    os.killpg(server.pid, signal.SIGTERM)  # npx passes no signal on
    server.wait()


@pytest.fixture(scope="session")
def mock(api):
    made = api("POST", "/mocks", {"name": "Payments", "start": True, "routes": ROUTES})
    yield made["id"]
    api("DELETE", f"/mocks/{made['id']}")


@pytest.fixture
def payments(api, mock, request):
    """`payments.url` for the code under test; what the test overlays and verifies is its own."""
    made = api("POST", f"/mocks/{mock}/sessions", {"label": request.node.name})
    host, address = urlsplit(api.url).hostname, urlsplit(made["address"]["pathUrl"])
    session = Session(api, f"/mocks/{mock}/sessions/{made['id']}", f"http://{host}:{address.port}{address.path}")
    yield session
    for miss in api("DELETE", session.path)["unmatched"]:
        print("no route answered", miss["method"], miss["path"])


class Session:
    def __init__(self, api, path, url):
        self.api, self.path, self.url = api, path, url

    def overlay(self, overlay):
        self.api("PUT", f"{self.path}/overlay", overlay)

    def verify(self, match, **times):
        result = self.api("POST", f"{self.path}/verify", {"match": match, **times})
        assert result["verified"], result
