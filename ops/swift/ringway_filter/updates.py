"""Exclusive changes: a POST or a DELETE of exactly what the gateway has read.

Swift's POST replaces all metadata of an object that can be replaced, so the
gateway reads, merges and sends all of it again. Of two gateways that have read
the same, the later one would take the earlier one's change away, be it a lock
that was acknowledged. Here they exclude each other by the lease of exclusive
creation, and a POST for what is not there any more is answered 409.

Of racing DELETEs, Swift's servers let each one through that came first to one
of them, and each may be answered 204. With the lease the second one finds
nothing, and is answered 404.
"""

from swift.common import swob
from swift.common.http import is_redirection, is_success
from swift.common.utils import Timestamp, drain_and_close
from swift.common.wsgi import WSGIContext

from ringway_filter.answers import refuse
from ringway_filter.exclusive import Attempt
from ringway_filter.misses import is_missing


class Updater(object):
    """:param app: the WSGI application that stores
    :param leases: a Leases
    """

    def __init__(self, app, leases, logger):
        self._app = app
        self._leases = leases
        self._logger = logger

    def update(self, env, start_response, seen):
        """Serves a POST or DELETE with X-Gateway-State.

        :param seen: the X-Timestamp of the object that was read
        :raises swob.HTTPException: an answer
        """
        attempt = Attempt(env, self._app, self._leases, self._logger)
        try:
            attempt.begin()
            _require_state(env, attempt.newest(), seen)
            attempt.check()
            context = WSGIContext(self._app)
            chunks = context._app_call(env)
            status = context._get_status_int()
            # A symlink is changed, and answers 307.
            if is_success(status) or is_redirection(status):
                body = b''.join(chunks)
                drain_and_close(chunks)
                attempt.check()
                chunks = [body]
        finally:
            attempt.end()
        start_response(context._response_status, context._response_headers,
                       context._response_exc_info)
        return chunks


def _require_state(env, newest, seen):
    if is_missing(newest):
        raise refuse(swob.HTTPNotFound, env, 'The object is not there')
    stored = newest.headers.get('X-Timestamp')
    if not newest.is_success or stored is None:
        raise refuse(swob.HTTPServiceUnavailable, env,
                     'It is not known what the object is now')
    if Timestamp(stored).normal != seen.normal:
        raise refuse(swob.HTTPConflict, env,
                     'The object is not what was read')
