import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { AccessLog, accessLine, type AccessEntry } from '../../src/telemetry/access-log.js';
import { eventually } from '../support/eventually.js';
import { useTempFolder } from '../support/temp-folder.js';

const ENTRY: AccessEntry = {
  time: '2026-01-15T10:30:00.000Z',
  request_id: 'tx0',
  remote: '192.0.2.7',
  requester: 'KEY',
  account: 'AUTH_main',
  bucket: 'photos',
  key: 'a/b',
  operation: 'GetObject',
  method: 'GET',
  status: 200,
  error_code: null,
  bytes_in: 0,
  bytes_out: 10,
  total_ms: 1.5,
  ttfb_ms: 1,
  backend_ms: 0.5,
  wait_ms: 0,
  aborted_by: null,
  listener: 1,
  user_agent: 'aws-cli/2',
};

describe('telemetry: access log', () => {
  const folder = useTempFolder('access-log');
  let file: string;

  beforeEach(() => {
    file = join(folder(), 'access.log');
  });

  function open(): AccessLog {
    const fail = (error: Error): void => {
      throw error;
    };
    return new AccessLog({ file, onDrop: () => undefined, onError: fail });
  }

  async function keys(name: string): Promise<string[]> {
    const lines = (await readFile(name, 'utf8')).split('\n');
    expect(lines.pop()).to.equal('');
    return lines.map((line) => (JSON.parse(line) as AccessEntry).key ?? '');
  }

  /** Until the log has begun `file` anew. */
  async function untilNew(): Promise<void> {
    await eventually(
      () => keys(file).catch(() => ['not there yet']),
      (found) => found.length === 0,
    );
  }

  it('is what was written, a JSON line each, however odd the key', () => {
    const key = 'new\nline "quoted" ü🎉 \u0000 \u2028';
    const line = accessLine({ ...ENTRY, key });
    expect(line.indexOf('\n')).to.equal(line.length - 1);
    expect(JSON.parse(line)).to.deep.equal({ ...ENTRY, key });
  });

  it('masks what a client has put in the wrong place, and shortens its name', () => {
    const signature = 'deadbeef'.repeat(8);
    const places = [
      `a?X-Amz-Credential=KEY&X-Amz-Signature=${signature}`,
      `a?AWSAccessKeyId=KEY&Signature=${signature}&Expires=1`,
      `a&X-Amz-Security-Token=${signature}`,
      `a?temp_url_sig=${signature}`,
    ];
    for (const place of places) {
      const line = accessLine({ ...ENTRY, key: place, user_agent: place });
      expect(line, place).to.include('=[secret]').and.not.include('deadbeef');
    }
    const { user_agent: agent } = JSON.parse(
      accessLine({ ...ENTRY, user_agent: 'x'.repeat(9000) }),
    ) as AccessEntry;
    expect(agent).to.equal('x'.repeat(256));
  });

  it('appends, and goes on with a new file when the old one was renamed', async () => {
    const first = open();
    first.write({ ...ENTRY, key: '1' });
    await first.close();
    const log = open();
    log.write({ ...ENTRY, key: '2' });
    await eventually(
      () => keys(file),
      (found) => found.length === 2,
    );
    await rename(file, `${file}.1`);
    log.reopen();
    await untilNew();
    log.write({ ...ENTRY, key: '3' });
    await log.close();
    expect(await keys(`${file}.1`)).to.deep.equal(['1', '2']);
    expect(await keys(file)).to.deep.equal(['3']);
  });

  it('keeps the lines of several writers whole', async () => {
    const logs = [open(), open(), open()];
    const long = 'k'.repeat(900);
    for (let i = 0; i < 2000; i++) logs[i % 3]?.write({ ...ENTRY, key: `${i}-${long}` });
    await Promise.all(logs.map((log) => log.close()));
    const found = (await keys(file)).map((key) => Number(key.split('-')[0]));
    expect(found.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 2000 }, (_, i) => i));
  });

  it('lets the process end when the disk is full', () => {
    const module = new URL('../../src/telemetry/access-log.js', import.meta.url).href;
    const script = `
      import { AccessLog } from ${JSON.stringify(module)};
      const onError = ({ code }) => process.stdout.write(code + ' ');
      const log = new AccessLog({ file: '/dev/full', onDrop() {}, onError });
      log.write(${JSON.stringify(ENTRY)});
      await log.close();
      process.stdout.write('closed', () => process.exit(0));`;
    const { stdout, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { timeout: 30_000, killSignal: 'SIGKILL' },
    );
    expect(stdout.toString()).to.equal('ENOSPC closed');
    expect(status).to.equal(0);
  });

  it('goes on after a rotation that found no folder, and closes no file twice', async () => {
    const errors: (string | undefined)[] = [];
    const onError = (error: NodeJS.ErrnoException): void => {
      errors.push(error.code);
    };
    await mkdir(join(folder(), 'a'));
    file = join(folder(), 'a', 'access.log');
    const log = new AccessLog({ file, onDrop: () => undefined, onError });
    log.write({ ...ENTRY, key: '1' });
    await eventually(
      () => keys(file),
      (found) => found.length === 1,
    );
    await rename(join(folder(), 'a'), join(folder(), 'b'));
    log.reopen();
    await eventually(
      () => Promise.resolve(errors.length),
      (count) => count === 1,
    );
    log.write({ ...ENTRY, key: '2' });
    await eventually(
      () => keys(join(folder(), 'b', 'access.log')),
      (found) => found.length === 2,
    );
    await mkdir(join(folder(), 'a'));
    log.reopen();
    await untilNew();
    log.write({ ...ENTRY, key: '3' });
    await log.close();
    expect(await keys(file)).to.deep.equal(['3']);
    expect(errors).to.deep.equal(['ENOENT']);
  });

  it('goes on when the reader of a pipe is gone and comes back, and counts what is lost', async () => {
    expect(spawnSync('mkfifo', [file]).status).to.equal(0);
    let reader = openPipe(file);
    const errors: (string | undefined)[] = [];
    let dropped = 0;
    const log = new AccessLog({
      file,
      onDrop: () => (dropped += 1),
      onError: ({ code }: NodeJS.ErrnoException) => errors.push(code),
    });
    const arrives = async (key: string): Promise<void> => {
      let text = '';
      await eventually(
        () => Promise.resolve((text += readPipe(reader))),
        () => text.includes(`"key":"${key}"`),
      );
    };
    log.write({ ...ENTRY, key: 'before' });
    await arrives('before');
    closeSync(reader);
    log.write({ ...ENTRY, key: 'kept' });
    await eventually(
      () => Promise.resolve(errors),
      () => errors.length > 0,
    );
    const long = 'k'.repeat(1024 * 1024);
    for (let i = 0; i < 10; i++) log.write({ ...ENTRY, key: long });
    expect(dropped).to.be.within(1, 9);
    reader = openPipe(file);
    await arrives('kept');
    expect(errors).to.deep.equal(['EPIPE']);
    // The rest has nobody to wait for: a pipe takes it 64 KiB at a time.
    closeSync(reader);
    await log.close();
  });

  it('refuses a file that cannot be opened', () => {
    file = join(folder(), 'no', 'such', 'folder');
    expect(open).to.throw('ENOENT');
  });
});

/** A reader that waits neither for a writer nor for what it writes. */
function openPipe(file: string): number {
  return openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
}

function readPipe(fd: number): string {
  const bytes = Buffer.alloc(64 * 1024);
  try {
    return bytes.toString('latin1', 0, readSync(fd, bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
    throw error;
  }
}
