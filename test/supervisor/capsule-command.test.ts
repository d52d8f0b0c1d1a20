import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { CapsuleKey } from '../../src/capsule/signing.js';
import { useTempFolder } from '../support/temp-folder.js';
import { KEY, smallCapsule } from '../capsule/support.js';
import { MAIN, Supervised } from './support/supervised.js';

describe('ringway capsule verify', function () {
  this.timeout(60_000);
  const folder = useTempFolder('capsule');

  it('says by its exit code what is wrong, and names the file', async () => {
    const [file, keys] = [join(folder(), 'a.capsule'), join(folder(), 'keys')];
    await writeFile(file, await smallCapsule());
    await mkdir(keys);
    const verify = (...args: string[]) =>
      new Supervised(['capsule', 'verify', ...args], { cwd: folder(), main: MAIN }).ended;
    const whole = await verify(file);
    expect(whole.code, whole.stderr).to.equal(0);
    expect(whole.stdout).to.include('object: "AUTH_test/c/o"').and.include(KEY.id);

    const stranger = await verify(file, '--trusted-keys', keys);
    expect([stranger.code, stranger.stderr]).to.deep.equal([
      82,
      `ringway: key ${KEY.id} is none of ${keys}\n`,
    ]);
    await writeFile(join(keys, 'other.pem'), CapsuleKey.generate().publicPem);
    await writeFile(join(keys, 'mine.pem'), KEY.publicPem);
    expect(await verify(file, '--trusted-keys', keys)).to.include({ code: 0 });

    const changed = await smallCapsule();
    changed.write('j', changed.indexOf('hello'));
    await writeFile(file, changed);
    const altered = await verify(file);
    expect([altered.code, altered.stdout]).to.deep.equal([79, '']);
    expect(altered.stderr).to.include('body: its bytes are not those that were written');
    const missing = await verify(join(folder(), 'none'));
    expect([missing.code, missing.stdout]).to.deep.equal([66, '']);
  });
});
