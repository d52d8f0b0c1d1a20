"""A request body with something to do before its end."""


class GatedInput(object):
    """Hands out a body, but not its last bytes before a condition is met.

    The proxy stores an object when it has read all of the body, so whatever
    fails before the last bytes are out leaves nothing stored.

    :param source: the body, a file-like object
    :param length: how many bytes of it to hand out
    :param before_end: called once all of them are here and before the last are
        handed out, for an empty body before its end is told. What it raises
        goes to the reader, now and with every later read.
    """

    def __init__(self, source, length, before_end):
        self._source = source
        self._left = length
        self._before_end = before_end
        self._failure = None

    def read(self, size=-1):
        return self._hand_out(self._source.read, size)

    def readline(self, size=-1):
        return self._hand_out(self._source.readline, size)

    def _hand_out(self, read, size):
        if self._failure is not None:
            raise self._failure
        if size is None or size < 0 or size > self._left:
            size = self._left
        data = read(size) if size else b''
        self._left -= len(data)
        if self._left == 0 and self._before_end is not None:
            try:
                self._before_end()
            except Exception as error:
                self._failure = error
                raise
            self._before_end = None
        return data


def read_exactly(source, length):
    """:returns: so many bytes, fewer when the body ends before"""
    chunks, left = [], length
    while left > 0:
        chunk = source.read(left)
        if not chunk:
            break
        chunks.append(chunk)
        left -= len(chunk)
    return b''.join(chunks)
