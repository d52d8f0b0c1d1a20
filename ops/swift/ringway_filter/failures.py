"""Which storage servers failed, and when: what the proxy server notices while it
works, and what its fellows have noticed, by way of memcached."""

import time

import eventlet

#: Of the proxy server, in Swift 2.30 to 2.38; each is called with a node that
#: did not answer, or with 5xx.
COMPLAINTS = ('error_limit', 'error_occurred', 'exception_occurred')

_PREFIX = 'ringway/failed/'
#: A node that fails is told of at once, and then at most so often.
TELL_SECONDS = 1
#: And again after so long, since memcached forgets when it is restarted.
RETELL_SECONDS = 10


class Failures(object):
    """:param proxy: Swift's proxy server, whose complaints are listened to
    :param ring: Swift's memcached client
    :param repair_seconds: after so long a node that was away has been repaired
    :param later: calls a function after a number of seconds
    """

    def __init__(self, proxy, ring, repair_seconds, now=time.monotonic,
                 later=eventlet.spawn_after):
        self._proxy = proxy
        self._ring = ring
        self._repair_seconds = repair_seconds
        self._now = now
        self._later = later
        # As many entries as the rings have devices.
        self._times = {}
        self._tell_at = {}
        self._planned = set()
        for name in COMPLAINTS:
            setattr(proxy, name, self._noting(getattr(proxy, name)))

    def _noting(self, complain):
        def noting(node, *args, **kwargs):
            self._note(_key(node))
            return complain(node, *args, **kwargs)
        return noting

    def _note(self, key):
        now = self._times[key] = self._now()
        self._plan(RETELL_SECONDS)
        if now < self._tell_at.get(key, now):
            return
        self._tell_at[key] = now + TELL_SECONDS
        try:
            self._ring.set(key, 1, time=self._repair_seconds,
                           raise_on_error=True)
        except Exception:
            # It is a complaint, in the middle of somebody's request; and this
            # proxy knows at least.
            self._plan(TELL_SECONDS)

    def _plan(self, seconds):
        if seconds not in self._planned:
            self._planned.add(seconds)
            self._later(seconds, self._retell, seconds)

    def _retell(self, planned):
        self._planned.remove(planned)
        for key in list(self._times):
            failed = self._times.get(key, 0)
            left = int(failed + self._repair_seconds - self._now())
            if left < 1:
                self._times.pop(key, None)
                continue
            try:
                # What others tell may be of a later failure.
                if self._ring.get(key, raise_on_error=True) is None:
                    self._ring.set(key, 1, time=left, raise_on_error=True)
            except Exception:
                # Of the next key another server may know.
                pass
        if self._times:
            self._plan(RETELL_SECONDS)

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
