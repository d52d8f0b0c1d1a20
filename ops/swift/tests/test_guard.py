import json
import unittest
from unittest import mock

from swift.common.wsgi import make_subrequest

from ringway_filter.listing import clean_listing
from tests.support import FakeSwift, call, pipeline, request, signed

LISTING = [
    {'name': 'a', 'hash': 'h1', 'bytes': 1},
    {'name': '; rw_x=1', 'hash': 'h2; s3_etag=e-2; rw_a=1; rw_b=x=y'},
    {'name': 'l', 'hash': 'h3; rw_a=1; symlink_target=c/o%3B; slo_etag=s'},
    {'subdir': 'd; rw_a=1/'}]


class TestListing(unittest.TestCase):
    def get(self, env, with_s3api=False, body=None, kind='application/json'):
        body = json.dumps(LISTING).encode() if body is None else body
        swift = FakeSwift()
        swift.answer('GET', '/v1/a/c', '200 OK', [
            ('Content-Type', kind + '; charset=utf-8')], body)
        info = {'s3api': {}} if with_s3api else {}
        with mock.patch('ringway_filter.listing.get_swift_info',
                        lambda: info):
            status, headers, got = call(pipeline(swift), env)
        self.assertEqual(status, 200)
        self.assertEqual(int(headers['content-length']), len(got))
        return got

    def test_attributes_are_the_gateways(self):
        entries = json.loads(self.get(request('GET', '/v1/a/c')))
        self.assertEqual(entries, [
            LISTING[0],
            {'name': '; rw_x=1', 'hash': 'h2', 's3_etag': '"e-2"'},
            {'name': 'l', 'hash': 'h3; symlink_target=c/o%3B; slo_etag=s'},
            LISTING[3]])

    def test_s3api_takes_its_own_out(self):
        entries = json.loads(self.get(request('GET', '/v1/a/c'), True))
        self.assertEqual(entries[1], {'name': '; rw_x=1',
                                      'hash': 'h2; s3_etag=e-2'})

    def test_the_gateway_has_all(self):
        self.assertEqual(self.get(signed(request('GET', '/v1/a/c'))),
                         json.dumps(LISTING).encode())

    def test_other_listings_stay_byte_for_byte(self):
        plain = b'[ {"hash": "h; slo_etag=x", "name": "a"} ]'
        self.assertEqual(self.get(request('GET', '/v1/a/c'), body=plain),
                         plain)
        self.assertEqual(
            self.get(request('GET', '/v1/a/c'), body=b'h; rw_a=1',
                     kind='text/plain'), b'h; rw_a=1')

    def test_escaped_names_survive(self):
        body = json.dumps([{'name': '\u00e9\u2028"', 'hash': 'h; rw_a=1'}])
        self.assertEqual(json.loads(clean_listing(body.encode(), True)),
                         [{'name': '\u00e9\u2028"', 'hash': 'h'}])


class Symlinks(object):
    """Follows as Swift's symlink filter does."""

    def __init__(self, app):
        self.app = app

    def __call__(self, env, start_response):
        answer = make_subrequest(env, path=env['PATH_INFO']).get_response(
            self.app)
        target = answer.headers.get('X-Object-Sysmeta-Symlink-Target')
        if target and 'symlink=get' not in env.get('QUERY_STRING', ''):
            path = '/v1/a/' + target
            answer = make_subrequest(env, path=path).get_response(self.app)
            answer.headers['Content-Location'] = path
        return answer(env, start_response)


class TestLinks(unittest.TestCase):
    def get(self, env):
        env['HTTP_X_GATEWAY_FOR'] = '{"role": "bucket"}'
        swift = FakeSwift()
        swift.answer('GET', '/v1/a/c/link', '200 OK', [
            ('X-Object-Sysmeta-Symlink-Target', 'c/second'),
            ('X-Object-Sysmeta-S3Api-Acl', 'mine'),
            ('X-Object-Transient-Sysmeta-T', 't'), ('Etag', 'link-etag'),
            ('X-Backend-Data-Timestamp', '1.0')])
        swift.answer('GET', '/v1/a/c/second', '200 OK', [
            ('X-Object-Sysmeta-Own', 'target'), ('Etag', 'target-etag'),
            ('X-Backend-Data-Timestamp', '2.0')])
        status, headers, _body = call(pipeline(swift, between=Symlinks), env)
        return status, {name: value for name, value in headers.items()
                        if name.startswith('x-gateway')}

    def test_of_a_followed_link(self):
        self.assertEqual(self.get(signed(request('GET', '/v1/a/c/link'))), (
            200, {'x-gateway-link-etag': 'link-etag',
                  'x-gateway-link-timestamp': '1.0',
                  'x-gateway-link-sysmeta-symlink-target': 'c/second',
                  'x-gateway-link-sysmeta-s3api-acl': 'mine',
                  'x-gateway-link-transient-t': 't',
                  'x-gateway-sysmeta-object-own': 'target',
                  'x-gateway-data-timestamp': '2.0'}))

    def test_of_the_link_itself(self):
        _status, headers = self.get(
            signed(request('GET', '/v1/a/c/link?symlink=get')))
        self.assertFalse([n for n in headers if 'gateway-link' in n])
        self.assertEqual(headers['x-gateway-sysmeta-object-s3api-acl'],
                         'mine')

    def test_of_no_link(self):
        _status, headers = self.get(signed(request('GET', '/v1/a/c/second')))
        self.assertFalse([n for n in headers if 'gateway-link' in n])

    def test_others_are_told_nothing(self):
        self.assertEqual(self.get(request('GET', '/v1/a/c/link')), (200, {}))


if __name__ == '__main__':
    unittest.main()
