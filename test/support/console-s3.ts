import { join } from 'node:path';
import { expect } from 'chai';
import { ok, query, unique } from '../console/files/support.js';
import { ConsoleClient } from '../console/support/client.js';
import { S3TestClient } from './s3-client.js';
import { IS_CLUSTER } from './stack.js';
import { consoleOf, startServiceWithConsole } from './service-console.js';
import type { Service, ServiceOptions } from './service.js';

/** A version of an object as the console lists it. */
export interface ListedVersion {
  readonly id: string;
  readonly is_latest: boolean;
  readonly deleted: boolean;
  readonly bytes: number;
  readonly last_modified: string;
}

const VERSIONING = (status: string) =>
  `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>${status}</Status></VersioningConfiguration>`;

/** A service with a console, the console's operator, and an S3 client of the same user. */
export class ConsoleAndS3 {
  #buckets = 0;

  private constructor(
    readonly service: Service,
    readonly s3: S3TestClient,
    readonly client: ConsoleClient,
    private readonly stopService: () => Promise<unknown>,
  ) {}

  static async start(options: ServiceOptions = {}): Promise<ConsoleAndS3> {
    const { service, s3, stop } = await startServiceWithConsole(options);
    const { user, key, account } = consoleOf(service);
    const client = await logIn(service, user, key, account);
    return new ConsoleAndS3(service, new S3TestClient(s3), client, stop);
  }

  login(user: string, key: string, account = ''): Promise<ConsoleClient> {
    return logIn(this.service, user, key, account);
  }

  /** @param status of its versioning; `Locked` for a bucket with Object Lock, `Off` for a plain one */
  async makeBucket(
    status: 'Enabled' | 'Suspended' | 'Locked' | 'Off' = 'Enabled',
  ): Promise<string> {
    const bucket = IS_CLUSTER ? unique('bucket') : `bucket-${(this.#buckets += 1)}`;
    const headers =
      status === 'Locked' ? { 'x-amz-bucket-object-lock-enabled': 'true' } : undefined;
    expect((await this.s3.put(`/${bucket}`, '', headers)).status).to.equal(200);
    if (status === 'Enabled' || status === 'Suspended') {
      const answer = await this.s3.put(`/${bucket}?versioning`, VERSIONING(status));
      expect(answer.status).to.equal(200);
    }
    return bucket;
  }

  async versions(container: string, name: string): Promise<readonly ListedVersion[]> {
    const all: ListedVersion[] = [];
    for (let after = {}; ; after = { after: all.at(-1)?.id ?? '' }) {
      const path = `/api/files/versions?${query({ container, name, ...after })}`;
      const answer = await ok(this.client.get(path), 200);
      const page = answer.json() as { items: ListedVersion[]; truncated: boolean };
      all.push(...page.items);
      if (!page.truncated) return all;
    }
  }

  async stop(): Promise<void> {
    await this.s3.close();
    await this.stopService();
  }
}

async function logIn(
  service: Service,
  user: string,
  key: string,
  account = '',
): Promise<ConsoleClient> {
  const secrets = { storeOrigin: service.endpoint, stateDir: join(service.dataDir, 'console') };
  const one = new ConsoleClient(consoleOf(service).port, secrets);
  const answer = await one.login({ account, user, key });
  expect(answer.status, answer.text).to.equal(200);
  return one;
}
