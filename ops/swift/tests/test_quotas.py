import unittest

from swift.common.middleware.account_quotas import AccountQuotaMiddleware
from swift.common.middleware.container_quotas import ContainerQuotaMiddleware

from ringway_filter.front import Front
from ringway_filter.guard import Guard
from ringway_filter.quotas import wrap_quotas
from ringway_filter.signature import Verifier
from tests.support import SECRET, FakeLogger, FakeSwift, call, request, signed


class Reseller(object):
    """As tempauth does with a reseller admin's token."""

    def __init__(self, app):
        self.app = app

    def __call__(self, env, start_response):
        env['reseller_request'] = True
        return self.app(env, start_response)


class Keystone(object):
    """Keeps what stands right of it as keystonemiddleware and s3token do."""

    def __init__(self, app):
        self._app = app

    def __call__(self, env, start_response):
        return self._app(env, start_response)


class TestQuotas(unittest.TestCase):
    def setUp(self):
        self.swift = FakeSwift()
        self.app = self.pipeline(lambda app: app)
        self.account()
        for container in 'c', 'c+segments', 'c+versions':
            self.container(container)

    def pipeline(self, more):
        """:param more: makes a filter right of the one that knows tokens"""
        inner = ContainerQuotaMiddleware(
            AccountQuotaMiddleware(Guard(self.swift, None)))
        return Front(wrap_quotas(Reseller(more(inner))), Verifier((SECRET,)),
                     FakeLogger())

    def account(self, used=0, quota=None):
        headers = [('X-Account-Bytes-Used', str(used))]
        if quota is not None:
            headers.append(('X-Account-Meta-Quota-Bytes', str(quota)))
        self.swift.answer('HEAD', '/v1/a', '204 No Content', headers)

    def container(self, name, used=0, count=0, **quotas):
        self.swift.answer('HEAD', '/v1/a/' + name, '204 No Content', [
            ('X-Container-Bytes-Used', str(used)),
            ('X-Container-Object-Count', str(count))] + [
                ('X-Container-Meta-Quota-' + kind, str(value))
                for kind, value in quotas.items()])

    def put(self, path, size=10, sign=True, headers=None):
        env = request('PUT', '/v1/a/' + path, headers, b'x' * size)
        return call(self.app, signed(env) if sign else env)[0]

    def test_of_an_account_hold_for_the_gateway(self):
        self.account(used=95, quota=100)
        for container in 'c', 'c+segments', 'c+versions':
            self.assertEqual(self.put(container + '/o'), 413)
            self.assertEqual(self.put(container + '/o', size=5), 201)
        self.assertEqual(sorted(self.swift.stored), [
            '/v1/a/c+segments/o', '/v1/a/c+versions/o', '/v1/a/c/o'])

    def test_hold_right_of_the_filters_of_keystone(self):
        self.app = self.pipeline(lambda app: Keystone(Keystone(app)))
        self.account(used=95, quota=100)
        self.assertEqual(self.put('c/o'), 413)
        self.account()
        self.container('c', used=30, bytes=50)
        self.container('c+segments', used=30)
        self.assertEqual(self.put('c/o'), 413)

    def test_of_an_account_let_resellers_pass_as_ever(self):
        self.account(used=95, quota=100)
        self.assertEqual(self.put('c/o', sign=False), 201)

    def test_let_pass_what_is_exempt(self):
        self.account(used=95, quota=100)
        self.container('c', used=95, bytes=100)
        self.assertEqual(
            self.put('c/o', headers={'X-Gateway-Quota': 'exempt'}), 201)
        self.assertEqual(
            self.put('c/o', headers={'X-Gateway-Quota': 'other'}), 400)

    def test_nobody_else_is_exempt(self):
        self.container('c', used=95, bytes=100)
        headers = {'X-Gateway-Quota': 'exempt'}
        self.assertEqual(self.put('c/o', sign=False, headers=headers), 413)

    def test_of_a_bucket_hold_for_all_that_is_stored_for_it(self):
        self.container('c', used=30, bytes=100)
        self.container('c+segments', used=30)
        self.container('c+versions', used=30)
        for container in 'c', 'c+segments', 'c+versions':
            self.assertEqual(self.put(container + '/o', size=10), 201)
            self.assertEqual(self.put(container + '/o', size=11), 413)
        # As Swift itself measures it.
        self.assertEqual(self.put('c/o', size=11, sign=False), 201)

    def test_in_objects_count_keys_and_no_parts(self):
        self.swift.answer('HEAD', '/v1/a/c', '204 No Content', [
            ('X-Container-Object-Count', '1'), ('X-Container-Bytes-Used', '0'),
            ('X-Container-Meta-Quota-Count', '1')])
        self.assertEqual(self.put('c/o'), 413)
        self.assertEqual(self.put('c+versions/o'), 413)
        self.assertEqual(self.put('c+segments/o'), 201)

    def test_without_quotas_nothing_more_is_asked(self):
        self.put('c/o')
        self.assertNotIn('HEAD /v1/a/c+versions', self.swift.methods())


if __name__ == '__main__':
    unittest.main()
