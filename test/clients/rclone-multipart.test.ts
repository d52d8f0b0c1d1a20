import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { writeBigFile } from './material.js';
import { useRclone } from './programs.js';
import { Companion } from '../integration/companion.js';
import { eventually } from '../support/eventually.js';

const FILE_BYTES = 33 * 1024 * 1024;

describeWith([program('rclone')], 'client: rclone, multipart', function () {
  const bench = useBench(this, { config: { segment_grace_ms: 50, janitor_interval_ms: 0 } });
  const rclone = useRclone(bench, {
    // Its defaults begin at 200 MiB; the parts are of its default size.
    upload_cutoff: '8M',
    copy_cutoff: '8M',
  });

  before(async () => {
    await writeBigFile(join(bench().folder, 'source', 'file'), FILE_BYTES);
  });

  it('uploads in parts, and finds every byte again', async () => {
    await rclone('copy', 'source', 'rw:parts/up');
    const check = await rclone('check', '--download', 'source', 'rw:parts/up');
    expect(check.stderr).to.contain(': 0 differences found');
  });

  it('finds nothing to do when it copies again: times and checksums are kept', async () => {
    const again = await rclone('copy', '--checksum', '-v', 'source', 'rw:parts/up');
    expect(again.stderr).to.contain('There was nothing to transfer');
  });

  it('copies in parts on the service', async () => {
    await rclone('copy', 'rw:parts/up', 'rw:parts/copy');
    await rclone('check', '--download', 'source', 'rw:parts/copy');
  });

  it('lists and cleans up what was left open, and leaves nothing when it deletes', async () => {
    const listed = await rclone('backend', 'list-multipart-uploads', 'rw:parts');
    expect(JSON.parse(listed.stdout)).to.deep.equal({ parts: [] });
    await rclone('backend', 'cleanup', '-o', 'max-age=0', 'rw:parts');
    await rclone('purge', 'rw:parts/up');
    await rclone('purge', 'rw:parts/copy');
    const companion = await Companion.open(bench().service);
    try {
      await eventually(
        () => companion.names('parts'),
        (names) => names.length === 0,
      );
    } finally {
      await companion.close();
    }
  });
});
