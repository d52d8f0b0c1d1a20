import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseDeployConfig } from '../../../src/deploy/service/config.js';
import { startDeploy } from '../../../src/deploy/service/start.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { callDeploy } from '../../deploy/service-support.js';
import { runProgram } from '../../support/programs.js';
import { S3TestClient } from '../../support/s3-client.js';
import { startServiceWithConsole } from '../../support/service-console.js';
import { onlyOn } from '../../support/stack.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

/**
 * A data directory and a state of Deploy as build d26cfaa2 left them, before stores had a gate: what
 * this build opens stays readable, with all that stands in it.
 */
const FIXTURE = resolve('test/integration/formats/build-d26cfaa2.tar.gz');

const ACCESS = { accessKey: 'FIXTUREKEY', secretKey: 'fixture-secret-key' };

interface Written {
  readonly partsEtag: string;
  readonly openUpload: string;
  /** Ids, oldest first. */
  readonly versions: readonly string[];
  readonly marker: string;
  readonly locked: string;
}

describe('what a former build has written', function () {
  this.timeout(60_000);
  let folder: string;
  let written: Written;

  before(async function () {
    onlyOn(this, 'embedded', 'the store in the fixture is one');
    folder = await makeTempFolder('formats');
    const { code, stderr } = await runProgram('tar', ['-xzf', FIXTURE, '-C', folder]);
    expect(code, stderr).to.equal(0);
    written = JSON.parse(await readFile(join(folder, 'want.json'), 'utf8')) as Written;
  });
  after(() => removeFolder(folder));

  it('is there in the embedded store', async () => {
    const { service, stop } = await startServiceWithConsole({
      dataDir: join(folder, 'data'),
      env: { RINGWAY_ACCESS_KEY: ACCESS.accessKey, RINGWAY_SECRET_KEY: ACCESS.secretKey },
    });
    const s3 = new S3TestClient({ endpoint: service.endpoint, ...ACCESS });
    try {
      await expectPlain(s3, written);
      await expectVersions(s3, written);
    } finally {
      await s3.close();
      await stop();
    }
    const audit = await readFile(join(folder, 'data/console/audit.jsonl'), 'utf8');
    expect(audit.split('\n')[0]).to.include('"login"');
    const format = await readFile(join(folder, 'data/store/FORMAT'), 'utf8');
    expect(format).to.equal('ringway embedded store, format 2\n');
  });

  it('is there in the state of Deploy', async () => {
    const at = join(folder, 'deploy');
    const config = JSON.parse(await readFile(join(at, 'deploy.json'), 'utf8')) as object;
    const running = await startDeploy(parseDeployConfig({ ...config, listen: '127.0.0.1:0' }, at), {
      logger: createLogger({ level: 'silent', process: 'deploy' }),
    });
    try {
      const token = (await readFile(join(at, 'token'), 'utf8')).trim();
      const headers = {
        authorization: `Basic ${Buffer.from(`deploy:${token}`).toString('base64')}`,
      };
      const history = await callDeploy(running.port, 'GET', '/v1/history', { headers });
      expect(history.json.runs.map(({ state }) => state)).to.deep.equal(['succeeded']);
      const spec = await callDeploy(running.port, 'GET', '/v1/spec', { headers });
      expect(spec.text).to.include('"cluster":"example"');
    } finally {
      await running.close();
    }
  });
});

async function expectPlain(s3: S3TestClient, { partsEtag, openUpload }: Written): Promise<void> {
  const note = await s3.get('/plain/notes/caf%C3%A9.txt');
  expect(note.text).to.equal('plain object');
  expect(note.headers['x-amz-meta-colour']).to.equal('blue');
  expect((await s3.get('/plain/notes/caf%C3%A9.txt?tagging=')).text).to.include(
    '<Value>red</Value>',
  );
  const parts = await s3.get('/plain/parts.bin');
  expect(parts.body.length).to.equal((5 << 20) + 100);
  expect(parts.headers.etag).to.equal(partsEtag);
  expect((await s3.get('/plain?uploads=')).text).to.include(openUpload);
  expect((await s3.get('/plain?lifecycle=')).text).to.include('<ID>later</ID>');
}

async function expectVersions(s3: S3TestClient, written: Written): Promise<void> {
  const { versions, marker, locked } = written;
  expect((await s3.get('/kept/key')).headers['x-amz-delete-marker']).to.equal('true');
  for (const [number, id] of versions.entries()) {
    expect((await s3.get(`/kept/key?versionId=${id}`)).text).to.equal(`version ${number}`);
  }
  expect((await s3.get('/kept/key?versionId=null')).text).to.equal('before versions');
  const listed = (await s3.get('/kept?versions=')).text;
  for (const id of [...versions, marker]) expect(listed).to.include(id);
  expect((await s3.delete(`/kept/key?versionId=${marker}`)).status).to.equal(204);
  expect((await s3.get('/kept/key')).text).to.equal('version 2');
  expect((await s3.delete(`/locked/held?versionId=${locked}`)).code).to.equal('AccessDenied');
}
