import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Pointer, Way, Who } from '../../support/authority-table.js';
import type { S3Answer, S3TestClient } from '../../support/s3-client.js';
import { startService, type Service } from '../../support/service.js';
import { presignQuery } from '../../support/sigv4.js';
import type { SwiftLab } from '../../support/swift-lab.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { s3Of } from '../support.js';
import type { World } from './world.js';

const USERS = { owner: 'test:tester', member: 'test:tester2' } as const;

/** One gateway, and who reads through it. */
export class Gateway {
  readonly owner: S3TestClient;
  readonly member: S3TestClient;
  readonly #clients: S3TestClient[] = [];

  private constructor(
    readonly service: Service,
    private readonly lab: SwiftLab,
    private readonly world: World,
    readonly folder: string,
  ) {
    this.owner = this.client('test:tester');
    this.member = this.client('test:tester2');
  }

  static async open(lab: SwiftLab, world: World, isDirect: boolean): Promise<Gateway> {
    const keys = isDirect ? lab.directKeys() : lab.gatewayKeys();
    const own = { anonymous_account: 'AUTH_test', swift_container_cache_ms: 0 };
    const config = { ...keys, ...own, janitor_interval_ms: 0 };
    const folder = await makeTempFolder('authority');
    const configFile = join(folder, 'config.json');
    await writeFile(configFile, JSON.stringify(config));
    const service = await startService({ configFile, listeners: 1 });
    return new Gateway(service, lab, world, folder);
  }

  client(name: string): S3TestClient {
    const { endpoint } = this.service;
    const client = s3Of(this.lab, endpoint, name);
    this.#clients.push(client);
    return client;
  }

  async read(pointer: Pointer, way: Way, who: Who, referer?: string): Promise<S3Answer> {
    const { world } = this;
    const path = `/${world.path(pointer.bucket, pointer.name)}`;
    const client = who === 'owner' ? this.owner : this.member;
    const signed = who !== 'anonymous';
    const headers = referer === undefined ? {} : { referer };
    const send = (method: string, query = '', more = {}) =>
      client.send({ method, path: path + query, headers: { ...headers, ...more }, signed });
    switch (way) {
      case 'GET':
      case 'HEAD':
        return send(way);
      case 'range':
        return send('GET', '', { range: 'bytes=0-4' });
      case 'version null':
        return send('GET', '?versionId=null');
      case 'presigned':
        return client.send({
          method: 'GET',
          path: `${path}?${this.#presigned(path, who)}`,
          signed: false,
        });
      case 'tags':
        return send('GET', '?tagging');
      case 'copy':
      case 'part copy':
        return this.#copy(pointer, way, client);
    }
  }

  #presigned(rawPath: string, who: Who): string {
    const accessKey = USERS[who === 'owner' ? 'owner' : 'member'];
    const identity = { accessKey, secretKey: this.lab.user(accessKey).key, region: 'us-east-1' };
    const headers = { host: this.service.endpoint.slice('http://'.length) };
    return presignQuery(identity, { method: 'GET', rawPath, headers }, new Date(), 60);
  }

  /** A copy that is allowed gives the content of its source; one that is not leaves nothing. */
  async #copy({ bucket, name }: Pointer, way: Way, client: S3TestClient): Promise<S3Answer> {
    const { world } = this;
    const source = { 'x-amz-copy-source': `/${world.path(bucket, name)}` };
    const to = `copies/${name}-${randomBytes(4).toString('hex')}`;
    const path = `/${world.path('b', to)}`;
    if (way === 'copy') {
      const copied = await client.put(path, '', source);
      const kept = await client.get(path);
      await client.delete(path);
      if (copied.status === 200) return kept;
      expect(kept.status).to.equal(404);
      return copied;
    }
    const id = await world.begin(client, 'b', to);
    const copied = await client.put(`${path}?partNumber=1&uploadId=${id}`, '', source);
    if (copied.status === 200) {
      const etag = /<ETag>([^<]+)</.exec(copied.text)?.[1] ?? '';
      await world.complete(client, 'b', to, id, etag.replaceAll('&quot;', ''));
      const kept = await client.get(path);
      await client.delete(path);
      return kept;
    }
    const listed = await client.get(`${path}?uploadId=${id}`);
    expect(listed.text).to.not.include('<Part>');
    return copied;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.service.stop();
    await removeFolder(this.folder);
  }
}
