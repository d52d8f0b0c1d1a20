import unittest
from io import BytesIO
from unittest import mock

from eventlet import sleep
from swift.common.swob import HTTPException
from swift.common.utils import Timestamp

from ringway_filter.exclusive import MEMORY_BYTES_MAX, Creator
from ringway_filter.lease import Leases
from tests.support import (
    FakeLogger, FakeMemcache, FakeSwift, call, pipeline, request, signed)

PATH = '/v1/a/c/o'
SHORT, LONG = b'x' * 10, b'x' * (MEMORY_BYTES_MAX + 1)


class Store(FakeSwift):
    """Calls back in the middle of a PUT, and fails reads as the proxy does."""

    during = staticmethod(lambda: None)
    newest = None

    def __init__(self):
        super(Store, self).__init__()
        self.times = {}

    def __call__(self, env, start_response):
        path = env['PATH_INFO']
        if env['REQUEST_METHOD'] == 'PUT':
            self.during()
        elif path in self.stored and ('HEAD', path) not in self.answers:
            self.calls.append(env)
            start_response('200 OK', [
                ('X-Backend-Data-Timestamp', self.times[path])])
            return [b'']
        try:
            chunks = super(Store, self).__call__(env, start_response)
            if env['REQUEST_METHOD'] == 'PUT':
                self.times[path] = self.newest or env['HTTP_X_TIMESTAMP']
            return chunks
        except HTTPException as answer:
            return answer(env, start_response)


class TestCreate(unittest.TestCase):
    def setUp(self):
        self.memcache = FakeMemcache()
        self.swift = Store()
        self.app = self.proxy()

    def proxy(self):
        """Another proxy over the same store and memcached."""
        leases = Leases(self.memcache, 30)
        return pipeline(
            self.swift, Creator(self.swift, leases, 0.05, FakeLogger()))

    def create(self, body, app=None, **headers):
        given = {'If-None-Match': '*', 'X-Gateway-Create': 'exclusive'}
        given.update({k.replace('_', '-'): v for k, v in headers.items()})
        env = signed(request('PUT', PATH, given, body))
        return call(app or self.app, env)

    def create_in_chunks(self, body, **headers):
        given = {'If-None-Match': '*', 'X-Gateway-Create': 'exclusive',
                 'Transfer-Encoding': 'chunked'}
        given.update({k.replace('_', '-'): v for k, v in headers.items()})
        env = signed(request('PUT', PATH, given, body))
        del env['CONTENT_LENGTH']
        return call(self.app, env)

    def test_a_creation_has_the_time_that_it_was_given(self):
        place = '1700000000.12399_0000000000000001'
        status, headers, _body = self.create(SHORT, X_Gateway_Not_Newer=place)
        self.assertEqual(status, 201)
        self.assertEqual(self.swift.times[PATH], place)
        self.assertEqual(headers['x-gateway-data-timestamp'], place)
        self.assertEqual(self.swift.calls[-1]['HTTP_IF_NONE_MATCH'], '*')

    def test_a_creation_behind_something_later_is_told_so(self):
        self.swift.answer('PUT', PATH, '202 Accepted', [], b'Accepted')
        status, headers, body = self.create(
            SHORT, X_Gateway_Not_Newer='1700000000.12399')
        self.assertEqual((status, body), (202, b'Accepted'))
        self.assertEqual(headers['content-length'], '8')

    def test_bodies_in_chunks(self):
        for body in (b'', b'x', SHORT, LONG):
            del self.swift.calls[:]
            self.assertEqual(self.create_in_chunks(body)[0], 201)
            self.assertEqual(self.swift.stored[PATH][0], body)
            self.assertEqual([env['HTTP_X_NEWEST'] for env in self.looks()],
                             ['true', 'true'])
            kept = self.swift.stored[PATH]
            self.assertEqual(self.create_in_chunks(b'other')[0], 412)
            self.assertIs(self.swift.stored[PATH], kept)
            self.swift.stored.clear()

    def test_bodies_in_chunks_with_footers(self):
        footers = b'{"X-Gateway-Sysmeta-Object-A": "1"}'.ljust(64)
        status, _headers, _body = self.create_in_chunks(
            LONG + footers, X_Gateway_Footers='64')
        self.assertEqual(status, 201)
        self.assertEqual(self.swift.stored[PATH],
                         (LONG, {'X-Object-Sysmeta-A': '1'}))

    def test_created(self):
        for body in (b'', SHORT, LONG):
            status, headers, _body = self.create(body)
            self.assertEqual(status, 201)
            self.assertEqual(headers['x-gateway-data-timestamp'],
                             self.swift.times[PATH])
            self.assertEqual(self.swift.stored.pop(PATH)[0], body)
            put = [env for env in self.swift.calls
                   if env['REQUEST_METHOD'] == 'PUT'][-1]
            self.assertEqual(put['HTTP_IF_NONE_MATCH'], '*')

    def test_filters_in_between_do_not_see_the_condition(self):
        # The copy filter asks its source for all of the request's conditions.
        seen = []

        def between(app):
            def recording(env, start_response):
                seen.append(env.get('HTTP_IF_NONE_MATCH'))
                return app(env, start_response)
            return recording
        creator = Creator(self.swift, Leases(self.memcache, 30), 0.05,
                          FakeLogger())
        status, _headers, _body = self.create(
            SHORT, pipeline(self.swift, creator, between))
        self.assertEqual((status, seen), (201, [None]))

    def looks(self):
        return [env for env in self.swift.calls
                if env['REQUEST_METHOD'] == 'HEAD']

    def test_long_bodies_look_at_the_newest_copy_before_and_after(self):
        self.create(LONG)
        self.assertEqual([env['HTTP_X_NEWEST'] for env in self.looks()],
                         ['true', 'true'])
        self.swift.stored.clear()
        self.create(SHORT)
        self.assertEqual(len(self.looks()), 2)

    def test_short_bodies_have_the_time_of_the_lease(self):
        acquire, clock = self.memcache.set, [1700000001]

        def acquired(*args, **kwargs):
            clock[0] += 1
            return acquire(*args, **kwargs)
        self.memcache.set = acquired
        with mock.patch.object(Timestamp, 'now',
                               lambda: Timestamp(clock[0])):
            self.create(SHORT)
        self.assertEqual(Timestamp(self.swift.times[PATH]),
                         Timestamp(1700000002))

    def test_long_body_beside_a_later_one(self):
        self.swift.newest = '1900000000.00000'
        status, headers, _body = self.create(LONG)
        self.assertEqual((status, headers['x-gateway-create']), (503, 'lost'))

    def test_exists(self):
        self.swift.answer('PUT', PATH, '412 Precondition Failed')
        self.assertEqual(self.create(SHORT)[0], 412)
        self.swift.answer('HEAD', PATH, '200 OK')
        self.swift.answers.pop(('PUT', PATH))
        self.swift.stored.clear()
        self.assertEqual(self.create(LONG)[0], 412)
        self.assertEqual(self.swift.stored, {})

    def test_not_known_whether_it_exists(self):
        self.swift.answer('HEAD', PATH, '503 Service Unavailable')
        self.assertEqual(self.create(LONG)[0], 503)
        self.assertEqual(self.swift.stored, {})

    def test_busy(self):
        others = []

        def during():
            self.swift.during = lambda: None
            others.extend(self.create(body, self.proxy())
                          for body in (SHORT, LONG))
        self.swift.during = during
        self.assertEqual(self.create(SHORT)[0], 201)
        self.assertEqual([status for status, _h, _b in others], [409, 409])
        for _status, headers, _body in others:
            self.assertEqual(headers['x-gateway-create'], 'busy')

    def test_next_one_after_success_and_failure(self):
        self.assertEqual(self.create(SHORT)[0], 201)
        self.swift.answer('PUT', PATH, '503 Service Unavailable')
        self.assertEqual(self.create(SHORT)[0], 503)
        self.swift.answers.clear()
        self.assertEqual(self.create(SHORT)[0], 201)

    def test_lease_lost_meanwhile(self):
        """It is looked for when it is had, before the last bytes, and after
        the PUT."""
        get = self.memcache.get
        for body in (SHORT, LONG):
            for looks_left, stored in ((1, False), (2, True)):
                left = [looks_left]

                def get_some(key, raise_on_error=False):
                    left[0] -= 1
                    return get(key) if left[0] >= 0 else None
                self.memcache.get = get_some
                status, headers, _body = self.create(body)
                self.assertEqual(status, 503)
                self.assertEqual(headers['x-gateway-create'], 'lost')
                self.assertEqual(PATH in self.swift.stored, stored)
                self.memcache.data.clear()
                self.swift.stored.clear()

    def test_no_memcached(self):
        for body in (SHORT, LONG):
            self.memcache.failures = 1000
            status, _headers, text = self.create(body)
            self.assertEqual(status, 503)
            self.assertIn(b'memcached', text)
            self.assertEqual(self.swift.stored, {})

    def test_memcached_gone_meanwhile(self):
        def during():
            self.memcache.failures = 1000
        self.swift.during = during
        self.assertEqual(self.create(SHORT)[0], 503)

    def test_body_that_ends_early(self):
        for size in (10, MEMORY_BYTES_MAX + 1):
            env = signed(request('PUT', PATH, {
                'If-None-Match': '*', 'X-Gateway-Create': 'exclusive'},
                b'x' * size))
            env['wsgi.input'] = BytesIO(b'x' * (size - 1))
            if size == 10:
                self.assertEqual(call(self.app, env)[0], 499)
            else:
                # The proxy answers 499 to it; here the store complains.
                self.assertRaises(AssertionError, call, self.app, env)
        self.assertEqual((self.swift.stored, self.memcache.data), ({}, {}))

    def test_body_that_does_not_come(self):
        class Never(BytesIO):
            def read(self, size=-1):
                sleep(60)
        env = signed(request('PUT', PATH, {
            'If-None-Match': '*', 'X-Gateway-Create': 'exclusive'}, SHORT))
        env['wsgi.input'] = Never()
        self.assertEqual(call(self.app, env)[0], 408)
        self.assertEqual(self.memcache.data, {})

    def test_what_it_needs(self):
        self.assertEqual(self.create(SHORT, If_None_Match='"e"')[0], 400)
        self.assertEqual(self.create(SHORT, X_Gateway_Create='x')[0], 400)
        self.assertEqual(self.create(SHORT, Transfer_Encoding='chunked')[0],
                         411)
        self.assertEqual(self.swift.stored, {})

    def test_with_footers(self):
        for size in (0, 10, MEMORY_BYTES_MAX + 1):
            body = b'x' * size
            footers = b'{"X-Gateway-Sysmeta-Object-A": "1"}'.ljust(64)
            status, _headers, _body = self.create(
                body + footers, X_Gateway_Footers='64')
            self.assertEqual(status, 201)
            self.assertEqual(self.swift.stored.pop(PATH),
                             (body, {'X-Object-Sysmeta-A': '1'}))

    def test_bad_footers_take_no_lease(self):
        for size in (0, 10):
            status, _headers, _body = self.create(
                b'x' * size + b'?' * 64, X_Gateway_Footers='64')
            self.assertEqual(status, 400)
        self.assertEqual((self.swift.stored, self.memcache.data), ({}, {}))


if __name__ == '__main__':
    unittest.main()
