import unittest

from ringway_filter.lookups import is_there, look_again
from tests.support import FakeMemcache

THERE = {'status': 204}
GONE = {'status': 404}
UNMADE = {'status': 204, 'account_really_exists': False}


class TestLookups(unittest.TestCase):
    def setUp(self):
        self.cache = FakeMemcache()

    def look(self, *names, **infocache):
        names = (names + (None, None))[:3]
        env = {'swift.cache': self.cache, 'swift.infocache': infocache}
        look_again(env, *names)
        return env

    def asks(self, env, key):
        """Whether the proxy server asks the servers."""
        return (key not in env['swift.infocache']
                and env['swift.cache'].get(key) is None)

    def test_what_is_there_is_believed_and_looked_up_once(self):
        self.cache.data = {'container/a/\xe9': THERE}
        env = self.look('a', '\xc3\xa9', 'o')
        self.cache.data.clear()
        self.assertFalse(self.asks(env, 'container/a/\xe9'))
        self.assertTrue(is_there(env, 'a', '\xc3\xa9'))
        self.assertIsNone(is_there(env, 'a'))
        self.cache.data = {'account/a': THERE, 'container/a/c': GONE}
        self.assertFalse(self.asks(self.look('a', 'c'), 'account/a'))

    def test_what_is_missing_is_not(self):
        for infos, names in (
                ({'container/a/c': GONE}, ('a', 'c', 'o')),
                ({'account/a': GONE}, ('a', 'c', 'o')),
                ({'account/a': UNMADE}, ('a', 'c', 'o')),
                ({'account/a': UNMADE}, ('a', 'c'))):
            self.cache.data = infos
            for env in (self.look(*names), self.look(*names, **infos)):
                for key in infos:
                    self.assertTrue(self.asks(env, key), (names, key))
            # Others are told what the servers say.
            env['swift.cache'].set('account/a', THERE)
            self.assertEqual(self.cache.data['account/a'], THERE)

    def test_without_memcached(self):
        env = {'swift.infocache': {'container/a/c': GONE}}
        look_again(env, 'a', 'c', 'o')
        self.assertEqual(env, {'swift.infocache': {}, 'swift.cache': None})

    def test_an_account_itself(self):
        self.cache.data = {'account/a': GONE}
        self.assertEqual(self.look('a')['swift.infocache'], {})

    def test_nobody_could_tell(self):
        self.assertIsNone(is_there({}, 'a'))
        self.assertIsNone(is_there({'swift.infocache': {}}, 'a', 'c'))


if __name__ == '__main__':
    unittest.main()
