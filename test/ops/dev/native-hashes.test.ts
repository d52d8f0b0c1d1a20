import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { loadTool } from './tools.js';

const { platform, arch, versions } = process;
const NAME = `uws_${platform}_${arch}_${versions.modules}.node`;

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('the recorded hashes of the HTTP library', () => {
  const tool = useOnce(() => loadTool('lib/native-hashes.mjs'));
  const folder = useTempFolder('native-hashes');

  beforeEach(async () => {
    await mkdir(join(folder(), 'dist/bin'), { recursive: true });
  });

  it('are those of the binary that is installed here', () => {
    expect(tool().checkNativeBinary).not.to.throw();
  });

  it('name the binaries for every Node that is served', () => {
    const hashes = JSON.parse(readFileSync('ops/dev/native-hashes.json', 'utf8')) as object;
    for (const modules of ['115', '127', '137', '141']) {
      expect(hashes)
        .to.have.property(`uws_linux_x64_${modules}.node`)
        .that.matches(/^[0-9a-f]{64}$/);
    }
  });

  it('are of the package that serves a Node', () => {
    expect(tool().libraryFor('127')).to.match(/node_modules\/uWebSockets\.js$/);
    expect(tool().libraryFor('137')).to.match(/node_modules\/@btc-vision\/uwebsockets\.js$/);
    expect(() => tool().libraryFor('147')).to.throw('no HTTP library for modules of 147');
  });

  it('refuse another binary, with a line that has its name and both hashes', async () => {
    const path = join(folder(), NAME);
    await writeFile(path, 'changed');
    const recorded = { [NAME]: sha256('original') };
    expect(() => {
      tool().checkNativeBinary(path, recorded);
    })
      .to.throw(Error)
      .with.property('message')
      .that.equals(
        `${path} is not the binary that was recorded (docs/dependencies.md): ` +
          `SHA-256 expected: ${sha256('original')}; found: ${sha256('changed')}`,
      );
  });

  it('refuse a binary that they do not name, and one that is missing', async () => {
    const path = join(folder(), NAME);
    expect(() => {
      tool().checkNativeBinary(path, {});
    }).to.throw(/^.* is missing: the HTTP library is not built for this platform and Node$/);
    await writeFile(path, 'new');
    expect(() => {
      tool().checkNativeBinary(path, {});
    }).to.throw(
      /expected: none, as ops\/dev\/native-hashes\.json does not name it; found: \w{64}$/,
    );
  });

  it('are of the file in the place that either package has for it', async () => {
    expect(basename(tool().nativeBinary(folder()))).to.equal(NAME);
    await writeFile(join(folder(), NAME), 'of the project itself');
    expect(tool().nativeBinary(folder())).to.equal(join(folder(), NAME));
    await writeFile(join(folder(), 'dist/bin', NAME), 'of uws-pack');
    expect(tool().nativeBinary(folder())).to.equal(join(folder(), 'dist/bin', NAME));
  });

  it('are recorded from what is installed, for the versions of Node that are served', async () => {
    const record = join(folder(), 'hashes.json');
    const newer = join(folder(), 'newer');
    await mkdir(newer);
    const names = ['115', '127', '137', '108'].map((modules) => `uws_linux_x64_${modules}.node`);
    for (const name of [...names, 'index.mjs']) {
      await writeFile(join(folder(), 'dist/bin', name), name);
      await writeFile(join(newer, name), `newer ${name}`);
    }
    tool().recordNativeBinaries([folder(), newer], record);
    expect(readFileSync(record, 'utf8')).to.equal(
      [
        '{',
        `  "uws_linux_x64_115.node": "${sha256('uws_linux_x64_115.node')}",`,
        `  "uws_linux_x64_127.node": "${sha256('uws_linux_x64_127.node')}",`,
        `  "uws_linux_x64_137.node": "${sha256('newer uws_linux_x64_137.node')}"`,
        '}',
        '',
      ].join('\n'),
    );
  });
});
