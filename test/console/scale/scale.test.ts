import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { SwiftAccount } from '../../../console/swift/account.js';
import { parseUpstream } from '../../../console/swift/address.js';
import { swiftLogin } from '../../../console/swift/login.js';
import { Upstream } from '../../../console/swift/upstream.js';
import { useOnce } from '../../support/fixture.js';
import { describeWith, program } from '../../support/needs.js';
import { mustRun } from '../../support/programs.js';
import { list, makeContainer, zipTicket, type Listed } from '../files/support.js';
import type { ConsoleClient } from '../support/client.js';
import { startConsoleProcess, type ConsoleProcess } from '../support/process.js';
import { openTestStore } from '../support/store.js';

/** With RINGWAY_LARGE=1, what an operator may have: a quarter of a million objects, 10 GiB. */
const IS_LARGE = process.env.RINGWAY_LARGE === '1';
const OBJECTS = IS_LARGE ? 250_000 : 2000;
const PAGE = IS_LARGE ? 1000 : 100;
const MIB = 1024 ** 2;
const PIECE_BYTES = (IS_LARGE ? 64 : 8) * MIB;
const ZIP_PIECES = IS_LARGE ? 160 : 32;
/** The limit of the archive's memory: the same, however large it is. */
const GROWTH_BYTES_MAX = 100 * MIB;
const AT_ONCE = 32;

describeWith([program('python3')], 'console files at scale', function () {
  this.timeout(IS_LARGE ? 3_600_000 : 120_000);
  const store = useOnce(openTestStore, 'close');
  const upstream = useOnce(() => new Upstream(parseUpstream(store().origin)), 'close');
  let account: SwiftAccount;
  let console: ConsoleProcess;
  let client: ConsoleClient;

  before(async () => {
    const auth = new Upstream(parseUpstream(store().authUrl));
    const login = () => swiftLogin(auth, 'test:tester', 'testing');
    account = new SwiftAccount({ store: upstream(), token: await login(), login, now: Date.now });
    auth.close();
    console = await startConsoleProcess(store());
    client = await console.login();
  });

  after(async () => {
    await console.end();
  });

  it('pages through all objects, forward and back, each once and in order', async () => {
    await makeContainer(client, 'many');
    const names = Array.from({ length: OBJECTS }, (_, i) => `o-${String(i).padStart(7, '0')}`);
    const waiting = names.values();
    const lane = async () => {
      for (const object of waiting) {
        await account.do([201], 'PUT', { container: 'many', object, body: '' });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    console.resetPeak();
    const before = console.memory().now;

    const forward: string[] = [];
    let page: Listed | undefined;
    let marker: string | null = '';
    while (marker !== null) {
      page = await list(client, 'many', { limit: PAGE, marker });
      forward.push(...page.items.map(({ name }) => name));
      marker = page.next_marker;
    }
    expect(forward).to.deep.equal(names);
    const last: string = forward.at(-1) ?? '';
    const back = await list(client, 'many', { limit: PAGE, reverse: 1, marker: last });
    expect(back.items.map(({ name }) => name)).to.deep.equal(names.slice(-PAGE - 1, -1));
    expect(console.memory().peak - before).to.be.below(GROWTH_BYTES_MAX);
  });

  it('packs what is much larger than its memory into an archive that is whole', async () => {
    await makeContainer(client, 'large');
    const body = Buffer.alloc(PIECE_BYTES, 'what an archive repeats ');
    const etag = createHash('md5').update(body).digest('hex');
    await account.do([201], 'PUT', { container: 'large', object: 'piece', body });
    const piece = { path: '/large/piece', etag, size_bytes: PIECE_BYTES };
    for (const [object, pieces] of [
      ['a', 1],
      ['b', ZIP_PIECES - 1],
    ] as const) {
      const manifest = JSON.stringify(Array.from({ length: pieces }, () => piece));
      const query = { 'multipart-manifest': 'put' };
      await account.do([201], 'PUT', { container: 'large', object, query, body: manifest });
    }
    const path = await zipTicket(client, { container: 'large', names: ['a', 'b'] });
    const file = join(tmpdir(), `ringway-${process.pid}.zip`);
    try {
      console.resetPeak();
      const before = console.memory().now;
      await download(client, path, file);
      expect(console.memory().peak - before).to.be.below(GROWTH_BYTES_MAX);
      const test = await mustRun('python3', ['-c', TEST_ARCHIVE, file]);
      expect(JSON.parse(test.stdout)).to.deep.equal({
        damaged: null,
        sizes: { a: PIECE_BYTES, b: (ZIP_PIECES - 1) * PIECE_BYTES },
      });
    } finally {
      await rm(file, { force: true });
    }
  });
});

/** Reads every entry, and compares it with its checksum. */
const TEST_ARCHIVE = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
print(json.dumps({'damaged': archive.testzip(), 'sizes': sizes}))
`;

async function download(client: ConsoleClient, path: string, file: string): Promise<void> {
  const headers = { host: `127.0.0.1:${client.port}`, cookie: client.cookie };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: client.port, path, headers, agent: false };
    http.get(options, resolve).on('error', reject);
  });
  expect(response.statusCode).to.equal(200);
  await pipeline(response, createWriteStream(file));
}
