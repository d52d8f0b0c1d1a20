import { createHmac } from 'node:crypto';
import type { OtherWay, Pointer, Who } from '../../support/authority-table.js';
import type { ConsoleClient } from '../../console/support/client.js';
import { REAL_CLOCK, startTestBed, type TestBed } from '../../console/support/console.js';
import { query } from '../../console/files/support.js';
import type { S3Answer } from '../../support/s3-client.js';
import type { SwiftLab } from '../../support/swift-lab.js';
import { TEMP_URL_KEY, type World } from './world.js';

/** The answers of other ways, in the form of S3's answers. */
export type OtherAnswer = Pick<S3Answer, 'status' | 'headers' | 'text'>;

/** The ways to read that are none of S3's: Swift's own API, its TempURLs, and the console. */
export class OtherWays {
  private constructor(
    private readonly lab: SwiftLab,
    private readonly world: World,
    private readonly bed: TestBed,
    private readonly users: Readonly<Record<'owner' | 'member', ConsoleClient>>,
  ) {}

  /** @param s3 the address of a gateway, for what the console reads through S3 */
  static async open(lab: SwiftLab, world: World, s3: string): Promise<OtherWays> {
    const [base = ''] = lab.state.endpoints;
    const overrides = { store_base: base, auth_url: lab.state.authUrl, s3_base: s3 };
    const bed = await startTestBed(overrides, REAL_CLOCK);
    const users = {
      owner: await bed.login('tester', lab.user('test:tester').key),
      member: await bed.login('tester2', lab.user('test:tester2').key),
    };
    return new OtherWays(lab, world, bed, users);
  }

  close(): Promise<void> {
    return this.bed.close();
  }

  read({ bucket, name }: Pointer, way: OtherWay, who: Who): Promise<OtherAnswer> {
    const { world, users } = this;
    const place = query({ container: world.named(bucket), name });
    const user = users[who === 'owner' ? 'owner' : 'member'];
    const path = `/v1/${world.owner.account}/${world.path(bucket, name)}`;
    switch (way) {
      case 'Swift':
        return this.#bySwift(path, who);
      case 'TempURL':
        return this.#byUrl(path);
      case 'preview':
        return asS3(user.get(`/api/files/object/preview?${place}`));
      case 'console':
        return asS3(user.get(`/api/files/object/body?${place}`));
    }
  }

  /** By the token of the reader, on a proxy without Ringway's filter. */
  async #bySwift(path: string, who: Who): Promise<OtherAnswer> {
    const { world, lab } = this;
    const headers = who === 'anonymous' ? {} : { 'x-auth-token': world[who].token };
    return fetched(`${lab.state.s3api}${path}`, headers);
  }

  async #byUrl(path: string): Promise<OtherAnswer> {
    const [base = ''] = this.lab.state.endpoints;
    const expires = Math.floor(Date.now() / 1000) + 600;
    const hmac = createHmac('sha256', TEMP_URL_KEY).update(`GET\n${expires}\n${path}`);
    const signature = hmac.digest('hex');
    return fetched(`${base}${path}?temp_url_sig=${signature}&temp_url_expires=${expires}`);
  }
}

async function fetched(url: string, headers: Record<string, string> = {}): Promise<OtherAnswer> {
  const answer = await fetch(url, { headers });
  const { status } = answer;
  return { status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
}

async function asS3(answer: ReturnType<ConsoleClient['get']>): Promise<OtherAnswer> {
  const { status, headers, text } = await answer;
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status, headers: Object.fromEntries(texts), text };
}
