import time
import unittest

from ringway_filter.signature import Verifier, sign, target_of
from tests.support import (
    SECRET, FakeSwift, call, pipeline, request, signed)


class TestSignature(unittest.TestCase):
    def test_known_value(self):
        # printf 'PUT\n/v1/a/c/%%20o?x=1\n1700000000' \
        #   | openssl dgst -sha256 -hmac 'a secret of the tests'
        self.assertEqual(
            sign(SECRET, 'PUT', '/v1/a/c/%20o?x=1', '1700000000'),
            'ddf4ea50d6c8208426b4cae0cf74a95b87d6dbdd8b8fff19c3db840bb03fac76')

    def test_target_is_the_raw_path_and_the_query(self):
        self.assertEqual(target_of(request('GET', '/v1/a/c/%41?b=%43')),
                         '/v1/a/c/%41?b=%43')
        self.assertEqual(target_of(request('GET', '/v1/a?')), '/v1/a')

    def test_target_of_other_servers(self):
        env = request('GET', '/v1/a')
        del env['RAW_PATH_INFO']
        self.assertIsNone(target_of(env))
        env['REQUEST_URI'] = '/v1/%61?x'
        self.assertEqual(target_of(env), '/v1/%61?x')


class TestVerifier(unittest.TestCase):
    def refusal(self, env, verifier=None):
        verifier = verifier or Verifier([SECRET])
        return verifier.refusal(env, env.get('HTTP_X_GATEWAY_TIME'),
                                env.get('HTTP_X_GATEWAY_SIGNATURE'))

    def test_good(self):
        self.assertIsNone(self.refusal(signed(request('PUT', '/v1/a/c?x=1'))))

    def test_any_of_several_secrets(self):
        verifier = Verifier([b'the next one to come', SECRET])
        for secret in (b'the next one to come', SECRET):
            env = signed(request('GET', '/v1/a'), secret)
            self.assertIsNone(self.refusal(env, verifier))

    def test_hex_in_either_case(self):
        env = signed(request('GET', '/v1/a'))
        env['HTTP_X_GATEWAY_SIGNATURE'] = \
            env['HTTP_X_GATEWAY_SIGNATURE'].upper()
        self.assertIsNone(self.refusal(env))

    def test_wrong_secret(self):
        env = signed(request('GET', '/v1/a'), b'another secret of others')
        self.assertIn('secret', self.refusal(env))

    def test_not_for_another_method_path_query_or_time(self):
        for change in (dict(REQUEST_METHOD='HEAD'),
                       dict(RAW_PATH_INFO='/v1/b'),
                       dict(QUERY_STRING='x=2'),
                       dict(HTTP_X_GATEWAY_TIME=str(int(time.time()) + 100))):
            env = signed(request('GET', '/v1/a?x=1'))
            env.update(change)
            self.assertIn('does not match', self.refusal(env), change)

    def test_window_either_way(self):
        verifier = Verifier([SECRET], 300, now=lambda: 1000000)
        for off, good in ((-301, False), (-300, True), (0, True),
                          (300, True), (301, False)):
            env = signed(request('GET', '/v1/a'), seconds=1000000 + off)
            refusal = self.refusal(env, verifier)
            self.assertEqual(refusal is None, good, (off, refusal))

    def test_times_that_are_none(self):
        for seconds in ('', '-5', '1.5', '1e9', 'now', '9' * 13, '\xb2'):
            env = signed(request('GET', '/v1/a'), seconds=seconds)
            self.assertIn('seconds', self.refusal(env), seconds)

    def test_half_a_proof(self):
        env = signed(request('GET', '/v1/a'))
        del env['HTTP_X_GATEWAY_TIME']
        self.assertIn('belong together', self.refusal(env))

    def test_signature_of_any_bytes(self):
        env = signed(request('GET', '/v1/a'))
        env['HTTP_X_GATEWAY_SIGNATURE'] = '\xe9' * 64
        self.assertIn('does not match', self.refusal(env))


class TestFront(unittest.TestCase):
    def setUp(self):
        self.swift = FakeSwift()
        self.app = pipeline(self.swift)

    def test_client_passes_unchanged(self):
        env = request('GET', '/v1/a/c/o', {'X-Object-Meta-A': '1'})
        wanted = dict(env)
        call(self.app, env)
        self.assertIs(self.swift.calls[0], env)
        self.assertEqual(env, wanted)

    def test_gateway_headers_of_a_client_are_dropped(self):
        env = request('PUT', '/v1/a/c/o', {
            'X-Gateway-Sysmeta-Object-A': '1', 'X-Gateway-Footers': '9',
            'X-Gateway-Create': 'exclusive', 'X-Gateway-Anything': 'x'})
        self.swift.container('/v1/a/c')
        status, headers, _body = call(self.app, env)
        self.assertEqual(status, 201)
        seen = self.swift.calls[-1]
        self.assertFalse([key for key in seen
                          if 'GATEWAY' in key or 'SYSMETA' in key
                          or key.startswith('ringway')])
        self.assertNotIn('x-gateway-data-timestamp', headers)

    def test_client_is_told_nothing(self):
        self.swift.answer('GET', '/v1/a/c/o', '200 OK', [
            ('X-Object-Sysmeta-A', '1'),
            ('X-Backend-Data-Timestamp', '17.0')])
        _status, headers, _body = call(
            self.app, request('GET', '/v1/a/c/o'))
        # Swift's own names are the gatekeeper's to take out.
        self.assertFalse([n for n in headers if n.startswith('x-gateway')])

    def test_gateway_needs_no_token(self):
        env = signed(request('GET', '/v1/a/c/o'))
        call(pipeline(self.swift), env)
        seen = self.swift.calls[-1]
        for key in ('swift.authorize_override', 'swift_owner',
                    'reseller_request'):
            self.assertIs(seen[key], True)

    def test_nobody_else_is_let_pass(self):
        for env in (request('GET', '/v1/a/c/o'),
                    signed(request('GET', '/v1/a/c/o'), b'another secret'),
                    signed(request('GET', '/auth/v1.0')),
                    signed(request('GET', '/v1/a/c/o',
                                   {'X-Auth-Token': 'tk'}))):
            call(pipeline(self.swift), env)
            for seen in self.swift.calls:
                self.assertNotIn('swift.authorize_override', seen)

    def test_wrong_signature_is_refused(self):
        env = signed(request('GET', '/v1/a/c/o'), b'some other secret!')
        status, _headers, body = call(self.app, env)
        self.assertEqual(status, 403)
        self.assertIn(b'secret', body)
        self.assertEqual(self.swift.calls, [])

    def test_names_are_mapped_both_ways(self):
        self.swift.answer('PUT', '/v1/a/c/o', '201 Created', [
            ('X-Object-Sysmeta-A', '1'), ('X-Account-Sysmeta-B', '2'),
            ('X-Container-Sysmeta-C', '3'),
            ('X-Object-Transient-Sysmeta-D', '4'), ('Etag', 'e')])
        env = signed(request('PUT', '/v1/a/c/o', {
            'X-Gateway-Sysmeta-Object-A': '1',
            'X-Gateway-Sysmeta-Account-B': '2',
            'X-Gateway-Sysmeta-Container-C-D': '3',
            'X-Gateway-Sysmeta-Transient-E': '4',
            'X-Gateway-Sysmeta-Other-F': '5',
            'X-Gateway-Sysmeta-Object-': '6'}))
        _status, headers, _body = call(self.app, env)
        seen = self.swift.calls[0]
        self.assertEqual(
            {k: v for k, v in seen.items() if 'META' in k}, {
                'HTTP_X_OBJECT_SYSMETA_A': '1',
                'HTTP_X_ACCOUNT_SYSMETA_B': '2',
                'HTTP_X_CONTAINER_SYSMETA_C_D': '3',
                'HTTP_X_OBJECT_TRANSIENT_SYSMETA_E': '4'})
        self.assertEqual(headers, {
            'x-gateway-sysmeta-object-a': '1',
            'x-gateway-sysmeta-account-b': '2',
            'x-gateway-sysmeta-container-c': '3',
            'x-gateway-sysmeta-transient-d': '4', 'etag': 'e',
            'x-gateway-data-timestamp': '1700000000.00000',
            'content-length': '0'})

    def test_data_timestamp(self):
        self.swift.answer('HEAD', '/v1/a/c/o', '200 OK', [
            ('X-Backend-Data-Timestamp', '17.0'), ('X-Timestamp', '18.0')])
        _status, headers, _body = call(
            self.app, signed(request('HEAD', '/v1/a/c/o')))
        self.assertEqual(headers['x-gateway-data-timestamp'], '17.0')


if __name__ == '__main__':
    unittest.main()
