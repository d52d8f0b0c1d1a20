"""Headers of a PUT that are known only when its body is.

The last ``X-Gateway-Footers`` bytes of the body are a JSON object, padded with
spaces, of header names to values. They become footers of Swift's own, which
the proxy sends to the object servers after the content and before they commit.
"""

import json

from swift.common import swob
from swift.common.swob import str_to_wsgi

from ringway_filter.answers import refuse
from ringway_filter.bodies import (
    GatedInput, TailedInput, is_chunked, read_exactly)
from ringway_filter.headers import swift_name

#: Swift takes so much of headers in all, by default.
FOOTER_BYTES_MAX = 65536

_CALLBACK = 'swift.callback.update_footers'


def parse_footers(text):
    """Footers as the proxy wants them.

    :param text: bytes
    :returns: dict of header name to value, as WSGI strings
    :raises ValueError: for anything but a JSON object of allowed names to
        texts of one line
    """
    footers = json.loads(text.decode('utf-8'))
    if not isinstance(footers, dict):
        raise ValueError('not a JSON object')
    result = {}
    for name, value in footers.items():
        swift = 'Etag' if name.lower() == 'etag' else swift_name(name)
        if swift is None or not swift.isascii():
            raise ValueError('%r cannot be a footer' % name)
        if not isinstance(value, str) or not value.isprintable():
            raise ValueError('%s is not a text of one line' % name)
        result[swift] = str_to_wsgi(value)
    return result


def expect_footers(env, size):
    """Makes a PUT take its footers from the end of its body.

    :param size: value of X-Gateway-Footers
    :raises swob.HTTPException: when the request cannot have them
    """
    if not (size.isascii() and size.isdigit()
            and 2 <= int(size) <= FOOTER_BYTES_MAX):
        raise refuse(swob.HTTPBadRequest, env,
                     'X-Gateway-Footers is a number from 2 to %d'
                     % FOOTER_BYTES_MAX)
    size = int(size)
    request = swob.Request(env)
    if request.method != 'PUT':
        raise refuse(swob.HTTPBadRequest, env, 'Only a PUT has footers')
    total = request.content_length
    if (total is None) != is_chunked(env):
        raise refuse(swob.HTTPLengthRequired, env,
                     'X-Gateway-Footers needs a Content-Length, or a body '
                     'in chunks')
    if total is not None and total < size:
        raise refuse(swob.HTTPBadRequest, env,
                     'The body is shorter than its footers')
    source, inner, footers = env['wsgi.input'], env.get(_CALLBACK), {}

    def read_footers():
        take_footers(read_exactly(source, size))

    def take_footers(text):
        # Nothing of a body that was cut short is taken for its footers: they
        # are JSON, padded to their size, at its very end.
        if len(text) < size:
            raise refuse(swob.HTTPClientDisconnect, env,
                         'The body ended within its footers')
        try:
            footers.update(parse_footers(text))
        except ValueError as error:
            raise refuse(swob.HTTPBadRequest, env,
                         'Bad footers: %s' % error)
        return b''

    def update_footers(result):
        if inner is not None:
            inner(result)
        result.update(footers)

    if total is None:
        env['wsgi.input'] = TailedInput(source, size, take_footers)
    else:
        env['wsgi.input'] = GatedInput(source, total - size, read_footers)
        env['CONTENT_LENGTH'] = str(total - size)
    # One that nothing has, so that a proxy without the filter refuses the
    # body rather than taking the footers for content.
    env.pop('HTTP_ETAG', None)
    env[_CALLBACK] = update_footers
