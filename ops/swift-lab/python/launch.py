"""Runs a program of Swift's with another folder in the place of /etc/swift:

    launch.py CONF_FOLDER PROGRAM [ARGUMENT...]

Swift's servers and daemons have the path of swift.conf built in. Its own `set_swift_dir` (made for
swift-recon) takes another; constraints, storage policies and recon read from there when they are
imported, so it has to be called before anything else of Swift is. Importing swift.common.utils has
by then read the hash of the machine's swift.conf, if there is one: the call forgets it. Every other
path is an option of the configuration files.

With RINGWAY_SWIFT_LAB_STRICT in the environment, a program that from there on opens, lists or makes
anything in the system's own folders of Swift ends with an error: tests show that none does.
"""
import os
import runpy
import sys

from swift.common import utils

SYSTEM_FOLDERS = ('/etc/swift', '/var/cache/swift', '/var/run/swift', '/run/swift', '/srv/node')


def refuse_system_folders(event, arguments):
    """An audit hook (PEP 578): sees each open, mkdir, listdir, rename and so on."""
    for argument in arguments:
        if isinstance(argument, str) and argument.startswith(SYSTEM_FOLDERS):
            sys.stderr.write('touched outside of the lab: %s %s\n' % (event, argument))
            sys.stderr.flush()
            os._exit(70)


if os.environ.get('RINGWAY_SWIFT_LAB_STRICT'):
    sys.addaudithook(refuse_system_folders)

conf_folder, program = sys.argv[1:3]
sys.argv = sys.argv[2:]
utils.set_swift_dir(conf_folder)
runpy.run_path(program, run_name='__main__')
