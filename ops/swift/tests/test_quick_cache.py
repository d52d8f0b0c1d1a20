import unittest

from swift.common.memcached import MemcacheConnectionError

from ringway_filter.quick_cache import (
    AWAY_SECONDS, PATIENCE_SECONDS, QuickCache, quick_ring)


class SlowRing(object):
    """Each question takes a while, and is answered all the same."""

    def __init__(self):
        self.time = 0
        self.takes = 0
        self.asked = 0

    def now(self):
        return self.time

    def get(self, key, raise_on_error=False):
        self.asked += 1
        self.time += self.takes
        return 'value of ' + key

    set = delete = get

    def incr(self, key, delta=1, time=0):
        return self.get(key) and 1

    @property
    def logger(self):
        return 'its logger'


class TestQuickCache(unittest.TestCase):
    def setUp(self):
        self.ring = SlowRing()
        self.cache = QuickCache(self.ring, self.ring.now)

    def test_it_asks_a_memcached_that_answers(self):
        for _ in range(3):
            self.assertEqual(self.cache.get('a'), 'value of a')
        self.assertEqual(self.cache.incr('a', delta=2), 1)
        self.assertEqual(self.cache.logger, 'its logger')
        self.assertEqual(self.ring.asked, 4)

    def test_one_that_hangs_costs_one_question(self):
        self.ring.takes = PATIENCE_SECONDS
        self.cache.get('a')
        for _ in range(5):
            self.assertIsNone(self.cache.get('a'))
            self.assertIsNone(self.cache.set('a', {'status': 204}))
        with self.assertRaises(MemcacheConnectionError):
            self.cache.get('a', raise_on_error=True)
        with self.assertRaises(MemcacheConnectionError):
            self.cache.incr('a')
        self.assertEqual(self.ring.asked, 1)

    def test_what_is_no_longer_true_is_deleted_all_the_same(self):
        self.ring.takes = PATIENCE_SECONDS
        self.cache.get('a')
        self.ring.takes = 0
        self.assertIsNone(self.cache.get('a'))
        self.cache.delete('a')
        self.assertEqual(self.ring.asked, 2)

    def test_it_tries_again_with_one_request_at_a_time(self):
        self.ring.takes = PATIENCE_SECONDS
        self.cache.get('a')
        self.ring.time += AWAY_SECONDS
        seen = []
        asked = self.ring.get

        def get(key, raise_on_error=False):
            # Another request comes while this one waits.
            seen.append(self.cache.get('b'))
            return asked(key)
        self.ring.get = get
        self.assertEqual(self.cache.get('a'), 'value of a')
        self.assertEqual((seen, self.ring.asked), ([None], 2))

    def test_it_is_asked_again_once_it_answers(self):
        self.ring.takes = PATIENCE_SECONDS
        self.cache.get('a')
        self.ring.time += AWAY_SECONDS
        self.ring.takes = 0
        for _ in range(3):
            self.assertEqual(self.cache.get('a'), 'value of a')

    def test_a_connection_that_broke_is_no_reason(self):
        def broken(key, raise_on_error=False):
            raise MemcacheConnectionError('reset')
        get, self.ring.get = self.ring.get, broken
        with self.assertRaises(MemcacheConnectionError):
            self.cache.get('a')
        self.ring.get = get
        self.assertEqual(self.cache.get('a'), 'value of a')


class TestQuickRing(unittest.TestCase):
    def test_it_has_the_servers_of_the_cache_filter_and_less_patience(self):
        ring = quick_ring({'swift_dir': '/nowhere'}, {
            'memcache_servers': '127.0.0.1:1,127.0.0.2:2',
            'pool_timeout': '0.1'})
        self.assertEqual(set(ring._ring.values()),
                         {'127.0.0.1:1', '127.0.0.2:2'})
        self.assertEqual(
            (ring._io_timeout, ring._pool_timeout), (PATIENCE_SECONDS, 0.1))


if __name__ == '__main__':
    unittest.main()
