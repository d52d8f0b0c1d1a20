"""Misses that may be none: 404 of a proxy that could not ask all who might know.

Swift's proxy asks one server after the other, and counts only those that say
something. An object that was stored while one server was away lies on the
others; when those do not answer later, and the first is back and was not yet
repaired, it is the only one that speaks: it says 404, and so does the proxy,
with ``X-Newest`` as well. So a gateway would tell its client that what was
acknowledged is not there, and write what follows from that.

Here a 404 to the gateway is compared with the servers that should have had the
answer, the primary ones of the ring. It is sure when

* all of them answered; or
* so many did, on at least two servers, that no write was acknowledged without
  one of them; or
* one did that was not away lately, so that it has missed nothing.

The same holds of the container and the account, when the proxy did not find
them. Else it goes to the gateway with ``X-Gateway-Unsure``, which asks its
client to come again.
"""

from swift.common.http import HTTP_NOT_FOUND, is_server_error
from swift.common.storage_policy import POLICIES
from swift.common.swob import wsgi_to_str

from ringway_filter.failures import COMPLAINTS
from ringway_filter.lookups import SOURCE, forget, is_there
from ringway_filter.paths import split_path
from ringway_filter.trust import trust_of

UNSURE = 'X-Gateway-Unsure'

#: Answers that middleware makes of a sub-request's: of a link's target, of a
#: manifest's segments, when it is read and when it is written.
CONSEQUENCES = ('400', '404', '409')

_POLICY = 'HTTP_X_BACKEND_STORAGE_POLICY_INDEX'
_NO_ACCOUNT = 'x-backend-fake-account-listing'


def proxy_of(app):
    """:returns: the proxy server at the end of a pipeline, or None"""
    while app is not None:
        if all(hasattr(app, name) for name in
               COMPLAINTS + ('error_limited', 'get_object_ring')):
            return app
        app = getattr(app, 'app', None)
    return None


def is_missing(answer):
    """Whether an answer of the store, a swob.Response, says for sure that there
    is nothing."""
    return answer.status_int == HTTP_NOT_FOUND and UNSURE not in answer.headers


class Misses(object):
    """WSGI middleware around the proxy server.

    :param app: what stores
    :param proxy: the proxy server in it, whose rings tell who should know
    :param failures: a Failures
    """

    def __init__(self, app, proxy, failures):
        self.app = app
        self._proxy = proxy
        self._failures = failures

    def __call__(self, env, start_response):
        trust = trust_of(env)
        if trust is None and env.get('swift.source') != SOURCE:
            return self.app(env, start_response)
        method, since = env['REQUEST_METHOD'], self._failures.now()
        if trust is not None:
            # Another filter may have looked the container up before.
            since -= trust.age()
        account, container, obj = split_path(env)

        def noting(status, headers, exc_info=None):
            missing = status.startswith('404') or (container is None and any(
                name.lower() == _NO_ACCOUNT for name, _value in headers))
            if missing:
                unsure = self._is_unsure(
                    env, method, since, account, container, obj)
            else:
                # Of a segment, say: it is answered as if that were not there.
                unsure = obj and is_server_error(int(status.split()[0]))
            if unsure and trust is not None:
                trust.unsure = True
            if unsure and missing:
                status, headers = self._doubt(
                    env, status, headers, account, container, obj)
            return start_response(status, headers, exc_info)
        return self.app(env, noting)

    @staticmethod
    def _doubt(env, status, headers, account, container, obj):
        """:returns: the status and headers of a 404 that is unsure"""
        if obj is None and env.get('swift.source') == SOURCE:
            # The filter's own lookup: Swift remembers the 404 before it
            # answers, and goes by that.
            forget(env, account, container)
            return '503 Service Unavailable', headers
        return status, list(headers) + [(UNSURE, 'true')]

    def _is_unsure(self, env, method, since, account, container, obj):
        if account is None:
            return False
        if container is None:
            return self._may_hide(
                self._proxy.account_ring, None, since, account)
        if obj is None:
            return self._is_unsure_of(env, since, account, container)
        found = is_there(env, account, container)
        if found is None and is_there(env, account):
            return True
        if not found:
            return self._is_unsure_of(env, since, account, container)
        if method in ('PUT', 'DELETE'):
            # What was not found is marked as deleted.
            return False
        index = env.get(_POLICY, '0')
        return self._may_hide(
            self._proxy.get_object_ring(index), POLICIES.get_by_index(index),
            since, account, container, obj)

    def _is_unsure_of(self, env, since, account, container):
        """Whether a container that was not found may be there."""
        found = is_there(env, account)
        if not found:
            return found is None or self._may_hide(
                self._proxy.account_ring, None, since, account)
        return self._may_hide(
            self._proxy.container_ring, None, since, account, container)

    def _may_hide(self, ring, policy, since, *names):
        """Whether something of this name may be on servers that failed."""
        _part, nodes = ring.get_nodes(*map(wsgi_to_str, names))
        answered = [node for node in nodes
                    if not self._failures.has_failed(node, since)]
        if len(answered) == len(nodes):
            return False
        count = len(nodes)
        quorum = policy.quorum if policy is not None else (count + 1) // 2
        servers = {(node['region'], node['zone'], node['ip'])
                   for node in answered}
        if len(answered) >= count - quorum + 1 and len(servers) >= 2:
            return False
        return not any(self._failures.is_steady(node) for node in answered)
