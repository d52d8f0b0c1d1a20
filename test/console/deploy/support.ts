import { join } from 'node:path';
import { LocalDriver } from '../../../src/deploy/drivers/local.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { TestDeploy, TestDriver, USER } from '../../deploy/service-support.js';
import { ACCOUNTS, startTestBed, type TestBed } from '../support/console.js';
import type { Answer, ConsoleClient } from '../support/client.js';

/** A control service of this process, and a console over it. */
export interface DeployBed {
  readonly folder: string;
  readonly deploy: TestDeploy;
  readonly driver: TestDriver;
  readonly bed: TestBed;
  /** Ends the control service, before the console. */
  stopDeploy(): Promise<void>;
  close(): Promise<void>;
}

/** The keys of a console for a control service whose folder this is. */
export function deployKeys(port: number, folder: string): Record<string, unknown> {
  return {
    accounts: ACCOUNTS,
    deploy_upstream: `http://127.0.0.1:${port}`,
    deploy_user: USER,
    deploy_token_file: join(folder, 'token'),
  };
}

/** @param clock of the console; by default one that stands still */
export async function startDeployBed(clock?: TestBed['clock']): Promise<DeployBed> {
  const folder = await makeTempFolder('console-deploy');
  const driver = new TestDriver(new LocalDriver(join(folder, 'nodes')));
  const deploy = await TestDeploy.start(folder, { driver });
  const bed = await startTestBed(deployKeys(deploy.port, folder), clock);
  let closing: Promise<void> | undefined;
  const stopDeploy = () => (closing ??= deploy.close());
  return {
    folder,
    deploy,
    driver,
    bed,
    stopDeploy,
    async close() {
      driver.release?.();
      await bed.close();
      await stopDeploy();
      await removeFolder(folder);
    },
  };
}

/** What the Deploy page does. */
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
