"""Counters of stages that all worker processes of a host's proxies share.

They lie in one mapped file: a header, then a slot for each worker, to which it
alone writes. What a worker has counted stays when it ends: the next one with
its slot counts on, and the sum over all slots is what the proxies have counted
since the file was made. The file never shrinks, since a mapping of what is no
longer there would end a process.
"""

import fcntl
import mmap
import os
import struct
import time
from bisect import bisect_left

PATHS = ('put', 'get')
#: In their order: what the filter does itself, the middleware between the two
#: filters, the guard, the proxy server until it answers, the client's body,
#: and the answer's.
STAGES = ('filter', 'middleware', 'guard', 'proxy_server', 'read_body',
          'send_body')
#: Seconds: from what a filter takes to Swift's node_timeout.
BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
          0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

SLOTS = 256
_HEADER = struct.Struct('<8s16sd')
_MAGIC = b'rwstage1'
#: Of a stage: observations, their sum, the longest, and those of each bucket.
_FIELDS = 3 + len(BOUNDS) + 1
_SLOT_DOUBLES = len(PATHS) * len(STAGES) * _FIELDS
_HEADER_BYTES = 64
FILE_BYTES = _HEADER_BYTES + 8 * SLOTS * _SLOT_DOUBLES


class Counters(object):
    """The file, opened when the first request is counted: a proxy's parent,
    which serves none, takes no slot."""

    def __init__(self, path, logger):
        self._path = path
        self._logger = logger
        self._map = None
        self._own = None
        self._failed = False

    def add(self, path, seconds):
        """Counts one request.

        :param seconds: of each stage, in the order of ``STAGES``
        """
        own = self._open()
        if own is None:
            return
        at = PATHS.index(path) * len(STAGES) * _FIELDS
        for value in seconds:
            value = max(0.0, value)
            own[at] += 1
            own[at + 1] += value
            if value > own[at + 2]:
                own[at + 2] = value
            own[at + 3 + bisect_left(BOUNDS, value)] += 1
            at += _FIELDS

    def report(self):
        """:returns: what ``/recon/stage`` says, or None without a file"""
        if self._open() is None:
            return None
        _magic, ident, since = _HEADER.unpack_from(self._map)
        doubles = memoryview(self._map)[_HEADER_BYTES:].cast('d')
        paths, at = {}, 0
        for path in PATHS:
            stages = []
            for stage in STAGES:
                stages.append(_stage(stage, _sums(doubles, at)))
                at += _FIELDS
            paths[path] = {'requests': stages[0]['count'], 'stages': stages}
        doubles.release()
        return {'v': 1, 'service': 'swift-proxy', 'id': ident.hex(),
                'since_unix_s': int(since), 'paths': paths}

    def _open(self):
        if self._own is None and not self._failed:
            try:
                self._own = self._take()
            except (OSError, ValueError) as error:
                self._failed = True
                self._logger.error('stages are not measured: %s', error)
        return self._own

    def _take(self):
        # Never closed: to close it would give its locks back.
        # Others may write to its folder, such as /dev/shm.
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                     | os.O_NOFOLLOW, 0o600)
        # Whoever owns it could hold the lock below, or make the file shorter.
        if os.fstat(fd).st_uid != os.geteuid():
            raise ValueError('%s does not belong to the user of the proxies'
                             % self._path)
        fcntl.lockf(fd, fcntl.LOCK_EX, _HEADER_BYTES)
        try:
            if os.fstat(fd).st_size == 0:
                _allocate(fd)
                os.pwrite(fd, _HEADER.pack(_MAGIC, os.urandom(16),
                                           time.time()), 0)
            magic = os.pread(fd, len(_MAGIC), 0)
            if magic != _MAGIC or os.fstat(fd).st_size != FILE_BYTES:
                raise ValueError('%s is not a file of this version: remove it '
                                 'and restart the proxies' % self._path)
        finally:
            fcntl.lockf(fd, fcntl.LOCK_UN, _HEADER_BYTES)
        for slot in range(SLOTS):
            start = _HEADER_BYTES + 8 * slot * _SLOT_DOUBLES
            try:
                fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB,
                            8 * _SLOT_DOUBLES, start)
            except OSError:
                continue
            self._map = mmap.mmap(fd, FILE_BYTES)
            part = memoryview(self._map)[start:start + 8 * _SLOT_DOUBLES]
            return part.cast('d')
        raise ValueError('%s has a slot for %d processes, and all are taken'
                         % (self._path, SLOTS))


def _allocate(fd):
    """Takes all of the file's place at once: a page that a full disk has no
    place for later would end the process that writes to it."""
    try:
        os.posix_fallocate(fd, 0, FILE_BYTES)
    except OSError:
        # What was taken until then would be no file of this version.
        os.ftruncate(fd, 0)
        raise


def _sums(doubles, at):
    """:returns: the fields of a stage, over all slots"""
    sums = [0.0] * _FIELDS
    for start in range(at, SLOTS * _SLOT_DOUBLES, _SLOT_DOUBLES):
        if doubles[start] == 0:
            continue
        for field in range(_FIELDS):
            value = doubles[start + field]
            sums[field] = (max(sums[field], value) if field == 2
                           else sums[field] + value)
    return sums


def _stage(stage, sums):
    below, buckets = 0, []
    for bound, count in zip(BOUNDS, sums[3:]):
        below += int(count)
        buckets.append([bound, below])
    return {'id': stage, 'parent': 'proxy', 'count': int(sums[0]),
            'sum_s': sums[1], 'max_s': sums[2], 'buckets': buckets}
