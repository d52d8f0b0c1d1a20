"""Header names that HTTP does not know, between gateway and proxy.

Swift takes metadata names that are no tokens of HTTP: s3api writes the ``_`` of
a name as ``=5F``, and users write UTF-8. An HTTP parser as strict as Node's
ends the connection at such a name, and nothing of the object can be read. So
the gateway sees, and says, them percent-encoded.
"""

import re

_NO_TOKEN = re.compile(r"[^A-Za-z0-9!#$%&'*+.^_`|~-]|%(?![0-9A-Fa-f]{2})")
_ESCAPE = re.compile('%([0-9A-Fa-f]{2})')


def encode_name(name):
    """:param name: WSGI string; :returns: a token

    What looks encoded stays: the gateway has written it through a proxy that
    did not have this filter yet.
    """
    return _NO_TOKEN.sub(lambda match: '%%%02x' % ord(match.group()), name)


def decode_name(name):
    """:returns: WSGI string, without the characters that end a name"""
    return _ESCAPE.sub(_decoded, name)


def _decoded(match):
    character = chr(int(match.group(1), 16))
    ends = character <= ' ' or character in ':\x7f'
    return match.group() if ends else character


def decode_names(env):
    """Gives all headers of a request their real names."""
    # Nearly no request has any.
    if '%' not in '\n'.join(env):
        return
    for key in [key for key in env if key.startswith('HTTP_') and '%' in key]:
        env[decode_name(key)] = env.pop(key)
