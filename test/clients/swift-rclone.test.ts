import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { startApi } from '../swift-api/support/api.js';

/** A guard, no measurement. */
const LIMIT_MS = 5 * 60_000;

describeWith([program('rclone')], 'rclone on the Swift API of the store', function () {
  this.timeout(LIMIT_MS);
  const api = useOnce(
    () => startApi(),
    async (started) => {
      await started.close();
      expect(started.errors).to.deep.equal([]);
    },
  );
  const folder = useTempFolderOnce('swift-rclone');

  before(async () => {
    await mkdir(join(folder(), 'tree/deep'), { recursive: true });
    await writeFile(join(folder(), 'tree/small'), 'small');
    await writeFile(join(folder(), 'tree/deep/grüße ☃'), 'named');
    await writeFile(join(folder(), 'tree/large'), Buffer.alloc(5_000_000, 'rclone'));
  });

  async function rclone(...args: readonly string[]): Promise<string> {
    const env = {
      RCLONE_CONFIG: join(folder(), 'rclone.conf'),
      RCLONE_CONFIG_ST_TYPE: 'swift',
      RCLONE_CONFIG_ST_AUTH: `${api().origin}/auth/v1.0`,
      RCLONE_CONFIG_ST_USER: 'test:tester',
      RCLONE_CONFIG_ST_KEY: 'testing',
      RCLONE_CONFIG_ST_CHUNK_SIZE: '2M',
    };
    return (await mustRun('rclone', args, { cwd: folder(), env })).stdout;
  }

  it('syncs a tree there and back, checks it, and purges it', async () => {
    await rclone('sync', 'tree', 'st:box/tree');
    expect((await rclone('lsf', '-R', 'st:box/tree')).split('\n').sort()).to.deep.equal(
      ['', 'deep/', 'deep/grüße ☃', 'large', 'small'].sort(),
    );
    await rclone('check', 'tree', 'st:box/tree');
    await rclone('sync', 'st:box/tree', 'back');
    await rclone('check', '--download', 'back', 'st:box/tree');
    await rclone('copyto', 'st:box/tree/small', 'st:box/copy');
    expect(await rclone('cat', 'st:box/copy')).to.equal('small');
    await rclone('moveto', 'st:box/copy', 'st:box/moved');
    expect(await rclone('lsf', 'st:box')).to.equal('moved\ntree/\n');
    await rclone('purge', 'st:box');
  });
});
