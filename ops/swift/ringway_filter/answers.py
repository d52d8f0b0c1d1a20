"""Answers of the filter's own."""

from swift.common import swob


def refuse(kind, env, reason, headers=None):
    """An answer with a reason that a human reads.

    :param kind: one of swob's, such as ``swob.HTTPForbidden``
    """
    return kind(request=swob.Request(env), body=reason + '\n',
                content_type='text/plain', headers=headers or {})
