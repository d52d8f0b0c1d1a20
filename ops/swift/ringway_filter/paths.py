"""Paths of Swift's API."""


def split_path(env):
    """:returns: account, container and object of a request as WSGI strings;
        None for what is not there"""
    path = env.get('SCRIPT_NAME', '') + env['PATH_INFO']
    # '', version, account, container, object
    parts = path.split('/', 4)
    parts = [part or None for part in parts[2:]]
    return (parts + [None, None, None])[:3]
