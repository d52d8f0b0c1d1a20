"""Which writes of others than the gateway are refused.

Where Object Lock is in force a plain Swift client must not be able to undo it.
Written by the gateway alone are therefore

* containers whose name ends with ``+versions``, archives of versions;
* containers with the system metadata ``S3-Object-Lock``, that is of buckets
  with Object Lock, and what belongs to them: ``<name>+segments``, and the
  hidden container of Swift's own object versioning;

the containers themselves, and all objects in them. The quota and the access
rules of a bucket and of its segments are its owner's to set, locked or not, and
so is the end of its TempURL keys: that deletes nothing, and writers whom the
rules let in are refused as the owner is. Nobody turns Swift's own
versioning on in a container whose versions the gateway keeps: each of the two
would take what the other stores for a client's write.

The guard calls this for whatever reaches the store, so that it also holds for sub-requests: bulk
uploads and deletions, segments of a manifest, copies, archived versions,
TempURL, forms, container sync, s3api.
"""

import json
from io import BytesIO

from swift.common import swob
from swift.common.request_helpers import split_reserved_name
from swift.common.swob import str_to_wsgi
from swift.common.utils import config_true_value, drain_and_close
from swift.common.wsgi import make_pre_authed_request

from ringway_filter.answers import refuse
from ringway_filter.lookups import SOURCE, Unknown, info_of

_READS = frozenset(('GET', 'HEAD', 'OPTIONS'))
_VERSIONS = '+versions'
_SEGMENTS = '+segments'
_LOCK = 's3-object-lock'
_OWN_VERSIONS = 's3-versioning'
#: Lets Swift's middleware make an UPDATE; the gatekeeper takes it from clients.
_PRIVATE = 'HTTP_X_BACKEND_ALLOW_PRIVATE_METHODS'
_ARCHIVE = 'An archive of object versions is written by the S3 gateway only'
_LOCKED = 'A bucket with Object Lock is written by the S3 gateway only'
_UNKNOWN = 'It is not known whether this container is protected'
_VERSIONED = ('The S3 gateway keeps the versions of this bucket: Swift cannot '
              'keep versions of it as well')

#: What its owner may change of a bucket, by POST and by nothing else here.
_OWNERS = frozenset(
    'HTTP_X_%sCONTAINER_%s' % (remove, what)
    for remove in ('', 'REMOVE_')
    for what in ('META_QUOTA_BYTES', 'META_QUOTA_COUNT', 'READ', 'WRITE')
) | frozenset(('HTTP_X_REMOVE_CONTAINER_META_TEMP_URL_KEY',
               'HTTP_X_REMOVE_CONTAINER_META_TEMP_URL_KEY_2'))
#: How headers begin that change a container, or anything else.
_CHANGES = ('HTTP_X_CONTAINER_', 'HTTP_X_REMOVE_', 'HTTP_X_VERSIONS_',
            'HTTP_X_HISTORY_', 'HTTP_X_OBJECT_', 'HTTP_X_BACKEND_',
            'HTTP_X_ACCOUNT_', 'HTTP_X_DELETE_', 'HTTP_X_TIMESTAMP')

#: What Swift's versioned_writes makes of X-Versions-Location and
#: X-History-Location, or leaves alone where it is not configured.
_LOCATIONS = ('HTTP_X_CONTAINER_SYSMETA_VERSIONS_LOCATION',
              'HTTP_X_VERSIONS_LOCATION', 'HTTP_X_HISTORY_LOCATION')
#: What it makes of X-Versions-Enabled.
_ENABLED = 'HTTP_X_CONTAINER_SYSMETA_VERSIONS_ENABLED'


def bucket_of(container):
    """The container that a companion container belongs to, or itself."""
    if container.endswith(_SEGMENTS):
        return container[:-len(_SEGMENTS)]
    if container.startswith('\x00'):
        # \x00versions\x00<container>, of Swift's own object versioning
        return split_reserved_name(container)[-1]
    return container


def refusal(env, app, account, container, obj):
    """Whether a request of anybody but the gateway is refused.

    :param app: what the guard stands in front of
    :param account: from the path, as are container and obj; None without
    :returns: None, or an answer
    """
    method = env['REQUEST_METHOD']
    if method in _READS or account is None or container is None:
        return None
    if method == 'UPDATE' and _PRIVATE in env:
        return _refusal_of_jobs(env, app)
    if obj is None and container.startswith('\x00'):
        # Swift makes it before it changes the bucket, where it is refused.
        return None
    info, reason = _reason(env, app, account, container, obj)
    if reason is _LOCKED and obj is None and _may_its_owner_change(env):
        return None
    if (reason is None and obj is None and _wants_versions(env)
            and _keeps_versions(env, app, account, container)):
        reason = _VERSIONED
    if reason is None:
        return None
    # Who may not write there at all is told so first, as by the proxy.
    request = swob.Request(env)
    authorize = env.get('swift.authorize')
    if authorize is not None:
        request.acl = info.get('write_acl') if obj is not None else None
        denied = authorize(request)
        if denied:
            return denied
    return refuse(swob.HTTPForbidden, env, reason)


def _may_its_owner_change(env):
    """Whether a request of a container changes its quota, its access rules or
    removes its TempURL keys, and nothing else."""
    changes = set(name for name in env if name.startswith(_CHANGES))
    return (env['REQUEST_METHOD'] == 'POST' and bool(changes)
            and changes <= _OWNERS)


def _wants_versions(env):
    """Whether a request turns Swift's own versioning on, of either kind."""
    if env['REQUEST_METHOD'] not in ('PUT', 'POST'):
        return False
    return (config_true_value(env.get(_ENABLED)) or
            any(env.get(name) for name in _LOCATIONS))


def _keeps_versions(env, app, account, container):
    """Whether the gateway keeps versions of a container, or did so once: asked
    of all its servers, since what is cached may be older than a bucket's
    versioning, and this is asked for seldom.

    :raises swob.HTTPException: when that cannot be known
    """
    look = make_pre_authed_request(
        env, method='HEAD',
        path=swob.wsgi_quote('/v1/%s/%s' % (account, container)),
        headers={'X-Newest': 'true'}, swift_source=SOURCE)
    answer = look.get_response(app)
    drain_and_close(answer)
    if not answer.is_success and answer.status_int != 404:
        raise refuse(swob.HTTPServiceUnavailable, env, _UNKNOWN)
    return ('X-Container-Sysmeta-' + _OWN_VERSIONS) in answer.headers


def _reason(env, app, account, container, obj):
    """:returns: the container's info as far as it was asked for, and why it is
        protected or None
    :raises swob.HTTPException: when that cannot be known
    """
    bucket = bucket_of(container)
    if container.endswith(_VERSIONS) or bucket.endswith(_VERSIONS):
        return _info(env, app, account, container), _ARCHIVE
    # For an object of the bucket itself, the proxy finds what is found here.
    info = _info(env, app, account, bucket,
                 is_fresh=bucket != container or obj is None)
    locked = info['sysmeta'].get(_LOCK)
    if not locked:
        return info, None
    if bucket != container:
        info = _info(env, app, account, container)
    return info, _LOCKED


def _info(env, app, account, container, is_fresh=False):
    try:
        return info_of(env, app, account, container, is_fresh)
    except Unknown:
        raise refuse(swob.HTTPServiceUnavailable, env, _UNKNOWN)


def _refusal_of_jobs(env, app):
    """Objects that the SLO filter hands to the expirer to delete later
    (``multipart-manifest=delete&async=yes``): the expirer works behind the
    proxies, so now is the time to refuse."""
    body = env['wsgi.input'].read()
    env['wsgi.input'] = BytesIO(body)
    containers = set()
    for job in json.loads(body) if body else ():
        # <timestamp>-<account>/<container>/<object>
        path = job.get('name', '').partition('-')[2].split('/', 2)
        if len(path) == 3:
            containers.add((str_to_wsgi(path[0]), str_to_wsgi(path[1])))
    for account, container in containers:
        _unused, reason = _reason(env, app, account, container, None)
        if reason is not None:
            return refuse(swob.HTTPForbidden, env, reason)
    return None
