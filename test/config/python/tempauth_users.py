"""Prints what Swift makes of configurations: a JSON list of texts on stdin, one answer a line."""
import contextlib
import io
import json
import os
import sys
import tempfile

from swift.common.middleware.tempauth import TempAuth
from swift.common.wsgi import loadcontext
from paste.deploy.loadwsgi import FILTER


def users_of(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'proxy-server.conf')
        # As it is: no line end is changed.
        with open(path, 'w', newline='', encoding='utf-8') as conf:
            conf.write(text)
        context = loadcontext(FILTER, path, name='tempauth')
        auth = TempAuth(None, context.config())
        return {
            name: [user['key'], user['url'].rsplit('/', 1)[-1], user['groups']]
            for name, user in auth.users.items()
        }


for text in json.load(sys.stdin):
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            answer = users_of(text)
    except Exception as error:  # whatever it is, Swift would not start
        answer = type(error).__name__
    print(json.dumps(answer))
