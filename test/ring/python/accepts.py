"""Says what Swift makes of a ring file that it did not write: FOLDER, with swift.conf and rings.

Prints for each *.ring.gz there what Ring has of it, what the commands of operators say, and what a
builder that is made of it says of itself.
"""
import contextlib
import glob
import io
import json
import os
import runpy
import sys
import warnings

from swift.common import utils


def said_by(run, arguments):
    out = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            run(arguments)
        except SystemExit as end:
            code = end.code
    return code, out.getvalue()


def get_nodes(arguments):
    sys.argv = ['swift-get-nodes'] + arguments
    runpy.run_path('/usr/bin/swift-get-nodes', run_name='__main__')


def answer(folder, path):
    from swift.cli import ringbuilder
    from swift.common.ring import Ring, RingBuilder, RingData

    def ring_builder(arguments):
        ringbuilder.main(['swift-ring-builder', path] + arguments)

    ring = Ring(path)
    rewritten = path + '.again'
    os.chdir(folder)
    RingData.load(path).save(os.path.basename(rewritten))
    written, _ = said_by(ring_builder, ['write_builder', '24'])
    builder_file = path[:-len('.ring.gz')] + '.builder'
    builder = RingBuilder.load(builder_file)
    validated, _ = said_by(ring_builder, ['validate'])
    _, nodes = said_by(get_nodes, ['-d', folder, path, 'AUTH_test', 'c', 'o'])
    return {
        'version': ring.version,
        'replicas': ring.replica_count,
        'devices': ring.devs,
        'rows': [list(row) for row in ring._replica2part2dev_id],
        'again': Ring(rewritten).md5,
        'codes': [written, validated],
        'balance': builder.get_balance(),
        'nodes': [line.split('\t')[1:] for line in nodes.splitlines()
                  if line.startswith(('Partition', 'Hash', 'Server:Port'))],
    }


def main(folder):
    warnings.simplefilter('ignore')
    utils.set_swift_dir(folder)
    for path in sorted(glob.glob(os.path.join(folder, '*.ring.gz'))):
        print(json.dumps(answer(folder, path)))


main(sys.argv[1])
