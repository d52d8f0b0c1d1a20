import os
import tempfile
import unittest

from ringway_filter import filter_factory, guard_factory
from ringway_filter.memcache import (
    check_servers, fingerprint, lease_ring, memcache_servers)
from ringway_filter.settings import (
    allows_overrides, check_pipeline, proxy_sections, read_secrets,
    seconds_option)

GOOD = ('catch_errors gatekeeper ringway healthcheck proxy-logging cache '
        'bulk tempurl tempauth copy slo dlo versioned_writes symlink '
        'ringway_guard proxy-logging proxy-server')

SECTIONS = '''
[pipeline:main]
pipeline = %s
[app:proxy-server]
use = egg:swift#proxy
[filter:ringway]
paste.filter_factory = ringway_filter:filter_factory
[filter:ringway_guard]
paste.filter_factory = ringway_filter:guard_factory
[filter:cache]
use = egg:swift#memcache
memcache_servers = 10.0.0.2:11211, 10.0.0.1:11211
[filter:links]
use = egg:swift#symlink
''' + ''.join('[filter:%s]\nuse = egg:swift#%s\n' % (
    name, name.replace('-', '_')) for name in (
        'catch_errors', 'gatekeeper', 'healthcheck', 'proxy-logging', 'bulk',
        'tempurl', 'tempauth', 'copy', 'slo', 'dlo', 'versioned_writes',
        'symlink'))


class TestCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, mode=0o640, name='file'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w') as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def conf(self, pipeline=GOOD):
        path = self.file(SECTIONS % pipeline, name='proxy-server.conf')
        return {'__file__': path, 'swift_dir': self.folder.name}


class TestSecrets(TestCase):
    def test_inline(self):
        self.assertEqual(read_secrets({'secret': 'a' * 16 + '  ' + 'b' * 20}),
                         [b'a' * 16, b'b' * 20])

    def test_file(self):
        path = self.file('# new\n%s\n\n %s \n' % ('n' * 16, 'o' * 16))
        for mode in (0o640, 0o600, 0o400, 0o440):
            os.chmod(path, mode)
            self.assertEqual(read_secrets({'secret_file': path}),
                             [b'n' * 16, b'o' * 16])

    def test_file_that_others_read_or_write(self):
        path = self.file('n' * 16)
        for mode in (0o644, 0o660, 0o641, 0o604, 0o620):
            os.chmod(path, mode)
            self.assertRaisesRegex(ValueError, 'secret_file.*mode',
                                   read_secrets, {'secret_file': path})

    def test_bad(self):
        for conf, message in (
                ({}, 'set one of'),
                ({'secret': 'x' * 16, 'secret_file': '/x'}, 'set one of'),
                ({'secret': 'x' * 15}, 'shorter than 16'),
                ({'secret': ' '}, 'no secret'),
                ({'secret_file': '/no/such/file'}, '/no/such/file'),
                ({'secret_file': self.file('# none\n')}, 'no secret')):
            self.assertRaisesRegex(ValueError, message, read_secrets, conf)


class TestOptions(TestCase):
    def test_seconds(self):
        self.assertEqual(seconds_option({}, 'x_seconds', 7, 1, 9), 7)
        self.assertEqual(
            seconds_option({'x_seconds': ' 3 '}, 'x_seconds', 7, 1, 9), 3)
        for text in ('0', '10', '-1', 'x', '', '1.5'):
            self.assertRaisesRegex(ValueError, 'x_seconds', seconds_option,
                                   {'x_seconds': text}, 'x_seconds', 7, 1, 9)


class TestPipeline(TestCase):
    def check(self, pipeline):
        check_pipeline(proxy_sections(self.conf(pipeline)))

    def test_good(self):
        self.check(GOOD)
        # Swift puts gatekeeper and catch_errors in front by itself.
        self.check('ringway cache tempauth ringway_guard proxy-server')
        check_pipeline({})

    def test_one_missing(self):
        for name in ('ringway ', 'ringway_guard '):
            self.assertRaisesRegex(ValueError, 'needs one filter', self.check,
                                   GOOD.replace(name, ''))

    def test_wrong_order(self):
        for pipeline, message in (
                ('ringway gatekeeper ringway_guard proxy-server',
                 'ringway must stand right of gatekeeper'),
                ('gatekeeper ringway_guard ringway proxy-server',
                 'ringway must stand left of ringway_guard'),
                ('gatekeeper cache ringway ringway_guard proxy-server',
                 'ringway must stand directly right of gatekeeper'),
                ('gatekeeper ringway ringway_guard slo proxy-server',
                 'ringway_guard must stand right of slo'),
                ('gatekeeper ringway ringway_guard links proxy-server',
                 'ringway_guard must stand right of links')):
            self.assertRaisesRegex(ValueError, message, self.check, pipeline)

    def test_factories_check_it(self):
        conf = self.conf(GOOD.replace('ringway_guard ', ''))
        self.assertRaisesRegex(ValueError, 'needs one filter', filter_factory,
                               conf, secret='x' * 16)
        self.assertRaisesRegex(ValueError, 'needs one filter', guard_factory,
                               conf)

    def test_factories(self):
        conf = self.conf()
        app = object()
        self.assertIs(filter_factory(conf, secret='x' * 16)(app).app, app)
        self.assertIs(guard_factory(conf)(app).app, app)
        self.assertRaisesRegex(ValueError, 'secret', filter_factory, conf)
        self.assertRaisesRegex(ValueError, 'lease_seconds', guard_factory,
                               conf, lease_seconds='1')


class TestMemcache(TestCase):
    def servers(self, conf, sections):
        return memcache_servers(dict(conf, swift_dir=self.folder.name),
                                sections)

    def test_which_servers(self):
        sections = proxy_sections(self.conf())
        self.assertEqual(
            self.servers({'memcache_servers': 'b:1,a:2, b:1'}, sections),
            ['a:2', 'b:1'])
        self.assertEqual(self.servers({}, sections),
                         ['10.0.0.1:11211', '10.0.0.2:11211'])
        self.assertEqual(self.servers({}, {}), ['127.0.0.1:11211'])
        self.file('[memcache]\nmemcache_servers = c:3\n',
                  name='memcache.conf')
        self.assertEqual(self.servers({}, {}), ['c:3'])

    def test_memcached_of_each_host(self):
        for server in ('127.0.0.1:11211', '127.3.0.1', 'localhost:11211',
                       '[::1]:11211'):
            self.assertRaisesRegex(ValueError, 'memcached servers',
                                   check_servers, {}, ['10.0.0.1:1', server])
            check_servers({'single_proxy_host': 'yes'}, [server])
        check_servers({}, ['10.0.0.1:11211', 'mc.example.org:11211'])

    def test_fingerprint(self):
        self.assertEqual(fingerprint(['a:1']), fingerprint(['a:1']))
        self.assertNotEqual(fingerprint(['a:1']), fingerprint(['a:1', 'b:1']))

    def test_ring_asks_one_server(self):
        """Also after errors, and whatever the cache filter's options say."""
        from swift.common.memcached import MemcacheConnectionError
        sections = {'filter:cache': {
            'use': 'egg:swift#memcache', 'tries': '3',
            'error_suppression_interval': '60', 'io_timeout': '1.5'}}
        # Ports of the discard service: nobody listens.
        servers = ['127.0.0.1:9', '127.0.0.2:9', '127.0.0.3:9']
        ring = lease_ring({'swift_dir': self.folder.name}, sections, servers)
        asked = []
        for server, pool in ring._client_cache.items():
            def create(server=server):
                asked.append(server)
                raise OSError('nobody there')
            pool.create = create
        for _i in range(25):
            self.assertRaises(MemcacheConnectionError, ring.incr, 'key')
        self.assertEqual((len(asked), len(set(asked))), (25, 1))
        self.assertEqual(ring._io_timeout, 1.5)


class TestOverrides(unittest.TestCase):
    def test_are_allowed_unless_a_section_says_no(self):
        auth = {'use': 'egg:swift#tempauth'}
        self.assertTrue(allows_overrides({'filter:tempauth': auth,
                                          'log_name': None}))
        self.assertFalse(allows_overrides(
            {'filter:tempauth': dict(auth, allow_overrides='false')}))


if __name__ == '__main__':
    unittest.main()
