import unittest
from unittest import mock

from ringway_filter.exclusive import MEMORY_BYTES_MAX, Creator
from ringway_filter.failures import Failures
from ringway_filter.lease import Leases
from ringway_filter.lookups import Unknown, info_of
from ringway_filter.misses import Misses, proxy_of
from tests.support import (
    FakeLogger, FakeMemcache, FakeSwift, call, pipeline, request, signed)

PATH = '/v1/a/c/\xc3\xa9'
REPAIR_SECONDS = 3600


#: A part of the object at PATH, which needs nobody's leave.
SEGMENT = '/v1/a/c+segments/\xc3\xa9/0123456789abcdef0123456789abcdef/1'


class Ring(object):
    def __init__(self, nodes):
        self.nodes = nodes
        self.asked = []

    def get_nodes(self, *names):
        self.asked.append(names)
        return 7, self.nodes


def node(server, device, zone=1):
    return {'region': 1, 'zone': zone, 'ip': server, 'port': 6200,
            'device': device}


class Proxy(FakeSwift):
    """Complains of nodes while it answers, as Swift's proxy server does."""

    def __init__(self, nodes):
        super(Proxy, self).__init__()
        self.ring = self.account_ring = self.container_ring = Ring(nodes)
        #: Its lookups of accounts and containers.
        self.statuses = {'account/a': 204, 'container/a/c': 204,
                         'container/a/c+segments': 204}
        self.failing = []
        self.limited = []
        self.complaints = []

    def __call__(self, env, start_response):
        env['HTTP_X_BACKEND_STORAGE_POLICY_INDEX'] = '1'
        infocache = env.setdefault('swift.infocache', {})
        for key, status in self.statuses.items():
            infocache.setdefault(key, {'status': status})
        for index, each in enumerate(self.failing):
            complaint = ('error_limit', 'error_occurred',
                         'exception_occurred')[index % 3]
            getattr(self, complaint)(each, 'a message')
        return super(Proxy, self).__call__(env, start_response)

    def get_object_ring(self, index):
        assert index == '1'
        return self.ring

    def error_limited(self, each):
        return each in self.limited

    def error_limit(self, *_args):
        self.complaints.append('error_limit')

    def error_occurred(self, *_args):
        self.complaints.append('error_occurred')

    def exception_occurred(self, *_args, **_kwargs):
        self.complaints.append('exception_occurred')


class Policies(object):
    quorum = 2

    def get_by_index(self, _index):
        return self


class TestMisses(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        self.use([node('s1', 'd1'), node('s2', 'd2'), node('s3', 'd3')])

    def use(self, nodes, quorum=2):
        self.nodes, self.proxy = nodes, Proxy(nodes)
        self.memcache = FakeMemcache()
        failures = Failures(self.proxy, self.memcache, REPAIR_SECONDS,
                            now=lambda: self.now, later=lambda *_timer: None)
        # All of them were away a moment ago.
        for each in nodes:
            self.proxy.error_occurred(each, 'a message')
        self.proxy.complaints.clear()
        self.now += 10
        self.store = Misses(self.proxy, self.proxy, failures)
        self.app = pipeline(self.store)
        policies = Policies()
        policies.quorum = quorum
        patch = mock.patch('ringway_filter.misses.POLICIES', policies)
        patch.start()
        self.addCleanup(patch.stop)

    def ask(self, method='GET', path=PATH, trusted=True):
        env = request(method, path)
        return call(self.app, signed(env) if trusted else env)

    def is_unsure(self, *args, **kwargs):
        return self.ask(*args, **kwargs)[1].get('x-gateway-unsure') == 'true'

    def test_all_have_answered(self):
        self.assertFalse(self.is_unsure())

    def test_one_of_three_is_not_needed(self):
        self.proxy.failing = self.nodes[:1]
        self.assertFalse(self.is_unsure())
        self.assertEqual(self.proxy.ring.asked[-1], ('a', 'c', '\xe9'))

    def test_two_of_three_are(self):
        self.proxy.failing = self.nodes[:2]
        for method in ('GET', 'HEAD', 'POST'):
            status, headers, _body = self.ask(method)
            self.assertEqual((status, headers['x-gateway-unsure']),
                             (404, 'true'))

    def test_every_complaint_counts_and_is_passed_on(self):
        self.proxy.failing = self.nodes
        self.assertTrue(self.is_unsure())
        self.assertEqual(len(set(self.proxy.complaints)), 3)

    def test_who_was_not_asked_has_not_answered(self):
        self.proxy.limited = self.nodes[1:]
        self.assertTrue(self.is_unsure())

    def test_failures_of_before_do_not_count(self):
        self.proxy.failing = self.nodes[:2]
        self.assertTrue(self.is_unsure())
        self.proxy.failing = []
        self.now += 1
        self.assertFalse(self.is_unsure())

    def test_two_devices_of_one_server_are_one_witness(self):
        self.use([node('s1', 'd1'), node('s1', 'd2'), node('s2', 'd3')])
        self.assertFalse(self.is_unsure())
        self.proxy.failing = self.nodes[2:]
        self.assertTrue(self.is_unsure())

    def test_servers_on_one_machine(self):
        self.use([node('s1', 'd1'), node('s1', 'd2', 2), node('s1', 'd3', 3)])
        self.proxy.failing = self.nodes[2:]
        self.assertFalse(self.is_unsure())

    def test_two_replicas_need_both(self):
        self.use([node('s1', 'd1'), node('s2', 'd2')], quorum=1)
        self.assertFalse(self.is_unsure())
        self.proxy.failing = self.nodes[:1]
        self.assertTrue(self.is_unsure())

    def test_one_that_was_not_away_lately_is_enough(self):
        self.now += REPAIR_SECONDS
        self.memcache.data.clear()
        self.proxy.failing = self.nodes[:2]
        self.assertFalse(self.is_unsure())
        # Another proxy has seen it fail, or nobody knows.
        key = 'ringway/failed/s3:6200/d3'
        self.memcache.data[key] = 1
        self.assertTrue(self.is_unsure())
        del self.memcache.data[key]
        self.memcache.failures = 100
        self.assertTrue(self.is_unsure())

    def test_erasure_code(self):
        # 8 + 4 on four servers: one of them may be away.
        self.use([node('s%d' % (i % 4), 'd%d' % i) for i in range(12)], 9)
        self.proxy.failing = self.nodes[::4]
        self.assertFalse(self.is_unsure())
        self.proxy.failing = self.nodes[:9]
        self.assertTrue(self.is_unsure())

    def test_containers_and_accounts(self):
        self.proxy.failing = self.nodes[:2]
        self.assertTrue(self.is_unsure(path='/v1/a/c'))
        self.assertEqual(self.proxy.ring.asked[-1], ('a', 'c'))
        self.proxy.answer('GET', '/v1/a', '200 OK', [
            ('X-Backend-Fake-Account-Listing', 'yes')])
        self.assertTrue(self.is_unsure(path='/v1/a'))
        self.proxy.answer('GET', '/v1/a', '200 OK')
        self.assertFalse(self.is_unsure(path='/v1/a'))

    def test_lookups_that_failed(self):
        def of(status, path=PATH):
            self.now += 1
            for method in ('GET', 'HEAD', 'PUT', 'POST', 'DELETE'):
                self.proxy.answer(method, path, '404 Not Found')
                self.assertEqual(self.is_unsure(method, path), status, method)
        # It could not tell, of the one or the other.
        del self.proxy.statuses['container/a/c']
        of(True)
        account = self.proxy.statuses.pop('account/a')
        of(True)
        self.proxy.statuses['account/a'] = account
        self.proxy.statuses['container/a/c'] = 404
        of(False)
        self.assertEqual(self.proxy.ring.asked[-1], ('a', 'c'))
        self.proxy.failing = self.nodes[:2]
        of(True)
        of(True, '/v1/a/c')
        self.proxy.failing = []
        of(False, '/v1/a/c')
        self.proxy.statuses['account/a'] = 404
        of(False)
        self.assertEqual(self.proxy.ring.asked[-1], ('a',))
        self.proxy.failing = self.nodes[:2]
        of(True)
        self.proxy.failing = []
        del self.proxy.statuses['account/a']
        of(True, '/v1/a/c')
        of(True)

    def test_what_another_filter_has_looked_up_before(self):
        def between(app):
            def looking(env, start_response):
                # Beside the guard, as since Swift 2.31.
                for each in self.nodes[:2]:
                    self.proxy.error_occurred(each, 'a message')
                env['swift.infocache']['container/a/c'] = {'status': 404}
                self.now += 5
                return app(env, start_response)
            return looking
        self.app = pipeline(self.store, between=between)
        self.proxy.answer('PUT', PATH, '404 Not Found')
        self.assertFalse(self.is_unsure('PUT'))
        self.now += 5
        with mock.patch('ringway_filter.trust.Trust.age', lambda _trust: 6):
            self.assertTrue(self.is_unsure('PUT'))

    def test_only_what_is_missing(self):
        self.proxy.failing = self.nodes[:2]
        self.proxy.answer('GET', PATH, '200 OK')
        self.assertFalse(self.is_unsure())
        self.assertFalse(self.is_unsure('DELETE'))

    def test_not_for_others(self):
        self.proxy.failing = self.nodes[:2]
        self.assertFalse(self.is_unsure(trusted=False))

    def test_what_the_filter_looks_up_is_known_or_not(self):
        def look_up(env):
            return info_of(env, self.store, 'a', 'c')['status']
        self.proxy.statuses = {'account/a': 204, 'container/a/c': 404}
        self.proxy.answer('HEAD', '/v1/a', '204 No Content')
        for mark in (dict, signed):
            self.now += 1
            self.proxy.failing = []
            self.assertEqual(look_up(mark(request('PUT', PATH))), 404)
            self.proxy.failing = self.nodes[:2]
            self.assertRaises(Unknown, look_up, mark(request('PUT', PATH)))
        # Plain clients get what Swift answers.
        self.assertEqual(call(self.store, request('HEAD', '/v1/a/c'))[0], 404)

    def test_an_account_that_is_gone(self):
        self.proxy.statuses = {'account/a': 410}
        self.assertFalse(self.is_unsure())
        self.proxy.failing = self.nodes[:2]
        self.assertTrue(self.is_unsure())

    def test_what_middleware_makes_of_a_sub_request(self):
        def of(status, segment):
            def between(app):
                def conflicting(env, start_response):
                    app(dict(env, PATH_INFO=SEGMENT),
                        lambda *_args: None)
                    start_response(status, [])
                    return [b'']
                return conflicting
            self.proxy.answer('GET', SEGMENT, segment)
            self.app = pipeline(self.store, between=between)
            return self.is_unsure()
        for segment in ('404 Not Found', '503 Service Unavailable'):
            self.proxy.failing = self.nodes[:2]
            for status in ('400 Bad Request', '404 Not Found',
                           '409 Conflict'):
                self.assertTrue(of(status, segment), (status, segment))
            self.assertFalse(of('200 OK', segment))
        self.now += 1
        self.proxy.failing = []
        self.assertFalse(of('409 Conflict', '404 Not Found'))

    def test_no_exclusive_creation_of_what_may_be_there(self):
        self.proxy.failing = self.nodes[:2]
        creator = Creator(self.store, Leases(FakeMemcache(), 30), 1,
                          FakeLogger())
        env = request('PUT', PATH, {
            'If-None-Match': '*', 'X-Gateway-Create': 'exclusive'},
            b'x' * (MEMORY_BYTES_MAX + 1))
        status, _headers, body = call(pipeline(self.store, creator),
                                      signed(env))
        self.assertEqual(status, 503)
        self.assertIn(b'not known', body)
        self.assertEqual(self.proxy.stored, {})


class TestProxy(unittest.TestCase):
    def test_at_the_end_of_the_pipeline(self):
        proxy = Proxy([])
        self.assertIs(proxy_of(mock.Mock(app=proxy, spec=['app'])), proxy)
        self.assertIs(proxy_of(proxy), proxy)

    def test_of_swift_itself(self):
        from swift.proxy.server import Application
        for name in ('error_limit', 'error_occurred', 'exception_occurred',
                     'error_limited', 'get_object_ring'):
            self.assertTrue(hasattr(Application, name), name)

    def test_another(self):
        self.assertIsNone(proxy_of(FakeSwift()))


if __name__ == '__main__':
    unittest.main()
