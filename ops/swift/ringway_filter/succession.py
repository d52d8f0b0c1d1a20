"""Links behind links: a PUT of a key's next link, right behind the one before.

A gateway that knows when the link at a key was written gives the next one a
time just behind that: see front.py. One that does not know it would look first.
Here the look is a part of the PUT, which takes place only where the link of the
generation before is at the key, and young enough to stand behind it.
"""

import time

from swift.common import swob
from swift.common.utils import Timestamp

from ringway_filter.answers import refuse
from ringway_filter.hops import hex_of
from ringway_filter.lookups import newest
from ringway_filter.misses import is_missing

_TARGET = 'X-Object-Sysmeta-Symlink-Target'
_GENERATION = 'X-Object-Sysmeta-S3-Generation'
_DATA_TIMESTAMP = 'X-Backend-Data-Timestamp'

#: A deletion that stands behind it is as old, and Swift forgets those after its
#: ``reclaim_age``.
AGE_SECONDS_MAX = 86400


def stand_behind(env, app, ref, generation, now=time.time):
    """Gives a PUT its time.

    :param ref: account, container and object: the key
    :param generation: of the new link; the one before has one less
    :raises swob.HTTPException: where that is not the link at the key
    """
    link = newest(env, app)
    if not link.is_success and not is_missing(link):
        raise refuse(swob.HTTPServiceUnavailable, env,
                     'It is not known what is at the key')
    written = link.headers.get(_DATA_TIMESTAMP)
    is_before = (link.is_success and written is not None
                 and link.headers.get(_GENERATION) == str(generation - 1)
                 and _leads_to_version(link.headers.get(_TARGET, ''), ref))
    if not is_before or now() - float(Timestamp(written)) > AGE_SECONDS_MAX:
        raise refuse(swob.HTTPPreconditionFailed, env,
                     'The link before this one is not at the key')
    env['HTTP_X_TIMESTAMP'] = behind(written, generation)


def behind(written, rank):
    """The time of a write behind another, as the gateway would say it: behind
    all of its millisecond, by a rank."""
    seconds, fraction = Timestamp(written).normal.split('.')
    return Timestamp('%s.%s99' % (seconds, fraction[:3]), offset=rank).internal


def _leads_to_version(target, ref):
    _account, container, key = ref
    place = '%s+versions/%s/' % (container, hex_of(key))
    return swob.wsgi_unquote(target).lstrip('/').startswith(place)
