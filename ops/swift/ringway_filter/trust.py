"""What is known of a request of the gateway, and how its sub-requests know it.

Middleware makes sub-requests with ``make_env``, which copies little of the
environment, but always the dictionary ``swift.infocache``: it lives as long as
one request of a client, and Swift fills it with keys such as ``container/a/c``.
The mark in it is an object that no header of a client can put there.
"""

import time

from swift.common.middleware.acl import clean_acl

_INFOCACHE = 'swift.infocache'
_KEY = 'ringway.trust'


class Trust(object):
    """The mark of a request with a good signature.

    :ivar link: headers of the symlink that the request named, as pairs, once
        the guard has seen it; None before, and when there is none
    :ivar hops: a Hops, which decides what else it may be led to
    :ivar looked: whether the guard has seen the object that was asked for
    :ivar exempt: whether what it writes is not measured by quotas
    :ivar unsure: whether the store could not tell of an object, be it another
        than the one that was asked for, if it is there
    """

    __slots__ = ('began', 'exempt', 'hops', 'link', 'looked', 'unsure')

    def __init__(self):
        self.began = time.monotonic()
        self.exempt = False
        self.hops = None
        self.link = None
        self.looked = False
        self.unsure = False

    def age(self):
        """:returns: seconds"""
        return time.monotonic() - self.began


def give_trust(env):
    """Marks a request, and all that comes of it."""
    trust = Trust()
    env.setdefault(_INFOCACHE, {})[_KEY] = trust
    return trust


def admit(env):
    """Lets a request of the gateway pass without a token.

    tempauth and keystoneauth leave it alone, so that neither memcached, where
    tokens are, nor Keystone has to be there. Other middleware finds what they
    would have said of a reseller admin.
    """
    env['swift.authorize_override'] = True
    env['swift.clean_acl'] = clean_acl
    env['swift_owner'] = True
    env['reseller_request'] = True


def trust_of(env):
    """:returns: the mark of a request or of the one it comes of, or None"""
    infocache = env.get(_INFOCACHE)
    trust = infocache.get(_KEY) if infocache is not None else None
    return trust if isinstance(trust, Trust) else None
