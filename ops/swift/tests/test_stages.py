import errno
import json
import os
import tempfile
import unittest
from unittest import mock

from ringway_filter import stages
from ringway_filter.guard import Guard
from ringway_filter.front import Front
from ringway_filter.settings import measures_stages
from ringway_filter.signature import Verifier
from ringway_filter.stage_counters import STAGES, Counters
from ringway_filter.stages import AroundGuard, AroundProxy, Between, Whole
from tests.support import SECRET, FakeLogger, FakeSwift, call, request, signed


class FakeTime(object):
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class TestCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, 'stages')
        self.logger = FakeLogger()
        self.counters = Counters(self.path, self.logger)
        self.time = FakeTime()
        patch = mock.patch.object(stages, 'perf_counter', self.time)
        patch.start()
        self.addCleanup(patch.stop)
        self.swift = FakeSwift()
        #: What each part of the pipeline takes, in seconds.
        self.takes = dict.fromkeys(STAGES, 0.0)

    def pipeline(self):
        def pause(stage):
            self.time.now += self.takes[stage]

        class Slow(object):
            def __init__(self, app, stage):
                self.app, self.stage = app, stage

            def __call__(self, env, start_response):
                pause(self.stage)
                return self.app(env, start_response)

        class Answering(object):
            """Has begun to answer when it returns, as the proxy server has."""
            def __init__(self, app):
                self.app = app

            def __call__(self, env, start_response):
                body = self.app(env, start_response)

                def send():
                    pause('send_body')
                    for chunk in body:
                        yield chunk
                return send()

        proxy = AroundProxy(Slow(Answering(self.swift), 'proxy_server'))
        guard = AroundGuard(Slow(Guard(proxy, None), 'guard'))
        front = Front(Between(Slow(guard, 'middleware')), Verifier([SECRET]),
                      self.logger)
        return Whole(Slow(front, 'filter'), self.counters,
                     frozenset(['127.0.0.1']))

    def put(self, app=None):
        env = signed(request('PUT', '/v1/a/c/o', body=b'12345678'))
        source, takes, clock = env['wsgi.input'], self.takes, self.time

        class Slow(object):
            def read(self, size=-1):
                data = source.read(size)
                if not data:
                    clock.now += takes['read_body']
                return data
        env['wsgi.input'] = Slow()
        return call(app or self.pipeline(), env)

    def report(self, path='put'):
        found = self.counters.report()['paths'][path]
        return found['requests'], {
            one['id']: one for one in found['stages']}


class TestStages(TestCase):
    def test_fifty_milliseconds_are_in_the_stage_that_takes_them(self):
        before = dict.fromkeys(STAGES, 0.0)
        for at, stage in enumerate(STAGES):
            self.takes[stage] = 0.05
            self.assertEqual(self.put()[0], 201)
            self.takes[stage] = 0.0
            requests, found = self.report()
            self.assertEqual(requests, at + 1)
            for name in STAGES:
                grown = found[name]['sum_s'] - before[name]
                self.assertAlmostEqual(grown, 0.05 if name == stage else 0.0,
                                       msg='%s in %s' % (stage, name))
                before[name] = found[name]['sum_s']

    def test_buckets_and_the_longest(self):
        for seconds in (0.0001, 0.003, 20):
            self.takes['proxy_server'] = seconds
            self.put()
        one = self.report()[1]['proxy_server']
        self.assertEqual(one['count'], 3)
        self.assertAlmostEqual(one['max_s'], 20)
        below = {bound: count for bound, count in one['buckets']}
        self.assertEqual([below[0.001], below[0.005], below[10.0]], [1, 2, 2])

    def test_only_requests_of_objects_count(self):
        app = self.pipeline()
        self.swift.answer('GET', '/v1/a/c/o', '200 OK', body=b'x')
        call(app, signed(request('GET', '/v1/a/c/o')))
        for method, path in (('GET', '/v1/a/c'), ('GET', '/info'),
                             ('HEAD', '/v1/a/c/o'), ('DELETE', '/v1/a/c/o')):
            call(app, signed(request(method, path)))
        self.assertEqual([self.report('get')[0], self.report('put')[0]],
                         [1, 0])

    def test_what_the_filter_refuses_itself_is_not_counted(self):
        env = signed(request('PUT', '/v1/a/c/o'), secret=b'another one, wrong')
        self.assertEqual(call(self.pipeline(), env)[0], 403)
        self.assertEqual(self.report()[0], 0)


class TestReport(TestCase):
    def ask(self, **environ):
        return call(self.pipeline(), request('GET', '/recon/stage', **environ))

    def test_is_for_those_who_may_ask(self):
        self.put()
        status, headers, body = self.ask(REMOTE_ADDR='127.0.0.1')
        self.assertEqual((status, headers['content-type']),
                         (200, 'application/json'))
        report = json.loads(body)
        self.assertEqual((report['v'], report['paths']['put']['requests']),
                         (1, 1))

    def test_passes_others_on(self):
        for environ in ({'REMOTE_ADDR': '10.0.0.1'}, {},
                        {'REMOTE_ADDR': '127.0.0.1',
                         'HTTP_X_FORWARDED_FOR': '127.0.0.1'},
                        {'REMOTE_ADDR': '127.0.0.1', 'HTTP_FORWARDED': 'x'}):
            self.assertEqual(self.ask(**environ)[0], 404)


class TestCounters(TestCase):
    def in_a_child(self):
        pid = os.fork()
        if pid == 0:
            Counters(self.path, self.logger).add('put', [1.0] * len(STAGES))
            os._exit(0)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_are_those_of_all_processes_and_outlive_them(self):
        self.counters.add('put', [0.5] * len(STAGES))
        ident = self.counters.report()['id']
        for _ in range(3):
            self.in_a_child()
        self.assertEqual(self.report()[0], 4)
        self.assertAlmostEqual(self.report()[1]['guard']['sum_s'], 3.5)
        self.assertEqual(self.counters.report()['id'], ident)
        size = os.stat(self.path).st_size
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        self.assertLess(size, 1024 * 1024)

    def test_a_file_of_another_kind_stops_no_request(self):
        for text in (b'something else', b'x' * 600000):
            with open(self.path, 'wb') as file:
                file.write(text)
            self.counters = Counters(self.path, self.logger)
            self.assertEqual(self.put()[0], 201)
            self.assertIsNone(self.counters.report())
            with open(self.path, 'rb') as file:
                self.assertEqual(file.read(), text)
        self.assertIn('remove it', self.logger.lines[0])

    def test_a_link_in_its_place_is_not_followed(self):
        victim = os.path.join(self.folder.name, 'victim')
        with open(victim, 'wb'):
            pass
        os.symlink(victim, self.path)
        self.assertEqual(self.put()[0], 201)
        self.assertIsNone(self.counters.report())
        self.assertEqual(os.stat(victim).st_size, 0)

    def test_a_full_disk_stops_no_request(self):
        def full(fd, offset, length):
            os.ftruncate(fd, 4096)
            raise OSError(errno.ENOSPC, 'No space left on device')
        with mock.patch.object(os, 'posix_fallocate', full):
            self.assertEqual(self.put()[0], 201)
        self.assertIsNone(self.counters.report())
        self.assertIn('No space left', self.logger.lines[0])
        self.assertEqual(os.stat(self.path).st_size, 0)
        # With place again, a proxy that starts measures.
        self.counters = Counters(self.path, self.logger)
        self.put()
        self.assertEqual(self.report()[0], 1)

    def test_a_file_of_another_user_stops_no_request(self):
        self.put()
        self.counters = Counters(self.path, self.logger)
        with mock.patch.object(os, 'geteuid', lambda: os.getuid() + 1):
            self.assertEqual(self.put()[0], 201)
            self.assertIsNone(self.counters.report())
        self.assertIn('does not belong', self.logger.lines[0])


class TestOption(unittest.TestCase):
    def test_is_off_without_a_file(self):
        section = {'paste.filter_factory': 'ringway_filter:filter_factory'}
        self.assertFalse(measures_stages({'filter:ringway': section}))
        self.assertIsNone(stages.whole_of({}, FakeLogger()))
        section['stage_file'] = '/dev/shm/x'
        self.assertTrue(measures_stages({'filter:ringway': section}))
