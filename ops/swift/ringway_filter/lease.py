"""Leases in memcached: at most one holder of a name in the whole cluster.

Two keys stand for a name. The *lock* is counted up by memcached's atomic
``incr``, which also makes it: who counts to 1 has the lease until it runs out.
The *owner* is a random token that the holder writes next, and looks for again
after its work.

The lock alone keeps holders apart as long as memcached remembers it. When it
forgets, by a restart or an eviction, a second one gets the lease while the
first is still at work. That one then finds another's token, or none. Of any
number of holders at most one ends successfully: one of two that both found
their own token has looked before the other wrote, so its work was over before
the other's began, which hence saw its result.

Memcached's other comforts would break that: a client that goes to the next
server when one fails could find another count there. So a server that does not
answer means no lease, and all proxies must have the same list of servers.
"""

import time
import uuid

from swift.common.memcached import MemcacheConnectionError

_PREFIX = 'ringway/create/'

#: A connection that a restart of memcached broke fails at once; there are at
#: most so many of them waiting in the pool (see ``memcache.py``).
CONNECTIONS_MAX = 8
_RETRY_SECONDS_MAX = 1.0


class Busy(Exception):
    """Another request has the lease."""


class Unavailable(Exception):
    """It cannot be known who has the lease."""


class Leases(object):
    """:param ring: Swift's memcached client, made to ask one server for a key
    :param seconds: how long a lease lasts
    """

    def __init__(self, ring, seconds, now=time.monotonic):
        self._ring = ring
        self._seconds = seconds
        self._now = now

    def acquire(self, name):
        """:returns: a Lease
        :raises Busy, Unavailable:
        """
        lease = Lease(self, name)
        lease.acquire()
        return lease

    def _ask(self, call):
        """Does what memcached is asked for, again where a connection of the
        pool was dead.

        Counting twice is no harm: who gets to 2 is refused, if need be for as
        long as the lease lasts.
        """
        started = self._now()
        for attempt in range(CONNECTIONS_MAX + 1):
            try:
                return call(self._ring)
            except MemcacheConnectionError as error:
                late = self._now() - started > _RETRY_SECONDS_MAX
                if late or attempt == CONNECTIONS_MAX:
                    raise Unavailable(str(error))


class Lease(object):
    """One attempt at a lease."""

    def __init__(self, leases, name):
        self._leases = leases
        self._lock = _PREFIX + name
        self._owner = _PREFIX + name + '\0owner'
        self._token = uuid.uuid4().hex
        self._until = None

    def acquire(self):
        leases = self._leases
        until = leases._now() + leases._seconds
        count = leases._ask(lambda ring: ring.incr(
            self._lock, time=leases._seconds))
        if count != 1:
            raise Busy()
        self._until = until
        # Swift 2.30's client does not say when memcached did not store.
        for _attempt in range(CONNECTIONS_MAX + 1):
            leases._ask(lambda ring: ring.set(
                self._owner, self._token, time=leases._seconds,
                raise_on_error=True))
            if self.is_held():
                return
        raise Unavailable('memcached does not store')

    def is_held(self):
        """Whether no other can have had the lease since.

        :raises Unavailable:
        """
        leases = self._leases
        if self._until is None or leases._now() >= self._until:
            return False
        return leases._ask(lambda ring: ring.get(
            self._owner, raise_on_error=True)) == self._token

    def release(self):
        """Lets the next one have it. A lease that is lost, or as good as lost,
        runs out by itself: its lock may be another's."""
        leases = self._leases
        if (self._until is not None
                and self._until - leases._now() > leases._seconds / 2):
            try:
                if self.is_held():
                    leases._ring.delete(self._lock)
            except Unavailable:
                pass
        self._until = None
