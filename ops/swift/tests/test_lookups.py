import unittest

from ringway_filter.lookups import (
    Unknown, WithoutMisses, forget, info_of, is_there)
from tests.support import FakeMemcache, FakeSwift, request

THERE = {'status': 204}
GONE = {'status': 404, 'sysmeta': {}}
UNMADE = {'status': 204, 'account_really_exists': False}
LOCKED = {'s3-object-lock': '{}'}


class TestWithoutMisses(unittest.TestCase):
    def test_what_is_missing_is_not_believed(self):
        ring = FakeMemcache()
        cache = WithoutMisses(ring)
        for missing in GONE, UNMADE, {'status': 410}:
            cache.set('account/a', missing)
            self.assertEqual(ring.data['account/a'], missing)
            self.assertIsNone(cache.get('account/a', raise_on_error=True))
        for value in THERE, ['a', 'token'], 'text', {'other': 1}, None:
            cache.set('k', value)
            self.assertEqual(cache.get('k'), value)


class TestLookups(unittest.TestCase):
    def setUp(self):
        self.swift = FakeSwift()
        self.cache = FakeMemcache()
        self.infocache = {}

    def info(self, is_fresh=False, account='a', container='c', **infos):
        self.cache.data = {
            key.replace('_', '/'): info for key, info in infos.items()}
        self.env = request('PUT', '/v1/a/b/o', **{
            'swift.cache': self.cache, 'swift.infocache': self.infocache})
        return info_of(self.env, self.swift, account, container, is_fresh)

    def test_is_kept_for_the_request(self):
        self.swift.container('/v1/a/c', S3_Object_Lock='{}')
        for is_fresh in False, True:
            self.assertEqual(self.info(is_fresh)['sysmeta'], LOCKED)
            self.assertTrue(is_there(self.env, 'a', 'c'))
            self.assertTrue(is_there(self.env, 'a'))
        calls = len(self.swift.calls)
        self.assertEqual(self.info(True)['sysmeta'], LOCKED)
        self.assertEqual(len(self.swift.calls), calls)
        forget(self.env, 'a', 'c')
        self.assertIsNone(is_there(self.env, 'a', 'c'))
        forget(self.env, 'a', None)
        self.assertIsNone(is_there(self.env, 'a'))

    def test_what_was_missing_is_asked_for_anew(self):
        self.swift.container('/v1/a/c', S3_Object_Lock='{}')
        for infos in (
                {'container_a_c': GONE}, {'account_a': GONE},
                {'account_a': UNMADE}, {'account_a': GONE, 'container_a_c': GONE}):
            for self.infocache in ({}, {key.replace('_', '/'): info
                                        for key, info in infos.items()}):
                self.assertEqual(self.info(True, **infos)['sysmeta'], LOCKED)
                self.assertTrue(is_there(self.env, 'a', 'c'))
        self.infocache = {}
        self.assertEqual(self.info(container_a_c=GONE)['status'], 404)

    def test_nothing_there(self):
        self.assertEqual(self.info()['status'], 404)
        # The proxy finds what the guard has found.
        self.assertIs(is_there(self.env, 'a', 'c'), False)
        self.infocache = {}
        self.swift.answer('HEAD', '/v1/a', '204 No Content')
        self.assertEqual(self.info()['status'], 404)

    def test_names_that_the_proxy_refuses(self):
        for names in {'account': 'a' * 257}, {'account': '\xff'}, {
                'container': '\xff'}:
            self.assertEqual(self.info(**names)['status'], 404)
            self.assertEqual(self.swift.calls, [])

    def test_nobody_could_tell(self):
        for path in '/v1/a', '/v1/a/c':
            self.setUp()
            self.swift.container('/v1/a/c')
            self.swift.answer('HEAD', path, '503 Service Unavailable')
            self.assertRaises(Unknown, self.info)
            self.assertIsNone(is_there(self.env, 'a', 'c'))
        self.assertIsNone(is_there({}, 'a'))


if __name__ == '__main__':
    unittest.main()
