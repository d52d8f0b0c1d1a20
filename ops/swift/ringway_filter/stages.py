"""Where the time of a request goes in a proxy, for the console's Lab.

Off without the option ``stage_file``. Three wrappers mark the borders of the
stages: around all, between the two filters, and around the proxy server. Times
are of a clock on the wall, each without what lies in another stage; bodies
count while somebody waits for them.
"""

import json
from time import perf_counter

from swift.common import swob

from ringway_filter.stage_counters import Counters

#: Not among what a client can set; ``make_env`` hands it on to sub-requests.
_INFOCACHE = 'swift.infocache'
_KEY = 'ringway.stages'
REPORT_PATH = '/recon/stage'
CLIENTS = '127.0.0.1 ::1'


class Clock(object):
    """The marks of one request.

    :ivar guard: seconds inside of the guard, the proxy server included
    :ivar proxy: seconds inside of the proxy server
    :ivar reading: seconds of waiting for the client's body
    :ivar reading_inside: of these, those inside of the proxy server
    """

    __slots__ = ('answered', 'begun', 'entered', 'guard', 'left', 'proxy',
                 'reading', 'reading_before', 'reading_inside')

    def __init__(self):
        self.begun = perf_counter()
        self.entered = self.left = self.answered = None
        self.guard = self.proxy = 0.0
        self.reading = self.reading_before = self.reading_inside = 0.0

    def stages(self, ended):
        """:returns: seconds in the order of ``STAGES``, or None for a request
        that the filter has answered itself"""
        if self.left is None:
            return None
        between = self.left - self.entered
        outside = self.reading - self.reading_inside
        return (self.entered - self.begun + self.answered - self.left,
                between - self.guard - outside,
                self.guard - self.proxy,
                self.proxy - self.reading_inside,
                self.reading,
                ended - self.answered)


class _Body(object):
    """The client's body, with the time that it lets others wait."""

    def __init__(self, source, clock):
        self._source = source
        self._clock = clock

    def read(self, *args):
        return self._timed(self._source.read, args)

    def readline(self, *args):
        return self._timed(self._source.readline, args)

    def _timed(self, read, args):
        begun = perf_counter()
        try:
            return read(*args)
        finally:
            self._clock.reading += perf_counter() - begun

    def __getattr__(self, name):
        return getattr(self._source, name)


class _Answer(object):
    """The answer's body; the request is counted when it is over."""

    def __init__(self, body, clock, end):
        self._body = body
        self._iterator = iter(body)
        self._clock = clock
        self._end = end

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._iterator)

    def close(self):
        end, self._end = self._end, None
        try:
            if hasattr(self._body, 'close'):
                self._body.close()
        finally:
            if end is not None:
                end(self._clock)


class Whole(object):
    """Around all of the filter: begins a clock, and answers for the counters.

    :param clients: addresses that may ask for them; never through a proxy that
        says for whom it asks
    """

    def __init__(self, app, counters, clients):
        self.app = app
        self._counters = counters
        self._clients = clients

    def __call__(self, env, start_response):
        path = path_of(env)
        if path is None:
            if self._is_report(env):
                return self._report(env, start_response)
            return self.app(env, start_response)
        clock = Clock()
        env.setdefault(_INFOCACHE, {})[_KEY] = clock
        env['wsgi.input'] = _Body(env['wsgi.input'], clock)

        def end(clock):
            seconds = clock.stages(perf_counter())
            if seconds is not None:
                self._counters.add(path, seconds)
        body = self.app(env, start_response)
        clock.answered = perf_counter()
        return _Answer(body, clock, end)

    def _is_report(self, env):
        return (env['PATH_INFO'] == REPORT_PATH
                and env['REQUEST_METHOD'] == 'GET'
                and env.get('REMOTE_ADDR') in self._clients
                and 'HTTP_X_FORWARDED_FOR' not in env
                and 'HTTP_FORWARDED' not in env)

    def _report(self, env, start_response):
        report = self._counters.report()
        kind = swob.HTTPOk if report else swob.HTTPServiceUnavailable
        answer = kind(request=swob.Request(env), content_type='application/json',
                      body=json.dumps(report).encode('ascii'))
        return answer(env, start_response)


class Between(object):
    """What comes behind the front filter."""

    def __init__(self, app):
        self.app = app

    def __call__(self, env, start_response):
        clock = clock_of(env)
        if clock is None or clock.entered is not None:
            return self.app(env, start_response)
        clock.entered = perf_counter()
        body = self.app(env, start_response)
        clock.left = perf_counter()
        return body


class AroundGuard(object):
    """The guard with the proxy server; sub-requests of the middleware too."""

    def __init__(self, app):
        self.app = app

    def __call__(self, env, start_response):
        clock = clock_of(env)
        # Bodies are sent when the answer has begun: that is a stage by itself.
        if clock is None or clock.answered is not None:
            return self.app(env, start_response)
        begun = perf_counter()
        try:
            return self.app(env, start_response)
        finally:
            self.add(clock, begun)

    def add(self, clock, begun):
        clock.guard += perf_counter() - begun


class AroundProxy(AroundGuard):
    """The proxy server with the last proxy-logging."""

    def __call__(self, env, start_response):
        clock = clock_of(env)
        if clock is not None:
            clock.reading_before = clock.reading
        return super(AroundProxy, self).__call__(env, start_response)

    def add(self, clock, begun):
        clock.proxy += perf_counter() - begun
        clock.reading_inside += clock.reading - clock.reading_before


def clock_of(env):
    infocache = env.get(_INFOCACHE)
    clock = infocache.get(_KEY) if infocache is not None else None
    return clock if isinstance(clock, Clock) else None


def path_of(env):
    """:returns: put or get for a request of an object, else None"""
    method = env['REQUEST_METHOD']
    if method not in ('PUT', 'GET'):
        return None
    parts = env['PATH_INFO'].split('/', 4)
    return method.lower() if len(parts) == 5 and parts[4] else None


def whole_of(conf, logger):
    """Options: stage_file, stage_clients.

    :returns: what wraps the whole filter, or None where it is off
    """
    path = conf.get('stage_file')
    if not path:
        return None
    clients = frozenset(
        conf.get('stage_clients', CLIENTS).replace(',', ' ').split())
    counters = Counters(path, logger)
    return lambda app: Whole(app, counters, clients)
