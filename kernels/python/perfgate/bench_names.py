"""Names of cases: made from what the script says about them, so that they are the same in every process of both sides."""

import hashlib

LONGEST = 200  # bytes of a name
_AS_THEY_ARE = set("_.+-^:()*[]<>#@%=")


def word(value):
    """A value as part of a name: without what separates parts, and without addresses."""
    if isinstance(value, (list, tuple)):
        return "x".join(word(v) for v in value)
    if isinstance(value, (str, bytes, bool, int, float, type(None))):
        return _clean(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))
    if hasattr(value, "__name__"):
        return _clean(value.__name__)
    text = str(value)
    if " at 0x" in text or len(text) > 60:
        return _clean(type(value).__name__)
    return _clean(text[len("torch."):] if text.startswith("torch.") else text)


def _clean(text):
    kept = "".join(c if c.isalnum() or c in _AS_THEY_ARE else "_" for c in text.strip())
    return kept or "_"


def joined(group, params):
    """``group/a=1,b=2`` of a dict of values."""
    parts = ",".join(f"{word(name)}={word(value)}" for name, value in params.items())
    return word(group) + ("/" + parts if parts else "")


class Names:
    """Hands out names, each once: what comes again gets its number."""

    def __init__(self):
        self._seen = {}

    def take(self, name):
        """``name``, or ``name,again=2`` for its second use. A name that is too long ends in a digest of all of it."""
        name = _shorten(name)
        self._seen[name] = count = self._seen.get(name, 0) + 1
        return name if count == 1 else _shorten(f"{name}{separator(name)}again={count}")


def separator(name):
    """What comes between a name and a further parameter."""
    return "," if "/" in name else "/"


def _shorten(name):
    raw = name.encode("utf-8")
    if len(raw) <= LONGEST:
        return name
    digest = hashlib.sha256(raw).hexdigest()[:12]
    return raw[: LONGEST - 13].decode("utf-8", "ignore") + "~" + digest
