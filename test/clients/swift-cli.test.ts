import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { mustRun, runProgram } from '../support/programs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { startApi } from '../swift-api/support/api.js';

/** Guards, no measurement: each call starts Python anew. */
const LIMIT_MS = 5 * 60_000;

describeWith([program('swift')], 'python-swiftclient on the Swift API of the store', function () {
  this.timeout(LIMIT_MS);
  const api = useOnce(
    () => startApi(),
    async (started) => {
      await started.close();
      expect(started.errors).to.deep.equal([]);
    },
  );
  const folder = useTempFolderOnce('swift-cli');

  function options() {
    const env = { ST_AUTH: `${api().origin}/auth/v1.0`, ST_USER: 'test:tester', ST_KEY: 'testing' };
    return { cwd: folder(), env };
  }

  async function swift(...args: readonly string[]): Promise<string> {
    return (await mustRun('swift', args, options())).stdout;
  }

  it('uploads, lists, shows, changes, copies, downloads and deletes', async () => {
    await writeFile(join(folder(), 'one.txt'), 'one');
    await swift('post', 'box', '-H', 'X-Container-Meta-Colour: red', '-r', '.r:*');
    await swift('upload', 'box', 'one.txt', '-H', 'X-Object-Meta-A: b');
    expect(await swift('list')).to.equal('box\n');
    expect(await swift('list', 'box', '--lh')).to.match(/one\.txt/);
    expect(await swift('stat')).to.match(/Containers: 1\n/);
    expect(await swift('stat', 'box'))
      .to.match(/Read ACL: \.r:\*/)
      .and.to.match(/Colour: red/);
    await swift('post', 'box', 'one.txt', '-m', 'Kind:note');
    const stat = await swift('stat', 'box', 'one.txt');
    expect(stat)
      .to.match(/Meta Kind: note/)
      .and.to.not.match(/Meta A:/);
    await swift('copy', 'box', 'one.txt', '-d', '/box/two.txt');
    await swift('download', 'box', 'two.txt', '-o', 'back.txt');
    expect(await readFile(join(folder(), 'back.txt'), 'utf8')).to.equal('one');
    await swift('delete', 'box', 'one.txt', 'two.txt');
    expect(await swift('list', 'box')).to.equal('');
    await swift('delete', 'box');
    expect((await runProgram('swift', ['stat', 'box'], options())).code).to.not.equal(0);
  });

  it('uploads in segments, from a file and from a pipe, and takes all away again', async () => {
    const bytes = Buffer.alloc(5_000_000, 'segment!');
    await writeFile(join(folder(), 'large'), bytes);
    const inSegments = ['upload', 'box', 'large', '--segment-size', '2000000'];
    await swift(...inSegments, '--use-slo');
    expect(await swift('stat', 'box', 'large')).to.match(/Content Length: 5000000/);
    await swift(...inSegments, '--use-slo', '--skip-identical');
    await swift('download', 'box', 'large', '-o', 'large.back');
    expect((await readFile(join(folder(), 'large.back'))).equals(bytes)).to.equal(true);
    const piped = { ...options(), input: bytes.toString() };
    await mustRun('swift', ['upload', 'box', '-', '--object-name', 'piped'], piped);
    expect(await swift('stat', 'box', 'piped')).to.match(/Content Length: 5000000/);
    const dynamic = [...inSegments, '--object-name', 'dynamic'];
    // Older clients make dynamic ones unless told otherwise.
    await swift(...dynamic, '--use-dlo').catch(() => swift(...dynamic));
    await swift('download', 'box', 'dynamic', '-o', 'dynamic.back');
    expect((await readFile(join(folder(), 'dynamic.back'))).equals(bytes)).to.equal(true);
    await swift('delete', 'box');
    expect((await swift('list', 'box_segments')).split('\n').length).to.be.lessThan(3);
  });

  it('makes TempURLs that open', async () => {
    await writeFile(join(folder(), 'shared'), 'for you');
    await swift('upload', 'box', 'shared');
    await swift('post', '-m', 'Temp-URL-Key:a key');
    const target = '/v1/AUTH_test/box/shared';
    for (const digest of ['sha256', 'sha512']) {
      const args = ['tempurl', 'GET', '60', target, 'a key', '--digest', digest];
      const path = (await swift(...args)).trim();
      const answer = await fetch(api().origin + path);
      expect(await answer.text(), digest).to.equal('for you');
    }
  });
});
