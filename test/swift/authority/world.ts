import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { CONTENTS } from '../../support/authority-table.js';
import { PlainSwift } from '../../support/plain-swift.js';
import type { S3TestClient } from '../../support/s3-client.js';
import type { SwiftLab } from '../../support/swift-lab.js';

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
export const hex = (key: string): string => Buffer.from(key).toString('hex');

/** The containers of the table, and what lies in them, in Swift: see authority-table.ts. */
export class World {
  readonly #suffix = randomBytes(4).toString('hex');
  #targets: readonly string[] = [];

  private constructor(
    readonly owner: PlainSwift,
    readonly member: PlainSwift,
    readonly victim: PlainSwift,
  ) {}

  static async open(lab: SwiftLab): Promise<World> {
    const [endpoint = ''] = lab.state.endpoints;
    const login = (name: string) => PlainSwift.login(endpoint, lab.user(name));
    const world = new World(
      await login('test:tester'),
      await login('test:tester2'),
      await login('test2:tester3'),
    );
    await world.#prepare();
    return world;
  }

  /** A container of the table, as it is named here. */
  named(container: string): string {
    return `${container}-${this.#suffix}`;
  }

  path(container: string, object: string): string {
    return `${this.named(container)}/${object}`;
  }

  /** What Swift tells of everything that pointers lead to, less what each answer has of its own. */
  async targets(): Promise<readonly string[]> {
    const told: string[] = [];
    for (const path of this.#targets) {
      const [client, name] = path.startsWith('v') ? [this.victim, path] : [this.owner, path];
      const answer = await client.request('HEAD', name);
      const headers = answer.headers.filter(
        ([each]) => !/^(?:date|x-trans|x-openstack)/i.test(each),
      );
      told.push(`${path} ${JSON.stringify(headers)}`);
    }
    return told;
  }

  async #prepare(): Promise<void> {
    const { owner, victim } = this;
    const shared = { 'X-Container-Read': '.r:*,test:tester2', 'X-Container-Write': 'test:tester2' };
    for (const name of ['b', 'bv', 'bo']) await owner.request('PUT', this.named(name), shared);
    await owner.request('PUT', this.named('bs'), { ...shared, 'X-Versions-Enabled': 'true' });
    await owner.request('PUT', this.named('x'));
    await victim.request('PUT', this.named('vx'));
    await victim.request('PUT', this.named('vo'), { 'X-Container-Read': 'test:tester' });
    const put = async (client: PlainSwift, container: string, object: string, content: string) => {
      const path = this.path(container, object);
      await client.request('PUT', path, { 'Content-Type': 'text/plain' }, content);
      this.#targets = [...this.#targets, path];
    };
    await put(owner, 'x', 's', CONTENTS.closed);
    await put(owner, 'x', 'p/1', CONTENTS.closed);
    await put(owner, 'x', 'p/2', CONTENTS.closed);
    await put(owner, 'b', 'o', CONTENTS.open);
    await put(victim, 'vx', 's', CONTENTS.foreign);
    await put(victim, 'vo', 's', CONTENTS.granted);
  }

  /** The headers of a link. */
  linkTo(container: string, object: string, etag?: string): Record<string, string> {
    return {
      'X-Symlink-Target': this.path(container, object),
      ...(container.startsWith('v') && { 'X-Symlink-Target-Account': this.victim.account }),
      ...(etag !== undefined && { 'X-Symlink-Target-Etag': etag }),
    };
  }

  /**
   * The pointers of the table.
   * @param s3 of the owner and of the member
   */
  async point(s3: { readonly owner: S3TestClient; readonly member: S3TestClient }): Promise<void> {
    const { member, owner } = this;
    const versioned = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    for (const bucket of ['bv', 'bo']) {
      await done(s3.owner.put(`/${this.named(bucket)}?versioning`, versioned));
    }
    const put = (path: string, content: string) => done(s3.member.put(`/${path}`, content));
    await put(this.path('b', 'plain'), CONTENTS.open);
    await put(this.path('b', 'dlo-posted'), CONTENTS.open);
    await put(this.path('bv', 'version'), CONTENTS.open);
    await done(s3.owner.put(`/${this.path('bv', 'other')}`, CONTENTS.closed));
    await put(this.path('bs', 'hidden'), CONTENTS.open);
    await this.upload(s3.member, 'parts', CONTENTS.open);
    const id = await this.upload(s3.member, 'replaced', CONTENTS.foreign);

    const link = async (name: string, container: string, object: string) =>
      member.request('PUT', this.path('b', name), this.linkTo(container, object));
    await link('link-open', 'b', 'o');
    await link('link-closed', 'x', 's');
    await link('link-foreign', 'vx', 's');
    await link('link-granted', 'vo', 's');
    await link('link-chain', 'b', 'link-closed');
    const pinned = this.linkTo('x', 's', md5(CONTENTS.closed));
    await owner.request('PUT', this.path('b', 'link-static'), pinned);
    const versions = `${this.named('bv')}+versions`;
    const [version = ''] = await this.names(versions, `${hex('other')}/`);
    await member.request('PUT', this.path('bv', 'link-other'), {
      'X-Symlink-Target': `${encodeURIComponent(versions)}/${version}`,
    });

    const dlo = { 'X-Object-Manifest': this.path('x', 'p/') };
    await member.request('PUT', this.path('b', 'dlo'), dlo);
    await member.request('POST', this.path('b', 'dlo-posted'), dlo);
    // A copy of our link keeps what is listed of it: a dynamic manifest leaves out what has no bytes.
    const copy = (to: string, target: Record<string, string>) =>
      member.request('COPY', `${this.path('bv', 'version')}?symlink=get`, {
        Destination: this.path('b', to),
        ...target,
      });
    await copy('q/1', this.linkTo('vx', 's'));
    await member.request('PUT', this.path('b', 'q/2'), {}, CONTENTS.open);
    await member.request('PUT', this.path('b', 'dlo-link'), {
      'X-Object-Manifest': this.path('b', 'q/'),
    });
    await copy('copied', this.linkTo('vx', 's'));

    const slo = async (name: string, container: string, object: string) => {
      const manifest = JSON.stringify([{ path: `/${this.path(container, object)}` }]);
      const path = `${this.path('b', name)}?multipart-manifest=put`;
      await owner.request('PUT', path, {}, manifest);
    };
    await slo('slo', 'x', 's');
    await slo('slo-nested', 'b', 'slo');
    const part = `${encodeURIComponent(`${this.named('b')}+segments`)}/replaced/${id}/1`;
    await member.request('PUT', part, this.linkTo('vx', 's'));
  }

  /** Completes an upload of one part. @returns its id */
  async upload(client: S3TestClient, key: string, content: string): Promise<string> {
    const id = await this.begin(client, 'b', key);
    await done(client.put(`/${this.path('b', key)}?partNumber=1&uploadId=${id}`, content));
    const answer = await this.complete(client, 'b', key, id, md5(content));
    expect(answer.status, answer.text).to.equal(200);
    return id;
  }

  async begin(client: S3TestClient, bucket: string, key: string): Promise<string> {
    const path = `/${this.path(bucket, key)}?uploads`;
    const { text } = await client.send({ method: 'POST', path });
    return /<UploadId>([^<]+)</.exec(text)?.[1] ?? text;
  }

  complete(client: S3TestClient, bucket: string, key: string, id: string, etag: string) {
    const part = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`;
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
    const path = `/${this.path(bucket, key)}?uploadId=${id}`;
    return client.send({ method: 'POST', path, body });
  }

  /** Of what is in a container, which the owner may list. */
  async names(container: string, prefix = ''): Promise<string[]> {
    const path = `${encodeURIComponent(container)}?prefix=${encodeURIComponent(prefix)}`;
    const answer = await this.owner.request('GET', path);
    return answer.body
      .toString()
      .split('\n')
      .filter((name) => /\/[0-9a-f]{32}$/.test(name));
  }
}

export async function done(answer: ReturnType<S3TestClient['send']>): Promise<void> {
  const { status, text } = await answer;
  expect(status, text).to.equal(200);
}
