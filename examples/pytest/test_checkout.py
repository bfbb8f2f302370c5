import json
import urllib.error
import urllib.request


def checkout(provider, cents):
    """The code under test: it knows the provider by an address, as it would in production."""
    body = json.dumps({"amount": cents}).encode()
    try:
        urllib.request.urlopen(urllib.request.Request(f"{provider}/charges", body, {"content-type": "application/json"}))
        return "paid"
    except urllib.error.HTTPError as error:
        return "declined" if error.code == 402 else "failed"


def test_an_order_is_charged_once(payments):
    assert checkout(payments.url, 1250) == "paid"
    payments.verify({"path": "/charges", "bodyContains": "1250"}, exactly=1)


def test_a_declined_card_is_reported(payments):
    payments.overlay({"responses": {"charge": {"merge": {"status": 402}}}})
    assert checkout(payments.url, 700) == "declined"
