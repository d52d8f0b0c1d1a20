import random
import unittest

from greenlet import getcurrent, greenlet

from ringway_filter.lease import Busy, Lease, Leases, Unavailable
from tests.support import FakeMemcache


class Clock(object):
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class TestLease(unittest.TestCase):
    def setUp(self):
        self.memcache, self.clock = FakeMemcache(), Clock()
        self.leases = Leases(self.memcache, 30, self.clock)

    def test_one_at_a_time(self):
        first = self.leases.acquire('a')
        self.assertRaises(Busy, self.leases.acquire, 'a')
        self.assertTrue(first.is_held())
        self.leases.acquire('b')
        first.release()
        self.assertTrue(self.leases.acquire('a').is_held())

    def test_others_that_fail_leave_it(self):
        first = self.leases.acquire('a')
        for _i in range(5):
            self.assertRaises(Busy, self.leases.acquire, 'a')
        self.assertTrue(first.is_held())

    def test_lost_with_memcached(self):
        first = self.leases.acquire('a')
        self.memcache.data.clear()
        self.assertFalse(first.is_held())
        second = self.leases.acquire('a')
        self.assertFalse(first.is_held())
        first.release()
        self.assertRaises(Busy, self.leases.acquire, 'a')
        self.assertTrue(second.is_held())

    def test_it_runs_out(self):
        first = self.leases.acquire('a')
        self.clock.now = 29.9
        self.assertTrue(first.is_held())
        self.clock.now = 30
        self.assertFalse(first.is_held())

    def test_late_release_leaves_the_next_one_alone(self):
        first = self.leases.acquire('a')
        self.clock.now = 16
        first.release()
        self.assertRaises(Busy, self.leases.acquire, 'a')

    def test_dead_connections_of_the_pool(self):
        self.memcache.failures = 2
        lease = self.leases.acquire('a')
        self.memcache.failures = 2
        self.assertTrue(lease.is_held())

    def test_no_memcached(self):
        self.memcache.failures = 100
        self.assertRaises(Unavailable, self.leases.acquire, 'a')
        self.memcache.failures = 0
        lease = self.leases.acquire('a')
        self.memcache.failures = 100
        self.assertRaises(Unavailable, lease.is_held)
        lease.release()

    def test_slow_failures_are_not_repeated(self):
        def slow(*_args, **_kwargs):
            self.clock.now += 1.5
            self.memcache.failures += 1
            self.memcache._talk()
        self.memcache.incr = slow
        self.assertRaises(Unavailable, self.leases.acquire, 'a')
        self.assertEqual(self.clock.now, 1.5)

    def test_memcached_that_does_not_store(self):
        self.memcache.set = lambda *args, **kwargs: None
        self.assertRaises(Unavailable, self.leases.acquire, 'a')


class Interleaved(FakeMemcache):
    """Lets another one go on before each thing that is asked of it."""

    def _talk(self):
        getcurrent().parent.switch()


class Race(object):
    """Creators of one object, in an order that a random number gives, who do
    what ringway_filter/exclusive.py does with a short body.

    The store is as bad as Swift's: it looks, lets others go on, and commits;
    of what was committed the content with the latest time stays.
    """

    #: What creators do; without any of it the races are lost.
    STEPS = ('before', 'after', 'time of the lease')

    def __init__(self, seed, creators, forgets, steps=STEPS):
        self.random = random.Random(seed)
        self.memcache = Interleaved()
        self.leases = Leases(self.memcache, 30, now=lambda: 0.0)
        self.steps = steps
        self.now = 0
        self.stored = None
        self.answers = []
        self.winners = []
        self.forgets = forgets
        self.left = [greenlet(self.create) for _i in range(creators)]

    def create(self):
        pause = getcurrent().parent.switch
        lease = Lease(self.leases, 'a')
        time = self.now
        pause()
        try:
            lease.acquire()
            pause()
            if 'time of the lease' in self.steps:
                time = self.now
            pause()
            if self.stored:
                self.answers.append(412)
                return
            pause()
            if 'before' in self.steps and not lease.is_held():
                self.answers.append(503)
                return
            pause()
            self.stored = max(self.stored or (), (time, lease._token))
            pause()
            if 'after' in self.steps and not lease.is_held():
                self.answers.append(503)
                return
            self.answers.append(201)
            self.winners.append(lease._token)
        except Busy:
            self.answers.append(409)
        except Unavailable:
            self.answers.append(503)
        finally:
            lease.release()

    def run(self):
        while self.left:
            self.now += 1
            if self.random.random() < self.forgets:
                self.memcache.data.clear()
            one = self.random.choice(self.left)
            one.switch()
            if one.dead:
                self.left.remove(one)
        return len(self.winners)

    def is_lost(self):
        """Two that won, or one that won and another's content."""
        return len(self.winners) > 1 or (
            self.winners and self.stored[1] != self.winners[0])


class TestRaces(unittest.TestCase):
    ROUNDS = 1000
    FORGETS = 0.08

    def test_one_winner(self):
        for seed in range(self.ROUNDS):
            race = Race(seed, 6, 0)
            self.assertEqual(race.run(), 1, seed)
            self.assertFalse(race.is_lost(), seed)

    def test_at_most_one_with_a_memcached_that_forgets(self):
        winners = 0
        for seed in range(self.ROUNDS):
            race = Race(seed, 6, self.FORGETS)
            winners += race.run()
            self.assertFalse(race.is_lost(), seed)
        self.assertGreater(winners, self.ROUNDS / 3)

    def test_each_step_is_needed(self):
        for missing in Race.STEPS:
            steps = [step for step in Race.STEPS if step != missing]
            lost = 0
            for seed in range(self.ROUNDS):
                race = Race(seed, 6, self.FORGETS, steps)
                race.run()
                lost += bool(race.is_lost())
            self.assertGreater(lost, 0, missing)


if __name__ == '__main__':
    unittest.main()
