"""Which storage servers failed, and when: what the proxy server notices while it
works, and what its fellows have noticed, by way of memcached."""

import time

#: Of the proxy server, in Swift 2.30 to 2.38; each is called with a node that
#: did not answer, or with 5xx.
COMPLAINTS = ('error_limit', 'error_occurred', 'exception_occurred')

_PREFIX = 'ringway/failed/'
#: A node that fails is told of at once, and then so often.
_TELL_SECONDS = 60
#: memcached may be away, too.
_RETRY_SECONDS = 1


class Failures(object):
    """:param proxy: Swift's proxy server, whose complaints are listened to
    :param ring: Swift's memcached client
    :param repair_seconds: after so long a node that was away has been repaired
    """

    def __init__(self, proxy, ring, repair_seconds, now=time.monotonic):
        self._proxy = proxy
        self._ring = ring
        self._repair_seconds = repair_seconds
        self._now = now
        # As many entries as the rings have devices.
        self._times = {}
        self._tell_at = {}
        for name in COMPLAINTS:
            setattr(proxy, name, self._noting(getattr(proxy, name)))

    def _noting(self, complain):
        def noting(node, *args, **kwargs):
            self._note(_key(node))
            return complain(node, *args, **kwargs)
        return noting

    def _note(self, key):
        now = self._times[key] = self._now()
        if now < self._tell_at.get(key, now):
            return
        self._tell_at[key] = now + _RETRY_SECONDS
        try:
            self._ring.set(key, 1, time=self._repair_seconds + _TELL_SECONDS,
                           raise_on_error=True)
            self._tell_at[key] = now + _TELL_SECONDS
        except Exception:
            # It is a complaint, in the middle of somebody's request; and this
            # proxy knows at least.
            pass

    def now(self):
        return self._now()

    def has_failed(self, node, since):
        """Whether a node has failed since a time, or was not even asked."""
        failed = self._times.get(_key(node))
        return (failed is not None and failed >= since
                or self._proxy.error_limited(node))

    def is_steady(self, node):
        """Whether a node has missed nothing lately, as far as proxies know."""
        key = _key(node)
        if self.has_failed(node, self._now() - self._repair_seconds):
            return False
        try:
            return self._ring.get(key, raise_on_error=True) is None
        except Exception:
            return False


def _key(node):
    return '%s%s:%s/%s' % (_PREFIX, node['ip'], node['port'], node['device'])
