"""Quotas for what the gateway writes.

Swift's account_quotas lets reseller admins pass, and the gateway is one. Its
container_quotas looks at the one container that is written to, but parts of
uploads and versions of a bucket lie in containers of their own, which have no
quota. Both are wrapped here, so that for a body that a client of the gateway
sends

* the quota of the account holds, as for any client of Swift;
* the quota in bytes of a bucket holds for all that is stored for it, in
  ``<bucket>``, ``<bucket>+segments`` and ``<bucket>+versions``;
* the quota in objects of a bucket, which counts its keys, also holds for a new
  version.

What the gateway writes of its own to carry out a deletion, or to end what it
has begun, carries ``X-Gateway-Quota: exempt``: a full account can be emptied.
"""

from swift.common import swob
from swift.common.http import is_success
from swift.common.middleware.account_quotas import AccountQuotaMiddleware
from swift.common.middleware.container_quotas import ContainerQuotaMiddleware

from ringway_filter.lookups import Unknown, info_of
from ringway_filter.paths import split_path
from ringway_filter.trust import trust_of

_SEGMENTS = '+segments'
_VERSIONS = '+versions'
#: What Swift itself answers.
_OVER = 'Upload exceeds quota.'


class Wrapper(object):
    """WSGI middleware around one of Swift's quota filters.

    :param quotas: the filter, whose ``app`` is what stands right of it
    """

    def __init__(self, quotas):
        self.app = quotas

    def __call__(self, env, start_response):
        trust = trust_of(env)
        if trust is None or env['REQUEST_METHOD'] != 'PUT':
            return self.app(env, start_response)
        account, container, obj = split_path(env)
        if obj is None:
            return self.app(env, start_response)
        if trust.exempt:
            return self.app.app(env, start_response)
        if self.is_over(env, account, container):
            answer = swob.HTTPRequestEntityTooLarge(body=_OVER)
            return answer(env, start_response)
        return self.app(env, start_response)

    def is_over(self, env, account, container):
        """What the wrapped filter would not find out by itself."""
        raise NotImplementedError


class AccountQuotas(Wrapper):
    def is_over(self, env, account, container):
        # Nothing else asks for it when an object is written.
        env['reseller_request'] = False
        return False


class ContainerQuotas(Wrapper):
    def is_over(self, env, account, container):
        bucket, suffix = _bucket_of(container)
        app = self.app.app
        info = _info(env, app, account, bucket)
        if info is None:
            return False
        if suffix == _VERSIONS:
            # Of a key that is there already it counts one too many, as Swift
            # does where objects are overwritten.
            count = _number(info['meta'].get('quota-count'))
            if count is not None and int(info['object_count']) + 1 > count:
                return True
        quota = _number(info['meta'].get('quota-bytes'))
        if quota is None:
            return False
        stored = int(info['bytes']) + int(env.get('CONTENT_LENGTH') or 0)
        for other in (_SEGMENTS, _VERSIONS):
            companion = _info(env, app, account, bucket + other)
            stored += 0 if companion is None else int(companion['bytes'])
        return stored > quota


def _bucket_of(container):
    """:returns: the bucket that a container belongs to, and what its own name
        adds to that of the bucket"""
    for suffix in (_SEGMENTS, _VERSIONS):
        if container.endswith(suffix):
            return container[:-len(suffix)], suffix
    return container, ''


def _info(env, app, account, container):
    """:returns: what Swift knows of a container, as old as Swift lets it be;
        None of one that is not there, or that cannot be asked for"""
    try:
        info = info_of(env, app, account, container)
    except Unknown:
        return None
    return info if is_success(info['status']) else None


def _number(value):
    """As container_quotas reads it."""
    return int(value) if value is not None and value.isdigit() else None


_WRAPPERS = ((AccountQuotaMiddleware, AccountQuotas),
             (ContainerQuotaMiddleware, ContainerQuotas))


def wrap_quotas(app):
    """Wraps the quota filters of a pipeline, where it has them.

    :param app: the pipeline's left end, which is none of them
    :returns: the same
    """
    at = app
    while at is not None:
        name, inner = _inner_of(at)
        for kind, wrapper in _WRAPPERS:
            if isinstance(inner, kind) and not isinstance(at, Wrapper):
                setattr(at, name, wrapper(inner))
        at = inner
    return app


def _inner_of(at):
    """:returns: under which name a filter keeps what stands right of it, and
        that; both None at the end of the pipeline"""
    # Keystone's authtoken, s3token and Ceilometer's filter have ``_app``.
    for name in ('app', '_app'):
        inner = getattr(at, name, None)
        if inner is not None:
            return name, inner
    return None, None
