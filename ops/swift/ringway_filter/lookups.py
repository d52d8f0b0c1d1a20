"""The lookup of a request's container and account, which Swift's proxy server
makes first, in memcached or with their servers.

When it cannot tell, it goes on as if there were no such container, and when
memcached says that there is none, that may be what somebody found six seconds
ago, or a minute: before the container was made.
"""

from swift.common.constraints import MAX_ACCOUNT_NAME_LENGTH, check_utf8
from swift.common.http import is_success
from swift.common.swob import wsgi_quote, wsgi_to_str
from swift.common.utils import drain_and_close
from swift.common.wsgi import make_pre_authed_request
from swift.proxy.controllers.base import (
    get_cache_key, get_container_info, headers_to_container_info)

#: Requests of the filter's own, as the proxy server logs them.
SOURCE = 'RW'

_INFOCACHE = 'swift.infocache'
_CACHE = 'swift.cache'


def newest(env, app):
    """:returns: the answer to HEAD of the newest copy of what a request names"""
    request = make_pre_authed_request(
        env, method='HEAD', path=wsgi_quote(env['PATH_INFO']),
        headers={'X-Newest': 'true'}, swift_source=SOURCE)
    answer = request.get_response(app)
    drain_and_close(answer)
    return answer


class Unknown(Exception):
    """Nobody could tell."""


class WithoutMisses(object):
    """Swift's memcached client, which is not believed that an account or a
    container is missing: the servers are asked then.

    :param ring: the client; what is not ``get`` is the client's own
    """

    def __init__(self, ring):
        self._ring = ring

    def __getattr__(self, name):
        return getattr(self._ring, name)

    def get(self, key, *args, **kwargs):
        info = self._ring.get(key, *args, **kwargs)
        is_info = isinstance(info, dict) and 'status' in info
        return None if is_info and not _is_found(info) else info


def info_of(env, app, account, container, is_fresh=False):
    """:param app: what the guard stands in front of
    :param account: a WSGI string, as is the container
    :param is_fresh: whether neither memcached is believed that it is missing,
        nor what was found for this request before
    :returns: what Swift knows of a container, which may be that it is missing;
        kept for the request, where the proxy looks for it next, and in
        memcached
    :raises Unknown:
    """
    if len(wsgi_to_str(account)) > MAX_ACCOUNT_NAME_LENGTH or not all(
            check_utf8(wsgi_to_str(name), True)
            for name in (account, container)):
        # The proxy server refuses such names.
        return headers_to_container_info({}, 404)
    infocache = env.setdefault(_INFOCACHE, {})
    keys = _key(account), _key(account, container)
    env = dict(env, PATH_INFO='/v1/%s/%s' % (account, container))
    if is_fresh:
        env[_INFOCACHE] = {
            key: info for key, info in infocache.items()
            if key not in keys or _is_found(info)}
        if env.get(_CACHE) is not None:
            env[_CACHE] = WithoutMisses(env[_CACHE])
    info = get_container_info(env, app, swift_source=SOURCE)
    infocache.update({
        key: env[_INFOCACHE][key] for key in keys if key in env[_INFOCACHE]})
    if info['status'] == 0 and is_there(env, account) is False:
        # So that the proxy does not find it after all.
        info = infocache[keys[1]] = dict(info, status=404)
    if not is_success(info['status']) and info['status'] not in (404, 410):
        raise Unknown()
    return info


def is_there(env, *names):
    """:param names: account and maybe container, WSGI strings
    :returns: whether it is there, as the servers said while this request was
        served, or memcached said that it is; None if nobody could tell
    """
    info = env.get(_INFOCACHE, {}).get(_key(*names))
    return None if info is None else _is_found(info)


def forget(env, account, container):
    """Takes what was answered back, where it turned out to be unsure.

    :param container: None for the account
    """
    names = (account,) if container is None else (account, container)
    env.get(_INFOCACHE, {}).pop(_key(*names), None)


def _is_found(info):
    return is_success(info['status']) and bool(
        info.get('account_really_exists', True))


def _key(*names):
    return get_cache_key(*map(wsgi_to_str, names))
