"""Tokens of the gateway, which need not be looked up with each request.

tempauth asks memcached for the token of every request. A gateway sends the same
few tokens hundreds of times a second, and proves with each request by its
signature that it is the gateway: what memcached said of such a token a moment
ago is told again. That is one of the two questions to memcached that a GET
takes, and one of a PUT's three.

Only what memcached has is remembered: a token that it does not know is looked
up each time, so that one that was just made is good at once. Nor is memcached
believed that a container is missing: that, too, may have just been made.
"""

import time

from ringway_filter.lookups import WithoutMisses
from ringway_filter.trust import trust_of

#: So long a token works on that was taken out of memcached.
REMEMBERED_SECONDS = 5
#: Gateways have one token, or one for each account that they act for.
_TOKENS_MAX = 1000


def _is_of_a_token(key):
    """tempauth's keys are ``<prefix>/token/<prefix>tk<hex>``; that of the
    info of a container may look much like it."""
    prefix, mark, token = key.partition('/token/')
    return bool(mark) and token.startswith(prefix + 'tk')


class TokenMemory(object):
    """Swift's memcached client, with a memory of tokens.

    :param ring: the client; what is not ``get`` is the client's own
    """

    def __init__(self, ring, now=time.monotonic):
        self._ring = ring
        self._now = now
        self._known = {}

    def __getattr__(self, name):
        return getattr(self._ring, name)

    def get(self, key, *args, **kwargs):
        if not _is_of_a_token(key):
            return self._ring.get(key, *args, **kwargs)
        now = self._now()
        until, value = self._known.get(key, (now, None))
        if now < until:
            return value
        value = self._ring.get(key, *args, **kwargs)
        if value is None:
            self._known.pop(key, None)
            return None
        if len(self._known) >= _TOKENS_MAX:
            self._known.clear()
        self._known[key] = (now + REMEMBERED_SECONDS, value)
        return value


class Tokens(object):
    """WSGI middleware, directly right of the cache filter, whose client it
    replaces for requests of the gateway."""

    def __init__(self, app, memory):
        self.app = app
        self._memory = memory

    def __call__(self, env, start_response):
        if trust_of(env) is not None:
            env['swift.cache'] = self._memory
        return self.app(env, start_response)


def remember_tokens(app, ring_of=lambda ring: ring):
    """Puts :class:`Tokens` into a pipeline, where it has a cache filter.

    :param app: the pipeline's left end
    :param ring_of: gives the client for the gateway's requests, of the cache
        filter's
    :returns: the same
    """
    at = app
    while at is not None:
        ring, inner = getattr(at, 'memcache', None), getattr(at, 'app', None)
        if ring is not None and inner is not None:
            at.app = Tokens(inner, TokenMemory(WithoutMisses(ring_of(ring))))
            return app
        at = inner
    return app
