import { presignQuery } from '../../support/sigv4.js';
import { RawClient } from '../../support/raw-http.js';
import type { Service } from '../../support/service.js';

/** Clients of one service that hold requests open for as long as a test wants. */
export class SlowClients {
  readonly #clients: RawClient[] = [];

  constructor(private readonly service: Service) {}

  /** Announces a body, sends a part of it and stops. */
  async upload(key: string, length: number, sent: number): Promise<RawClient> {
    const client = await this.#send('PUT', key, `Content-Length: ${length}\r\n`);
    client.send(Buffer.alloc(sent, 'u'));
    return client;
  }

  /** Asks for an object, and reads nothing of it. */
  async download(key: string): Promise<RawClient> {
    const client = await this.#connect();
    client.socket.pause();
    client.send(this.#head('GET', key, ''));
    return client;
  }

  async #send(method: string, key: string, headers: string): Promise<RawClient> {
    const client = await this.#connect();
    client.send(this.#head(method, key, headers));
    return client;
  }

  async #connect(): Promise<RawClient> {
    const client = await RawClient.connect(Number(new URL(this.service.endpoint).port));
    this.#clients.push(client);
    return client;
  }

  #head(method: string, key: string, headers: string): string {
    const { host } = new URL(this.service.endpoint);
    const rawPath = `/bucket/${key}`;
    const identity = { ...this.service, region: 'us-east-1' };
    const query = presignQuery(identity, { method, rawPath, headers: { host } }, new Date(), 600);
    return `${method} ${rawPath}?${query} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
  }
}
