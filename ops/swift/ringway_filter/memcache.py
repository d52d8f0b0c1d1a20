"""Swift's memcached client, made fit for leases."""

import ipaddress
import os
from configparser import ConfigParser
from hashlib import sha256

from swift.common.middleware.memcache import MemcacheMiddleware
from swift.common.utils import parse_socket_string, readconf

from ringway_filter.lease import CONNECTIONS_MAX
from ringway_filter.settings import true_option

_DEFAULT_SERVERS = '127.0.0.1:11211'


def memcache_servers(conf, sections):
    """The servers of the filter's own option, or those of the cache filter of
    the same pipeline, or of memcache.conf: in this order.

    :param sections: the proxy's configuration
    :returns: sorted list of ``host:port`` as written
    """
    servers = (conf.get('memcache_servers')
               or cache_options(sections).get('memcache_servers')
               or _shared_options(conf).get('memcache_servers')
               or _DEFAULT_SERVERS)
    return sorted({s.strip() for s in servers.split(',') if s.strip()})


def check_servers(conf, servers):
    """Refuses servers of which each proxy host would have its own."""
    local = [server for server in servers if _is_loopback(server)]
    if local and not true_option(conf, 'single_proxy_host'):
        raise ValueError(
            'ringway: the memcached servers %s are of this host alone, so '
            'proxies of several hosts would not exclude each other. Set '
            'memcache_servers to the same servers in all proxies, or, where '
            'all proxies run on this host, single_proxy_host = true '
            '(ringway-filter enable --single-proxy-host)'
            % ', '.join(local))


def check_configuration(path, is_single):
    """As a proxy with this file will do when it starts.

    :param is_single: what single_proxy_host is going to be
    """
    sections = readconf(path)
    conf = dict(sections['pipeline:main'],
                single_proxy_host='yes' if is_single else 'no')
    check_servers(conf, memcache_servers(conf, sections))


def fingerprint(servers):
    """By which the gateway sees whether proxies use the same servers."""
    return sha256('\n'.join(servers).encode('utf-8')).hexdigest()[:8]


def lease_ring(conf, sections, servers):
    """A client that asks the one server that a key belongs to, and no other,
    even after many errors.

    :returns: a MemcacheRing, with the cache filter's TLS and time-outs
    """
    options = dict(cache_options(sections))
    options.update(conf)
    options.update(memcache_servers=','.join(servers), tries='1',
                   error_suppression_interval='0',
                   memcache_max_connections=str(CONNECTIONS_MAX))
    return MemcacheMiddleware(None, options).memcache


def cache_options(sections):
    """:returns: the options of the pipeline's cache filter"""
    for name, section in sections.items():
        if name.startswith('filter:') and (
                section.get('use', '').endswith('#memcache')):
            return {key: value for key, value in section.items()
                    if key not in ('use', '__file__', 'here')}
    return {}


def _shared_options(conf):
    parser = ConfigParser(interpolation=None)
    parser.read(os.path.join(conf.get('swift_dir', '/etc/swift'),
                             'memcache.conf'))
    return dict(parser['memcache']) if 'memcache' in parser else {}


def _is_loopback(server):
    host, _port = parse_socket_string(server, 11211)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == 'localhost'
