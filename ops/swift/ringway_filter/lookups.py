"""The lookup of a request's container and account, which Swift's proxy server
makes first, in memcached or with their servers.

When it cannot tell, it goes on as if there were no such container, and when
memcached says that there is none, that may be what somebody found six seconds
ago, or a minute: before the container was made.
"""

from swift.common.http import is_success
from swift.common.swob import wsgi_to_str
from swift.proxy.controllers.base import get_cache_key, get_container_info

#: Requests of the filter's own, as the proxy server logs them.
SOURCE = 'RW'

_INFOCACHE = 'swift.infocache'
_CACHE = 'swift.cache'


class Unknown(Exception):
    """Nobody could tell."""


def info_of(env, app, account, container, is_fresh=True):
    """:param app: what the guard stands in front of
    :param is_fresh: whether memcached is not believed that it is missing
    :returns: what Swift knows of a container, which may be that it is missing;
        kept for the request, where the proxy looks for it next, and in
        memcached
    :raises Unknown:
    """
    infocache = env.setdefault(_INFOCACHE, {})
    env = dict(env, PATH_INFO='/v1/%s/%s' % (account, container))
    if is_fresh:
        look_again(env, account, container, True)
    info = get_container_info(env, app, swift_source=SOURCE)
    for key in _key(account), _key(account, container):
        if key in env[_INFOCACHE]:
            infocache[key] = env[_INFOCACHE][key]
    status = info['status']
    is_missing = status in (404, 410) or (
        # The account is missing, or could not be looked up.
        status == 0 and is_there(env, account) is False)
    if not is_missing and not is_success(status):
        raise Unknown()
    return info


def look_again(env, account, container, obj):
    """Lets the proxy server ask the servers where memcached says that a
    request's container or account is missing. What memcached has of others is
    kept for the proxy, which then asks no more.

    :param account: a WSGI string, as are the others; container and obj may be
        None
    """
    if container is None:
        # The account itself is asked for.
        return
    asked = [(account,)]
    if obj is not None:
        asked.insert(0, (account, container))
    missing = set()
    for names in asked:
        _look_up(env, *names)
        found = is_there(env, *names)
        if found:
            break
        if found is False:
            missing.add(_key(*names))
    if missing:
        # Sub-requests beside this one go on with what they have.
        env[_INFOCACHE] = {key: info for key, info in env[_INFOCACHE].items()
                           if key not in missing}
        cache = env.get(_CACHE)
        env[_CACHE] = None if cache is None else Unread(cache)


def forget(env, account, container):
    """Takes what was answered back, where it turned out to be unsure.

    :param container: None for the account
    """
    names = (account,) if container is None else (account, container)
    env.get(_INFOCACHE, {}).pop(_key(*names), None)


def is_there(env, *names):
    """:param names: account and maybe container, WSGI strings
    :returns: whether it is there, as the servers said while this request was
        served, or memcached said that it is; None if nobody could tell
    """
    info = env.get(_INFOCACHE, {}).get(_key(*names))
    if info is None:
        return None
    return is_success(info['status']) and bool(
        info.get('account_really_exists', True))


def _look_up(env, *names):
    infocache = env.setdefault(_INFOCACHE, {})
    key, cache = _key(*names), env.get(_CACHE)
    if key not in infocache and cache is not None:
        info = cache.get(key)
        if info:
            infocache[key] = info


def _key(*names):
    return get_cache_key(*map(wsgi_to_str, names))


class Unread(object):
    """A client of memcached that remembers for others, and knows nothing."""

    def __init__(self, cache):
        self._cache = cache

    def __getattr__(self, name):
        return getattr(self._cache, name)

    def get(self, *_args, **_kwargs):
        return None
