"""Calls the shop through a client that a public generator has made from its description."""

import sys
import time
import uuid
from datetime import datetime, timedelta, timezone

from shop_client import Client
from shop_client.api.order import get_order, get_order_items, list_orders_of_user, pay_order, place_order, ship_order
from shop_client.api.user import get_profile, sign_up
from shop_client.models import (
    LineInput,
    ListOrdersOfUserAnswer,
    PayOrderInputs,
    PlaceOrderInputs,
    Problem,
    ShipOrderInputs,
    ShipOrderRefusal,
    ShipOrderRefusalReason,
    SignUpInputs,
    SignUpRefusalReason,
)


def key():
    return f"{uuid.uuid4()};{int(time.time() * 1000)}"


def done(response, status=200):
    assert response.status_code == status, (response.status_code, response.content)
    return response.parsed


client = Client(base_url=sys.argv[1])
ann = SignUpInputs(name="Ann", email="ann@example.com")
user = done(sign_up.sync_detailed(client=client, body=ann, idempotency_key=key())).key.user_id
taken = done(sign_up.sync_detailed(client=client, body=ann, idempotency_key=key()), 409)
assert taken.reason == SignUpRefusalReason.EMAIL_TAKEN, taken

profile = get_profile.sync_detailed(client=client, user_id=user)
assert done(profile).row.name == "Ann"
assert profile.headers["etag"] == f'"{profile.parsed.version}"'

lines = [LineInput(sku="A-1", name="a thing", qty=2, price="6.25")]
order = PlaceOrderInputs(user_id=user, items=lines, total="12.50")
first = key()
placed = done(place_order.sync_detailed(client=client, body=order, idempotency_key=first))
again = done(place_order.sync_detailed(client=client, body=order, idempotency_key=first))
assert (again.key, again.version) == (placed.key, placed.version), "the same key, the same answer"
order.total = "99.00"
reused = done(place_order.sync_detailed(client=client, body=order, idempotency_key=first), 422)
assert isinstance(reused, Problem) and reused.type_.endswith("key_reused"), reused

row = done(get_order.sync_detailed(client=client, order_id=placed.key.order_id)).row
assert (row.status, row.total) == ("PLACED", "12.50"), row
items = done(get_order_items.sync_detailed(client=client, order_id=placed.key.order_id)).row.items
assert [(line.sku, line.qty, line.price) for line in items] == [("A-1", 2, "6.25")], items
assert isinstance(done(get_order.sync_detailed(client=client, order_id=uuid.uuid4()), 404), Problem)

for _ in range(4):
    time.sleep(0.002)
    done(place_order.sync_detailed(client=client, body=order, idempotency_key=key()))
seen, pages, more = [], 0, {}
while more is not None:
    page = done(list_orders_of_user.sync_detailed(client=client, user_id=user, limit=2, **more))
    assert isinstance(page, ListOrdersOfUserAnswer)
    seen += [row.order_id for row in page.rows]
    assert all(row.user.name == "Ann" for row in page.rows)
    pages += 1
    more = {"cursor": page.next_} if page.next_ else None
assert (pages, len(seen), len(set(seen)), seen[-1]) == (3, 5, 5, placed.key.order_id), (pages, seen)
now = datetime.now(timezone.utc).replace(microsecond=0)
later = list_orders_of_user.sync_detailed(client=client, user_id=user, from_=now + timedelta(hours=1))
assert done(later).rows == []

ship = ShipOrderInputs(order_id=placed.key.order_id)
refused = done(ship_order.sync_detailed(client=client, body=ship, idempotency_key=key()), 409)
assert isinstance(refused, ShipOrderRefusal) and refused.detail, refused
assert refused.reason == ShipOrderRefusalReason.STATUS_IS_PLACED, refused
pay = PayOrderInputs(order_id=placed.key.order_id)
done(pay_order.sync_detailed(client=client, body=pay, idempotency_key=key()))
done(ship_order.sync_detailed(client=client, body=ship, idempotency_key=key()))
assert done(get_order.sync_detailed(client=client, order_id=placed.key.order_id)).row.status == "SHIPPED"
print("all of it works")
