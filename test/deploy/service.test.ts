import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseDeployConfig } from '../../src/deploy/service/config.js';
import { Control } from '../../src/deploy/service/control.js';
import { DeployError } from '../../src/deploy/service/errors.js';
import { openApiPath } from '../../src/deploy/service/openapi.js';
import { Planner } from '../../src/deploy/service/planner.js';
import { ROUTES } from '../../src/deploy/service/routes.js';
import { NO_SPEC_ETAG } from '../../src/deploy/service/store.js';
import { etagOf } from '../../src/deploy/spec/canonical.js';
import type { Spec } from '../../src/deploy/spec/schema.js';
import { StateLockedError } from '../../src/deploy/state/lock.js';
import { verifyAudit } from '../../src/lib/audit/audit-log.js';
import { failureOf } from '../support/failure.js';
import { useEach } from '../support/fixture.js';
import { sendHalves } from '../support/half-requests.js';
import { mustRun } from '../support/programs.js';
import { useTempFolder } from '../support/temp-folder.js';
import { endDeploy, makeFolders, otherWorkers, small, TestDeploy } from './service-support.js';
import { exampleJson, withReplicas } from './support.js';

describe('deploy: control service', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy');
  const deploy = useEach(() => TestDeploy.driven(folder()), endDeploy);

  it('lets nobody in without user and password', async () => {
    for (const user of ['deploy:wrong', 'other:deploy-password', ':', 'deploy']) {
      const { status, headers, json } = await deploy().call('GET', '/v1/spec', { user });
      expect([status, json.error.code]).to.deep.equal([401, 'unauthenticated']);
      expect(headers['www-authenticate']).to.contain('Basic realm="deploy"');
    }
    await writeFile(join(folder(), 'token'), 'another\n', { mode: 0o600 });
    expect((await deploy().call('GET', '/v1/spec')).status).to.equal(401);
    expect((await deploy().call('GET', '/v1/spec', { user: 'deploy:another' })).status).to.equal(
      200,
    );
  });

  it('answers only so many guesses of the password, and always what is right', async () => {
    const guesses = Array.from({ length: 80 }, (_, at) =>
      deploy().call('GET', at % 2 === 0 ? '/v1/spec' : '/v1/none', { user: `deploy:${at}` }),
    );
    const answers = await Promise.all(guesses);
    expect([...new Set(answers.map(({ status }) => status))].sort()).to.deep.equal([401, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect([refused?.json.error.code, refused?.headers['retry-after']]).to.deep.equal([
      'rate_limited',
      '1',
    ]);
    // The console shares the address with whoever guesses.
    expect((await deploy().call('GET', '/v1/spec')).status).to.equal(200);
    expect((await deploy().call('GET', '/v1/none')).status).to.equal(404);
  });

  it('serves the console, however many half requests others on its host send', async () => {
    const end = await sendHalves(deploy().port, 300, 256);
    expect((await deploy().call('GET', '/v1/spec')).status).to.equal(200);
    end();
  });

  it('takes a specification that has the entity tag of If-Match', async () => {
    const first = await deploy().call('GET', '/v1/spec');
    expect(first.text).to.equal('null');
    const put = (headers: Record<string, string>, body: unknown = small) =>
      deploy().call('PUT', '/v1/spec', { body, headers });
    expect((await put({})).status).to.equal(428);
    expect((await put({ 'if-match': `"sha256-${'0'.repeat(64)}"` })).status).to.equal(412);
    const wrong = await put({ 'if-match': String(first.headers.etag) }, { ...small, nodes: [] });
    expect(wrong.status).to.equal(422);
    expect(wrong.json.error.details.errors[0]).to.include({ path: '/nodes', code: 'out_of_range' });
    const right = await put({ 'if-match': String(first.headers.etag) });
    expect(right.status).to.equal(200);
    const second = await deploy().call('GET', '/v1/spec');
    expect(second.headers.etag).to.equal(right.headers.etag).and.equal(`"${right.json.etag}"`);
    expect(JSON.parse(second.text)).to.deep.equal(small);
    expect((await put({ 'if-match': String(first.headers.etag) })).status).to.equal(412);
  });

  it('takes one of two specifications that have the entity tag at once', async () => {
    const own = join(folder(), 'own');
    const control = await Control.open({
      options: parseDeployConfig(await makeFolders(own), own),
      driver: deploy().driver,
      audit: { write: () => Promise.resolve() },
      now: () => deploy().nowMs,
      onAuditLost: () => undefined,
      check: () => Promise.resolve([]),
      ask: () => Promise.reject(new Error('there is no server')),
    });
    const put = (spec: Spec) => {
      const rest = { errors: [], warnings: [], rest: {} };
      return control.setSpec({ spec, specEtag: etagOf(spec), ...rest }, NO_SPEC_ETAG);
    };
    const results = await Promise.allSettled([put(small), put(otherWorkers)]);
    await control.close();
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected']);
    const written = JSON.parse(await readFile(join(own, 'state/spec.json'), 'utf8')) as object;
    expect(written).to.include({ etag: etagOf(small) });
  });

  it('answers bodies that are none', async () => {
    const post = (body: string, type = 'application/json') =>
      deploy().call('POST', '/v1/validate', { body, headers: { 'content-type': type } });
    expect((await post('{}')).status).to.equal(400);
    expect((await post('{"spec":{}}', 'text/plain')).status).to.equal(415);
    expect((await post(`{"spec":"${'x'.repeat(10_000_000)}"}`)).status).to.equal(413);
    const match = { 'if-match': `"${NO_SPEC_ETAG}"` };
    const put = (body: string) => deploy().call('PUT', '/v1/spec', { body, headers: match });
    expect((await put(`{"cluster":"${'x'.repeat(10_000_000)}"}`)).json.error.code).to.equal(
      'too_large',
    );
    for (const [body, code] of [
      ['{"a":'.repeat(50_000), 'too_deep'],
      [`{"cluster":"${'x'.repeat(2_097_152)}"}`, 'too_large'],
      ['{"cluster":"a\nb"}', 'bad_json'],
    ] as const) {
      const { status, json } = await put(body);
      expect([status, json.error.details.errors[0]?.code]).to.deep.equal([422, code]);
    }
    expect((await post('{"spec":')).json).to.deep.include({ valid: false });
    expect((await post(`{"spec":${'['.repeat(50_000)}`)).json.errors[0]?.code).to.equal('too_deep');
    const { json } = await deploy().call('POST', '/v1/validate', { body: { spec: exampleJson() } });
    expect(json).to.deep.equal({ valid: true, errors: [], warnings: [] });
  });

  it('gives up what takes too long', async () => {
    const planner = new Planner(0);
    const failure = await failureOf(planner.validate('{}'), DeployError);
    await planner.close();
    expect(failure).to.include({ code: 'unprocessable' });
  });

  it('brings a cluster into being, and says what the operator has to run', async () => {
    await deploy().putSpec(small);
    const run = await deploy().succeed('first');
    expect(run.steps.map(({ node, action, state }) => `${node} ${action} ${state}`)).to.deep.equal(
      [1, 2, 3, 4].flatMap((n) => [`node${n} install succeeded`, `node${n} reload staged`]),
    );
    expect(run.steps[1]?.commands).to.include('systemctl reload-or-restart swift-proxy');
    expect(await deploy().installed('node2', 'etc/swift/swift.conf')).to.contain(
      'swift_hash_path_prefix = prefix%%1\nswift_hash_path_suffix = suffix\n',
    );
    expect(await deploy().installed('node1', 'etc/ringway/swift.key')).to.equal('gateway-key-1\n');
    const sums = { cwd: join(folder(), 'nodes/node3') };
    await mustRun('sha256sum', ['-c', '--quiet', 'etc/swift/SHA256SUMS'], sums);
    const { mode } = await stat(join(folder(), 'nodes/node3/etc/swift/SHA256SUMS'));
    expect(mode & 0o777).to.equal(0o640);
    expect(await deploy().nodeStates()).to.deep.equal(Array(4).fill('in_sync'));
    expect((await deploy().call('GET', '/v1/status')).json.lock).to.equal(null);
  });

  it('keeps secrets out of plans, runs, artifacts and its state', async () => {
    await deploy().putSpec(small);
    const made = await deploy().call('POST', '/v1/plans', { body: {} });
    const run = await deploy().deploy('first');
    const { text } = await deploy().call(
      'GET',
      `/v1/artifacts/${run.id}/node1/etc/swift/swift.conf`,
    );
    expect(text).to.contain('swift_hash_path_suffix = {{secret hash-suffix}}\n');
    const { stdout } = await mustRun('sh', ['-c', 'grep -rlE "gateway-key-1|prefix%1" . || true'], {
      cwd: join(folder(), 'state'),
    });
    expect(stdout).to.equal('');
    expect(made.text + JSON.stringify(run)).not.to.match(/gateway-key-1|prefix%/);
  });

  it('names paths as they are on hosts, or in folders of this machine', async () => {
    await deploy().putSpec(small);
    await deploy().deploy('first');
    const path = 'etc/swift/object-server.conf';
    expect(await deploy().installed('node1', path)).to.contain('devices = /srv/node\n');
    await deploy().restart({}, { files_for: 'folder' });
    await deploy().deploy('second');
    const devices = `devices = ${join(folder(), 'nodes/node1/srv/node')}\n`;
    expect(await deploy().installed('node1', path)).to.contain(devices);
  });

  it('answers artifacts that are not there', async () => {
    await deploy().putSpec(small);
    const { id } = await deploy().deploy('first');
    const ring = await deploy().call('GET', `/v1/artifacts/${id}/node4/etc/swift/object.ring.gz`);
    expect(ring.status).to.equal(200);
    for (const path of [
      `${id}/node4/etc/passwd`,
      `${id}/node9/etc/swift/swift.conf`,
      `${id}/node4/..%2f..%2fapplied.json`,
      `${id}/__proto__/toString`,
      `run-${'0'.repeat(24)}/node4/etc/swift/swift.conf`,
      `..%2fspec/node4/x`,
    ]) {
      expect((await deploy().call('GET', `/v1/artifacts/${path}`)).status, path).to.equal(404);
    }
  });

  it('has nothing to do once a plan is applied, and refuses the plan then', async () => {
    await deploy().putSpec(small);
    const before = await deploy().plan();
    await deploy().succeed('first');
    const stale = await deploy().apply(before, 'second');
    expect([stale.status, stale.json.error.code]).to.deep.equal([409, 'plan_stale']);
    const again = await deploy().plan();
    expect([again.empty, again.actions]).to.deep.equal([true, []]);
    expect((await deploy().deploy('third')).steps).to.deep.equal([]);
  });

  it('goes back by a new plan of an earlier specification', async () => {
    const before = (await deploy().putSpec(small)).json.etag;
    await deploy().deploy('first');
    await deploy().putSpec(otherWorkers);
    await deploy().deploy('second');
    const { json } = await deploy().call('GET', '/v1/history');
    expect(json.runs.map((run) => [run.state, run.actor])).to.deep.equal([
      ['succeeded', 'deploy'],
      ['succeeded', 'deploy'],
    ]);
    expect(json.runs[1]?.spec_etag).to.equal(before);
    await deploy().succeed('third', { spec_etag: before });
    expect(await deploy().installed('node1', 'etc/swift/proxy-server.conf')).to.contain(
      'workers = 1\n',
    );
    const unknown = { spec_etag: `sha256-${'0'.repeat(64)}` };
    expect((await deploy().call('POST', '/v1/plans', { body: unknown })).status).to.equal(404);
  });

  it('refuses a plan that loses data, until it is allowed', async () => {
    await deploy().putSpec(small);
    await deploy().deploy('first');
    const less = withReplicas(small, 2);
    const refused = await deploy().call('POST', '/v1/plans', { body: { spec: less } });
    expect(refused.status).to.equal(422);
    expect(refused.json.error.details.errors[0]).to.include({
      path: '/rings/2/replicas',
      code: 'needs_allow_large',
    });
    const body = { spec: less, allow_large: true };
    expect((await deploy().call('POST', '/v1/plans', { body })).status).to.equal(201);
    for (const wrong of [
      { allow_large: 'yes' },
      { seed: -1 },
      { sede: 1 },
      { spec: small, spec_etag: 'x' },
    ]) {
      expect((await deploy().call('POST', '/v1/plans', { body: wrong })).status).to.equal(400);
    }
  });

  it('applies nothing that programs of Swift refuse', async () => {
    const told = { program: 'swift-config', target: 'x', message: 'no' };
    const failed = { ...told, state: 'failed' } as const;
    const checked: string[] = [];
    await deploy().restart({
      check: ({ rings, configs }) => {
        checked.push(...rings.map(({ name }) => name), ...configs.map(({ name }) => name));
        return Promise.resolve(checked.includes('object-1') ? [failed] : []);
      },
    });
    await deploy().putSpec(small);
    const { status, json } = await deploy().apply(await deploy().plan(), 'first');
    expect([status, json.error.code]).to.deep.equal([422, 'unprocessable']);
    expect(checked).to.include.members(['account', 'object-1', 'swift.conf', 'proxy-server.conf']);
  });

  it('sees files that were changed on a node', async () => {
    await deploy().putSpec(small);
    await deploy().deploy('first');
    await writeFile(join(folder(), 'nodes/node2/etc/swift/swift.conf'), 'changed');
    await rm(join(folder(), 'nodes/node3/etc/rsyncd.conf'));
    const { json } = await deploy().call('GET', '/v1/status');
    const drifted = json.nodes.filter(({ state }) => state === 'drift');
    expect(drifted.map(({ node, files }) => [node, files.map(({ path }) => path)])).to.deep.equal([
      ['node2', ['etc/swift/swift.conf']],
      ['node3', ['etc/rsyncd.conf']],
    ]);
    expect(drifted[1]?.files[0]?.is).to.equal(null);
  });

  it('writes down who did what', async () => {
    await deploy().putSpec(small);
    const run = await deploy().deploy('first');
    await deploy().close();
    const audit = join(folder(), 'state/audit');
    expect((await verifyAudit(audit)).ok).to.equal(true);
    const lines = (await readFile(join(audit, 'audit.jsonl'), 'utf8')).trim().split('\n');
    const acts = lines.map(
      (line) => JSON.parse(line) as { action: string; actor: string; target: string },
    );
    expect(acts.map(({ action }) => action)).to.deep.equal([
      ...['deploy.spec', 'deploy.plan', 'deploy.apply', 'deploy.run'],
    ]);
    expect(acts.at(-1)).to.include({ actor: 'deploy', target: run.id });
  });

  it('is the only one with its state', async () => {
    await failureOf(TestDeploy.start(folder()), StateLockedError);
  });

  it('answers every route of its OpenAPI document, and has no other', async () => {
    const { json } = await deploy().call('GET', '/v1/openapi.json');
    const described = Object.entries(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described).to.have.members(
      ROUTES.map(({ method, path }) => `${method} ${openApiPath(path)}`),
    );
    for (const route of described) {
      const [method, path] = route.split(' ') as ['GET' | 'PUT' | 'POST', string];
      const { text } = await deploy().call(method, path.replace(/\{\w+\}/g, 'x'));
      expect(text, route).not.to.contain('There is no such route');
    }
    const { json: none } = await deploy().call('GET', '/v1/none');
    expect(none.error.code).to.equal('not_found');
  });
});
