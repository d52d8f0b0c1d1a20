import unittest

from ringway_filter.names import decode_name, encode_name
from tests.support import FakeSwift, call, pipeline, request, signed

FOO_BAR = 'X-Object-Meta-Foo=5Fbar'


class TestNames(unittest.TestCase):
    def test_tokens_stay(self):
        for name in ("Etag", "X-Object-Meta-!#$&'*+.^_`|~-", 'X-A%5f'):
            self.assertEqual(encode_name(name), name)

    def test_whatever_else_comes_back(self):
        for name in (FOO_BAR, 'X-Object-Meta-100%', 'X-(a)/"b"', 'X-%zz'):
            self.assertNotEqual(encode_name(name), name)
            self.assertEqual(decode_name(encode_name(name)), name)

    def test_bytes_of_utf_8_come_back(self):
        name = 'X-Object-Meta-gr\u00fc\u00dfe'.encode().decode('latin-1')
        self.assertEqual(encode_name(name),
                         'X-Object-Meta-gr%c3%bc%c3%9fe')
        self.assertEqual(decode_name(encode_name(name)), name)

    def test_no_name_is_ended(self):
        for name in ('X-A%0d%0aX-B', 'X-A%3aX-B', 'X-A%20', 'X-A%00'):
            self.assertEqual(decode_name(name), name)


class TestNamesOnTheWire(unittest.TestCase):
    def get(self, env):
        swift = FakeSwift()
        swift.answer('GET', '/v1/a/c/o', '200 OK', [
            (FOO_BAR, 'v'), ('X-Object-Sysmeta-N=5Fm', 's')])
        _status, headers, _body = call(pipeline(swift), env)
        return headers

    def put(self, sign):
        swift = FakeSwift()
        env = request('PUT', '/v1/a/c/o', headers={
            'X-Object-Meta-Foo%3D5fbar': 'v',
            'X-Gateway-Sysmeta-Object-N%3d5fm': 's'})
        call(pipeline(swift), signed(env) if sign else env)
        return swift.calls[-1]

    def test_the_gateway_reads_them_encoded(self):
        headers = self.get(signed(request('GET', '/v1/a/c/o')))
        self.assertEqual(headers['x-object-meta-foo%3d5fbar'], 'v')
        self.assertEqual(headers['x-gateway-sysmeta-object-n%3d5fm'], 's')

    def test_others_read_them_as_they_are(self):
        headers = self.get(request('GET', '/v1/a/c/o'))
        self.assertEqual(headers[FOO_BAR.lower()], 'v')

    def test_the_gateway_writes_them_encoded(self):
        env = self.put(sign=True)
        self.assertEqual(env['HTTP_X_OBJECT_META_FOO=5FBAR'], 'v')
        self.assertEqual(env['HTTP_X_OBJECT_SYSMETA_N=5FM'], 's')

    def test_others_write_what_they_say(self):
        env = self.put(sign=False)
        self.assertEqual(env['HTTP_X_OBJECT_META_FOO%3D5FBAR'], 'v')
