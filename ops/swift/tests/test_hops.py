import json
import unittest

from swift.common.middleware.keystoneauth import KeystoneAuth
from swift.common.middleware.tempauth import TempAuth
from swift.common.swob import wsgi_quote
from swift.common.wsgi import make_pre_authed_request, make_subrequest

from ringway_filter.hops import (
    find_deciders, is_of_swift, is_own, keystone_identity, named_by,
    tempauth_groups)
from tests.support import FakeSwift, call, pipeline, request, signed

ID = '0123456789abcdef0123456789abcdef'
OWNER = {'role': 'owner', 'account': 'AUTH_a', 'user': 'a:boss'}
MEMBER = {'role': 'member', 'account': 'AUTH_a', 'user': 'a:member'}
OTHER = {'role': 'owner', 'account': 'AUTH_v', 'user': 'v:boss'}
ADMIN = {'role': 'owner', 'account': 'AUTH_admin', 'user': 'admin:admin'}
UNKNOWN = {'role': 'owner', 'account': 'AUTH_a', 'user': 'a:ACCESSKEY'}
NOBODY = {'role': 'anonymous'}

TEMPAUTH = {
    'user_a_boss': 'x .admin http://host/v1/AUTH_a',
    'user_a_member': 'x http://host/v1/AUTH_a',
    'user_a_j\u00fcrgen': 'x http://host/v1/AUTH_a',
    'user_v_boss': 'x .admin http://host/v1/AUTH_v',
    'user_admin_admin': 'x .admin .reseller_admin http://host/v1/AUTH_admin',
}


def three(path):
    return tuple(path.split('/', 2))


class TestPlace(unittest.TestCase):
    def own(self, base, hop):
        return is_own(three(base), three(hop))

    def test_versions_of_the_key(self):
        name = 'A/b+versions/6b/' + ID
        self.assertTrue(self.own('A/b/k', name))
        self.assertTrue(self.own(name, 'A/b+segments/k/%s/1' % ID))
        for hop in ('V/b+versions/6b/' + ID, 'A/c+versions/6b/' + ID,
                    'A/b+versions/6c/' + ID, 'A/b+versions/6B/' + ID,
                    name + '\n', 'A/b+versions/6c/index.json',
                    'A/b+versions/6b/index.g1.json'):
            self.assertFalse(self.own('A/b/k', hop), hop)
        self.assertTrue(self.own('A/b/k', 'A/b+versions/6b/index.json'))
        self.assertFalse(self.own(name, 'A/b+versions/6c/' + ID))

    def test_names_are_of_utf8(self):
        key = '\u00e4'.encode().decode('latin-1')
        self.assertTrue(self.own('A/b/' + key, 'A/b+versions/c3a4/' + ID))

    def test_parts_of_the_key(self):
        self.assertTrue(self.own('A/b/k', 'A/b+segments/k/%s/1' % ID))
        self.assertTrue(self.own('A/b/a\nb', 'A/b+segments/a\nb/%s/1' % ID))
        part = 'k/%s/1' % ID
        self.assertTrue(self.own('A/b/' + part,
                                 'A/b+segments/%s/%s/2' % (part, ID)))
        for hop in ('k/%s/0', 'k/%s/01', 'k/%s', 'l/%s/1', 'k/x/%s/1',
                    'k/%s/1\n'):
            self.assertFalse(self.own('A/b/k', 'A/b+segments/' + hop % ID))
        self.assertFalse(self.own('A/b/a', 'A/b+segments/a/b/%s/1' % ID))
        self.assertFalse(self.own('A/b/k', 'A/b+segments/k/short/1'))

    def test_no_listing_is_own(self):
        self.assertFalse(is_own(('A', 'b', 'k'), ('A', 'b+segments', None)))
        self.assertFalse(is_own(('A', 'b', None), ('A', 'b+versions', 'x')))

    def test_versions_that_swift_keeps(self):
        base = ('A', 'b', 'k')
        self.assertTrue(is_of_swift(
            base, ('A', '\0versions\0b', '\0k\x009999')))
        for hop in (('A', '\0versions\0c', '\0k\x009999'),
                    ('V', '\0versions\0b', '\0k\x009999'),
                    ('A', '\0versions\0b', '\0l\x009999'),
                    ('A', 'b', '\0k\x009999')):
            self.assertFalse(is_of_swift(base, hop), hop)


class TestNamed(unittest.TestCase):
    def named(self, method, headers=None, led_by=None):
        return named_by(request(method, '/v1/A/b/k/l', headers), led_by)

    def test_the_path(self):
        self.assertEqual(self.named('GET'), ('A', 'b', 'k/l'))
        self.assertEqual(named_by(request('GET', '/v1/A/b')), ('A', 'b', None))

    def test_the_source_of_a_copy(self):
        source = {'X-Copy-From': '/c/a%2Fb', 'X-Copy-From-Account': 'V%20'}
        self.assertEqual(self.named('PUT', source), ('V ', 'c', 'a/b'))
        self.assertEqual(self.named('PUT', {'X-Copy-From': 'c/a%2Fb'}),
                         ('A', 'c', 'a/b'))
        self.assertEqual(self.named('GET', source), ('A', 'b', 'k/l'))

    def test_what_has_led_to_the_source(self):
        source = {'X-Copy-From': '/c/a', 'X-Copy-From-Account': 'V'}
        self.assertEqual(self.named('PUT', source, 'A/b%20/k%2Fl'),
                         ('A', 'b ', 'k/l'))


class Led(object):
    """Makes one sub-request more, as Swift's filters do."""

    def __init__(self, app, path, method='GET', pre_authed=False,
                 source='SYM'):
        self.app = app
        make = make_pre_authed_request if pre_authed else make_subrequest
        self._make = lambda env: make(
            env, method=method, path=wsgi_quote(path), swift_source=source)

    def __call__(self, env, start_response):
        answer = self._make(env).get_response(self.app)
        status = answer.status
        start_response(status if status.startswith('2') else '409 Conflict',
                       [('Content-Length', str(len(answer.body)))])
        return [answer.body]


class Hop(unittest.TestCase):
    """One request that is led on, and who stands behind it."""

    def setUp(self):
        self.swift = FakeSwift()
        self.deciders = ()

    def container(self, path, read=''):
        self.swift.answer('HEAD', path.rsplit('/', 1)[0], '204 No Content')
        self.swift.answer('HEAD', path, '204 No Content',
                          [('X-Container-Read', read)] if read else [])
        self.swift.answer('GET', path, '200 OK', [], b'[]')

    def led(self, to, behalf, first='/v1/AUTH_a/b/k', method='GET', by='GET',
            **how):
        self.swift.answer(by, to, '200 OK', [], b'bytes')
        env = request(method, first)
        if behalf is not None:
            env['HTTP_X_GATEWAY_FOR'] = wsgi_quote(json.dumps(behalf))
        app = pipeline(self.swift, deciders=self.deciders,
                       between=lambda app: Led(app, to, by, **how))
        status, headers, body = call(app, signed(env))
        denied = headers.get('x-gateway-denied') == 'true'
        self.assertEqual(denied, status != 200, (status, headers))
        if denied:
            self.assertEqual(body.count(b'bytes'), 0)
        return not denied


class TestHops(Hop):
    def test_nobody_is_led_to_ours_alone(self):
        self.container('/v1/AUTH_a/b', '.r:*')
        self.assertTrue(self.led('/v1/AUTH_a/b+versions/6b/' + ID, None))
        self.assertTrue(self.led('/v1/AUTH_a/b+segments/k/%s/1' % ID, None))
        self.assertFalse(self.led('/v1/AUTH_a/b/l', None))
        self.assertFalse(self.led('/v1/AUTH_a/b+versions/6c/' + ID, None))
        self.assertFalse(self.led('/v1/AUTH_a/b', None, source='DLO'))

    def test_no_filter_that_decides(self):
        self.container('/v1/AUTH_a/b', '.r:*')
        self.assertFalse(self.led('/v1/AUTH_a/b/l', OWNER))

    def test_bucket_reads_itself(self):
        self.assertTrue(self.led('/v1/AUTH_a/b/l', {'role': 'bucket'}))
        self.assertFalse(self.led('/v1/AUTH_a/c/l', {'role': 'bucket'}))
        self.assertFalse(self.led('/v1/AUTH_v/b/l', {'role': 'bucket'}))

    def test_names_are_looked_at_for_a_version_only(self):
        names, to = {'role': 'names'}, '/v1/AUTH_a/x/s'
        version = '/v1/AUTH_a/b+versions/6b/' + ID
        self.assertTrue(self.led(to, names, version, 'PUT', 'HEAD'))
        self.assertFalse(self.led(to, names, version, 'PUT', 'GET'))
        self.assertFalse(self.led(to, names, version, 'GET', 'HEAD'))
        self.assertFalse(self.led(to, names, '/v1/AUTH_a/b/k', 'PUT', 'HEAD'))

    def test_swifts_own(self):
        hidden = '/v1/AUTH_a/\0versions\0b/\0k\x009'
        self.assertTrue(self.led(hidden, None, pre_authed=True))
        # The metadata that has it followed so is copied like any other.
        for to in ('/v1/AUTH_v/vx/s', '/v1/AUTH_a/\0versions\0c/\0k\x009'):
            self.assertFalse(self.led(to, None, pre_authed=True), to)
        self.assertTrue(self.led('/v1/AUTH_a/archive/o', None,
                                 pre_authed=True, source='VW'))

    def test_it_is_the_gateway_that_says_who(self):
        env = request('GET', '/v1/AUTH_a/b/k')
        env['HTTP_X_GATEWAY_FOR'] = 'nonsense'
        app = pipeline(self.swift)
        self.assertEqual(call(app, signed(env))[0], 400)
        # One without a signature says nothing.
        env = request('GET', '/v1/AUTH_a/b/k')
        env['HTTP_X_GATEWAY_FOR'] = 'nonsense'
        self.assertEqual(call(app, env)[0], 404)

    def test_what_cannot_be_known_is_not_read(self):
        self.container('/v1/AUTH_a/x')
        self.swift.answer('HEAD', '/v1/AUTH_a/x', '503 Service Unavailable')
        self.deciders = (lambda *_args: True,)
        self.swift.answer('GET', '/v1/AUTH_a/x/s', '200 OK', [], b'bytes')
        env = request('GET', '/v1/AUTH_a/b/k')
        env['HTTP_X_GATEWAY_FOR'] = wsgi_quote(json.dumps(OWNER))
        app = pipeline(self.swift, deciders=self.deciders,
                       between=lambda app: Led(app, '/v1/AUTH_a/x/s'))
        self.assertEqual(call(app, signed(env))[0], 409)

    def test_through_what_may_be_read_to_its_own_version(self):
        self.container('/v1/AUTH_a/c', 'a:member')
        self.deciders = find_deciders(TempAuth(self.swift, TEMPAUTH))

        def between(app):
            return Led(Also(app, '/v1/AUTH_a/c/l'),
                       '/v1/AUTH_a/c+versions/6c/' + ID)

        class Also(object):
            def __init__(self, app, path):
                self.app, self.path = app, path

            def __call__(self, env, start_response):
                make_subrequest(env, path=self.path).get_response(self.app)
                return self.app(env, start_response)
        self.swift.answer('GET', '/v1/AUTH_a/c+versions/6c/' + ID, '200 OK')
        for behalf, status in ((MEMBER, 200), (NOBODY, 409)):
            env = request('GET', '/v1/AUTH_a/b/k')
            env['HTTP_X_GATEWAY_FOR'] = wsgi_quote(json.dumps(behalf))
            app = pipeline(self.swift, deciders=self.deciders,
                           between=between)
            self.assertEqual(call(app, signed(env))[0], status)


class TestTempauth(Hop):
    def setUp(self):
        super(TestTempauth, self).setUp()
        self.auth = TempAuth(self.swift, TEMPAUTH)
        self.deciders = find_deciders(self.auth)
        self.container('/v1/AUTH_a/x')
        self.container('/v1/AUTH_v/vx')
        self.container('/v1/AUTH_v/vo', 'a:boss')

    def reading(self, path, *who):
        return [self.led(path, behalf) for behalf in who]

    def test_owners_read_their_account(self):
        for path in ('/v1/AUTH_a/x/s', '/v1/AUTH_a/x'):
            self.assertEqual(
                self.reading(path, OWNER, UNKNOWN, MEMBER, NOBODY, OTHER),
                [True, True, False, False, False])
        self.assertEqual(
            self.reading('/v1/AUTH_v/vx/s', OWNER, MEMBER, NOBODY, ADMIN),
            [False, False, False, True])

    def test_acl_grants(self):
        self.assertEqual(
            self.reading('/v1/AUTH_v/vo/s', OWNER, MEMBER, NOBODY),
            [True, False, False])
        self.container('/v1/AUTH_a/x', 'a:member')
        self.assertEqual(
            self.reading('/v1/AUTH_a/x/s', MEMBER, NOBODY), [True, False])

    def test_names_are_text(self):
        user = 'a:j\u00fcrgen'
        behalf = dict(MEMBER, user=user)
        self.assertEqual(tempauth_groups(self.auth, behalf), ['a', user])
        self.container('/v1/AUTH_a/x', user.encode().decode('latin-1'))
        self.assertEqual(
            self.reading('/v1/AUTH_a/x/s', behalf, MEMBER), [True, False])

    def test_public(self):
        self.container('/v1/AUTH_a/x', '.r:*')
        self.assertEqual(
            self.reading('/v1/AUTH_a/x/s', MEMBER, NOBODY), [True, True])
        self.assertEqual(self.reading('/v1/AUTH_a/x', NOBODY), [False])
        self.container('/v1/AUTH_a/x', '.r:*,.rlistings')
        self.assertEqual(self.reading('/v1/AUTH_a/x', NOBODY), [True])

    def test_referer(self):
        self.container('/v1/AUTH_a/x', '.r:host')
        there = dict(NOBODY, referer='http://host/')
        self.assertEqual(
            self.reading('/v1/AUTH_a/x/s', NOBODY, there), [False, True])

    def test_the_role_is_the_gateways_to_give(self):
        demoted = dict(OWNER, role='member')
        self.assertEqual(self.reading('/v1/AUTH_a/x/s', demoted), [False])
        demoted = dict(ADMIN, role='member')
        self.assertEqual(self.reading('/v1/AUTH_v/vx/s', demoted), [False])

    def test_groups_are_not_said_by_names(self):
        forged = dict(MEMBER, user='a:x,.reseller_admin')
        self.assertEqual(tempauth_groups(self.auth, forged), [])
        self.assertEqual(self.reading('/v1/AUTH_v/vx/s', forged), [False])

    def test_one_of_keystone_is_none_of_tempauth(self):
        behalf = dict(OWNER, keystone={'project': 'p', 'user': 'u',
                                       'roles': ['admin']})
        self.assertEqual(self.reading('/v1/AUTH_a/x/s', behalf), [False])


class TestKeystone(Hop):
    def setUp(self):
        super(TestKeystone, self).setUp()
        self.deciders = find_deciders(KeystoneAuth(
            self.swift, {'operator_roles': 'operator',
                         'reseller_admin_role': 'reseller'}))
        self.container('/v1/AUTH_pid/x')
        self.container('/v1/AUTH_other/x')

    def who(self, *roles, **more):
        return dict({'role': 'member', 'account': 'AUTH_pid',
                     'user': 'project:user',
                     'keystone': {'project': 'pid', 'user': 'uid',
                                  'roles': roles}}, **more)

    def reads(self, behalf, path='/v1/AUTH_pid/x/s'):
        return self.led(path, behalf, '/v1/AUTH_pid/b/k')

    def test_operators_read_their_project(self):
        self.assertTrue(self.reads(self.who('operator')))
        self.assertFalse(self.reads(self.who('member')))
        self.assertFalse(
            self.reads(self.who('operator'), '/v1/AUTH_other/x/s'))
        self.assertTrue(
            self.reads(self.who('reseller'), '/v1/AUTH_other/x/s'))

    def test_acl(self):
        for acl, may in (('pid:uid', True), ('pid:*', True), ('*:*', True),
                         ('project:user', True), ('member', True),
                         ('pid:other', False), ('.r:*', True)):
            self.container('/v1/AUTH_pid/x', acl)
            self.assertEqual(self.reads(self.who('member')), may, acl)

    def test_anonymous(self):
        self.assertFalse(self.reads(NOBODY))
        self.container('/v1/AUTH_pid/x', '.r:*')
        self.assertTrue(self.reads(NOBODY))
        self.container('/v1/AUTH_pid/x', '*:*')
        self.assertFalse(self.reads(NOBODY))

    def test_a_credential_that_keystone_does_not_know(self):
        behalf = {'role': 'owner', 'account': 'AUTH_pid', 'user': 'pid:KEY'}
        self.assertTrue(self.reads(behalf))
        self.assertFalse(self.reads(behalf, '/v1/AUTH_other/x/s'))
        self.assertFalse(self.reads(dict(behalf, role='member')))
        self.assertEqual(keystone_identity(behalf)['roles'], [])


if __name__ == '__main__':
    unittest.main()
