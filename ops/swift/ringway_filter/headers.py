"""How the gateway's header names and Swift's own stand for each other.

    X-Gateway-Sysmeta-Account-N     X-Account-Sysmeta-N
    X-Gateway-Sysmeta-Container-N   X-Container-Sysmeta-N
    X-Gateway-Sysmeta-Object-N      X-Object-Sysmeta-N
    X-Gateway-Sysmeta-Transient-N   X-Object-Transient-Sysmeta-N

The gatekeeper, left of the filter, takes Swift's names from every request and
every answer; the gateway's it does not know. Names are encoded: see names.py.
"""

from functools import lru_cache

from ringway_filter.names import decode_name, encode_name

GATEWAY_PREFIX = 'HTTP_X_GATEWAY_'
#: Of what the gateway says, only this stands for a header of Swift.
_SYSMETA = 'x-gateway-sysmeta-'

_SWIFT_OF = {
    'x-gateway-sysmeta-account-': 'X-Account-Sysmeta-',
    'x-gateway-sysmeta-container-': 'X-Container-Sysmeta-',
    'x-gateway-sysmeta-object-': 'X-Object-Sysmeta-',
    'x-gateway-sysmeta-transient-': 'X-Object-Transient-Sysmeta-',
}
_GATEWAY_OF = {
    'x-account-sysmeta-': 'X-Gateway-Sysmeta-Account-',
    'x-container-sysmeta-': 'X-Gateway-Sysmeta-Container-',
    'x-object-sysmeta-': 'X-Gateway-Sysmeta-Object-',
    'x-object-transient-sysmeta-': 'X-Gateway-Sysmeta-Transient-',
}
_LINK_OF = {
    'x-object-sysmeta-': 'X-Gateway-Link-Sysmeta-',
    'x-object-transient-sysmeta-': 'X-Gateway-Link-Transient-',
}
_DATA_TIMESTAMP = 'x-backend-data-timestamp'


def _gateway_keys(env):
    """Looked for in one text of all keys: to ask each of some fifty by itself
    took as long as all else that the filter does for a plain client."""
    keys, text = [], '\n%s\n' % '\n'.join(env)
    start = text.find('\n' + GATEWAY_PREFIX)
    while start != -1:
        end = text.index('\n', start + 1)
        keys.append(text[start + 1:end])
        start = text.find('\n' + GATEWAY_PREFIX, end)
    return keys


def take_gateway_headers(env):
    """Takes all ``X-Gateway-*`` headers out of a request.

    :returns: dict of lower case header name to value
    """
    return {'x-gateway-' + key[len(GATEWAY_PREFIX):].lower().replace('_', '-'):
            env.pop(key)
            for key in _gateway_keys(env)}


def _renamed(name, prefixes):
    """:returns: the name with its prefix replaced, None when it has none"""
    lower = name.lower()
    for prefix, other in prefixes.items():
        if lower.startswith(prefix) and len(lower) > len(prefix):
            return other + name[len(prefix):]
    return None


def swift_name(name):
    """Swift's name of the gateway's header, None for any other."""
    return _renamed(decode_name(name), _SWIFT_OF)


def put_swift_headers(env, given):
    """Adds Swift's own headers for those that the gateway gave."""
    for name, value in given.items():
        swift = swift_name(name) if name.startswith(_SYSMETA) else None
        if swift is not None:
            env['HTTP_' + swift.upper().replace('-', '_')] = value


@lru_cache(maxsize=1024)
def _gateway_name(name):
    """Names are few, and each answer has twenty: remembered, they cost half of
    what the filter took for a GET."""
    return encode_name(_renamed(name, _GATEWAY_OF) or name)


def to_gateway(headers):
    """An answer's headers under the gateway's names.

    :param headers: list of pairs
    """
    result = [(_gateway_name(name), value) for name, value in headers]
    result.extend(('X-Gateway-Data-Timestamp', value)
                  for name, value in headers
                  if len(name) == len(_DATA_TIMESTAMP)
                  and name.lower() == _DATA_TIMESTAMP)
    return result


def link_to_gateway(headers):
    """What the gateway is told of a symlink, from the symlink's own answer."""
    result = []
    for name, value in headers:
        lower = name.lower()
        if lower == 'etag':
            result.append(('X-Gateway-Link-Etag', value))
        elif lower == _DATA_TIMESTAMP:
            result.append(('X-Gateway-Link-Timestamp', value))
        else:
            renamed = _renamed(name, _LINK_OF)
            if renamed is not None:
                result.append((encode_name(renamed), value))
    return result
