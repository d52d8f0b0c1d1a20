import json
import unittest
from io import BytesIO

from swift.common.swob import HTTPException

from ringway_filter.bodies import GatedInput, TailedInput, read_exactly
from ringway_filter.footers import FOOTER_BYTES_MAX, parse_footers
from tests.support import FakeSwift, call, pipeline, request, signed


def footed(content, footers, size=128, **headers):
    """A signed PUT with footers behind its content."""
    if not isinstance(footers, bytes):
        footers = json.dumps(footers).encode('utf-8')
    given = {'X-Gateway-Footers': str(size)}
    given.update({k.replace('_', '-'): v for k, v in headers.items()})
    return signed(request('PUT', '/v1/a/c/o', given,
                          content + footers.ljust(size)))


class TestGatedInput(unittest.TestCase):
    def test_holds_back_the_last_bytes(self):
        for size in (1, 2, 3, 7, 10, 11, None, -1):
            source, done = BytesIO(b'0123456789tail'), []

            def before_end():
                done.append(source.read())
            body = GatedInput(source, 10, before_end)
            got = b''
            while True:
                self.assertEqual(bool(done), len(got) == 10)
                chunk = body.read(size)
                got += chunk
                if not chunk:
                    break
            self.assertEqual((got, done), (b'0123456789', [b'tail']))

    def test_lines(self):
        done = []
        body = GatedInput(BytesIO(b'a\nbc\ntail'), 4, lambda: done.append(1))
        self.assertEqual([body.readline(), body.readline(), done,
                          body.readline()], [b'a\n', b'bc', [1], b''])

    def test_empty_body(self):
        done = []
        body = GatedInput(BytesIO(b''), 0, lambda: done.append(1))
        self.assertEqual((body.read(5), done), (b'', [1]))

    def test_failure_stays(self):
        def fail():
            raise KeyError('once')
        body = GatedInput(BytesIO(b'abc'), 3, fail)
        self.assertEqual(body.read(2), b'ab')
        for _i in range(2):
            self.assertRaises(KeyError, body.read, 2)

    def test_body_that_ends_early(self):
        body = GatedInput(BytesIO(b'abc'), 5, self.fail)
        self.assertEqual([body.read(4), body.read(4)], [b'abc', b''])

    def test_read_exactly(self):
        class Dribble(BytesIO):
            def read(self, size=-1):
                return super(Dribble, self).read(min(size, 3))
        self.assertEqual(read_exactly(Dribble(b'0123456789'), 8), b'01234567')
        self.assertEqual(read_exactly(Dribble(b'0123'), 8), b'0123')


class TestTailedInput(unittest.TestCase):
    def test_holds_back_its_last_bytes_until_the_end(self):
        for tail in (1, 3, 10):
            for size in (1, 2, 3, 7, 10, 11, 100, None, -1):
                source, seen = BytesIO(b'0123456789'), []

                def at_end(held):
                    self.assertEqual(source.read(), b'')
                    seen.append(held)
                    return held.upper()
                body = TailedInput(source, tail, at_end)
                read = []
                while True:
                    data = body.read(size)
                    if not data:
                        break
                    read.append(data)
                    if not seen:
                        self.assertLessEqual(len(b''.join(read)), 10 - tail)
                self.assertEqual(b''.join(read), b'0123456789')
                self.assertEqual(seen, [b'0123456789'[-tail:]])

    def test_short_and_empty_bodies(self):
        for content in (b'', b'ab'):
            seen = []
            body = TailedInput(BytesIO(content), 3, lambda held: seen.append(
                held) or b'')
            self.assertEqual([body.read(5), body.read(5), seen],
                             [b'', b'', [content]])

    def test_failures_stay(self):
        class Cut(BytesIO):
            def read(self, size=-1):
                data = super(Cut, self).read(size)
                if not data:
                    raise ValueError('cut short')
                return data

        def fail(_held):
            raise KeyError('once')
        for source, error in ((Cut(b'abc'), ValueError),
                              (BytesIO(b'abc'), KeyError)):
            body = TailedInput(source, 2, fail)
            self.assertEqual(body.read(9), b'a')
            for _i in range(2):
                self.assertRaises(error, body.read, 2)


class TestParse(unittest.TestCase):
    def test_good(self):
        self.assertEqual(parse_footers(json.dumps({
            'X-Gateway-Sysmeta-Object-A': '1', 'etag': 'e',
            'x-gateway-sysmeta-transient-b': '\u00e9'}).encode() + b'   '), {
                'X-Object-Sysmeta-A': '1', 'Etag': 'e',
                'X-Object-Transient-Sysmeta-b': '\xc3\xa9'})

    def test_bad(self):
        for text in (b'', b'   ', b'[]', b'"x"', b'{', b'\xff\xfe',
                     b'{"X-Object-Sysmeta-A": "1"}', b'{"X-Foo": "1"}',
                     b'{"X-Object-Meta-A": "1"}', b'{"Content-Type": "x"}',
                     b'{"X-Gateway-Sysmeta-Object-A": 1}',
                     b'{"X-Gateway-Sysmeta-Object-A": null}',
                     b'{"X-Gateway-Sysmeta-Object-A": "a\\nb"}',
                     b'{"X-Gateway-Sysmeta-Object-A\xc3\xa9": "a"}'):
            self.assertRaises(ValueError, parse_footers, text)


class TestFooters(unittest.TestCase):
    def setUp(self):
        self.swift = FakeSwift()
        self.app = pipeline(self.swift)

    def test_they_become_footers_of_the_put(self):
        for content in (b'', b'x', b'hello', b'x' * 1000):
            status, _headers, _body = call(self.app, footed(
                content, {'X-Gateway-Sysmeta-Object-A': '1'}))
            self.assertEqual(status, 201)
            self.assertEqual(self.swift.stored['/v1/a/c/o'],
                             (content, {'X-Object-Sysmeta-A': '1'}))
            self.assertEqual(self.swift.calls[-1]['CONTENT_LENGTH'],
                             str(len(content)))

    def test_callback_of_other_middleware_stays(self):
        env = footed(b'hello', {'X-Gateway-Sysmeta-Object-A': '1'})
        env['swift.callback.update_footers'] = \
            lambda footers: footers.update(B='2')
        call(self.app, env)
        self.assertEqual(self.swift.stored['/v1/a/c/o'][1],
                         {'X-Object-Sysmeta-A': '1', 'B': '2'})

    def refused(self, env, status):
        try:
            got = call(self.app, env)[0]
        except HTTPException as answer:
            # The proxy returns what the body's reader raises.
            got = answer.status_int
        self.assertEqual(got, status)
        self.assertEqual(self.swift.stored, {})

    def test_bad_footers_store_nothing(self):
        self.refused(footed(b'hello', b'no json'), 400)
        self.refused(footed(b'hello', {'X-Foo': '1'}), 400)
        self.refused(footed(b'', b'no json'), 400)

    def test_body_that_ends_within_them_stores_nothing(self):
        env = footed(b'hello', {'X-Gateway-Sysmeta-Object-A': '1'})
        env['wsgi.input'] = BytesIO(env['wsgi.input'].read()[:-1])
        self.refused(env, 499)

    def test_sizes(self):
        for size in ('', '0', '1', '-3', 'x', '1.5',
                     str(FOOTER_BYTES_MAX + 1)):
            env = footed(b'hello', {}, 128, X_Gateway_Footers=size)
            self.refused(env, 400)

    def test_body_shorter_than_they(self):
        self.refused(footed(b'', {}, 10, X_Gateway_Footers='11'), 400)

    def chunked(self, content, footers, **headers):
        env = footed(content, footers, **headers)
        del env['CONTENT_LENGTH']
        env['HTTP_TRANSFER_ENCODING'] = 'chunked'
        return env

    def test_body_in_chunks(self):
        for content in (b'', b'x', b'hello', b'x' * 1000):
            status, _headers, _body = call(self.app, self.chunked(
                content, {'X-Gateway-Sysmeta-Object-A': '1'}))
            self.assertEqual(status, 201)
            self.assertEqual(self.swift.stored['/v1/a/c/o'],
                             (content, {'X-Object-Sysmeta-A': '1'}))

    def test_bad_ends_of_a_body_in_chunks(self):
        self.refused(self.chunked(b'hello', b'no json'), 400)
        self.refused(self.chunked(b'', {}, X_Gateway_Footers='129'), 499)
        env = self.chunked(b'hello', {'X-Gateway-Sysmeta-Object-A': '1'})
        whole = env['wsgi.input'].read()
        for end in (0, 5, 100, len(whole) - 128):
            env = self.chunked(b'hello', {})
            env['wsgi.input'] = BytesIO(whole[:end])
            self.refused(env, 499 if end < 128 else 400)

    def test_its_end_must_be_told_in_one_way(self):
        env = footed(b'hello', {})
        del env['CONTENT_LENGTH']
        self.refused(env, 411)
        env = self.chunked(b'hello', {})
        env['CONTENT_LENGTH'] = '133'
        self.refused(env, 411)

    def test_only_for_a_put(self):
        env = request('POST', '/v1/a/c/o', {'X-Gateway-Footers': '10'},
                      b'x' * 20)
        self.refused(signed(env), 400)


if __name__ == '__main__':
    unittest.main()
