"""Whether files of a folder take extended attributes as large as Ringway's metadata: exit code 0.

ext4 has room for about 4 KiB in all per file; XFS and tmpfs for what is tried here.
"""
import os
import sys
import tempfile

with tempfile.NamedTemporaryFile(dir=sys.argv[1]) as file:
    try:
        os.setxattr(file.name, 'user.ringway', b'x' * 60000)
    except OSError as error:
        sys.exit(str(error))
