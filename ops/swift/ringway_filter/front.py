"""The filter right of the gatekeeper: system metadata for the gateway alone."""

from swift.common import swob
from swift.common.registry import register_swift_info
from swift.common.utils import Timestamp, get_logger

from ringway_filter.answers import refuse
from ringway_filter.copies import remember_overrides
from ringway_filter.footers import expect_footers
from ringway_filter.headers import (
    put_swift_headers, take_gateway_headers, to_gateway)
from ringway_filter.hops import (
    DENIED, find_deciders, Hops, read_behalf)
from ringway_filter.memcache import cache_options
from ringway_filter.misses import CONSEQUENCES, UNSURE
from ringway_filter.names import decode_names
from ringway_filter.quick_cache import QuickCache, quick_ring
from ringway_filter.quotas import wrap_quotas
from ringway_filter.settings import (
    allows_overrides, check_pipeline, proxy_sections, read_secrets,
    seconds_option, true_option)
from ringway_filter.signature import WINDOW_SECONDS, Verifier
from ringway_filter.stages import Between, whole_of
from ringway_filter.tokens import remember_tokens
from ringway_filter.trust import admit, give_trust

#: Of what gateway and filter say to each other.
WIRE_VERSION = 1

#: Not a header, so that no client can set it; and not among what ``make_env``
#: copies, so that it stays with the one PUT. Its value is If-None-Match, which
#: the filters in between are not to see: copy would ask its source for it.
EXCLUSIVE = 'ringway.exclusive'
#: Likewise: the time of the write is one of the gateway's.
PLACED = 'ringway.placed'
#: Likewise; a Timestamp: of the object that a POST or DELETE is meant for.
STATE = 'ringway.state'
#: Likewise: the generation of a link that takes the place of the one before.
BEHIND = 'ringway.behind'


class Front(object):
    """WSGI middleware.

    A request without a signature passes as it is, less its ``X-Gateway-*``
    headers. One with a wrong signature is refused, so that a wrong secret or
    clock is noticed. One with a good signature is the gateway's, and needs no
    token where ``admits`` says so.
    """

    def __init__(self, app, verifier, logger, admits=True, deciders=()):
        self.app = app
        self._verifier = verifier
        self._logger = logger
        self._admits = admits
        self._deciders = deciders

    def __call__(self, env, start_response):
        given = take_gateway_headers(env)
        if not given:
            return self.app(env, start_response)
        seconds = given.get('x-gateway-time')
        signature = given.get('x-gateway-signature')
        if seconds is None and signature is None:
            return self.app(env, start_response)
        reason = self._verifier.refusal(env, seconds, signature)
        if reason is not None:
            self._logger.warning('refused a request signed as the gateway: '
                                 '%s', reason)
            answer = refuse(swob.HTTPForbidden, env, reason)
            return answer(env, start_response)
        try:
            return self._serve_gateway(env, start_response, given)
        except swob.HTTPException as answer:
            return answer(env, start_response)

    def _serve_gateway(self, env, start_response, given):
        trust = give_trust(env)
        trust.hops = Hops(env, read_behalf(env, given.get('x-gateway-for')),
                          self._deciders, given.get('x-gateway-led-by'))
        if (self._admits and 'HTTP_X_AUTH_TOKEN' not in env
                and env['PATH_INFO'].startswith('/v1/')):
            admit(env)
        decode_names(env)
        put_swift_headers(env, given)
        if 'x-gateway-footers' in given:
            expect_footers(env, given['x-gateway-footers'])
        if 'HTTP_X_COPY_FROM' in env:
            remember_overrides(env)
        create = given.get('x-gateway-create')
        if create is not None:
            if create != 'exclusive':
                raise refuse(swob.HTTPBadRequest, env,
                             'X-Gateway-Create can only be exclusive')
            env[EXCLUSIVE] = env.pop('HTTP_IF_NONE_MATCH', '')

        if 'x-gateway-quota' in given:
            if given['x-gateway-quota'] != 'exempt':
                raise refuse(swob.HTTPBadRequest, env,
                             'X-Gateway-Quota can only be exempt')
            trust.exempt = True
        if 'x-gateway-not-newer' in given:
            _limit_change(env, given['x-gateway-not-newer'])
        if 'x-gateway-behind-link' in given:
            env[BEHIND] = _generation(env, given['x-gateway-behind-link'])
        if 'x-gateway-state' in given:
            env[STATE] = _state(env, given['x-gateway-state'])

        def start_mapped(status, headers, exc_info=None):
            mapped = to_gateway(headers)
            # Only a link that was followed: Content-Location says so.
            if trust.link is not None and any(
                    name.lower() == 'content-location'
                    for name, _value in headers):
                mapped.extend(trust.link)
            if trust.unsure and status.startswith(CONSEQUENCES) and not any(
                    name == UNSURE for name, _value in headers):
                mapped.append((UNSURE, 'true'))
            if trust.hops.denied:
                mapped.append((DENIED, 'true'))
            return start_response(status, mapped, exc_info)

        return self.app(env, start_mapped)


def _limit_change(env, seconds):
    """Deletes, updates or writes an object only while it is not newer than a
    time.

    Swift orders writes by their time: a deletion of then is older than what
    was written since, which stays, and the answer is 409. An update of then
    means nothing for what was written since either, also on a server that has
    not heard of that yet; and it does not move the time that listings show.
    A PUT of then changes nothing where there is a later one either, and the
    answer is 202: so writers that tell a place among those of the same time,
    by the offset behind it, may come in any order. An exclusive creation of
    then takes place only where there is nothing either.

    :param seconds: a timestamp as Swift writes it, such as 1795160050.29176;
        for an update, later than that of the object
    """
    try:
        limit = Timestamp(seconds)
    except ValueError:
        limit = None
    method = env['REQUEST_METHOD']
    if method not in ('DELETE', 'POST', 'PUT') or limit is None:
        raise refuse(swob.HTTPBadRequest, env,
                     'X-Gateway-Not-Newer is a timestamp with a DELETE, '
                     'a POST or a PUT')
    env['HTTP_X_TIMESTAMP'] = limit.internal
    if EXCLUSIVE in env:
        env[PLACED] = True


def _generation(env, text):
    """:returns: that of the link that a PUT writes"""
    generation = int(text) if text.isdigit() and len(text) < 16 else 0
    if env['REQUEST_METHOD'] != 'PUT' or generation < 2:
        raise refuse(swob.HTTPBadRequest, env,
                     'X-Gateway-Behind-Link is a generation from 2 with a PUT')
    return generation


def _state(env, seconds):
    """:returns: the time of the object that the gateway has read"""
    try:
        state = Timestamp(seconds)
    except ValueError:
        state = None
    if env['REQUEST_METHOD'] not in ('DELETE', 'POST') or state is None:
        raise refuse(swob.HTTPBadRequest, env,
                     'X-Gateway-State is a timestamp with a DELETE '
                     'or a POST')
    return state


def filter_factory(global_conf, **local_conf):
    """Paste's factory. Options: secret_file or secret, window_seconds,
    stage_file, stage_clients, first_versions."""
    conf = dict(global_conf, **local_conf)
    sections = proxy_sections(conf)
    check_pipeline(sections)
    admits = allows_overrides(sections)
    verifier = Verifier(
        read_secrets(conf),
        seconds_option(conf, 'window_seconds', WINDOW_SECONDS, 1, 3600))
    logger = get_logger(conf, log_route='ringway')
    register_swift_info('ringway', version=WIRE_VERSION, chunked_bodies=True,
                        ordered_puts=True, ordered_creations=True,
                        signature_suffices=admits, hop_rights=True,
                        links_behind=True,
                        fixed_links=true_option(conf, 'first_versions'))

    def cache_of(_ring):
        return QuickCache(quick_ring(conf, cache_options(sections)))
    whole = whole_of(conf, logger)

    def make(app):
        deciders = find_deciders(app)
        if not deciders:
            logger.warning('no auth filter is known that could say who may '
                           'read what a link or a manifest leads to: such '
                           'are refused')
        behind = wrap_quotas(remember_tokens(app, cache_of))
        if whole is not None:
            behind = Between(behind)
        front = Front(behind, verifier, logger, admits, deciders)
        return front if whole is None else whole(front)
    return make
