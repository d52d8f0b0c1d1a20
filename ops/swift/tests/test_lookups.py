import unittest

from ringway_filter.lookups import Unknown, info_of, is_there, look_again
from tests.support import FakeMemcache, FakeSwift, request

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
                ({'account/a': UNMADE, 'container/a/c': GONE}, ('a', 'c', 'o')),
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

    def test_others_keep_what_they_have(self):
        shared = {'container/a/c': GONE}
        env = {'swift.infocache': shared}
        look_again(env, 'a', 'c', 'o')
        self.assertEqual(env['swift.infocache'], {})
        self.assertEqual(shared, {'container/a/c': GONE})

    def test_an_account_itself(self):
        self.cache.data = {'account/a': GONE}
        self.assertEqual(self.look('a')['swift.infocache'], {})

    def test_nobody_could_tell(self):
        self.assertIsNone(is_there({}, 'a'))
        self.assertIsNone(is_there({'swift.infocache': {}}, 'a', 'c'))

    def info(self, swift, is_fresh=True, **infos):
        self.cache.data = {
            key.replace('_', '/'): info for key, info in infos.items()}
        self.env = request('PUT', '/v1/a/b/o', **{'swift.cache': self.cache})
        return info_of(self.env, swift, 'a', 'c', is_fresh)

    def test_info_of_a_container(self):
        swift = FakeSwift()
        self.assertEqual(self.info(swift)['status'], 0)
        swift.answer('HEAD', '/v1/a', '204 No Content')
        self.assertEqual(self.info(swift)['status'], 404)
        swift.container('/v1/a/c', S3_Object_Lock='{}')
        for infos in ({}, {'container_a_c': GONE}, {'account_a': GONE}):
            self.assertEqual(self.info(swift, **infos)['sysmeta'],
                             {'s3-object-lock': '{}'})
            self.assertTrue(is_there(self.env, 'a', 'c'))
        # As old as Swift lets it be.
        info = self.info(swift, False, container_a_c=dict(GONE, sysmeta={}))
        self.assertEqual(info['status'], 404)

    def test_info_that_nobody_could_tell(self):
        for path in '/v1/a', '/v1/a/c':
            swift = FakeSwift()
            swift.container('/v1/a/c')
            swift.answer('HEAD', path, '503 Service Unavailable')
            self.assertRaises(Unknown, self.info, swift)


if __name__ == '__main__':
    unittest.main()
