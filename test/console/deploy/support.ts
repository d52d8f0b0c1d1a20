import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalDriver } from '../../../src/deploy/drivers/local.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { FakeRecon } from '../../deploy/fake-recon.js';
import { PASSWORD, TestDeploy, TestDriver, USER } from '../../deploy/service-support.js';
import { ACCOUNTS, startTestBed, type TestBed } from '../support/console.js';
import type { Answer, ConsoleClient } from '../support/client.js';

/** A control service of this process, and a console over it. */
export interface DeployBed {
  readonly folder: string;
  readonly deploy: TestDeploy;
  readonly driver: TestDriver;
  readonly bed: TestBed;
  /** The servers of the nodes, as far as a ramp asks them. */
  readonly recon: FakeRecon;
  /** By how much the clock of the control service is ahead. */
  aheadMs: number;
  /** Ends the control service, before the console. */
  stopDeploy(): Promise<void>;
  close(): Promise<void>;
}

const RAMP_POLL_MS = 50;

/** The keys of a console for a control service whose folder this is. */
export function deployKeys(port: number, folder: string): Record<string, unknown> {
  return {
    accounts: ACCOUNTS,
    deploy_upstream: `http://127.0.0.1:${port}`,
    deploy_user: USER,
    deploy_token_file: join(folder, 'token'),
  };
}

/**
 * @param clock of the console; by default one that stands still
 * @param tokenFile of the console; by default the service's own
 */
export async function startDeployBed(
  clock?: TestBed['clock'],
  tokenFile = 'token',
): Promise<DeployBed> {
  const folder = await makeTempFolder('console-deploy');
  const driver = new TestDriver(new LocalDriver(join(folder, 'nodes')));
  const recon = await FakeRecon.start(join(folder, 'nodes'));
  const now = () => Date.now() + on.aheadMs;
  const parts = { driver, now, rampPollMs: RAMP_POLL_MS, statusAgeMs: 0 };
  const deploy = await TestDeploy.start(folder, parts);
  const tokenPath = join(folder, tokenFile);
  if (tokenFile !== 'token') await writeFile(tokenPath, `${PASSWORD}\n`, { mode: 0o600 });
  const keys = { ...deployKeys(deploy.port, folder), deploy_token_file: tokenPath };
  const bed = await startTestBed(keys, clock);
  let closing: Promise<void> | undefined;
  const stopDeploy = () => (closing ??= deploy.close());
  const on: DeployBed = {
    folder,
    recon,
    aheadMs: 0,
    deploy,
    driver,
    bed,
    stopDeploy,
    async close() {
      driver.release?.();
      await bed.close();
      await stopDeploy();
      recon.stop();
      await removeFolder(folder);
    },
  };
  return on;
}

/** The requests of the Deploy page. */
export class DeployPage {
  constructor(readonly client: ConsoleClient) {}

  async etag(): Promise<string> {
    return String((await this.client.get('/deploy/api/spec')).headers.etag);
  }

  putSpec(spec: object, etag: string): Promise<Answer> {
    return this.client.send('PUT', '/deploy/api/spec', {
      body: spec,
      headers: { 'if-match': etag },
    });
  }

  /** Begins a ramp of the specification that is saved. */
  ramp(key: string, cluster = 'example'): Promise<Answer> {
    return this.client.send('POST', '/deploy/api/ramps', {
      body: { cluster },
      headers: { 'idempotency-key': key },
    });
  }

  retry(run: string, key: string, nodes?: readonly string[]): Promise<Answer> {
    return this.client.send('POST', `/deploy/api/runs/${run}/retry`, {
      body: nodes === undefined ? {} : { nodes },
      headers: { 'idempotency-key': key },
    });
  }

  plan(wish: object = {}): Promise<Answer> {
    return this.client.post('/deploy/api/plans', wish);
  }

  apply(
    plan: { readonly id: string; readonly base_etag: string },
    key: string,
    cluster = 'example',
  ): Promise<Answer> {
    return this.client.send('POST', `/deploy/api/plans/${plan.id}/apply`, {
      body: { cluster },
      headers: { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': key },
    });
  }
}
