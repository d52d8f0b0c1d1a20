"""What the gateway may be led to: the rights of whoever stands behind a call.

The gateway asks with an authority of its own, and Swift's filters go on from
what it names: to the target of a symlink, the listing of a dynamic large
object, the segments of a static one, the source of a copy. Each of these hops
is a request that passes the guard, and is answered if

* it is what the gateway has named itself;
* it is the gateway's own, which its place proves: nobody else writes to
  ``<bucket>+versions``, and the names there and in ``<bucket>+segments``
  contain the key. Metadata proves nothing: COPY carries it along. In the place
  of a key's index its first version may lie; an index the gateway opens to
  nobody who was led to it;
* it is Swift's own, in the hidden container of what Swift keeps versions of;
* or the auth filter of the pipeline lets the requester do it, as it would if
  the requester had asked Swift.

The gateway says who that is in ``X-Gateway-For``, as percent-encoded JSON:

    {"role": "owner", "account": "AUTH_test", "user": "test:tester",
     "keystone": {"project": ID, "user": ID, "roles": [...]},
     "referer": "http://host/"}

``role`` is ``owner`` or ``member`` of the account, ``anonymous``; or for the
gateway's own work ``bucket``, which is all that may read the container that it
names, and ``names``, which keeps a manifest as it is and reads nothing. Without
the header nobody asks, and only what is the gateway's own is followed.

Paths are compared as WSGI strings, decoded; the names in ``X-Gateway-For`` are
text, as auth filters have them.
"""

import json
import re
from urllib.parse import unquote

from swift.common import swob
from swift.common.middleware.keystoneauth import KeystoneAuth
from swift.common.middleware.tempauth import TempAuth
from swift.common.swob import wsgi_to_bytes, wsgi_to_str, wsgi_unquote

from ringway_filter.answers import refuse
from ringway_filter.lookups import Unknown, info_of

DENIED = 'X-Gateway-Denied'

_VERSIONS = '+versions'
_SEGMENTS = '+segments'
_VERSION = re.compile(r'([0-9a-f]+)/(?:[0-9a-f]{32}|index\.json)\Z')
#: Split from the right: a key may look like an upload id or a part number.
_PART = re.compile(r'(.+)/[A-Za-z0-9_-]{32,128}/[1-9][0-9]{0,4}\Z', re.DOTALL)

_PRE_AUTHED = '.wsgi.pre_authed'
_SYMLINK_SOURCE = 'SYM'
_UNKNOWN = 'It is not known who may read this container'
_REFUSED = 'Whoever stands behind this request may not read what it leads to'

_ROLES = frozenset(('anonymous', 'bucket', 'member', 'names', 'owner'))


def named_by(env, led_by=None):
    """What a request of the gateway names itself, and is led away from: the
    source of a copy, or else its own path.

    :param led_by: the value of X-Gateway-Led-By: what has led the gateway to
        the source of a copy, which is then a hop; percent-encoded
    :returns: account, container and object
    """
    if led_by is not None:
        return _three(wsgi_unquote(led_by).split('/', 2))
    account, container, obj = _three(env['PATH_INFO'].split('/', 4)[2:])
    source = env.get('HTTP_X_COPY_FROM')
    if source is None or env['REQUEST_METHOD'] != 'PUT':
        return account, container, obj
    account = wsgi_unquote(env.get('HTTP_X_COPY_FROM_ACCOUNT') or account)
    return _three([account] + wsgi_unquote(source).lstrip('/').split('/', 1))


def _three(parts):
    return tuple(([part or None for part in parts] + [None] * 3)[:3])


def read_behalf(env, value):
    """:param value: of X-Gateway-For, or None
    :returns: a dict, or None for nobody
    :raises swob.HTTPException: for what the gateway does not send
    """
    if value is None:
        return None
    try:
        behalf = json.loads(unquote(value, errors='strict'))
        good = behalf['role'] in _ROLES
    except (KeyError, TypeError, ValueError):
        good = False
    if not good:
        raise refuse(swob.HTTPBadRequest, env,
                     'X-Gateway-For is JSON with a role, percent-encoded')
    return behalf


def hex_of(text):
    return wsgi_to_bytes(text).hex()


def is_own(base, hop):
    """Whether a hop is a version or a part of the key that leads to it, which
    is a key of a bucket or a version of one."""
    if None in base or None in hop or base[0] != hop[0]:
        return False
    _account, container, obj = base
    if _is_of_key(container, hex_of(obj), hop):
        return True
    version = _VERSION.match(obj)
    return (version is not None and container.endswith(_VERSIONS)
            and _is_of_key(container[:-len(_VERSIONS)], version.group(1), hop))


def _is_of_key(bucket, hex_key, hop):
    _account, container, obj = hop
    if container == bucket + _VERSIONS:
        version = _VERSION.match(obj)
        return version is not None and version.group(1) == hex_key
    if container == bucket + _SEGMENTS:
        part = _PART.match(obj)
        return part is not None and hex_of(part.group(1)) == hex_key
    return False


def is_of_swift(base, hop):
    """Whether a hop is a version of the key that Swift itself keeps:
    ``\\x00versions\\x00<container>/\\x00<object>\\x00<time>``."""
    if None in base or None in hop or base[0] != hop[0]:
        return False
    _account, container, obj = base
    return (hop[1] == '\x00versions\x00' + container
            and hop[2].startswith('\x00%s\x00' % obj))


class Hops(object):
    """What one request of the gateway is led to.

    :ivar denied: whether something was refused
    """

    __slots__ = ('_base', '_behalf', '_deciders', '_method', '_via', 'denied')

    def __init__(self, env, behalf, deciders, led_by=None):
        self._method = env['REQUEST_METHOD']
        self._base = named_by(env, led_by)
        #: The hop that was let in last by the requester's own right.
        self._via = self._base
        self._behalf = behalf
        self._deciders = deciders
        self.denied = False

    def check(self, env, app, path):
        """:param path: account, container and object of a GET or HEAD
        :raises swob.HTTPException: when it is not to be answered
        """
        if path == self._base or self._is_own(env, path):
            return
        if self._may(env, app, path):
            self._via = path
            return
        self.denied = True
        raise refuse(swob.HTTPForbidden, env, _REFUSED)

    def _is_own(self, env, path):
        for base in (self._base, self._via):
            if is_own(base, path) or is_of_swift(base, path):
                return True
        # A symlink is followed so where its metadata says so, which a client
        # can copy from a link of Swift's to one of its own.
        return (env.get('REMOTE_USER') == _PRE_AUTHED
                and env.get('swift.source') != _SYMLINK_SOURCE)

    def _may(self, env, app, path):
        if self._behalf is None:
            return False
        role = self._behalf['role']
        account, container, _obj = path
        if role == 'names':
            # What a manifest is made of is looked at, and nothing is told.
            return (self._method == 'PUT' and env['REQUEST_METHOD'] == 'HEAD'
                    and bool(self._base[1])
                    and self._base[1].endswith(_VERSIONS))
        if role == 'bucket':
            return (account, container) == self._base[:2]
        try:
            info = info_of(env, app, account, container)
        except Unknown:
            raise refuse(swob.HTTPServiceUnavailable, env, _UNKNOWN)
        return any(decides(env, self._behalf, path, info.get('read_acl'))
                   for decides in self._deciders)


def find_deciders(app):
    """The auth filters of a pipeline, as functions that say whether somebody
    may read a container's objects or its listing.

    :param app: the pipeline's left end
    """
    deciders = []
    while app is not None:
        if isinstance(app, TempAuth):
            deciders.append(_by_tempauth(app))
        elif isinstance(app, KeystoneAuth):
            deciders.append(_by_keystone(app))
        # Keystone's authtoken, s3token and Ceilometer's filter have ``_app``.
        app = getattr(app, 'app', None) or getattr(app, '_app', None)
    return tuple(deciders)


def _request(env, behalf, path, acl):
    """The request as the requester would have made it. Auth filters write to
    the environment that they are asked with: it is a copy, and has nothing of
    what the gateway may do."""
    kept = ('swift.infocache', 'swift.cache', 'swift.trans_id', 'SERVER_NAME',
            'SERVER_PORT', 'SERVER_PROTOCOL', 'wsgi.url_scheme', 'wsgi.input',
            'wsgi.errors', 'REMOTE_ADDR')
    asked = {name: env[name] for name in kept if name in env}
    asked['REQUEST_METHOD'] = env['REQUEST_METHOD']
    asked['SCRIPT_NAME'] = asked['QUERY_STRING'] = ''
    asked['PATH_INFO'] = '/'.join(
        ['', 'v1'] + [part for part in path if part is not None])
    if isinstance(behalf.get('referer'), str):
        asked['HTTP_REFERER'] = behalf['referer']
    request = swob.Request(asked)
    request.acl = acl
    return request


def _by_tempauth(auth):
    def decides(env, behalf, path, acl):
        if 'keystone' in behalf:
            return False
        request = _request(env, behalf, path, acl)
        groups = tempauth_groups(auth, behalf)
        if groups:
            # As tempauth does for a token: text, and no WSGI string.
            request.environ['REMOTE_USER'] = ','.join(groups)
        return auth.authorize(request) is None
    return decides


def tempauth_groups(auth, behalf):
    """The groups that tempauth knows a user by; of a credential that it does
    not know, those that it would have. In its own account the requester has
    the role that the gateway has given it."""
    user, account = behalf.get('user'), behalf.get('account')
    if (behalf['role'] == 'anonymous' or not isinstance(user, str)
            or not isinstance(account, str) or ',' in user + account):
        return []
    name = user.partition(':')[0]
    if user in auth.users:
        groups = auth._get_user_groups(name, user, account).split(',')
    else:
        groups = [name, user]
    if behalf['role'] == 'owner':
        return groups + [account]
    owners = {prefix + name for prefix in auth.reseller_prefixes}
    owners.update((account, '.reseller_admin', '.reseller_reader'))
    return [group for group in groups if group not in owners]


def _by_keystone(auth):
    def decides(env, behalf, path, acl):
        request = _request(env, behalf, path, acl)
        if behalf['role'] == 'anonymous':
            return auth.authorize_anonymous(request) is None
        if (behalf['role'] == 'owner' and 'keystone' not in behalf
                and wsgi_to_str(path[0]) == behalf.get('account')):
            return True
        return auth.authorize(keystone_identity(behalf), request) is None
    return decides


def keystone_identity(behalf):
    """What keystoneauth knows a user by. A credential that Keystone does not
    know is a user without roles, known by name."""
    known = behalf.get('keystone') or {}
    project, _colon, user = (behalf.get('user') or '').partition(':')
    return {
        'tenant': (known.get('project', project), project),
        'user': (known.get('user', user), user),
        'roles': list(known.get('roles', ())),
        'service_roles': [],
        'user_domain': (None, None),
        'project_domain': (None, None),
        'auth_version': 3,
    }
