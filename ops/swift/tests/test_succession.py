import unittest

from swift.common.utils import Timestamp

from ringway_filter.succession import behind
from tests.support import FakeSwift, call, pipeline, request, signed

KEY = '/v1/a/b/k'
TARGET = 'b%2Bversions/6b/' + '0' * 32


class TestSuccession(unittest.TestCase):
    def setUp(self):
        self.swift = FakeSwift()
        self.app = pipeline(self.swift)
        self.written = Timestamp.now().normal

    def link(self, generation='4', target=TARGET, written=None,
             status='200 OK'):
        self.swift.answer('HEAD', KEY, status, [
            ('X-Object-Sysmeta-Symlink-Target', target),
            ('X-Object-Sysmeta-S3-Generation', generation),
            ('X-Backend-Data-Timestamp', written or self.written)])

    def put(self, generation='5', method='PUT', trusted=True):
        env = request(method, KEY, {'X-Gateway-Behind-Link': generation})
        return call(self.app, signed(env) if trusted else env)[0]

    def times(self):
        return [env['HTTP_X_TIMESTAMP'] for env in self.swift.calls
                if env['REQUEST_METHOD'] == 'PUT']

    def test_behind_the_link_before(self):
        self.link()
        self.assertEqual(self.put(), 201)
        self.assertEqual(self.times(), [behind(self.written, 5)])
        self.assertEqual(
            self.swift.calls[0]['HTTP_X_NEWEST'], 'true')

    def test_the_time_is_what_the_gateway_would_say(self):
        self.assertEqual(behind('1700000000.12345', 18),
                         '1700000000.12399_0000000000000012')
        self.assertEqual(behind('1700000000.12399_0000000000000012', 19),
                         '1700000000.12399_0000000000000013')

    def test_nothing_else(self):
        old = Timestamp(float(self.written) - 86500).normal
        for link in (dict(generation='3'), dict(generation='5'),
                     dict(generation=''), dict(target='b/6b/x'),
                     dict(target='c%2Bversions/6b/x'), dict(target=''),
                     dict(target='b%2Bversions/6c/x'), dict(written=old)):
            self.link(**link)
            self.assertEqual(self.put(), 412, link)
        self.assertEqual(self.times(), [])

    def test_nothing_at_the_key(self):
        self.assertEqual(self.put(), 412)
        self.assertEqual(self.times(), [])

    def test_not_where_nobody_knows(self):
        self.link(status='503 Service Unavailable')
        self.assertEqual(self.put(), 503)
        self.assertEqual(self.times(), [])

    def test_only_generations_with_a_put(self):
        self.link()
        for generation in ('1', '0', '-5', 'x', '', '5.0', '1' * 16):
            self.assertEqual(self.put(generation), 400, generation)
        self.assertEqual(self.put(method='POST'), 400)
        self.assertEqual(self.times(), [])

    def test_not_for_others(self):
        self.link(generation='3')
        self.assertEqual(self.put(trusted=False), 201)
