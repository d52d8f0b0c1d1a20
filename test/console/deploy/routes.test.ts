import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type {
  DeployFiles,
  DeployOperators,
  DeployRamps,
} from '../../../console/surfaces/deploy/answers.js';
import type { StoredPlan } from '../../../src/deploy/service/planner-protocol.js';
import type { Ramp } from '../../../src/deploy/service/ramp-record.js';
import type { Run } from '../../../src/deploy/service/run-record.js';
import type { AuditRecord } from '../../../src/lib/audit/audit-log.js';
import { otherWorkers, PASSWORD, small } from '../../deploy/service-support.js';
import { useEach } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';
import { until } from '../../support/until.js';
import { codeOf, type Answer, type ConsoleClient } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { deployKeys, DeployPage, startDeployBed } from './support.js';

interface ErrorJson {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, never>>;
  };
}

const errorOf = (answer: Answer) => (answer.json() as ErrorJson).error;
const is = (answer: Answer) => [answer.status, codeOf(answer)];

describe('the routes of Deploy in the console', function () {
  this.timeout(120_000);
  const on = useEach(startDeployBed, 'close');
  let client: ConsoleClient;
  let page: DeployPage;

  beforeEach(async () => {
    client = await on().bed.login();
    page = new DeployPage(client);
  });

  const planned = async (wish: object = {}): Promise<StoredPlan> => {
    const answer = await page.plan(wish);
    expect(answer.status, answer.text).to.equal(201);
    return answer.json();
  };

  const records = async (): Promise<readonly AuditRecord[]> => {
    const answer = await client.get('/api/audit?limit=100');
    return (answer.json() as { items: AuditRecord[] }).items;
  };

  it('leads from a specification to a cluster that is in sync, and writes each act down', async () => {
    const empty = await client.get('/deploy/api/spec');
    expect([empty.status, empty.json()]).to.deep.equal([200, null]);
    expect(String(empty.headers.etag)).to.match(/^"[^"]+"$/);
    const put = await page.putSpec(small, String(empty.headers.etag));
    expect(put.status, put.text).to.equal(200);
    expect(put.headers.etag).to.equal(await page.etag());
    const plan = await planned();
    expect(plan.ring_changes.map(({ ring }) => ring)).to.include('object');
    const again = await client.get(`/deploy/api/plans/${plan.id}`);
    expect((again.json() as StoredPlan).sha256).to.equal(plan.sha256);
    const wrong = await page.apply(plan, 'key', 'another');
    expect(is(wrong)).to.deep.equal([400, 'invalid_argument']);
    const begun = await page.apply(plan, 'key');
    expect(begun.status, begun.text).to.equal(202);
    const { run_id: id } = begun.json() as { run_id: string };
    const events: { event: string; data: Run }[] = [];
    for await (const one of client.events(`/deploy/api/runs/${id}/events`)) events.push(one);
    expect(events.at(0)?.event).to.equal('run');
    expect(events.at(-1)?.data.state).to.equal('succeeded');
    const status = await client.read<{ nodes: { state: string }[] }>('/deploy/api/status');
    expect(new Set(status.nodes.map(({ state }) => state))).to.deep.equal(new Set(['in_sync']));
    const history = await client.read<{ runs: Run[] }>('/deploy/api/history');
    expect(history.runs.map((run) => run.id)).to.deep.equal([id]);
    const query = `run=${id}&node=node1&path=etc/swift/swift.conf`;
    const artifact = await client.get(`/deploy/api/artifacts?${query}`);
    expect(artifact.text).to.include('swift_hash_path_prefix = {{secret hash-prefix}}');
    expect(artifact.headers['content-disposition']).to.equal('attachment; filename="swift.conf"');
    const operators = await client.read('/deploy/api/operators');
    expect(operators).to.deep.equal({ runs: { [id]: 'test:tester' } });
    const acts = (await records())
      .filter(({ action }) => action.startsWith('deploy.'))
      .map(({ action, result }) => `${action} ${result}`);
    expect(acts.toReversed()).to.deep.equal([
      ...['deploy.spec begun', 'deploy.spec ok', 'deploy.plan begun', 'deploy.plan ok'],
      ...['deploy.apply begun', 'deploy.apply failed', 'deploy.apply begun', 'deploy.apply ok'],
    ]);
    const applied = (await records()).find(({ action }) => action === 'deploy.apply');
    expect(applied).to.deep.include({ target: plan.id, details: { made: id } });
  });

  it('tells everything that is wrong with a specification, at its place', async () => {
    const wrong = { ...small, cluster: '<script>', rings: small.rings.slice(1), other: 1 };
    const checked = await client.post('/deploy/api/validate', { spec: wrong });
    const { valid, errors } = checked.json() as { valid: boolean; errors: { path: string }[] };
    expect(valid).to.equal(false);
    expect(errors.map(({ path }) => path)).to.include.members(['/cluster', '/other']);
    const put = await page.putSpec(wrong, await page.etag());
    expect(is(put)).to.deep.equal([422, 'unprocessable']);
    expect(errorOf(put).details.errors).to.deep.equal(errors);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const refused = await client.send('POST', '/deploy/api/validate', {
      body: `{"spec":${deep}}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(refused.json()).to.have.nested.property('errors[0].code', 'too_deep');
    const long = await client.send('POST', '/deploy/api/validate', {
      body: Buffer.alloc(3 * 1024 * 1024, ' '),
      headers: { 'content-type': 'application/json' },
    });
    expect(is(long)).to.deep.equal([413, 'too_large']);
  });

  it('refuses what would overwrite, repeat or outrun another change', async () => {
    const etag = await page.etag();
    const missing = await client.send('PUT', '/deploy/api/spec', { body: small });
    expect(is(missing)).to.deep.equal([428, 'precondition_required']);
    expect((await page.putSpec(small, etag)).status).to.equal(200);
    expect(is(await page.putSpec(otherWorkers, etag))).to.deep.equal([412, 'precondition_failed']);
    const plan = await planned();
    const keyless = await client.send('POST', `/deploy/api/plans/${plan.id}/apply`, {
      body: { cluster: 'example' },
      headers: { 'if-match': `"${plan.base_etag}"` },
    });
    expect(is(keyless)).to.deep.equal([428, 'precondition_required']);
    on().driver.waitsAt = 'node1';
    const { run_id: id } = (await page.apply(plan, 'key')).json() as { run_id: string };
    await until(() => on().driver.release !== undefined);
    const other = await planned({ seed: 2 });
    expect(is(await page.apply(other, 'key'))).to.deep.equal([422, 'idempotency_key_reused']);
    const locked = await page.apply(other, 'other');
    expect(is(locked)).to.deep.equal([423, 'locked']);
    expect(errorOf(locked).details).to.include({ holder: 'deploy', run_id: id });
    expect(locked.headers['retry-after']).to.equal('5');
    const cancelled = await client.post(`/deploy/api/runs/${id}/cancel`, {});
    expect(cancelled.status).to.equal(202);
    on().driver.release?.();
    expect((await on().deploy.ended(id)).state).to.equal('cancelled');
    const late = await client.post(`/deploy/api/runs/${id}/cancel`, {});
    expect(is(late)).to.deep.equal([409, 'not_running']);
    on().driver.waitsAt = undefined;
    await on().deploy.ended(
      ((await page.apply(plan, 'third')).json() as { run_id: string }).run_id,
    );
    expect(is(await page.apply(other, 'fourth'))).to.deep.equal([409, 'plan_stale']);
    const fewer = { ...small, rings: small.rings.map((ring) => ({ ...ring, replicas: 2 })) };
    const large = await page.plan({ spec: { ...fewer, policies: small.policies.slice(0, 1) } });
    expect(is(large)).to.deep.equal([422, 'unprocessable']);
    expect(errorOf(large).details).to.have.property('errors').that.is.not.empty;
  });

  it('retries what a run has left, and lists the files that it installed', async () => {
    await page.putSpec(small, await page.etag());
    const plan = await planned();
    on().driver.failsAt = 'node3';
    const { run_id: id } = (await page.apply(plan, 'key')).json() as { run_id: string };
    expect((await on().deploy.ended(id)).state).to.equal('partial');
    on().driver.failsAt = undefined;
    expect(is(await page.retry(id, 'retry', ['../x']))).to.deep.equal([400, 'invalid_argument']);
    const done = await page.retry(id, 'retry', ['node1']);
    expect(is(done)).to.deep.equal([422, 'unprocessable']);
    const begun = await page.retry(id, 'retry');
    expect(begun.status, begun.text).to.equal(202);
    const { run_id: next } = begun.json() as { run_id: string };
    expect((await on().deploy.ended(next)).state).to.equal('succeeded');
    const operators = await client.read('/deploy/api/operators');
    expect(operators).to.deep.equal({ runs: { [id]: 'test:tester', [next]: 'test:tester' } });
    const { files } = await client.read<DeployFiles>(`/deploy/api/artifacts/${next}`);
    const conf = files.filter(({ path }) => path === 'etc/swift/swift.conf');
    expect(conf.map(({ node }) => node)).to.deep.equal(['node1', 'node2', 'node3', 'node4']);
    expect(conf[0]).to.include({ changed: true }).and.have.property('sha256').with.length(64);
    expect(is(await client.get('/deploy/api/artifacts/run-0'))).to.deep.equal([404, 'not_found']);
  });

  it('begins and steers a ramp of the cluster that is named', async () => {
    await page.putSpec(on().recon.on(small), await page.etag());
    await on().deploy.deploy('first');
    expect(is(await page.ramp('key', 'another'))).to.deep.equal([400, 'invalid_argument']);
    const begun = await page.ramp('key');
    expect(begun.status, begun.text).to.equal(201);
    const { ramp_id: id } = begun.json() as { ramp_id: string };
    expect(((await page.ramp('key')).json() as { ramp_id: string }).ramp_id).to.equal(id);
    const locked = await page.ramp('other');
    expect(is(locked)).to.deep.equal([423, 'locked']);
    expect(errorOf(locked).details).to.include({ ramp_id: id });
    const path = `/deploy/api/ramps/${id}`;
    const act = async (verb: string) => (await client.post(`${path}/${verb}`, {})).status;
    const state = async () => (await client.read<Ramp>(path)).state;
    for await (const { event, data } of client.events(`${path}/events`)) {
      expect([event, (data as Ramp).id]).to.deep.equal(['ramp', id]);
      break;
    }
    expect([await act('pause'), await state()]).to.deep.equal([202, 'paused']);
    expect(await act('pause')).to.equal(409);
    expect([await act('resume'), await state()]).to.deep.equal([202, 'running']);
    expect([await act('cancel'), await state()]).to.deep.equal([202, 'cancelled']);
    const { ramps } = await client.read<DeployRamps>('/deploy/api/ramps');
    expect(ramps.map((ramp) => ramp.id)).to.deep.equal([id]);
    const operators = await client.read<DeployOperators>('/deploy/api/operators');
    expect(operators.runs[id]).to.equal('test:tester');
    const acts = (await records()).filter(({ action }) => action.startsWith('deploy.ramp'));
    expect(new Set(acts.map(({ action }) => action))).to.deep.equal(
      new Set(['deploy.ramp', 'deploy.ramp.pause', 'deploy.ramp.resume', 'deploy.ramp.cancel']),
    );
  });

  it('says what is wrong between the console and the service, and shows no credential', async () => {
    const answers: Answer[] = [];
    const ask = async (path = '/deploy/api/status') => {
      const answer = await client.get(path);
      answers.push(answer);
      return is(answer);
    };
    await writeFile(join(on().folder, 'token'), 'changed\n', { mode: 0o600 });
    // Both read the password each time: they agree again.
    expect((await client.get('/deploy/api/status')).status).to.equal(200);
    await writeFile(join(on().folder, 'other-token'), `${PASSWORD}\n`, { mode: 0o600 });
    const keys = deployKeys(on().deploy.port, on().folder);
    await using wrong = await startTestBed({
      ...keys,
      deploy_token_file: join(on().folder, 'other-token'),
    });
    client = await wrong.login();
    expect(await ask()).to.deep.equal([502, 'deploy_auth_failed']);
    await writeFile(join(on().folder, 'other-token'), '');
    expect(await ask()).to.deep.equal([503, 'deploy_unconfigured']);
    client = await on().bed.login();
    await on().stopDeploy();
    expect(await ask()).to.deep.equal([503, 'deploy_unreachable']);
    for (const { text, headers } of answers) {
      expect(JSON.stringify(headers) + text).not.to.match(/www-authenticate|Basic|changed|other-t/);
      expect(text).not.to.include(PASSWORD);
      expect(text).not.to.include(String(on().deploy.port));
    }
  });

  it('understands another service with the same contract, and no other answer', async () => {
    let reply: [number, string, string] = [200, 'text/html', '<h1>hello</h1>'];
    const other = await serve((_request, response) => {
      const [status, type, body] = reply;
      response.writeHead(status, { 'content-type': type, 'www-authenticate': 'Basic realm="x"' });
      response.end(body);
    });
    const { port } = other;
    const bed = await startTestBed(deployKeys(port, on().folder));
    try {
      client = await bed.login();
      const ask = async () => client.get('/deploy/api/history');
      expect(is(await ask())).to.deep.equal([502, 'deploy_bad_response']);
      reply = [500, 'text/plain', 'x'];
      expect(is(await ask())).to.deep.equal([502, 'deploy_bad_response']);
      const error = {
        code: 'no_driver',
        message: 'There is no driver.',
        details: { needs: 'ssh' },
      };
      reply = [501, 'application/json', JSON.stringify({ error })];
      const missing = await ask();
      expect(is(missing)).to.deep.equal([501, 'unsupported_here']);
      expect(errorOf(missing).details).to.deep.equal({ needs: 'ssh' });
      reply = [401, 'application/json', '{}'];
      const denied = await ask();
      expect(is(denied)).to.deep.equal([502, 'deploy_auth_failed']);
      expect(denied.headers).not.to.have.property('www-authenticate');
    } finally {
      await bed.close();
      other.close();
    }
  });

  it('is for operators alone, and takes no path of another kind', async () => {
    for (const [user, key] of [
      ['tester2', 'testing2'],
      ['tester3', 'testing3'],
    ] as const) {
      const guest = await on().bed.login(user, key);
      expect(is(await guest.get('/deploy'))).to.deep.equal([403, 'forbidden']);
      expect(is(await guest.get('/deploy/api/spec'))).to.deep.equal([403, 'forbidden']);
      expect(is(await guest.post('/deploy/api/plans', {}))).to.deep.equal([403, 'forbidden']);
    }
    for (const path of ['etc/../../token', '../x', '/etc/x', 'a//b', 'a/./b', 'a b', 'a%00b']) {
      const query = `run=run-1&node=node1&path=${encodeURIComponent(path)}`;
      const answer = await client.get(`/deploy/api/artifacts?${query}`);
      expect(is(answer), path).to.deep.equal([400, 'invalid_argument']);
    }
    expect(is(await client.get('/deploy/api/runs/..%2Fspec'))).to.deep.equal([
      400,
      'invalid_argument',
    ]);
  });

  it('ends the events of a run with the session, and bounds how many there are', async () => {
    await page.putSpec(small, await page.etag());
    on().driver.waitsAt = 'node1';
    const { run_id: id } = (await page.apply(await planned(), 'key')).json() as { run_id: string };
    const path = `/deploy/api/runs/${id}/events`;
    const streams = Array.from({ length: 4 }, () => client.events(path));
    for (const stream of streams)
      expect((await stream.next()).value).to.have.property('event', 'run');
    expect(is(await client.get(path))).to.deep.equal([503, 'busy']);
    await client.send('DELETE', '/api/session');
    for (const stream of streams) {
      // The connection is cut, after what was on its way: a stream of events has no other end.
      const next = (): Promise<{ done?: boolean }> => stream.next().catch(() => ({ done: true }));
      while ((await next()).done !== true);
    }
    await until(() => on().driver.release !== undefined);
    on().driver.release?.();
    await on().deploy.ended(id);
  });
});
