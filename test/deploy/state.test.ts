import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { StateUnfinishedError } from '../../src/deploy/service/start.js';
import { importState } from '../../src/deploy/state/import.js';
import { verifyAudit } from '../../src/lib/audit/audit-log.js';
import { failureOf } from '../support/failure.js';
import { mustRun } from '../support/programs.js';
import { useTempFolder } from '../support/temp-folder.js';
import { beforeChanges } from './changes.js';
import { MAIN } from './processes.js';
import { AUTHORIZATION, makeFolders, otherWorkers, small, TestDeploy } from './service-support.js';

const RINGS = ['account', 'container', 'object', 'object-1'];

describe('deploy: state', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy-state');
  let deploy: TestDeploy;

  beforeEach(async () => {
    deploy = await TestDeploy.start(join(folder(), 'one'));
  });

  afterEach(() => deploy.close());

  async function exported(): Promise<Buffer> {
    const url = `http://127.0.0.1:${deploy.port}/v1/export`;
    const { statusCode, body } = await request(url, { headers: { authorization: AUTHORIZATION } });
    expect(statusCode).to.equal(200);
    return Buffer.from(await body.arrayBuffer());
  }

  /** Another service that goes on with what the first one has exported. */
  async function goOn(archive: string): Promise<void> {
    const other = join(folder(), 'other');
    await mkdir(other);
    const config = join(other, 'deploy.json');
    await writeFile(config, JSON.stringify(await makeFolders(other)));
    const args = [MAIN, 'deploy', '--config', config, '--import', archive];
    const { stdout } = await mustRun(process.execPath, args);
    expect(stdout).to.match(/^deploy: imported \d+ files into \S+\/other\/state\n$/);
    await deploy.close();
    deploy = await TestDeploy.start(other);
  }

  it('is exported as one file, from which another service goes on', async () => {
    const before = (await deploy.putSpec(small)).json.etag;
    await deploy.deploy('first');
    await deploy.putSpec(otherWorkers);
    await deploy.deploy('second');
    const history = await deploy.call('GET', '/v1/history');
    const { json: status } = await deploy.call('GET', '/v1/status');
    const archive = join(folder(), 'state.export');
    await writeFile(archive, await exported());
    await goOn(archive);
    expect((await deploy.call('GET', '/v1/history')).json).to.deep.equal(history.json);
    const { json: after } = await deploy.call('GET', '/v1/status');
    expect(after).to.include({ spec_etag: status.spec_etag });
    const made = await deploy.call('POST', '/v1/plans', { body: {} });
    expect([made.status, made.json.empty]).to.deep.equal([201, true]);
    await deploy.succeed('third', { spec_etag: before });
    const audit = join(folder(), 'other/state/audit');
    expect((await verifyAudit(audit)).ok).to.equal(true);
    expect(await readFile(join(audit, 'audit.jsonl'), 'utf8')).to.contain('"deploy.export"');
  });

  it('is not taken from a file that is cut off, changed, or of another version', async () => {
    await deploy.putSpec(small);
    await deploy.call('POST', '/v1/plans', { body: {} });
    const whole = await exported();
    const text = whole.toString('latin1');
    const place = join(folder(), 'taken');
    const refusalOf = async (content: Buffer | string): Promise<string> => {
      const file = join(folder(), 'torn');
      await writeFile(file, typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
      const failure: unknown = await importState(file, place).catch((error: unknown) => error);
      expect(await readdir(folder())).not.to.include.members(['taken', 'taken.import']);
      return failure instanceof Error ? failure.message : 'none';
    };
    const lines = text.lastIndexOf('\n', text.length - 2);
    for (const length of [0, 20, 200, whole.length >> 1, lines, lines + 1, whole.length - 2]) {
      expect(await refusalOf(whole.subarray(0, length)), String(length)).to.match(/cut off/);
    }
    for (const at of [whole.length >> 2, whole.length >> 1, lines - 5, whole.length - 20]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await refusalOf(changed), String(at)).not.to.equal('none');
    }
    expect(
      await refusalOf(text.replace('"ringway_deploy_state":1', '"ringway_deploy_state":2')),
    ).to.equal('it has version 2 of the format, expected 1');
    expect(await refusalOf(`${text}x`)).to.equal('something follows its end');
    expect(await refusalOf(text.replace('"path":"spec.json"', '"path":"../spec.json"'))).to.contain(
      'a file that no state has: ../spec.json',
    );
    expect(await refusalOf('{"a": 1}\n')).to.equal('it is no exported state');
    await mkdir(`${place}.import`);
    await writeFile(join(folder(), 'whole'), whole);
    expect(await importState(join(folder(), 'whole'), place)).to.be.greaterThan(5);
    const again = await failureOf(importState(join(folder(), 'whole'), place));
    expect(again.message).to.contain('is not empty');
  });

  /** Lays the rings of a cluster that another service has made where they are imported from. */
  async function layRings(): Promise<void> {
    await deploy.putSpec(small);
    await deploy.deploy('first');
    await deploy.close();
    const rings = join(folder(), 'one/nodes/node1/etc/swift');
    const place = join(folder(), 'two/state/import');
    await mkdir(place, { recursive: true, mode: 0o700 });
    for (const ring of RINGS) {
      await copyFile(join(rings, `${ring}.ring.gz`), join(place, `${ring}.ring.gz`));
    }
    deploy = await TestDeploy.start(join(folder(), 'two'));
  }

  it('is taken again where an import was cut off, wherever that was, and not begun with', async () => {
    await deploy.putSpec(small);
    const archive = join(folder(), 'state.export');
    await writeFile(archive, await exported());
    const place = join(folder(), 'cut/state');
    const left: string[] = [];
    await mkdir(place, { recursive: true });
    // A file system of its own has this.
    await mkdir(join(place, 'lost+found'));
    const end = beforeChanges(place, async () => {
      const snapshot = join(folder(), `cut-${left.length}`);
      await mkdir(snapshot);
      await cp(place, join(snapshot, 'state'), { recursive: true });
      left.push(snapshot);
    });
    const files = await importState(archive, place).finally(end);
    const spec = await readFile(join(place, 'spec.json'), 'utf8');
    expect(await readdir(place)).not.to.include('importing');
    let refused = 0;
    for (const snapshot of left) {
      const state = join(snapshot, 'state');
      if ((await readdir(state)).includes('importing')) {
        await failureOf(TestDeploy.start(snapshot), StateUnfinishedError);
        refused += 1;
      }
      expect(await importState(archive, state)).to.equal(files);
      expect(await readFile(join(state, 'spec.json'), 'utf8')).to.equal(spec);
    }
    // All but the one before anything was done, as each entry is unpacked and moved.
    expect([refused > 5, left.length - refused]).to.deep.equal([true, 1]);
    await deploy.close();
    deploy = await TestDeploy.start(join(folder(), 'cut'));
    expect((await deploy.call('GET', '/v1/spec')).json).to.deep.equal(small);
    const taken = await failureOf(importState(archive, place));
    expect(taken.message).to.contain('is in use by another control service');
    await mkdir(join(folder(), 'other/importing'), { recursive: true });
    await writeFile(join(folder(), 'other/notes.txt'), 'not ours');
    const others = await failureOf(importState(archive, join(folder(), 'other')));
    expect(others.message).to.contain('other is not empty');
    expect(await readdir(join(folder(), 'other'))).to.include('notes.txt');
  });

  it('begins with the rings of a cluster that exists, and asks for what they do not say', async () => {
    await layRings();
    const take = (rings: readonly object[]) =>
      deploy.call('POST', '/v1/rings/import', { body: { rings } });
    const asked = await take([
      ...['account', 'container'].map((name) => ({ name, min_part_hours: 1, overload: 0 })),
      { name: 'object', overload: -1, weight: 1 },
    ]);
    expect(asked.status).to.equal(422);
    const problems = (answer: typeof asked) =>
      answer.json.error.details.errors.map(({ path, code }) => `${path} ${code}`);
    expect(problems(asked)).to.deep.equal([
      '/rings/2/weight unknown_key',
      '/rings/2/min_part_hours missing',
      '/rings/2/overload type',
    ]);
    expect(
      problems(await take([{ name: 'object-9', min_part_hours: 1, overload: 0 }])),
    ).to.include.members(['/rings missing', '/rings/0/name ring_file']);
    const all = RINGS.map((name) => ({ name, min_part_hours: 1, overload: 0 }));
    const taken = await take(all);
    expect(taken.status, taken.text).to.equal(200);
    const { rings: found } = JSON.parse(taken.text) as { rings: readonly object[] };
    expect(found[0]).to.include({ name: 'account', part_power: 4, replicas: 3 });
    await deploy.putSpec(small);
    const plan = await deploy.plan();
    expect(plan.actions.filter(({ kind }) => kind === 'ring.create')).to.deep.equal([]);
    expect(plan.ring_changes.map(({ parts_moved: moved }) => moved).every((n) => n === 0)).to.equal(
      true,
    );
    await deploy.succeed('first');
    const late = await take(all);
    expect([late.status, late.json.error.message]).to.deep.equal([
      422,
      'A plan was applied here already: its rings would be lost.',
    ]);
    const wrong = { ...small, rings: small.rings.map((ring) => ({ ...ring, part_power: 5 })) };
    const refused = await deploy.call('POST', '/v1/plans', { body: { spec: wrong } });
    expect(refused.json.error.details.errors[0]).to.include({
      path: '/rings/0/part_power',
      code: 'immutable',
    });
  });
});
