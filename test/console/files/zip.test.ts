import { expect } from 'chai';
import { ZipNames } from '../../../console/surfaces/files/zip-names.js';
import { useOnce } from '../../support/fixture.js';
import { startTestBed } from '../support/console.js';
import { ALL_EDGE_NAMES } from './edge-names.js';
import { makeContainer, ok, query, unique, upload, zipTicket } from './support.js';
import { entriesOf } from './zip-reader.js';

describe('console zip', () => {
  const bed = useOnce(startTestBed, 'close');
  const client = useOnce(() => bed().login());
  const container = unique('c');

  before(async () => {
    await makeContainer(client(), container);
    for (const name of ALL_EDGE_NAMES) await ok(upload(client(), container, name, name), 201);
  });

  it('packs edge names so that nothing leaves its folder, and says what they were', async () => {
    const path = await zipTicket(client(), { container, names: ALL_EDGE_NAMES });
    const answer = await ok(client().get(path), 200);
    const names = entriesOf(answer.bytes);
    expect(names.size).to.equal(ALL_EDGE_NAMES.length + 1);
    expect(names).to.include.keys(['a/_dot_dot_/b', 'a/b', 'lead', '_names.json']);
    expect(answer.headers['content-disposition']).to.equal(
      `attachment; filename*=UTF-8''${container}.zip`,
    );
  });

  it('gives a ticket for one download, to its own session', async () => {
    const path = await zipTicket(client(), { container, names: ['/lead'] });
    const other = await bed().login();
    expect((await other.get(path)).status).to.equal(404);
    expect((await client().get(path)).status).to.equal(404);
  });

  it('cuts the archive when an object is missing, so that it is not taken for whole', async () => {
    const path = await zipTicket(client(), { container, names: ['/lead', 'missing'] });
    const events = client().events('/api/events?topics=zip');
    await events.next();
    const outcome = await client()
      .get(path)
      .catch(() => 'cut');
    expect(outcome).to.equal('cut');
    for await (const { event, data } of events) {
      if (event !== 'zip') continue;
      expect(data).to.deep.equal({
        container,
        message: 'The object does not exist.',
        object: 'missing',
      });
      break;
    }
  });

  it('packs folders', async () => {
    const path = await zipTicket(client(), { container, prefixes: ['a/'] });
    expect(entriesOf((await ok(client().get(path))).bytes).size).to.equal(4);
    expect((await client().get(`/api/files/objects?${query({ container })}`)).status).to.equal(200);
  });

  it('gives no two entries one name, not even where case does not count', () => {
    const names = new ZipNames();
    const given = ['a/b.txt', 'A/B.txt', 'a//b.txt', '..', ''].map((name) => names.nameFor(name));
    expect(given).to.deep.equal(['a/b.txt', 'A/B (2).txt', 'a/b (3).txt', '_dot_dot_', '_']);
  });

  it('makes no name a file and a folder, whichever comes first', () => {
    const names = new ZipNames();
    const given = ['f', 'F/x', 'd/x', 'd', '_names.json'].map((name) => names.nameFor(name));
    expect(given).to.deep.equal(['f', 'F (2)/x', 'd/x', 'd (2)', '_names (2).json']);
    expect(names.changed).to.deep.equal({
      'F (2)/x': 'F/x',
      'd (2)': 'd',
      '_names (2).json': '_names.json',
    });
    const folderFirst = new ZipNames();
    const other = ['F/x', 'f', 'f/y'].map((name) => folderFirst.nameFor(name));
    expect(other).to.deep.equal(['F/x', 'f (2)', 'f/y']);
  });

  it('gives no name that Windows cannot have, or makes another one of', () => {
    const names = new ZipNames();
    const given = ['CON', 'd/nul.txt', 'com1/x', 'console', 'end ', 'dots..', 'a<b>|c?.txt'];
    expect(given.map((name) => names.nameFor(name))).to.deep.equal([
      '_CON',
      'd/_nul.txt',
      '_com1/x',
      'console',
      'end_',
      'dots__',
      'a_b__c_.txt',
    ]);
    expect(names.changed).to.include({ _CON: 'CON', end_: 'end ' });
  });

  it('shortens what no file system takes as one name, each to its own', () => {
    const names = new ZipNames();
    const long = ['é'.repeat(500), `${'é'.repeat(500)}x`].map((name) => names.nameFor(`d/${name}`));
    for (const name of long) expect(Buffer.byteLength(name)).to.be.within(200, 255);
    expect(new Set(long).size).to.equal(2);
  });
});
