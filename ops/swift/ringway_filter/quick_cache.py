"""Swift's cache for requests of the gateway, which a memcached that hangs does
not hold up.

A memcached that is gone refuses connections, and costs nothing. One that is
paused, or behind a network that drops packets, costs Swift its time-outs: two
seconds for each question, four for a GET or a PUT. The gateway's requests need
no token, so that all they would learn from the cache is the info of a container,
which the container servers know as well.
"""

import time

from swift.common.memcached import MemcacheConnectionError
from swift.common.middleware.memcache import MemcacheMiddleware

#: Longer than any answer of a memcached that is well, in seconds.
PATIENCE_SECONDS = 0.5
#: So long it is not asked after a question that it did not answer in time; then
#: one request tries.
AWAY_SECONDS = 2

#: Questions whose answer may be missing. Not ``delete``: a change of a container
#: takes its info out of the cache, and were that left out, proxies would go by
#: the info of before for a minute.
_CACHE_METHODS = ('get', 'set', 'get_multi', 'set_multi')
#: Those that have to fail where it is.
_COUNTER_METHODS = ('incr', 'decr')


def quick_ring(conf, options):
    """A client like that of the cache filter, with short time-outs.

    :param conf: the filter's configuration, for ``swift_dir``
    :param options: those of the cache filter's section
    :returns: a MemcacheRing
    """
    options = dict(options)
    if 'swift_dir' in conf:
        options.setdefault('swift_dir', conf['swift_dir'])
    ring = MemcacheMiddleware(None, options).memcache
    for name in '_io_timeout', '_pool_timeout', '_connect_timeout':
        seconds = getattr(ring, name, PATIENCE_SECONDS)
        setattr(ring, name, min(seconds, PATIENCE_SECONDS))
    return ring


class QuickCache(object):
    """A client of memcached that is left alone while it does not answer.

    :param ring: the client, with short time-outs
    """

    def __init__(self, ring, now=time.monotonic):
        self._ring = ring
        self._now = now
        self._is_away = False
        self._ask_at = 0

    def __getattr__(self, name):
        method = getattr(self._ring, name)
        if name in _CACHE_METHODS:
            return self._asking(method, self._missing)
        if name in _COUNTER_METHODS:
            return self._asking(method, self._failing)
        return method

    def _asking(self, method, otherwise):
        def ask(*args, **kwargs):
            began = self._now()
            if began < self._ask_at:
                return otherwise(**kwargs)
            if self._is_away:
                # The others do not wait for the one that tries.
                self._ask_at = began + AWAY_SECONDS
            try:
                return method(*args, **kwargs)
            finally:
                took = self._now() - began
                self._is_away = took >= PATIENCE_SECONDS
                self._ask_at = began + took + (
                    AWAY_SECONDS if self._is_away else 0)
        return ask

    @staticmethod
    def _missing(raise_on_error=False, **_kwargs):
        if raise_on_error:
            raise MemcacheConnectionError('memcached does not answer')

    @staticmethod
    def _failing(**_kwargs):
        raise MemcacheConnectionError('memcached does not answer')
