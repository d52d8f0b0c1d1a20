import { expect } from 'chai';
import { ZipNames } from '../../../console/surfaces/files/zip-names.js';
import type { ConsoleClient } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { EDGE_NAMES, makeContainer, ok, query, upload } from './support.js';

const CENTRAL_ENTRY = 0x02014b50;
const CENTRAL_ENTRY_BYTES = 46;
const END = 0x06054b50;

/** The names in an archive's directory; nothing for one that was cut. */
function entriesOf(archive: Buffer): string[] {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1 || archive.readUInt32LE(end) !== END) return [];
  const names: string[] = [];
  let at = archive.readUInt32LE(end + 16);
  while (archive.readUInt32LE(at) === CENTRAL_ENTRY) {
    const length = archive.readUInt16LE(at + 28);
    const rest = archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    names.push(
      archive.toString('utf8', at + CENTRAL_ENTRY_BYTES, at + CENTRAL_ENTRY_BYTES + length),
    );
    at += CENTRAL_ENTRY_BYTES + length + rest;
  }
  return names;
}

describe('console zip', () => {
  let bed: TestBed;
  let client: ConsoleClient;

  before(async () => {
    bed = await startTestBed();
    client = await bed.login();
    await makeContainer(client, 'c');
    for (const name of EDGE_NAMES) await ok(upload(client, 'c', name, name), 201);
  });

  after(() => bed.close());

  const fetchZip = async (body: object) => {
    const { ticket } = (await ok(client.post('/api/files/zip', body))).json() as { ticket: string };
    return { path: `/api/files/zip/${ticket}` };
  };

  it('packs edge names so that nothing leaves its folder, and says what they were', async () => {
    const { path } = await fetchZip({ container: 'c', names: EDGE_NAMES });
    const answer = await ok(client.get(path), 200);
    const names = entriesOf(answer.bytes);
    expect(names).to.have.length(EDGE_NAMES.length + 1);
    expect(names).to.include.members(['a/_dot_dot_/b', 'a/b', 'lead', '_names.json']);
    expect(answer.headers['content-disposition']).to.equal("attachment; filename*=UTF-8''c.zip");
  });

  it('gives a ticket for one download, to its own session', async () => {
    const { path } = await fetchZip({ container: 'c', names: ['/lead'] });
    const other = await bed.login();
    expect((await other.get(path)).status).to.equal(404);
    expect((await client.get(path)).status).to.equal(404);
  });

  it('cuts the archive when an object is not there: nobody takes it for whole', async () => {
    const { path } = await fetchZip({ container: 'c', names: ['/lead', 'missing'] });
    const outcome = await client.get(path).catch(() => 'cut');
    expect(outcome).to.equal('cut');
  });

  it('packs folders', async () => {
    const { path } = await fetchZip({ container: 'c', prefixes: ['a/'] });
    expect(entriesOf((await ok(client.get(path))).bytes)).to.have.length(4);
    expect((await client.get(`/api/files/objects?${query({ container: 'c' })}`)).status).to.equal(
      200,
    );
  });

  it('gives no two entries one name, not even where case does not count', () => {
    const names = new ZipNames();
    const given = ['a/b.txt', 'A/B.txt', 'a//b.txt', '..', ''].map((name) => names.nameFor(name));
    expect(given).to.deep.equal(['a/b.txt', 'A/B (2).txt', 'a/b (3).txt', '_dot_dot_', '_']);
  });
});
