"""What no schema can say, for requests that are made from one."""

import os
import re
import time

import schemathesis

WHOLE = re.compile(r"-?[0-9]+")


def uuid7():
    made = f"{int(time.time() * 1000):012x}7{os.urandom(2).hex()[:3]}8{os.urandom(8).hex()[:15]}"
    return f"{made[:8]}-{made[8:12]}-{made[12:16]}-{made[16:20]}-{made[20:]}"


def is_wrong(case, place):
    part = {place.value: part for place, part in case.meta.components.items()}.get(place)
    return part is not None and part.mode.is_negative


@schemathesis.hook
def before_call(context, case, kwargs):
    """A key says when its request was made, which is now, and so does an identity that takes the place of one; a cursor and
    what was seen are such as were given out.

    A wrong key stays as it is, unless the body is wrong too: then the body is what must be found.
    """
    headers = case.headers or {}
    if "Idempotency-Key" in headers and (is_wrong(case, "body") or not is_wrong(case, "header")):
        headers["Idempotency-Key"] = f"{os.urandom(8).hex()};{int(time.time() * 1000)}"
    # The key that is shown belongs to one tenant, and names no other.
    if not is_wrong(case, "header"):
        headers.pop("Keyloom-Tenant", None)
        headers.pop("Keyloom-Seen", None)
    if isinstance(case.body, dict) and "message_id" in case.body and not is_wrong(case, "body"):
        case.body["message_id"] = uuid7()
    if case.query and not is_wrong(case, "query"):
        case.query.pop("cursor", None)


@schemathesis.hook
def filter_case(context, case):
    """Numbers are also taken in another form than the one that is described: a decimal as a number, an int as text."""
    body = case.body if isinstance(case.body, dict) else {}
    lines = body.get("items") if isinstance(body.get("items"), list) else []
    lines = [line for line in lines if isinstance(line, dict)]
    decimals = [body.get("total")] + [line.get("price") for line in lines]
    ints = [line.get("qty") for line in lines]
    is_number = lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    is_digits = lambda value: isinstance(value, str) and WHOLE.fullmatch(value)
    return not any(map(is_number, decimals)) and not any(map(is_digits, ints))
