"""A store, clients and a memcached that are not there."""

import time
from io import BytesIO

from swift.common.swob import Request

from ringway_filter.front import Front
from ringway_filter.guard import Guard
from ringway_filter.signature import Verifier, sign, target_of

SECRET = b'a secret of the tests'


class FakeLogger(object):
    def __init__(self):
        self.lines = []

    def warning(self, message, *args):
        self.lines.append(message % args)

    error = warning


class FakeSwift(object):
    """A WSGI application in the place of the proxy server.

    It answers from a table, 404 without an entry, reads bodies as the proxy
    does, and takes footers where it would send them on.
    """

    def __init__(self):
        self.answers = {}
        self.calls = []
        self.stored = {}

    def answer(self, method, path, status, headers=(), body=b''):
        self.answers[method, path] = (status, list(headers), body)

    def container(self, path, **sysmeta):
        """Makes a container, and its account."""
        self.answer('HEAD', path.rsplit('/', 1)[0], '204 No Content')
        self.answer('HEAD', path, '204 No Content', [
            ('X-Container-Sysmeta-' + name.replace('_', '-'), value)
            for name, value in sysmeta.items()])

    def methods(self):
        return ['%s %s' % (call['REQUEST_METHOD'], call['PATH_INFO'])
                for call in self.calls]

    def __call__(self, env, start_response):
        self.calls.append(env)
        method, path = env['REQUEST_METHOD'], env['PATH_INFO']
        if method == 'PUT':
            env.setdefault('HTTP_X_TIMESTAMP', '1700000000.00000')
            body, footers = self._read(env), {}
            env.get('swift.callback.update_footers', lambda _f: None)(footers)
            self.stored[path] = (body, footers)
            status, headers, body = self.answers.get(
                (method, path), ('201 Created', [], b''))
        else:
            status, headers, body = self.answers.get(
                (method, path), ('404 Not Found', [], b''))
        start_response(status, headers + [
            ('Content-Length', str(len(body)))])
        return [body]

    @staticmethod
    def _read(env):
        chunks = []
        while True:
            chunk = env['wsgi.input'].read(4)
            if not chunk:
                break
            chunks.append(chunk)
        body = b''.join(chunks)
        length = int(env.get('CONTENT_LENGTH') or 0)
        if len(body) < length:
            raise AssertionError('%d of %d bytes' % (len(body), length))
        return body


class FakeMemcache(object):
    """Swift's memcached client with one server, which may fail or forget."""

    def __init__(self):
        self.data = {}
        self.failures = 0

    def _talk(self):
        from swift.common.memcached import MemcacheConnectionError
        if self.failures:
            self.failures -= 1
            raise MemcacheConnectionError('gone')

    def incr(self, key, delta=1, time=0):
        self._talk()
        self.data[key] = self.data.get(key, 0) + delta
        return self.data[key]

    def set(self, key, value, time=0, raise_on_error=False):
        self._talk()
        self.data[key] = value

    def get(self, key, raise_on_error=False):
        self._talk()
        return self.data.get(key)

    def delete(self, key):
        self.data.pop(key, None)


def request(method, path, headers=None, body=b'', **environ):
    """A request as eventlet's server hands it over."""
    env = Request.blank(path, method=method, headers=headers or {}).environ
    env['RAW_PATH_INFO'] = path.partition('?')[0]
    env['wsgi.input'] = BytesIO(body)
    if body or method == 'PUT':
        env['CONTENT_LENGTH'] = str(len(body))
    env.update(environ)
    return env


def signed(env, secret=SECRET, seconds=None):
    """The same request, of the gateway."""
    seconds = str(int(time.time()) if seconds is None else seconds)
    env['HTTP_X_GATEWAY_TIME'] = seconds
    env['HTTP_X_GATEWAY_SIGNATURE'] = sign(
        secret, env['REQUEST_METHOD'], target_of(env), seconds)
    return env


def call(app, env):
    """:returns: status, dict of headers with lower case names, body"""
    answer = []

    def start_response(status, headers, exc_info=None):
        answer[:] = [int(status.split()[0]),
                     {name.lower(): value for name, value in headers}]
    parts = app(env, start_response)
    body = b''.join(parts)
    # As a server of WSGI does.
    if hasattr(parts, 'close'):
        parts.close()
    return answer[0], answer[1], body


def pipeline(swift, creator=None, between=lambda app: app, secrets=(SECRET,),
             updater=None, deciders=()):
    """Both filters, and what stands between them, over a store."""
    return Front(between(Guard(swift, creator, updater)), Verifier(secrets),
                 FakeLogger(), deciders=deciders)
