"""Exclusive creation: of those who create one object at the same time, at most
one is told that it did.

Swift's own ``If-None-Match: *`` is not that: each object server looks before
the body and commits after it, with nothing in between, so that of 20
simultaneous creators most are told 201. Here creators of a path exclude each
other by a lease in memcached while they look and commit:

* a body that fits into memory is read first, then the PUT is made under the
  lease, and the object servers look;
* of a longer one, or one in chunks, all but the last bytes go to the object servers, then comes
  the lease, a look at the newest copy, and the last bytes.

Memcached may forget a lease, so the holder looks whether it still has it

* before the last bytes go out: who lost it stores nothing;
* after the PUT: who lost it is answered 503, whatever the object servers said.

What remains is one that lost its lease between the two: it is told 503, and may
have stored something beside the winner. The PUT's time is that in which the
lease was had, so the winner's is the later one, and its content stays. A long
body's time is that of its beginning; there the winner looks whether the newest
copy is its own. A creation that the gateway has given a time (its place among
others) keeps that: it stays only where nothing later is.
"""

from io import BytesIO

from eventlet import Timeout
from swift.common import swob
from swift.common.http import HTTP_CREATED
from swift.common.utils import Timestamp, drain_and_close
from swift.common.wsgi import WSGIContext

from ringway_filter.answers import refuse
from ringway_filter.bodies import (
    GatedInput, TailedInput, is_chunked, read_exactly)
from ringway_filter.lease import Busy, Unavailable
from ringway_filter.lookups import newest
from ringway_filter.misses import is_missing

#: A body up to this size is read before the lease is taken.
MEMORY_BYTES_MAX = 65536

_BUSY = {'X-Gateway-Create': 'busy'}
_LOST = {'X-Gateway-Create': 'lost'}


class Creator(object):
    """:param app: the WSGI application that stores
    :param leases: a Leases
    :param read_seconds: how long the gateway may take to send a short body
    """

    def __init__(self, app, leases, read_seconds, logger):
        self._app = app
        self._leases = leases
        self._read_seconds = read_seconds
        self._logger = logger

    def create(self, env, start_response, is_placed=False):
        """Serves a PUT with X-Gateway-Create: exclusive.

        :param is_placed: whether the gateway has given it a time
        :raises swob.HTTPException: an answer
        """
        request = swob.Request(env)
        if env.get('HTTP_IF_NONE_MATCH', '').strip() != '*':
            raise refuse(swob.HTTPBadRequest, env,
                         'X-Gateway-Create needs If-None-Match: *')
        length = request.content_length
        if (length is None) != is_chunked(env):
            raise refuse(swob.HTTPLengthRequired, env,
                         'X-Gateway-Create needs a Content-Length, or a body '
                         'in chunks')
        is_long = length is None or length > MEMORY_BYTES_MAX
        attempt = Attempt(env, self._app, self._leases, self._logger)
        try:
            if not is_long:
                body = self._read_ahead(env, length)
                attempt.begin()
                if not is_placed:
                    env['HTTP_X_TIMESTAMP'] = Timestamp.now().internal
                env['wsgi.input'] = GatedInput(body, length, attempt.check)
            elif length is None:
                # The last byte: what fails now cuts the body short for the
                # proxy, which stores nothing.
                env['wsgi.input'] = TailedInput(
                    env['wsgi.input'], 1, attempt.begin_at_end)
            else:
                env['wsgi.input'] = GatedInput(
                    env['wsgi.input'], length, attempt.begin_late)
            context = WSGIContext(self._app)
            chunks = context._app_call(env)
            # 202: nothing is stored, since something later is there.
            if context._get_status_int() == HTTP_CREATED:
                # The PUT is over once its answer begins: it has no body.
                drain_and_close(chunks)
                attempt.check()
                if is_long:
                    attempt.check_newest()
                chunks = [b'']
        finally:
            attempt.end()
        start_response(context._response_status, context._response_headers,
                       context._response_exc_info)
        return chunks

    def _read_ahead(self, env, length):
        source = env['wsgi.input']
        try:
            with Timeout(self._read_seconds):
                # An empty body has an end too: footers are read there.
                body = read_exactly(source, length) if length else \
                    source.read(1)
        except Timeout:
            raise refuse(swob.HTTPRequestTimeout, env,
                         'The body did not come in time')
        except (IOError, ValueError) as error:
            raise refuse(swob.HTTPClientDisconnect, env, str(error))
        if len(body) < length:
            raise refuse(swob.HTTPClientDisconnect, env,
                         'The body ended early')
        return BytesIO(body)


class Attempt(object):
    """The lease of one write. All that goes wrong is raised as an answer: some of
    it is called by the proxy's reading of the body."""

    def __init__(self, env, app, leases, logger):
        self._env = env
        self._app = app
        self._leases = leases
        self._logger = logger
        self._lease = None

    def begin(self):
        name = self._env['PATH_INFO'].split('/', 2)[2]
        try:
            self._lease = self._leases.acquire(name)
        except Busy:
            raise refuse(swob.HTTPConflict, self._env,
                         'Another request is writing this object', _BUSY)
        except Unavailable as error:
            raise self._unavailable(error)

    def begin_late(self):
        """Begins when all of the body is there."""
        self.begin()
        answer = self.newest()
        if answer.is_success:
            raise refuse(swob.HTTPPreconditionFailed, self._env,
                         'The object exists')
        if not is_missing(answer):
            raise refuse(swob.HTTPServiceUnavailable, self._env,
                         'It is not known whether the object exists')
        self.check()

    def begin_at_end(self, last):
        """The same; :returns: the last bytes, which may now go out"""
        self.begin_late()
        return last

    def check(self):
        """Whether the lease is still ours."""
        try:
            held = self._lease is not None and self._lease.is_held()
        except Unavailable as error:
            raise self._unavailable(error)
        if not held:
            raise self._lost()

    def check_newest(self):
        """Whether what is stored is ours."""
        answer = self.newest()
        stored = answer.headers.get('X-Backend-Data-Timestamp')
        if not answer.is_success or stored is None or (
                Timestamp(stored) != Timestamp(self._env['HTTP_X_TIMESTAMP'])):
            raise self._lost()

    def end(self):
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    def newest(self):
        """:returns: the answer to HEAD of the newest copy"""
        return newest(self._env, self._app)

    def _lost(self):
        return refuse(swob.HTTPServiceUnavailable, self._env,
                      'The lease was lost before it was known to be stored', _LOST)

    def _unavailable(self, error):
        self._logger.error('no exclusive creation: %s', error)
        return refuse(swob.HTTPServiceUnavailable, self._env,
                      'Exclusive creation needs memcached: %s' % error)
