import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { RawClient } from '../support/raw-http.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { presignQuery } from '../support/sigv4.js';

const MIB = 1024 * 1024;
const OF_EACH = 8;
const DRIP_MS = 250;
/** Of each client; a reader that takes nothing holds a chunk, and an upload what it has sent. */
const BYTES_EACH_MAX = 2 * MIB;

/** The behaviour of a client until it is cut off. */
type Behaviour = (client: RawClient, head: Head) => void;

/** The header block of a request that is signed. */
type Head = (method: string, key: string, headers?: string) => string;

/** One byte after the other, for as long as there is a connection. */
function drip(client: RawClient): void {
  const timer = setInterval(() => {
    if (client.closed) clearInterval(timer);
    else client.send('a');
  }, DRIP_MS);
}

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'says nothing': () => undefined,
  'stops in the middle of the headers': (client, head) => {
    client.send(head('GET', 'small').slice(0, -10));
  },
  'sends its headers byte by byte': (client, head) => {
    client.send(head('GET', 'small').replace(/\r\n\r\n$/, '\r\nX-Slow: '));
    drip(client);
  },
  'stops in the middle of a body': (client, head) => {
    client.send(head('PUT', 'stopped', 'Content-Length: 1000000\r\n'));
    client.send(Buffer.alloc(600_000));
  },
  'sends its body byte by byte': (client, head) => {
    client.send(head('PUT', 'dripped', 'Content-Length: 1000000\r\n'));
    drip(client);
  },
  'closes its side before the answer': (client, head) => {
    client.socket.end(head('GET', 'large'));
  },
  'closes its side within a body': (client, head) => {
    client.socket.end(`${head('PUT', 'halved', 'Content-Length: 1000\r\n')}abc`);
  },
  'keeps its connection, and asks nothing more': (client, head) => {
    client.send(head('GET', 'small'));
  },
};

/**
 * In real time: the limits are the HTTP library's own, 8 to 12 s, but for the one on readers. All at
 * once, so that it takes as long as the longest.
 */
describe('clients that are slow', function () {
  this.timeout(120_000);
  let service: Service;
  let s3: S3TestClient;
  const clients: RawClient[] = [];

  before(async () => {
    const config = { response_stall_timeout_ms: 1_000, log_level: 'silent' };
    service = await startService({ listeners: 1, config });
    s3 = new S3TestClient(service);
    expect((await s3.put('/slow')).status).to.equal(200);
    expect((await s3.put('/slow/small', 'small')).status).to.equal(200);
    // More than the kernel takes of it.
    expect((await s3.put('/slow/large', Buffer.alloc(48 * MIB))).status).to.equal(200);
  });

  after(async () => {
    for (const client of clients) client.destroy();
    await s3.close();
    await service.stop();
  });

  const head: Head = (method, key, headers = '') => {
    const { host } = new URL(service.endpoint);
    const rawPath = `/slow/${key}`;
    const identity = { ...service, region: 'us-east-1' };
    const query = presignQuery(identity, { method, rawPath, headers: { host } }, new Date(), 600);
    return `${method} ${rawPath}?${query} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
  };

  async function connect(): Promise<RawClient> {
    const client = await RawClient.connect(Number(new URL(service.endpoint).port));
    clients.push(client);
    return client;
  }

  async function inProgress(): Promise<number> {
    const text = await (await fetch(`${service.adminEndpoint}/metrics`)).text();
    return Number(/^ringway_requests_in_progress (\d+)$/m.exec(text)?.[1]);
  }

  function residentBytes(): number {
    const sizes = service.pids().map((pid) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    });
    return Math.max(...sizes);
  }

  it('are all cut off by a limit, and others are served meanwhile', async () => {
    const before = residentBytes();
    const cut: Promise<unknown>[] = [];
    for (let turn = 0; turn < OF_EACH; turn++) {
      for (const behave of Object.values(BEHAVIOURS)) {
        const client = await connect();
        behave(client, head);
        cut.push(client.untilClosed());
      }
      // Takes nothing: so it is not told either that it was cut off.
      const reader = await connect();
      reader.socket.pause();
      reader.send(head('GET', 'large'));
    }
    let isOver = false;
    void Promise.all(cut).then(() => (isOver = true));
    let peak = before;
    let served = 0;
    while (!isOver) {
      const answer =
        served % 2 === 0 ? await s3.put('/slow/other', 'o') : await s3.get('/slow/other');
      expect(answer.status).to.equal(200);
      served += 1;
      peak = Math.max(peak, residentBytes());
    }
    expect(served).to.be.above(10);
    await eventually(inProgress, (requests) => requests === 0);
    expect(peak - before).to.be.below(BYTES_EACH_MAX * clients.length);
    // Nothing of what was not sent whole.
    const listed = await s3.get('/slow?list-type=2');
    const keys = [...listed.text.matchAll(/<Key>([^<]*)/g)].map(([, key]) => key);
    expect(keys).to.deep.equal(['large', 'other', 'small']);
  });
});
