import unittest
from unittest import mock

from ringway_filter.failures import (
    COMPLAINTS, RETELL_SECONDS, TELL_SECONDS, Failures)
from tests.support import FakeMemcache

REPAIR_SECONDS = 3600
NODE = {'ip': 's1', 'port': 6200, 'device': 'd1'}
KEY = 'ringway/failed/s1:6200/d1'


class Memcache(FakeMemcache):
    """Counts what it is told, and how long it is to remember it."""

    def __init__(self):
        super(Memcache, self).__init__()
        self.told = []

    def set(self, key, value, time=0, raise_on_error=False):
        super(Memcache, self).set(key, value, time, raise_on_error)
        self.told.append((key, time))


class TestFailures(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        self.timers = []
        self.memcache = Memcache()
        self.proxy = mock.Mock(spec=COMPLAINTS)
        Failures(self.proxy, self.memcache, REPAIR_SECONDS,
                 now=lambda: self.now,
                 later=lambda *timer: self.timers.append(timer))

    def fail(self, device='d1'):
        self.proxy.error_occurred(dict(NODE, device=device), 'a message')

    def fire(self, seconds):
        """Lets the timers of so many seconds fire."""
        due = [timer for timer in self.timers if timer[0] == seconds]
        self.timers = [timer for timer in self.timers if timer[0] != seconds]
        self.assertEqual(len(due), 1)
        self.now += seconds
        for _seconds, retell, planned in due:
            retell(planned)

    def test_other_proxies_are_told_at_once_and_not_again_and_again(self):
        for seconds, times in ((0, 1), (0.5, 1), (0.6, 2)):
            self.now += seconds
            self.fail()
            self.assertEqual(self.memcache.told,
                             times * [(KEY, REPAIR_SECONDS)])

    def test_memcached_that_was_restarted_is_told_again(self):
        self.fail()
        self.fire(RETELL_SECONDS)
        self.assertEqual(len(self.memcache.told), 1)
        self.memcache.data.clear()
        self.fire(RETELL_SECONDS)
        self.assertEqual(self.memcache.told[1:],
                         [(KEY, REPAIR_SECONDS - 2 * RETELL_SECONDS)])
        # In the end it has been repaired.
        self.memcache.data.clear()
        self.now += REPAIR_SECONDS
        self.fire(RETELL_SECONDS)
        self.assertEqual((self.timers, self.memcache.data), ([], {}))

    def test_memcached_that_did_not_answer_is_told_soon(self):
        self.memcache.failures = 2
        self.fail()
        self.fire(TELL_SECONDS)
        self.assertEqual(self.memcache.data, {})
        self.fire(RETELL_SECONDS)
        self.assertEqual(list(self.memcache.data), [KEY])
        self.assertEqual(len(self.timers), 1)

    def test_of_two_servers_the_other_is_told(self):
        self.fail()
        self.fail('d2')
        self.memcache.data.clear()
        self.memcache.failures = 1
        self.fire(RETELL_SECONDS)
        self.assertEqual(list(self.memcache.data),
                         ['ringway/failed/s1:6200/d2'])


if __name__ == '__main__':
    unittest.main()
