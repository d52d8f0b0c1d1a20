import unittest

from swift.common.utils import Timestamp

from ringway_filter.lease import Leases
from ringway_filter.updates import Updater
from tests.support import (
    FakeLogger, FakeMemcache, FakeSwift, call, pipeline, request, signed)

PATH = '/v1/a/c/o'
SEEN, LATER = '1700000000.12345', '1700000000.12346'


class Store(FakeSwift):
    """Its object gets the time of the POST."""

    during = staticmethod(lambda: None)

    def __call__(self, env, start_response):
        if env['REQUEST_METHOD'] == 'POST':
            self.during()
            self.object_of(Timestamp(env['HTTP_X_TIMESTAMP']).normal)
        return super(Store, self).__call__(env, start_response)

    def object_of(self, seconds):
        self.answer('HEAD', PATH, '200 OK', [('X-Timestamp', seconds)])
        self.answer('POST', PATH, '202 Accepted')


class TestUpdate(unittest.TestCase):
    def setUp(self):
        self.memcache = FakeMemcache()
        self.swift = Store()
        self.swift.object_of(SEEN)
        updater = Updater(self.swift, Leases(self.memcache, 30), FakeLogger())
        self.app = pipeline(self.swift, updater=updater)

    def update(self, state=SEEN, time=LATER, method='POST', trusted=True):
        headers = {'X-Gateway-State': state, 'X-Gateway-Not-Newer': time}
        env = request(method, PATH, headers)
        return call(self.app, signed(env) if trusted else env)

    def posts(self):
        return [name for name in self.swift.methods()
                if name.startswith('POST')]

    def test_of_what_was_read(self):
        self.assertEqual(self.update()[0], 202)
        self.assertEqual(len(self.posts()), 1)
        # The next one is at once.
        self.assertEqual(self.update(LATER, '1700000000.12347')[0], 202)

    def test_the_offset_of_a_time_is_none_of_its_state(self):
        self.assertEqual(
            self.update(time=LATER + '_00000000000000ff')[0], 202)
        self.assertEqual(self.update(LATER, '1700000000.12347')[0], 202)

    def test_not_of_what_has_changed(self):
        self.assertEqual(self.update()[0], 202)
        self.assertEqual(self.update()[0], 409)
        self.assertEqual(len(self.posts()), 1)

    def test_one_at_a_time(self):
        answers = []

        def during():
            self.swift.during = lambda: None
            answers.append(self.update())
        self.swift.during = during
        self.assertEqual(self.update()[0], 202)
        self.assertEqual([status for status, _h, _b in answers], [409])
        self.assertEqual(len(self.posts()), 1)

    def test_a_deletion_of_what_was_read(self):
        self.swift.answer('DELETE', PATH, '204 No Content')
        self.assertEqual(self.update(method='DELETE')[0], 204)
        self.assertEqual(self.swift.calls[-1]['HTTP_X_TIMESTAMP'], LATER)
        self.swift.answer('HEAD', PATH, '404 Not Found')
        self.assertEqual(self.update(method='DELETE')[0], 404)
        deletions = [name for name in self.swift.methods()
                     if name.startswith('DELETE')]
        self.assertEqual(len(deletions), 1)

    def test_no_deletion_of_what_has_changed(self):
        self.swift.object_of(LATER)
        self.assertEqual(self.update(method='DELETE')[0], 409)
        self.assertEqual(self.swift.methods(), ['HEAD ' + PATH])

    def test_no_deletion_beside_another_change(self):
        answers = []

        def during():
            self.swift.during = lambda: None
            answers.append(self.update(method='DELETE'))
        self.swift.during = during
        self.assertEqual(self.update()[0], 202)
        self.assertEqual([status for status, _h, _b in answers], [409])
        self.assertEqual(answers[0][1]['x-gateway-create'], 'busy')

    def test_of_a_symlink(self):
        self.swift.during = lambda: None
        self.swift.object_of(SEEN)
        answered = FakeSwift.answer
        self.swift.object_of = lambda seconds: None
        answered(self.swift, 'POST', PATH, '307 Temporary Redirect')
        self.assertEqual(self.update()[0], 307)

    def test_of_nothing(self):
        self.swift.answer('HEAD', PATH, '404 Not Found')
        self.assertEqual(self.update()[0], 404)
        self.assertEqual(self.posts(), [])

    def test_not_when_nobody_knows_what_is_there(self):
        self.swift.answer('HEAD', PATH, '503 Service Unavailable')
        self.assertEqual(self.update()[0], 503)
        self.assertEqual(self.posts(), [])

    def test_not_without_memcached(self):
        self.memcache.failures = 1000
        self.assertEqual(self.update()[0], 503)
        self.assertEqual(self.posts(), [])

    def test_unknown_when_the_lease_is_lost(self):
        self.swift.during = self.memcache.data.clear
        self.assertEqual(self.update()[0], 503)

    def test_only_changes_and_only_timestamps(self):
        for method, state in (('PUT', SEEN), ('DELETE', 'then'),
                              ('POST', 'then')):
            status, _headers, body = self.update(state, method=method)
            self.assertEqual(status, 400)
            self.assertIn(b'X-Gateway-', body)

    def test_nothing_to_others(self):
        self.swift.during = lambda: None
        env = request('POST', PATH, {'X-Gateway-State': LATER})
        env['HTTP_X_TIMESTAMP'] = LATER
        self.swift.container('/v1/a/c')
        self.assertEqual(call(self.app, env)[0], 202)
