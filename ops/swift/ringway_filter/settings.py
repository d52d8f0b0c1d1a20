"""Options of the two filters, and what is wrong with them.

All that can be wrong is found when the proxy starts: a ``ValueError`` with the
option's name ends the start with one line that says what to do.
"""

import os
import stat

from swift.common.utils import config_true_value, readconf

SECRET_BYTES_MIN = 16

FRONT = 'ringway_filter:filter_factory'
GUARD = 'ringway_filter:guard_factory'

#: What has to see a request before the guard does, because it makes
#: sub-requests or changes what a request writes.
_LEFT_OF_GUARD = frozenset((
    'bulk', 'container_sync', 'copy', 'dlo', 'formpost', 's3api', 'slo',
    'staticweb', 'symlink', 'tempurl', 'versioned_writes'))


def read_secrets(conf):
    """:returns: list of bytes, the secrets of ``secret_file`` or ``secret``"""
    path, inline = conf.get('secret_file'), conf.get('secret')
    if bool(path) == bool(inline):
        raise ValueError('ringway: set one of secret_file and secret')
    if path:
        lines = _read_secret_file(path).splitlines()
        secrets = [line.strip() for line in lines
                   if line.strip() and not line.lstrip().startswith('#')]
    else:
        secrets = inline.split()
    source = 'secret_file %s' % path if path else 'secret'
    if not secrets:
        raise ValueError('ringway: no secret in %s' % source)
    if any(len(secret) < SECRET_BYTES_MIN for secret in secrets):
        raise ValueError('ringway: a secret in %s is shorter than %d bytes'
                         % (source, SECRET_BYTES_MIN))
    return [secret.encode('utf-8') for secret in secrets]


def _read_secret_file(path):
    try:
        with open(path, encoding='utf-8') as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o027:
                raise ValueError(
                    'ringway: secret_file %s has mode %04o: others must not '
                    'read it, nor its group write it (chmod 0640)'
                    % (path, mode))
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError('ringway: secret_file %s: %s' % (path, error))


def seconds_option(conf, name, default, lowest, highest):
    """:returns: an option's value, a whole number of seconds"""
    text = conf.get(name, str(default)).strip()
    if not text.isdigit() or not lowest <= int(text) <= highest:
        raise ValueError('ringway: %s = %s is not a number from %d to %d'
                         % (name, text, lowest, highest))
    return int(text)


def true_option(conf, name):
    return config_true_value(conf.get(name, 'false'))


def proxy_sections(conf):
    """The proxy's whole configuration, a file or a folder of files.

    :returns: dict of section name to dict of options; empty when the filter
        was not made from a file
    """
    path = conf.get('__file__')
    return readconf(path) if path else {}


def measures_stages(sections):
    """Whether the front filter has a `stage_file`: the guard then measures
    its part, without an option of its own."""
    return any(section.get('paste.filter_factory') == FRONT
               and section.get('stage_file')
               for section in sections.values() if isinstance(section, dict))


def check_pipeline(sections):
    """Refuses a pipeline in which one of the two would not do its work."""
    pipeline = sections.get('pipeline:main', {}).get('pipeline', '').split()
    kinds = [_kind(name, sections) for name in pipeline]
    if not kinds:
        return
    for kind, what in ((FRONT, 'right of gatekeeper'),
                       (GUARD, 'left of the last proxy-logging')):
        if kinds.count(kind) != 1:
            raise ValueError('ringway: the pipeline needs one filter with '
                             'paste.filter_factory = %s, %s' % (kind, what))
    front, guard = kinds.index(FRONT), kinds.index(GUARD)
    # Where the gatekeeper is not named, Swift puts it at the left itself.
    if 'gatekeeper' in kinds[front:]:
        raise ValueError('ringway: %s must stand right of gatekeeper'
                         % pipeline[front])
    if front > guard:
        raise ValueError('ringway: %s must stand left of %s'
                         % (pipeline[front], pipeline[guard]))
    if any(kind not in ('catch_errors', 'gatekeeper', 'healthcheck',
                        'proxy_logging') for kind in kinds[:front]):
        raise ValueError('ringway: %s must stand directly right of gatekeeper'
                         % pipeline[front])
    for name, kind in zip(pipeline[guard:], kinds[guard:]):
        if kind in _LEFT_OF_GUARD:
            raise ValueError('ringway: %s must stand right of %s'
                             % (pipeline[guard], name))


def allows_overrides(sections):
    """Whether tempauth and keystoneauth let a filter left of them decide who
    may do what, as they do unless they are told not to."""
    return all(config_true_value(section.get('allow_overrides', 'true'))
               for section in sections.values() if isinstance(section, dict))


def _kind(name, sections):
    """What a name in the pipeline stands for: Swift's entry point, or the
    factory of ours."""
    for prefix in ('filter:', 'app:'):
        section = sections.get(prefix + name)
        if section is not None:
            factory = section.get('paste.filter_factory', '')
            if factory in (FRONT, GUARD):
                return factory
            return section.get('use', factory).rpartition('#')[2]
    return name
