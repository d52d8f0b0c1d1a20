import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { CONTENTS } from '../../support/authority-table.js';
import { PlainSwift } from '../../support/plain-swift.js';
import type { S3TestClient } from '../../support/s3-client.js';
import type { SwiftLab } from '../../support/swift-lab.js';

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
export const hex = (key: string): string => Buffer.from(key).toString('hex');

/** Of the containers that pointers lie in. */
export const TEMP_URL_KEY = 'a-key-of-temp-urls';

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

  /** Swift's headers of all that pointers lead to, less those that differ in every answer. */
  async targets(): Promise<readonly string[]> {
    const tell = async (path: string) => {
      const client = path.startsWith('v') ? this.victim : this.owner;
      const answer = await client.request('HEAD', path);
      const headers = answer.headers.filter(
        ([each]) => !/^(?:date|x-trans|x-openstack)/i.test(each),
      );
      return `${path} ${JSON.stringify(headers)}`;
    };
    return Promise.all(this.#targets.map(tell));
  }

  async #prepare(): Promise<void> {
    const { owner, victim } = this;
    const shared = {
      'X-Container-Read': '.r:*,test:tester2',
      'X-Container-Write': 'test:tester2',
      'X-Container-Meta-Temp-URL-Key': TEMP_URL_KEY,
    };
    const make = (client: PlainSwift, name: string, headers = {}) =>
      client.request('PUT', this.named(name), headers);
    // The first container makes its account, in which others cannot be made before.
    await Promise.all([make(owner, 'x'), make(victim, 'vx')]);
    await Promise.all([
      ...['b', 'bv', 'bo'].map((name) => make(owner, name, shared)),
      make(owner, 'bs', { ...shared, 'X-Versions-Enabled': 'true' }),
      make(victim, 'vo', { 'X-Container-Read': 'test:tester' }),
    ]);
    const put = async (client: PlainSwift, container: string, object: string, content: string) => {
      const path = this.path(container, object);
      await client.request('PUT', path, { 'Content-Type': 'text/plain' }, content);
      return path;
    };
    this.#targets = await Promise.all([
      put(owner, 'x', 's', CONTENTS.closed),
      put(owner, 'x', 'p/1', CONTENTS.closed),
      put(owner, 'x', 'p/2', CONTENTS.closed),
      put(owner, 'b', 'o', CONTENTS.open),
      put(victim, 'vx', 's', CONTENTS.foreign),
      put(victim, 'vo', 's', CONTENTS.granted),
    ]);
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
    const put = (path: string, content: string) => done(s3.member.put(`/${path}`, content));
    const link = async (name: string, container: string, object: string) =>
      member.request('PUT', this.path('b', name), this.linkTo(container, object));
    const dlo = { 'X-Object-Manifest': this.path('x', 'p/') };
    const slo = async (name: string, container: string, object: string) => {
      const manifest = JSON.stringify([{ path: `/${this.path(container, object)}` }]);
      const path = `${this.path('b', name)}?multipart-manifest=put`;
      await owner.request('PUT', path, {}, manifest);
    };
    const pinned = this.linkTo('x', 's', md5(CONTENTS.closed));
    await Promise.all([
      this.#pointInVersions(s3),
      put(this.path('b', 'plain'), CONTENTS.open),
      put(this.path('b', 'dlo-posted'), CONTENTS.open).then(() =>
        member.request('POST', this.path('b', 'dlo-posted'), dlo),
      ),
      put(this.path('bs', 'hidden'), CONTENTS.open),
      this.upload(s3.member, 'parts', CONTENTS.open),
      this.upload(s3.member, 'replaced', CONTENTS.foreign).then((id) => {
        const part = `${encodeURIComponent(`${this.named('b')}+segments`)}/replaced/${id}/1`;
        return member.request('PUT', part, this.linkTo('vx', 's'));
      }),
      link('link-open', 'b', 'o'),
      link('link-closed', 'x', 's'),
      link('link-foreign', 'vx', 's'),
      link('link-granted', 'vo', 's'),
      link('link-chain', 'b', 'link-closed'),
      owner.request('PUT', this.path('b', 'link-static'), pinned),
      member.request('PUT', this.path('b', 'dlo'), dlo),
      member.request('PUT', this.path('b', 'q/2'), {}, CONTENTS.open),
      member.request('PUT', this.path('b', 'dlo-link'), {
        'X-Object-Manifest': this.path('b', 'q/'),
      }),
      slo('slo', 'x', 's').then(() => slo('slo-nested', 'b', 'slo')),
    ]);
  }

  /** Makes the pointers that need a bucket with versions, and copies of our own link in it. */
  async #pointInVersions(s3: Parameters<World['point']>[0]): Promise<void> {
    const { member } = this;
    const versioned = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    const enable = (bucket: string) =>
      done(s3.owner.put(`/${this.named(bucket)}?versioning`, versioned));
    await Promise.all([enable('bv'), enable('bo')]);
    // Second versions: a link to a first one is fixed, and Swift lets nobody else copy that.
    for (let version = 1; version <= 2; version++) {
      await Promise.all([
        done(s3.member.put(`/${this.path('bv', 'version')}`, CONTENTS.open)),
        done(s3.owner.put(`/${this.path('bv', 'other')}`, CONTENTS.closed)),
      ]);
    }
    const versions = `${this.named('bv')}+versions`;
    const [version = ''] = await this.names(versions, `${hex('other')}/`);
    const link = { 'X-Symlink-Target': `${encodeURIComponent(versions)}/${version}` };
    // A copy of our link keeps what is listed of it: a dynamic manifest leaves out what has no bytes.
    const copy = (to: string) =>
      member.request('COPY', `${this.path('bv', 'version')}?symlink=get`, {
        Destination: this.path('b', to),
        ...this.linkTo('vx', 's'),
      });
    await Promise.all([
      member.request('PUT', this.path('bv', 'link-other'), link),
      copy('q/1'),
      copy('copied'),
    ]);
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
