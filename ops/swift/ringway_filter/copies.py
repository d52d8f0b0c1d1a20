"""What a server-side copy would lose.

The copy filter takes away what the listing is to show when the source is a
range or a large object, for it cannot know whose that is: the source's, or
what the request asks for. The gateway's request says what it means. Footers
pass by the copy filter, and the object servers take them instead of headers.

A listing shows the MD5 in the same field. That of such a copy nobody knows
before its bytes have come by.
"""

from swift.common.utils import md5

_OVERRIDE = 'HTTP_X_OBJECT_SYSMETA_CONTAINER_UPDATE_OVERRIDE_'
_ETAG = 'X-Object-Sysmeta-Container-Update-Override-Etag'
_CALLBACK = 'swift.callback.update_footers'

#: Not a header, and not among what ``make_env`` copies.
_COPY = 'ringway.copy'


class HashedInput(object):
    """A request body that is hashed as it is read."""

    def __init__(self, source):
        self._source = source
        self._md5 = md5(usedforsecurity=False)

    def read(self, *args):
        return self._hashed(self._source.read(*args))

    def readline(self, *args):
        return self._hashed(self._source.readline(*args))

    def hexdigest(self):
        return self._md5.hexdigest()

    def _hashed(self, chunk):
        self._md5.update(chunk)
        return chunk


def remember_overrides(env):
    """Keeps what a copy is to be listed as, left of the copy filter."""
    overrides = {
        key[len('HTTP_'):].title().replace('_', '-'): value
        for key, value in env.items() if key.startswith(_OVERRIDE)}
    if overrides:
        env[_COPY] = overrides


def apply_overrides(env):
    """Makes it footers, right of the copy filter, where the bytes come by."""
    overrides = env.pop(_COPY, None)
    if overrides is None:
        return
    inner = env.get(_CALLBACK)
    source = None
    if overrides.get(_ETAG, '').startswith(';'):
        source = env['wsgi.input'] = HashedInput(env['wsgi.input'])

    def update_footers(result):
        if inner is not None:
            inner(result)
        result.update(overrides)
        if source is not None:
            result[_ETAG] = source.hexdigest() + overrides[_ETAG]

    env[_CALLBACK] = update_footers
