import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { REPLACE, RESTORE } from '../../../console/surfaces/users/scripts.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

/** A `cp` behind which another user puts links in the places of what it has made. */
const CP = `#!/bin/sh
set -e
for last; do :; done
ln -sf "$VICTIM" "$last"
PATH=\${PATH#*:} cp "$@"
case $last in *.ringway-new) rm -f "$last"; ln -s "$VICTIM" "$last";; esac
`;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('users: the scripts on a proxy, where others may write to the folder', () => {
  for (const name of ['replace', 'restore']) {
    it(`${name} writes through no link`, async () => {
      const folder = await makeTempFolder('users-scripts');
      const conf = join(folder, 'proxy-server.conf');
      const victim = join(folder, 'victim');
      await mkdir(join(folder, 'bin'));
      await writeFile(join(folder, 'bin/cp'), CP);
      await chmod(join(folder, 'bin/cp'), 0o755);
      await writeFile(victim, 'precious');
      await writeFile(conf, 'before');
      await writeFile(`${conf}.bak-stamp`, 'older');
      const [script, args, input] =
        name === 'replace'
          ? [REPLACE, [digest('before'), digest('after'), 'stamp', '0'], 'after']
          : [RESTORE, [digest('older'), digest('before'), 'stamp'], ''];
      const { status } = spawnSync('sh', ['-c', script, 'sh', conf, ...args], {
        input,
        env: { PATH: `${folder}/bin:${process.env.PATH ?? ''}`, VICTIM: victim },
      });
      expect(status).not.to.equal(0);
      expect(await readFile(victim, 'utf8')).to.equal('precious');
      expect(await readFile(conf, 'utf8')).to.equal('before');
      expect(await readdir(folder)).not.to.include('proxy-server.conf.ringway-new');
      await removeFolder(folder);
    });
  }
});
