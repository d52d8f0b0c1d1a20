"""The filter left of the proxy server: it sees what really reaches the store."""

from swift.common import swob
from swift.common.registry import register_swift_info
from swift.common.utils import get_logger

from ringway_filter.copies import apply_overrides
from ringway_filter.exclusive import Creator
from ringway_filter.failures import Failures
from ringway_filter.front import BEHIND, EXCLUSIVE, PLACED, STATE
from ringway_filter.headers import link_to_gateway
from ringway_filter.lease import Leases
from ringway_filter.listing import serve_listing
from ringway_filter.memcache import (
    check_servers, fingerprint, lease_ring, memcache_servers)
from ringway_filter.misses import Misses, proxy_of
from ringway_filter.paths import split_path
from ringway_filter.protection import refusal
from ringway_filter.settings import (
    check_pipeline, measures_stages, proxy_sections, seconds_option)
from ringway_filter.stages import AroundGuard, AroundProxy
from ringway_filter.succession import stand_behind
from ringway_filter.trust import trust_of
from ringway_filter.updates import Updater

#: Longer than any PUT of a small body takes with the proxy's own time-outs.
LEASE_SECONDS = 30
READ_SECONDS = 60
#: A pass of the object-replicator takes less, or is the operator's to know.
REPAIR_SECONDS = 3600

_LINK_TARGET = 'x-object-sysmeta-symlink-target'


class Guard(object):
    """WSGI middleware."""

    def __init__(self, app, creator, updater=None):
        self.app = app
        self._creator = creator
        self._updater = updater

    def __call__(self, env, start_response):
        account, container, obj = split_path(env)
        trust = trust_of(env)
        try:
            if trust is None:
                return self._serve_others(
                    env, start_response, account, container, obj)
            if container is not None and _reads(env, obj):
                trust.hops.check(env, self.app, (account, container, obj))
            return self._serve_gateway(
                env, start_response, trust, (account, container, obj))
        except swob.HTTPException as answer:
            return answer(env, start_response)

    def _serve_others(self, env, start_response, account, container, obj):
        if container is not None:
            answer = refusal(env, self.app, account, container, obj)
            if answer is not None:
                return answer(env, start_response)
            if obj is None and env['REQUEST_METHOD'] == 'GET':
                return serve_listing(self.app, env, start_response)
        return self.app(env, start_response)

    def _serve_gateway(self, env, start_response, trust, ref):
        method, obj = env['REQUEST_METHOD'], ref[2]
        if obj is not None and method == 'PUT':
            start_response = _telling_time(env, start_response)
            apply_overrides(env)
            generation = env.pop(BEHIND, None)
            if generation is not None:
                stand_behind(env, self.app, ref, generation)
            condition = env.pop(EXCLUSIVE, None)
            if condition is not None:
                env['HTTP_IF_NONE_MATCH'] = condition
                return self._creator.create(
                    env, start_response, env.pop(PLACED, False))
        elif obj is not None and method in ('DELETE', 'POST'):
            seen = env.pop(STATE, None)
            if seen is not None:
                return self._updater.update(env, start_response, seen)
        elif obj is not None and method in ('GET', 'HEAD'):
            if not trust.looked:
                trust.looked = True
                start_response = _noting_link(trust, start_response)
        return self.app(env, start_response)


def _reads(env, obj):
    """Whether a request reads an object or a listing. What is told of a
    container itself is asked for by filters that decide about it."""
    method = env['REQUEST_METHOD']
    return method == 'GET' or method == 'HEAD' and obj is not None


def _noting_link(trust, start_response):
    """Keeps the headers of the first object that is looked at when it is a
    symlink: the symlink filter answers with those of the target."""
    def noting(status, headers, exc_info=None):
        if any(len(name) == len(_LINK_TARGET) and name.lower() == _LINK_TARGET
               for name, _value in headers):
            trust.link = link_to_gateway(headers)
        return start_response(status, headers, exc_info)
    return noting


def _telling_time(env, start_response):
    """Tells the gateway under which time its object was stored."""
    def telling(status, headers, exc_info=None):
        seconds = env.get('HTTP_X_TIMESTAMP')
        if seconds is not None and status.startswith('201'):
            headers = list(headers)
            headers.append(('X-Gateway-Data-Timestamp', seconds))
        return start_response(status, headers, exc_info)
    return telling


def guard_factory(global_conf, **local_conf):
    """Paste's factory. Options: memcache_servers, single_proxy_host,
    lease_seconds, read_seconds, repair_seconds."""
    conf = dict(global_conf, **local_conf)
    sections = proxy_sections(conf)
    check_pipeline(sections)
    servers = memcache_servers(conf, sections)
    check_servers(conf, servers)
    logger = get_logger(conf, log_route='ringway_guard')
    ring = lease_ring(conf, sections, servers)
    leases = Leases(ring,
                    seconds_option(conf, 'lease_seconds', LEASE_SECONDS,
                                   10, 600))
    read_seconds = seconds_option(conf, 'read_seconds', READ_SECONDS, 1, 600)
    repair_seconds = seconds_option(
        conf, 'repair_seconds', REPAIR_SECONDS, 60, 30 * 86400)
    register_swift_info('ringway', exclusive_create=fingerprint(servers),
                        exclusive_delete=True)

    is_timed = measures_stages(sections)

    def make(app):
        app = _with_misses(app, ring, repair_seconds, logger)
        if is_timed:
            app = AroundProxy(app)
        guard = Guard(app, Creator(app, leases, read_seconds, logger),
                      Updater(app, leases, logger))
        return AroundGuard(guard) if is_timed else guard
    return make


def _with_misses(app, ring, repair_seconds, logger):
    proxy = proxy_of(app)
    if proxy is None:
        logger.error('no 404 is doubted: this is a proxy server that is not '
                     'known')
        return app
    return Misses(app, proxy, Failures(proxy, ring, repair_seconds))
