import hashlib
import unittest
from io import BytesIO

from tests.support import FakeSwift, call, pipeline, request, signed


class TestCopies(unittest.TestCase):
    OVERRIDE = 'Sysmeta-Object-Container-Update-Override-Etag'

    def footers(self, headers):
        swift = FakeSwift()
        call(pipeline(swift), signed(request('PUT', '/v1/a/c/o', headers)))
        return swift.stored['/v1/a/c/o'][1]

    def test_are_listed_as_the_gateway_says(self):
        footers = self.footers({
            'X-Copy-From': 'c/source',
            'X-Gateway-' + self.OVERRIDE: 'x; rw_a=b',
            'X-Gateway-Sysmeta-Object-Other': 'y'})
        self.assertEqual(footers, {
            'X-Object-Sysmeta-Container-Update-Override-Etag': 'x; rw_a=b'})

    def test_say_the_md5_of_what_was_copied_when_nobody_knew_it(self):
        body = b'ten bytes.'

        def copying(app):
            def copy(env, start_response):
                # As the copy filter does of a range.
                env.pop('HTTP_X_OBJECT_SYSMETA_CONTAINER_UPDATE_OVERRIDE_ETAG')
                env['wsgi.input'] = BytesIO(body)
                env['CONTENT_LENGTH'] = str(len(body))
                return app(env, start_response)
            return copy
        swift = FakeSwift()
        env = request('PUT', '/v1/a/c/o', {
            'X-Copy-From': 'c/source',
            'X-Gateway-' + self.OVERRIDE: '; rw_a=b'})
        call(pipeline(swift, between=copying), signed(env))
        stored, footers = swift.stored['/v1/a/c/o']
        self.assertEqual(stored, body)
        self.assertEqual(footers, {
            'X-Object-Sysmeta-Container-Update-Override-Etag':
                hashlib.md5(body).hexdigest() + '; rw_a=b'})

    def test_without_such_need_no_footers(self):
        self.assertEqual(self.footers({'X-Copy-From': 'c/source'}), {})

    def test_are_none_without_a_source(self):
        self.assertEqual(
            self.footers({'X-Gateway-' + self.OVERRIDE: 'x'}), {})


class TestFootersOfProxiesWithoutTheFilter(unittest.TestCase):
    def test_are_refused_by_an_etag_that_the_filter_takes_away(self):
        swift = FakeSwift()
        footers = b'{"etag": "5d41402abc4b2a76b9719d911017c592"}'
        env = request('PUT', '/v1/a/c/o', {
            'X-Gateway-Footers': str(len(footers)), 'Etag': '0' * 32},
            body=b'hello' + footers)
        status, _headers, _body = call(pipeline(swift), signed(env))
        self.assertEqual(status, 201)
        self.assertEqual(swift.stored['/v1/a/c/o'], (b'hello', {
            'Etag': '5d41402abc4b2a76b9719d911017c592'}))
        self.assertNotIn('HTTP_ETAG', swift.calls[0])


if __name__ == '__main__':
    unittest.main()
