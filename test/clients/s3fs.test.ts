import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { S3TestClient } from '../support/s3-client.js';
import { skipBecause } from '../support/skip.js';
import { until } from '../support/until.js';
import { hasFuse } from './fuse.js';
import { useBench } from './harness.js';

/** A size that s3fs moves, or changes the mode of, with a copy of parts: it must be above 20 MB. */
const LARGE_BYTES = 26 * 1024 * 1024;
const BUCKET = 'mounted';

describeWith([program('s3fs'), program('fusermount')], 'client: s3fs', function () {
  const bench = useBench(this);

  // It is unmounted before the service ends.
  describe('a mounted bucket', () => {
    let mount: ChildProcess | undefined;
    let at: string;

    before(async function () {
      if (!hasFuse()) skipBecause(this, 'the machine has no FUSE');
      const { folder, service } = bench();
      at = join(folder, 'mount');
      await mkdir(at);
      const passwords = join(folder, 'passwd-s3fs');
      await writeFile(passwords, `${service.accessKey}:${service.secretKey}`, { mode: 0o600 });
      const s3 = new S3TestClient(service);
      expect((await s3.put(`/${BUCKET}`)).status).to.equal(200);
      await s3.close();
      const options = [
        `passwd_file=${passwords}`,
        `url=${service.endpoint}`,
        'use_path_request_style',
        'endpoint=us-east-1',
        // Each look asks the service: another client may have written meanwhile.
        'stat_cache_expire=1',
      ];
      mount = spawn('s3fs', [BUCKET, at, '-f', '-o', options.join(',')], { stdio: 'ignore' });
      await until(() => isMounted(at));
    });

    after(async () => {
      if (mount === undefined) return;
      const ended = new Promise((resolve) => mount?.once('exit', resolve));
      await mustRun('fusermount', ['-u', at]);
      await ended;
    });

    it('writes, reads, lists, moves and removes files', async () => {
      await mkdir(join(at, 'folder'));
      await writeFile(join(at, 'folder/a'), 'small');
      await rename(join(at, 'folder/a'), join(at, 'folder/b c'));
      expect(await readdir(join(at, 'folder'))).to.deep.equal(['b c']);
      expect(await readFile(join(at, 'folder/b c'), 'utf8')).to.equal('small');
      await chmod(join(at, 'folder/b c'), 0o640);
      expect((await stat(join(at, 'folder/b c'))).mode & 0o777).to.equal(0o640);
      await rm(join(at, 'folder'), { recursive: true });
      expect(await readdir(at)).to.deep.equal([]);
    });

    it('changes the mode of a large file, moves it, and edits it in place', async () => {
      const large = randomBytes(LARGE_BYTES);
      await writeFile(join(at, 'large'), large);
      await chmod(join(at, 'large'), 0o600);
      await rename(join(at, 'large'), join(at, 'moved'));
      expect((await stat(join(at, 'moved'))).mode & 0o777).to.equal(0o600);
      const file = await open(join(at, 'moved'), 'r+');
      await file.write('edited', 10 * 1024 * 1024);
      await file.close();
      large.write('edited', 10 * 1024 * 1024);
      const s3 = new S3TestClient(bench().service);
      const stored = await s3.get(`/${BUCKET}/moved`);
      expect(stored.body.equals(large), 'what another client reads').to.equal(true);
      expect(stored.headers['x-amz-meta-mode']).to.equal(String(0o100_600));
      await s3.close();
    });
  });
});

function isMounted(at: string): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8');
  return mounts.split('\n').some((line) => line.split(' ')[1] === at && line.includes('fuse.s3fs'));
}
