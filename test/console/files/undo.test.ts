import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { expectRefused } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import {
  download,
  job,
  list,
  listTrash,
  makeContainer,
  ok,
  query,
  unique,
  upload,
  type JobResult,
} from './support.js';

describe('console undo', () => {
  const bed = useOnce(startTestBed, 'close');
  const client = useOnce(() => bed().login());
  let container: string;

  beforeEach(async () => {
    container = unique('undo');
    await makeContainer(client(), container);
    for (const name of ['o', 'f/1', 'f/g/2']) await put(name, name);
  });

  const put = (name: string, text: string) =>
    ok(upload(client(), container, name, text, { overwrite: '1' }), 201);
  const run = (what: string, body: object) =>
    job(client(), `/api/files/${what}`, { container, ...body });
  const undo = ({ id }: JobResult) => job(client(), '/api/files/undo', { job_id: id });
  const move = (name: string, toName: string, more: object = {}) =>
    run('move', { to_container: container, items: [{ name, to_name: toName }], ...more });
  const read = async (name: string) => {
    const answer = await download(client(), container, name);
    return answer.status === 200 ? answer.text : answer.status;
  };
  const names = async () => {
    const { items } = await list(client(), container, { delimiter: '' });
    return items.map(({ name }) => name);
  };
  const trash = async () => (await listTrash(client(), container)).map(({ name }) => name).sort();

  it('brings back a folder that was moved to the trash, once', async () => {
    const done = await run('delete', { prefixes: ['f/'], mode: 'trash' });
    expect(done.result.undoable).to.equal(2);
    expect(await names()).to.deep.equal(['o']);
    expect((await undo(done)).result).to.include({ succeeded: 2, failed: 0 });
    expect(await names()).to.deep.equal(['f/1', 'f/g/2', 'o']);
    expect(await trash()).to.deep.equal([]);
    await expectRefused(client().post('/api/files/undo', { job_id: done.id }), 404, 'not_found');
  });

  it('writes over nothing that has the old name by now', async () => {
    const trashed = await run('delete', { names: ['o'], mode: 'trash' });
    const renamed = await move('f/1', 'f/one');
    await put('o', 'of another');
    await put('f/1', 'of another');
    expect((await undo(trashed)).result.failures.map(({ code }) => code)).to.deep.equal([
      'restore_target_exists',
    ]);
    expect((await undo(renamed)).result.failures.map(({ code }) => code)).to.deep.equal(['exists']);
    for (const name of ['o', 'f/1']) expect(await read(name)).to.equal('of another');
    expect(await read('f/one')).to.equal('f/1');
    expect(await trash()).to.deep.equal(['o']);
  });

  it('takes nothing away that was written under the new name since then', async () => {
    const moved = await move('f/', 'moved/');
    await put('moved/1', 'of another');
    const { result } = await undo(moved);
    expect(result.failures.map(({ name, code }) => [name, code])).to.deep.equal([
      ['moved/1', 'conflict'],
    ]);
    expect(await names()).to.deep.equal(['f/g/2', 'moved/1', 'o']);
    expect(await read('moved/1')).to.equal('of another');
  });

  it('moves what was restored to the trash again, as it was restored', async () => {
    await run('delete', { prefixes: ['f/'], mode: 'trash' });
    const restored = await run('trash/restore', { prefixes: [''] });
    expect(restored.result).to.include({ succeeded: 2, undoable: 2 });
    await put('f/1', 'of another');
    const { result } = await undo(restored);
    expect(result.failures.map(({ code }) => code)).to.deep.equal(['conflict']);
    expect(await names()).to.deep.equal(['f/1', 'o']);
    expect(await trash()).to.deep.equal(['f/g/2']);
  });

  it('offers nothing where something was replaced, which would not come back', async () => {
    const replaced = await move('o', 'f/1', { overwrite: true });
    expect(replaced.result).to.include({ succeeded: 1 });
    expect(replaced.result.undoable).to.equal(undefined);
  });

  it('puts back what changed places', async () => {
    const items = [
      { name: 'o', to_name: 'f/1' },
      { name: 'f/1', to_name: 'o' },
    ];
    const swapped = await run('move', { to_container: container, items });
    expect([await read('o'), await read('f/1')]).to.deep.equal(['f/1', 'o']);
    expect((await undo(swapped)).result.failed).to.equal(0);
    expect([await read('o'), await read('f/1')]).to.deep.equal(['o', 'f/1']);
  });

  it('is for the session that did it', async () => {
    const done = await run('delete', { names: ['o'], mode: 'trash' });
    const other = await bed().login();
    const refused = await other.post('/api/files/undo', { job_id: done.id });
    expect(refused.status).to.equal(404);
    expect((await undo(done)).result.succeeded).to.equal(1);
  });

  it('lists the trash by folders, and restores one as a folder, each name as it was last', async () => {
    await run('delete', { names: ['o'], prefixes: ['f/'], mode: 'trash' });
    bed().clock.nowMs += 1000;
    await put('f/1', 'newer');
    await run('delete', { names: ['f/1'], mode: 'trash' });
    const place = query({ container, by: 'folder' });
    const view: { folders: { name: string; objects: number; bytes: number }[]; items: object[] } = (
      await ok(client().get(`/api/files/trash?${place}`), 200)
    ).json();
    expect(view.folders.map(({ name, objects, bytes }) => [name, objects, bytes])).to.deep.equal([
      ['f/', 3, 'f/1f/g/2newer'.length],
    ]);
    expect(view.items).to.have.length(1);
    const restored = await run('trash/restore', { prefixes: ['f/'] });
    expect(restored.result).to.include({ succeeded: 2, failed: 0 });
    expect([await read('f/1'), await read('f/g/2')]).to.deep.equal(['newer', 'f/g/2']);
    expect(await trash()).to.deep.equal(['f/1', 'o']);
  });

  it('empties the trash of what is in it by then', async () => {
    await run('delete', { prefixes: ['f/'], mode: 'trash' });
    bed().clock.nowMs += 1000;
    await run('delete', { names: ['o'], mode: 'trash' });
    bed().clock.nowMs -= 500;
    const emptied = await run('trash/purge', { prefixes: [''] });
    expect(emptied.result).to.include({ succeeded: 2, failed: 0 });
    expect(await trash()).to.deep.equal(['o']);
  });

  it('says how much a folder holds', async () => {
    const sizeOf = (prefix: string) =>
      client().read(`/api/files/folder?${query({ container, prefix })}`);
    expect(await sizeOf('f/')).to.deep.equal({ objects: 2, bytes: 8, next_marker: null });
    expect(await sizeOf('')).to.deep.equal({ objects: 3, bytes: 9, next_marker: null });
    expect(await sizeOf('x/')).to.deep.equal({ objects: 0, bytes: 0, next_marker: null });
  });
});
