import unittest

from tests.support import FakeSwift, call, pipeline, request, signed

PATH = '/v1/a/c/o'


class TestChangesOfWhatIsNotNewer(unittest.TestCase):
    def setUp(self):
        self.swift = FakeSwift()
        self.swift.answer('DELETE', PATH, '204 No Content')
        self.app = pipeline(self.swift)

    def send(self, method, seconds, trusted=True):
        env = request(method, PATH)
        env['HTTP_X_GATEWAY_NOT_NEWER'] = seconds
        return call(self.app, signed(env) if trusted else env)

    def test_the_gateway_deletes_as_of_then(self):
        status, _headers, _body = self.send('DELETE', '1700000000.12345')
        self.assertEqual(status, 204)
        self.assertEqual(self.swift.calls[-1]['HTTP_X_TIMESTAMP'],
                         '1700000000.12345')

    def test_and_updates_as_of_then(self):
        for seconds in ('1700000000.12345',
                        '1700000000.12345_00000000000000ff'):
            self.send('POST', seconds)
            self.assertEqual(self.swift.calls[-1]['HTTP_X_TIMESTAMP'],
                             seconds)

    def test_and_puts_as_of_then(self):
        self.swift.answer('PUT', PATH, '201 Created')
        self.send('PUT', '1700000000.12399_000000000000000c')
        self.assertEqual(self.swift.calls[-1]['HTTP_X_TIMESTAMP'],
                         '1700000000.12399_000000000000000c')

    def test_nobody_else_does(self):
        self.send('DELETE', '1700000000.12345', trusted=False)
        self.assertNotIn('HTTP_X_TIMESTAMP', self.swift.calls[-1])

    def test_only_changes_and_only_timestamps(self):
        for method, seconds in (('GET', '1700000000.12345'),
                                ('DELETE', 'then'), ('DELETE', '')):
            status, _headers, body = self.send(method, seconds)
            self.assertEqual(status, 400)
            self.assertIn(b'X-Gateway-Not-Newer', body)
        self.assertEqual(self.swift.methods(), [])
