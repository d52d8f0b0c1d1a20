"""The command that edits a proxy's pipeline."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import tempfile
import unittest
from unittest import mock

_PATH = os.path.join(os.path.dirname(__file__), '..', 'ringway-filter')
_LOADER = importlib.machinery.SourceFileLoader('ringway_filter_command', _PATH)
command = importlib.util.module_from_spec(
    importlib.util.spec_from_loader(_LOADER.name, _LOADER))
_LOADER.exec_module(command)

PLAIN = 'catch_errors gatekeeper healthcheck proxy-logging cache tempauth' \
        ' copy slo dlo symlink proxy-logging proxy-server'
WITH = 'catch_errors gatekeeper ringway healthcheck proxy-logging cache' \
       ' tempauth copy slo dlo symlink ringway_guard proxy-logging' \
       ' proxy-server'


def conf_of(pipeline, rest='', servers='10.0.0.1:11211'):
    return ('# My proxy.\n[DEFAULT]\nworkers = 2\n\n[pipeline:main]\n'
            'pipeline = %s\n\n[filter:cache]\nuse = egg:swift#memcache\n'
            'memcache_servers = %s\n\n'
            '[app:proxy-server]\nuse = egg:swift#proxy\n%s'
            % (pipeline, servers, rest))


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.conf = os.path.join(folder.name, 'proxy-server.conf')
        self.secret = os.path.join(folder.name, 'ringway.secret')

    def write(self, text):
        with open(self.conf, 'w', newline='') as file:
            file.write(text)

    def read(self):
        with open(self.conf, newline='') as file:
            return file.read()

    def run_command(self, name, *flags):
        out, err = io.StringIO(), io.StringIO()
        args = [name, '--conf', self.conf, *flags]
        if name == 'enable':
            args += ['--secret-file', self.secret]
        with contextlib.redirect_stderr(err):
            code = command.main(args, out)
        return code, out.getvalue(), err.getvalue()

    def make_secret(self):
        with open(self.secret, 'w') as file:
            file.write('x' * 32)

    def test_there_and_back(self):
        for before in (
                conf_of(PLAIN),
                conf_of(PLAIN.replace(' cache', '\n  cache')),
                conf_of(PLAIN, '\n# The end.\n'),
                conf_of(PLAIN).replace('\n', '\r\n')):
            self.write(before)
            self.make_secret()
            self.assertEqual(3, self.run_command('status')[0])
            self.assertEqual(0, self.run_command('enable')[0])
            self.assertEqual(
                WITH.split(), command.Conf(self.read()).pipeline())
            self.assertIn('secret_file = ' + self.secret, self.read())
            self.assertIn('first_versions = true', self.read())
            self.assertEqual(0, self.run_command('status')[0])
            self.assertIn('nothing to change', self.run_command('enable')[1])
            self.assertEqual(0, self.run_command('disable')[0])
            self.assertEqual(before, self.read())

    def test_dry_run_changes_nothing(self):
        self.write(conf_of(PLAIN))
        code, out, _ = self.run_command('enable', '--dry-run')
        self.assertEqual(0, code)
        self.assertIn('+pipeline = ' + WITH, out)
        self.assertEqual(conf_of(PLAIN), self.read())
        self.assertEqual([os.path.basename(self.conf)],
                         os.listdir(os.path.dirname(self.conf)))

    def test_the_former_file_is_kept(self):
        self.write(conf_of(PLAIN))
        os.chmod(self.conf, 0o640)
        self.make_secret()
        self.run_command('enable')
        with open(self.conf + '.before-ringway') as file:
            self.assertEqual(conf_of(PLAIN), file.read())
        self.assertEqual(0o640, os.stat(self.conf).st_mode & 0o777)

    def test_stands_left_of_encryption(self):
        sections = '[filter:keys]\nuse = egg:swift#keymaster\n'
        pipeline = PLAIN.replace(
            'symlink proxy-logging', 'symlink keys encryption proxy-logging')
        self.write(conf_of(pipeline, sections))
        self.make_secret()
        self.assertEqual(0, self.run_command('enable')[0])
        self.assertIn('symlink ringway_guard keys encryption', self.read())

    def test_refuses(self):
        for pipeline, rest, expected in (
                (PLAIN.replace('gatekeeper ', ''), '', 'no gatekeeper'),
                (PLAIN.replace('symlink', 'symlink ringway_guard'), '',
                 'ringway_guard alone'),
                (PLAIN, '[filter:ringway]\nsecret = x\n', 'does not use')):
            self.write(conf_of(pipeline, rest))
            self.make_secret()
            code, _, err = self.run_command('enable')
            self.assertEqual(1, code)
            self.assertIn(expected, err)
            self.assertEqual(conf_of(pipeline, rest), self.read())

    def test_middleware_right_of_the_guard(self):
        self.write(conf_of(PLAIN.replace(
            'symlink proxy-logging', 'keymaster bulk encryption proxy-logging')))
        self.make_secret()
        self.assertEqual(0, self.run_command('enable')[0])
        self.assertIn('bulk ringway_guard encryption', self.read())
        self.write(conf_of(PLAIN.replace(' proxy-server', ' tempurl')))
        code, _, err = self.run_command('enable')
        self.assertEqual(1, code)
        self.assertIn('tempurl right of', err)

    def test_memcached_on_loopback(self):
        before = conf_of(PLAIN, servers='127.0.0.1:11211')
        self.write(before)
        self.make_secret()
        code, _, err = self.run_command('enable')
        self.assertEqual(1, code)
        self.assertIn('127.0.0.1:11211 are of this host alone', err)
        self.assertEqual(before, self.read())
        self.assertEqual(0, self.run_command('enable', '--single-proxy-host')[0])
        self.assertIn('single_proxy_host = true', self.read())
        self.assertEqual(0, self.run_command('disable')[0])
        self.assertEqual(before, self.read())

    def test_a_file_that_swift_cannot_read(self):
        self.write(conf_of(PLAIN, 'use = twice\n'))
        self.make_secret()
        code, _, err = self.run_command('enable')
        self.assertEqual(1, code)
        self.assertIn("option 'use'", err)
        self.assertEqual(1, err.count('\n'))

    def test_asks_for_a_secret(self):
        self.write(conf_of(PLAIN))
        code, _, err = self.run_command('enable')
        self.assertEqual(1, code)
        self.assertIn('--new-secret', err)
        self.assertEqual(conf_of(PLAIN), self.read())

    def test_makes_a_secret(self):
        self.write(conf_of(PLAIN))
        with mock.patch.object(command.grp, 'getgrnam') as group:
            group.return_value.gr_gid = os.getgid()
            with mock.patch.object(command.os, 'fchown'):
                self.assertEqual(0, self.run_command('enable', '--new-secret')[0])
        self.assertEqual(0o640, os.stat(self.secret).st_mode & 0o777)
        with open(self.secret) as file:
            self.assertRegex(file.read(), '^[0-9a-f]{64}\n$')

    def test_says_what_it_cannot_read(self):
        code, _, err = self.run_command('status')
        self.assertEqual(1, code)
        self.assertIn(self.conf, err)
        os.mkdir(self.conf)
        self.assertIn('folder', self.run_command('enable')[2])
        os.rmdir(self.conf)
        self.write('[DEFAULT]\n')
        self.assertIn('no [pipeline:main]', self.run_command('enable')[2])


if __name__ == '__main__':
    unittest.main()
