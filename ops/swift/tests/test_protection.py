import json
import unittest
from io import BytesIO

from swift.common.swob import HTTPUnauthorized
from swift.common.wsgi import make_pre_authed_request, make_subrequest

from ringway_filter.protection import bucket_of
from tests.support import FakeMemcache, FakeSwift, call, pipeline, request, signed

LOCK = {'S3_Object_Lock': '{}'}
WRITES = ('PUT', 'POST', 'DELETE')


class TestBucketOf(unittest.TestCase):
    def test_companions(self):
        for container, bucket in (
                ('b', 'b'), ('b+segments', 'b'), ('+segments', ''),
                ('\x00versions\x00b', 'b'), ('b+segments+x', 'b+segments+x')):
            self.assertEqual(bucket_of(container), bucket)


class TestProtection(unittest.TestCase):
    def setUp(self):
        self.swift = FakeSwift()
        self.swift.container('/v1/a/plain')
        self.swift.container('/v1/a/plain+segments')
        self.swift.container('/v1/a/plain+versions')
        self.swift.container('/v1/a/locked', **LOCK)
        self.swift.container('/v1/a/locked+segments')
        self.swift.container('/v1/a/locked+versions')
        self.app = pipeline(self.swift)

    def status(self, method, path, env=None):
        """:returns: the status, and whether the request got through"""
        if env is None:
            env = request(method, path)
        status, _headers, _body = call(self.app, env)
        return status, '%s %s' % (method, path) in self.swift.methods()

    PROTECTED = ('/v1/a/locked', '/v1/a/locked+segments',
                 '/v1/a/locked+versions', '/v1/a/plain+versions',
                 '/v1/a/nowhere+versions')

    def test_writes_of_others_are_refused(self):
        for container in self.PROTECTED:
            for path in (container, container + '/', container + '/o',
                         container + '/o/p'):
                for method in WRITES + ('COPY', 'UPDATE', 'WHATEVER'):
                    self.assertEqual(self.status(method, path), (403, False),
                                     (method, path))

    def test_quota_and_access_of_a_bucket_are_its_owners(self):
        name = 'X-Container-Meta-Quota-Bytes'
        bytes_max = {name: '9'}
        none = {'X-Remove-Container-Meta-Quota-Count': 'x'}
        readers = {'X-Container-Read': 'a:u', 'X-Container-Write': ''}
        private = {'X-Remove-Container-Write': 'x'}

        def got_through(method, path, *changes):
            headers = {}
            for change in changes:
                headers.update(change)
            return self.status(method, path, request(method, path, headers))[1]
        for changes in ((bytes_max,), (none,), (bytes_max, none),
                        (readers,), (private,), (readers, bytes_max),
                        ({'X-Remove-Container-Meta-Temp-Url-Key': 'x',
                          'X-Remove-Container-Meta-Temp-Url-Key-2': 'x'},),
                        (bytes_max, {'X-Auth-Token': 't'})):
            self.assertTrue(got_through('POST', '/v1/a/locked', *changes))
            self.assertTrue(
                got_through('POST', '/v1/a/locked+segments', *changes))
            self.swift.calls.clear()
        for other in ('X-Container-Sysmeta-S3-Object-Lock',
                      'X-Container-Sync-To', 'X-Container-Meta-Temp-Url-Key',
                      'X-Remove-Container-Meta-Web-Index',
                      'X-Versions-Location', 'X-Timestamp'):
            self.assertFalse(
                got_through('POST', '/v1/a/locked', bytes_max, {other: 'x'}))
        for method, path in (
                ('PUT', '/v1/a/locked'), ('DELETE', '/v1/a/locked'),
                ('POST', '/v1/a/locked/o'), ('POST', '/v1/a/locked+segments/o'),
                ('POST', '/v1/a/locked+versions')):
            self.assertFalse(got_through(method, path, bytes_max), path)
            self.assertFalse(got_through(method, path, readers), path)

    def test_hidden_container_of_a_bucket(self):
        path = '/v1/a/\x00versions\x00locked'
        for method in WRITES:
            env = request(method, '/v1/a/x', PATH_INFO=path + '/\x00o\x001')
            self.assertEqual(call(self.app, env)[0], 403)

    def test_reads_are_not(self):
        for container in self.PROTECTED:
            for path in (container, container + '/o'):
                for method in ('GET', 'HEAD', 'OPTIONS'):
                    if method == 'HEAD' and path == container:
                        continue
                    self.assertEqual(self.status(method, path), (404, True))

    def test_other_containers_are_not(self):
        for path in ('/v1/a/plain', '/v1/a/plain/o', '/v1/a/plain+segments/o',
                     '/v1/a/new', '/v1/a/plain+versions2/o'):
            for method in WRITES:
                self.assertTrue(self.status(method, path)[1], path)

    def test_account_and_the_rest_are_not_looked_at(self):
        for path in ('/v1/a', '/v1/a/', '/info', '/', '/auth/v1.0'):
            for method in WRITES:
                self.assertTrue(self.status(method, path)[1], path)
        self.assertFalse([m for m in self.swift.methods() if 'HEAD' in m])

    def test_the_gateway_may(self):
        for container in self.PROTECTED:
            for method in WRITES:
                path = container + '/o'
                env = signed(request(method, path))
                self.assertTrue(self.status(method, path, env)[1])

    def test_reason_is_told(self):
        _status, _headers, body = call(
            self.app, request('DELETE', '/v1/a/locked/o'))
        self.assertIn(b'Object Lock', body)
        _status, _headers, body = call(
            self.app, request('DELETE', '/v1/a/locked+versions/o'))
        self.assertIn(b'archive', body)

    def test_who_may_not_write_is_told_so_first(self):
        acls = []

        def authorize(req):
            acls.append(req.acl)
            return HTTPUnauthorized(request=req)
        self.swift.answer('HEAD', '/v1/a/locked', '204 No Content', [
            ('X-Container-Sysmeta-S3-Object-Lock', '{}'),
            ('X-Container-Write', 'some:one')])
        for path in ('/v1/a/locked/o', '/v1/a/locked'):
            env = request('DELETE', path)
            env['swift.authorize'] = authorize
            self.assertEqual(self.status('DELETE', path, env), (401, False))
        self.assertEqual(acls, ['some:one', None])

    def test_paths_of_nothing(self):
        for path in '/v1//c/o', '/v1/a/+segments', '/v1/a/+segments/o':
            self.assertEqual(self.status('PUT', path), (201, True))

    def test_a_bucket_that_memcached_says_is_missing(self):
        cache = FakeMemcache()
        gone = {'status': 404, 'sysmeta': {}, 'write_acl': None}

        def status(method, path):
            cache.data = {'container/a/locked': gone}
            return self.status(method, path, request(
                method, path, **{'swift.cache': cache}))[0]
        self.assertEqual(status('DELETE', '/v1/a/locked'), 403)
        self.assertEqual(status('PUT', '/v1/a/locked+segments/o'), 403)
        # The proxy believes it, too.
        self.assertEqual(status('DELETE', '/v1/a/locked/o'), 404)

    def test_unknown_means_refused(self):
        for asked in ('/v1/a', '/v1/a/locked'):
            self.setUp()
            self.swift.answer('HEAD', asked, '503 Service Unavailable')
            for path in ('/v1/a/locked/o', '/v1/a/locked+segments/o'):
                self.assertEqual(self.status('PUT', path), (503, False))

    def test_one_look_for_all_of_a_request(self):
        env = request('PUT', '/v1/a/plain/o')
        call(self.app, env)
        looks = [m for m in self.swift.methods() if m.startswith('HEAD')]
        self.assertEqual(looks, ['HEAD /v1/a', 'HEAD /v1/a/plain'])
        self.assertIn('container/a/plain', env['swift.infocache'])

    def test_expirer_jobs(self):
        def jobs(*names):
            body = json.dumps([{'name': n} for n in names]).encode()
            env = request('UPDATE', '/v1/.expiring_objects/1', {
                'X-Backend-Allow-Private-Methods': 'True'}, body)
            env['wsgi.input'] = BytesIO(body)
            return env
        path = '/v1/.expiring_objects/1'
        self.assertEqual(self.status('UPDATE', path, jobs(
            '1-a/plain/o', '1-a/locked/o')), (403, False))
        self.assertEqual(self.status('UPDATE', path, jobs(
            '1-a/plain/o', '1-a/b+versions/o')), (403, False))
        good = jobs('1-a/plain/o')
        body = good['wsgi.input'].getvalue()
        self.assertTrue(self.status('UPDATE', path, good)[1])
        self.assertEqual(good['wsgi.input'].read(), body)


class TestVersionsOfSwift(unittest.TestCase):
    """Swift's own versioning, as its middleware hands it on."""

    ON = ({'X-Container-Sysmeta-Versions-Enabled': 'True',
           'X-Container-Sysmeta-Versions-Container': '%00versions%00kept'},
          {'X-Container-Sysmeta-Versions-Location': 'old',
           'X-Container-Sysmeta-Versions-Mode': 'history'},
          {'X-Versions-Location': 'old'}, {'X-History-Location': 'old'})
    OFF = ({'X-Container-Sysmeta-Versions-Enabled': 'False'},
           {'X-Container-Sysmeta-Versions-Location': '',
            'X-Container-Sysmeta-Versions-Mode': '',
            'X-Versions-Location': ''},
           {'X-Container-Meta-Color': 'blue'})

    def setUp(self):
        self.swift = FakeSwift()
        for name, state in (('kept', 'Enabled'), ('was', 'Suspended')):
            self.swift.container('/v1/a/' + name, S3_Versioning=state)
        self.swift.container('/v1/a/plain')

    def status(self, method, path, headers):
        env = request(method, path)
        # The gatekeeper takes these from clients; the middleware is behind it.
        for name, value in headers.items():
            env['HTTP_' + name.upper().replace('-', '_')] = value
        status, _headers, body = call(pipeline(self.swift), env)
        through = '%s %s' % (method, path) in self.swift.methods()
        return status, through, body

    def test_not_where_the_gateway_keeps_versions(self):
        for name in ('kept', 'was'):
            for method in ('PUT', 'POST'):
                for headers in self.ON:
                    status, through, body = self.status(
                        method, '/v1/a/' + name, headers)
                    self.assertEqual((status, through), (403, False), headers)
                    self.assertIn(b'versions', body)

    def test_elsewhere(self):
        for headers in self.ON:
            self.assertTrue(self.status('PUT', '/v1/a/plain', headers)[1])
            self.assertTrue(self.status('PUT', '/v1/a/new', headers)[1])

    def test_turning_it_off_and_other_changes(self):
        for headers in self.OFF:
            self.assertTrue(self.status('POST', '/v1/a/kept', headers)[1])

    def test_objects_may_have_such_headers(self):
        self.assertTrue(self.status('PUT', '/v1/a/kept/o', self.ON[2])[1])

    def test_what_is_cached_does_not_count(self):
        env = request('POST', '/v1/a/kept', {'X-Versions-Location': 'old'})
        env['swift.infocache'] = {'container/a/kept': {
            'status': 204, 'sysmeta': {}, 'write_acl': None}}
        self.assertEqual(call(pipeline(self.swift), env)[0], 403)

    def test_unknown_means_refused(self):
        env = request('POST', '/v1/a/kept', {'X-Versions-Location': 'old'})
        env['swift.infocache'] = {'container/a/kept': {
            'status': 204, 'sysmeta': {}, 'write_acl': None}}
        self.swift.answer('HEAD', '/v1/a/kept', '503 Service Unavailable')
        self.assertEqual(call(pipeline(self.swift), env)[0], 503)


class Middleware(object):
    """Makes a sub-request of every request, as so many of Swift's do."""

    def __init__(self, app, make, **kwargs):
        self.app, self.make, self.kwargs = app, make, kwargs
        self.status = None

    def __call__(self, env, start_response):
        sub = self.make(env, **self.kwargs).get_response(self.app)
        self.status = sub.status_int
        return self.app(env, start_response)


class TestSubRequests(unittest.TestCase):
    def between(self, make, env, **kwargs):
        swift, made = FakeSwift(), []
        swift.container('/v1/a/locked', **LOCK)

        def between(app):
            made.append(Middleware(app, make, **kwargs))
            return made[0]
        call(pipeline(swift, between=between), env)
        return made[0].status

    def test_they_are_those_of_whoever_asked(self):
        for make in (make_subrequest, make_pre_authed_request):
            for method in ('PUT', 'DELETE'):
                kwargs = dict(method=method, path='/v1/a/locked/o')
                status = self.between(
                    make, request('GET', '/v1/a/plain/o'), **kwargs)
                self.assertEqual(status, 403)
                status = self.between(
                    make, signed(request('GET', '/v1/a/plain/o')), **kwargs)
                self.assertIn(status, (201, 404))

    def test_headers_cannot_make_trust(self):
        for name in ('Ringway-Trust', 'Swift-Infocache', 'Swift.Infocache',
                     'X-Gateway-Trust', 'X-Backend-Ringway-Trust'):
            env = request('GET', '/v1/a/plain/o', {name: 'true'})
            self.assertEqual(403, self.between(
                make_subrequest, env, method='PUT', path='/v1/a/locked/o'))

    def test_anything_else_in_its_place_is_no_trust(self):
        for value in (True, 'true', {'link': None}, object()):
            env = request('GET', '/v1/a/plain/o')
            env['swift.infocache'] = {'ringway.trust': value}
            self.assertEqual(403, self.between(
                make_subrequest, env, method='PUT', path='/v1/a/locked/o'))


if __name__ == '__main__':
    unittest.main()
