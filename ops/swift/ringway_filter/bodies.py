"""A request body with something to do before its end."""


#: What a reader is given at once that asks for all.
READ_BYTES = 65536


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


class TailedInput(object):
    """Hands out a body of unknown length, but holds back its last bytes until
    it has ended.

    :param source: the body, a file-like object, which tells its end by an empty
        read, and raises where it is cut short
    :param tail: how many bytes to hold back
    :param at_end: called once, with the bytes held back, which are fewer only
        where the whole body is; what it returns is handed out instead of them.
        What it raises goes to the reader, now and with every later read.
    """

    def __init__(self, source, tail, at_end):
        self._source = source
        self._tail = tail
        self._at_end = at_end
        self._held = b''
        self._failure = None

    def read(self, size=-1):
        if size is None or size < 0:
            return b''.join(iter(lambda: self.read(READ_BYTES), b''))
        if self._failure is not None:
            raise self._failure
        if size == 0:
            return b''
        try:
            free = self._fill(size)
        except Exception as error:
            self._failure = error
            raise
        data = self._held[:min(size, free)]
        self._held = self._held[len(data):]
        return data

    def _fill(self, size):
        """:returns: how many of the bytes that are here may be handed out"""
        while self._at_end is not None:
            if len(self._held) > self._tail:
                return len(self._held) - self._tail
            data = self._source.read(size)
            if not data:
                at_end, self._at_end = self._at_end, None
                self._held = at_end(self._held)
            self._held += data
        return len(self._held)


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


def is_chunked(env):
    """:returns: whether a request's body is framed in chunks"""
    return 'chunked' in env.get('HTTP_TRANSFER_ENCODING', '').lower()
