import os
from collections import namedtuple
from uuid import uuid4

import pytest
import requests
from wiremock.constants import Config

HOST, MOCK, KEY = "127.0.0.1", "base", os.environ["SWITCHYARD_KEY"]
World = namedtuple("World", "id url")


@pytest.fixture
def world():
    name = f"w{uuid4().hex[:8]}"
    Config.base_url = f"http://x:{KEY}@{HOST}:8080/compat/wiremock/{MOCK}/{name}/__admin"
    yield World(name, f"http://{HOST}:8081/__mock/{MOCK}/__session/{name}")
    requests.delete(f"http://{HOST}:8080/v1/mocks/{MOCK}/sessions/{name}", headers={"x-api-key": KEY})
