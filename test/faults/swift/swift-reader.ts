import { createHash } from 'node:crypto';
import type { SwiftLab } from '../../support/swift-lab.js';

/** Looks at a container of the lab as Swift has it, past the gateway. */
export class SwiftReader {
  private constructor(
    private readonly container: string,
    private readonly token: string,
  ) {}

  static async open(lab: SwiftLab, user: string, container: string): Promise<SwiftReader> {
    const { key } = lab.user(user);
    const headers = { 'x-auth-user': user, 'x-auth-key': key };
    const answer = await fetch(lab.state.authUrl, { headers });
    const url = answer.headers.get('x-storage-url');
    const token = answer.headers.get('x-auth-token');
    if (url === null || token === null) throw new Error(`no token: ${answer.status}`);
    return new SwiftReader(`${url}/${container}`, token);
  }

  /** Names of all objects, page by page. */
  async list(): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const marker = encodeURIComponent(names.at(-1) ?? '');
      const answer = await this.#get(`?format=json&marker=${marker}`, {});
      const page = JSON.parse(answer.toString('utf8')) as { name: string }[];
      if (page.length === 0) return names;
      names.push(...page.map(({ name }) => name));
    }
  }

  /** Of the newest of all copies. */
  async newestMd5(name: string): Promise<string> {
    const body = await this.#get(`/${encodeURIComponent(name)}`, { 'x-newest': 'true' });
    return createHash('md5').update(body).digest('hex');
  }

  async #get(path: string, headers: Record<string, string>): Promise<Buffer> {
    const answer = await fetch(`${this.container}${path}`, {
      headers: { 'x-auth-token': this.token, ...headers },
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  }
}
