import unittest

from ringway_filter.tokens import (
    REMEMBERED_SECONDS, TokenMemory, Tokens, remember_tokens)
from ringway_filter.trust import give_trust

KEY = 'AUTH_/token/AUTH_tk0123'
GROUPS = [2e9, 'gateway,gateway:gw,.reseller_admin']


class FakeRing(object):
    def __init__(self):
        self.values = {KEY: GROUPS, 'container/a/c': {'status': 204}}
        self.asked = []

    def get(self, key, raise_on_error=False):
        self.asked.append(key)
        return self.values.get(key)

    def set(self, key, value):
        self.values[key] = value


class TestTokenMemory(unittest.TestCase):
    def setUp(self):
        self.ring, self.time = FakeRing(), 100
        self.memory = TokenMemory(self.ring, lambda: self.time)

    def test_a_token_is_looked_up_once_in_a_while(self):
        for _ in range(3):
            self.assertEqual(self.memory.get(KEY), GROUPS)
        self.assertEqual(self.ring.asked, [KEY])
        self.time += REMEMBERED_SECONDS
        del self.ring.values[KEY]
        self.assertIsNone(self.memory.get(KEY))

    def test_an_unknown_token_is_looked_up_each_time(self):
        del self.ring.values[KEY]
        self.assertIsNone(self.memory.get(KEY))
        self.ring.values[KEY] = GROUPS
        self.assertEqual(self.memory.get(KEY), GROUPS)

    def test_all_else_is_the_rings(self):
        for key in 'container/a/c', 'container/token/tk', '/token/c':
            for status in 204, 404:
                self.memory.set(key, {'status': status})
                self.assertEqual(
                    self.memory.get(key, raise_on_error=True),
                    {'status': status})

    def test_it_is_bounded(self):
        keys = ['AUTH_/token/AUTH_tk%d' % number for number in range(2500)]
        for key in keys:
            self.ring.values[key] = GROUPS
            self.memory.get(key)
        self.ring.asked.clear()
        for key in keys:
            self.memory.get(key)
        self.assertGreater(len(self.ring.asked), 1400)


class CacheFilter(object):
    """As Swift's."""

    def __init__(self, app, ring):
        self.app, self.memcache = app, ring

    def __call__(self, env, start_response):
        env['swift.cache'] = self.memcache
        return self.app(env, start_response)


class Healthcheck(object):
    def __init__(self, app):
        self.app = app

    def __call__(self, env, start_response):
        return self.app(env, start_response)


class TestPipeline(unittest.TestCase):
    def setUp(self):
        self.ring = FakeRing()

    def auth(self, env, start_response):
        return env['swift.cache'].get(KEY)

    def test_only_the_gateways_requests_remember(self):
        app = remember_tokens(Healthcheck(CacheFilter(self.auth, self.ring)))
        trusted = {}
        give_trust(trusted)
        for _ in range(2):
            self.assertEqual(app(trusted, None), GROUPS)
        self.assertEqual(len(self.ring.asked), 1)
        for _ in range(2):
            self.assertEqual(app({}, None), GROUPS)
        self.assertEqual(len(self.ring.asked), 3)

    def test_only_the_gateway_asks_for_what_is_missing(self):
        def inner(env, start_response):
            return env['swift.cache'].get('container/a/c')
        app = remember_tokens(CacheFilter(inner, self.ring))
        trusted = {}
        give_trust(trusted)
        for status, believed in ((204, {'status': 204}), (404, None)):
            self.ring.values['container/a/c'] = {'status': status}
            self.assertEqual(app(trusted, None), believed)
            self.assertEqual(app({}, None), {'status': status})

    def test_a_pipeline_without_a_cache_stays(self):
        inner = Healthcheck(self.auth)
        self.assertIs(remember_tokens(inner), inner)
        self.assertNotIsInstance(inner.app, Tokens)


if __name__ == '__main__':
    unittest.main()
