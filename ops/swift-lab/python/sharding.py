"""A proxy's filter that marks each container that is made for sharding, as an operator marks
large ones by hand (`X-Container-Sharding: on`): sharders leave others alone.
"""
from swift.common.utils import split_path


class MarkForSharding(object):
    def __init__(self, app):
        self.app = app

    def __call__(self, env, start_response):
        if env['REQUEST_METHOD'] == 'PUT' and is_container(env['PATH_INFO']):
            env['HTTP_X_CONTAINER_SYSMETA_SHARDING'] = 'True'
        return self.app(env, start_response)


def is_container(path):
    try:
        _version, _account, container, obj = split_path(path, 2, 4, True)
    except ValueError:
        return False
    return container is not None and obj is None


def filter_factory(_global_conf, **_conf):
    return MarkForSharding
