"""The proof that a request comes from the gateway.

    X-Gateway-Time: <seconds since 1970>
    X-Gateway-Signature: <hex of HMAC-SHA256(secret, METHOD \\n TARGET \\n TIME)>

TARGET is the path as it was sent, still encoded, and ``?`` with the query if
there is one. A signature opens one method on one target for a few minutes, so
that one from a log or a trace is of no use elsewhere or later.
"""

import hmac
import time

#: How far the clocks of gateway and proxy may be apart, in seconds.
WINDOW_SECONDS = 300


def target_of(env):
    """The request's target as the client sent it.

    eventlet's server keeps the path in RAW_PATH_INFO, uWSGI and mod_wsgi the
    whole target in REQUEST_URI; PATH_INFO is decoded, so no proof of anything.

    :returns: None when the server keeps neither
    """
    path = env.get('RAW_PATH_INFO')
    if path is None:
        return env.get('REQUEST_URI')
    query = env.get('QUERY_STRING')
    return '%s?%s' % (path, query) if query else path


def sign(secret, method, target, seconds):
    """:param secret: bytes; :returns: the signature, 64 hexadecimal digits"""
    message = '%s\n%s\n%s' % (method, target, seconds)
    return hmac.digest(secret, message.encode('latin-1'), 'sha256').hex()


class Verifier(object):
    """Knows the secrets: several, so that they can be changed one by one.

    :param secrets: non-empty list of bytes
    :param window_seconds: largest difference of the clocks, either way
    """

    def __init__(self, secrets, window_seconds=WINDOW_SECONDS, now=time.time):
        self._secrets = list(secrets)
        self._window_seconds = window_seconds
        self._now = now

    def refusal(self, env, seconds, signature):
        """Why a request is not the gateway's.

        :param seconds: value of X-Gateway-Time, or None
        :param signature: value of X-Gateway-Signature, or None
        :returns: None for a good signature, else a sentence for the answer
        """
        if seconds is None or signature is None:
            return 'X-Gateway-Time and X-Gateway-Signature belong together'
        if not (seconds.isascii() and seconds.isdigit()
                and len(seconds) <= 12):
            return 'X-Gateway-Time is not a number of seconds'
        target = target_of(env)
        if target is None:
            return 'this server does not keep the path as it was sent'
        # All secrets are tried, whichever fits: the time tells nothing.
        given, good = signature.lower().encode('latin-1'), False
        for secret in self._secrets:
            wanted = sign(secret, env['REQUEST_METHOD'], target, seconds)
            good |= hmac.compare_digest(wanted.encode('ascii'), given)
        if not good:
            return 'X-Gateway-Signature does not match: is the secret the same?'
        # Only a client with the secret learns about the proxy's clock.
        if abs(self._now() - int(seconds)) > self._window_seconds:
            return 'X-Gateway-Time is more than %d seconds off' % (
                self._window_seconds)
        return None
