import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { expect } from 'chai';
import { addressOf, Connection } from '../../../bench/load/connection.js';
import { wireRequest, type WireRequest } from '../../../bench/load/wire.js';
import { S3TestClient } from '../../support/s3-client.js';
import { startService, type Service } from '../../support/service.js';
import { presignQuery } from '../../support/sigv4.js';
import { onlyOn } from '../../support/stack.js';

const IS_LARGE = process.env.RINGWAY_LARGE === '1';
/** Sustainable; ten times as many are too many. */
const CLIENTS = 16;
const PHASE_MS = IS_LARGE ? 60_000 : 1_500;
const WARM_UP_MS = IS_LARGE ? 5_000 : 500;
const IN_FLIGHT = { admission_in_flight_max: 8 };
const BODY = Buffer.alloc(1024, 'o');
const MIB = 1024 * 1024;

interface Phase {
  readonly goodputPerS: number;
  readonly slowDownsPerS: number;
  readonly problems: readonly string[];
}

describe('overload: ten times the load', function () {
  this.timeout(IS_LARGE ? 300_000 : 60_000);
  let service: Service;
  let requests: readonly WireRequest[];

  before(async function () {
    onlyOn(this, 'embedded', 'it is about the listener, whatever it stores in');
    service = await startService({
      listeners: 1,
      // Below what comes, so that some wait and, with the short line, some are sent away.
      config: IS_LARGE ? IN_FLIGHT : { ...IN_FLIGHT, admission_queue_max: 64 },
    });
    const s3 = new S3TestClient(service);
    expect((await s3.put('/bucket', '')).status).to.equal(200);
    await s3.close();
    const keys = Array.from({ length: 64 }, (_, index) => `key-${index}`);
    requests = keys.flatMap((key) => [request('PUT', key), request('GET', key)]);
    // So that there is something to read.
    const client = new Connection(addressOf(service.endpoint));
    for (const each of requests) expect((await client.exchange(each)).problem).to.equal(undefined);
    client.close();
  });

  after(async () => {
    await service.stop();
  });

  function request(method: 'PUT' | 'GET', key: string): WireRequest {
    const { host } = new URL(service.endpoint);
    const rawPath = `/bucket/${key}`;
    const identity = { ...service, region: 'us-east-1' };
    const query = presignQuery(identity, { method, rawPath, headers: { host } }, new Date(), 3600);
    return wireRequest(
      method,
      `${rawPath}?${query}`,
      { host },
      method === 'PUT' ? BODY : undefined,
      {
        // Whoever is sent away tries again at once: no client is as rude.
        statuses: [200, 503],
      },
    );
  }

  async function phase(clients: number, durationMs: number): Promise<Phase> {
    const until = performance.now() + durationMs;
    const since = performance.now();
    let good = 0;
    let slowDowns = 0;
    const problems: string[] = [];
    const work = async (index: number): Promise<void> => {
      const client = new Connection(addressOf(service.endpoint));
      for (let turn = index; performance.now() < until; turn++) {
        const reply = await client.exchange(requests[turn % requests.length]!);
        if (reply.problem !== undefined) problems.push(reply.problem);
        else if (reply.status === 503) slowDowns += 1;
        else good += 1;
      }
      client.close();
    };
    await Promise.all(Array.from({ length: clients }, (_, index) => work(index)));
    const seconds = (performance.now() - since) / 1000;
    return { goodputPerS: good / seconds, slowDownsPerS: slowDowns / seconds, problems };
  }

  function residentBytes(): number {
    const sizes = service.pids().map((pid) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    });
    return Math.max(...sizes);
  }

  it('is answered, in bounded memory, and leaves nothing behind', async function () {
    await phase(CLIENTS, WARM_UP_MS);
    const peak = await phase(CLIENTS, PHASE_MS);
    const before = residentBytes();
    const overload = await phase(10 * CLIENTS, PHASE_MS);
    const during = residentBytes();
    const recovered = await phase(CLIENTS, Math.min(PHASE_MS, 3_000));
    expect([peak, overload, recovered].flatMap(({ problems }) => problems)).to.deep.equal([]);
    expect(overload.goodputPerS).to.be.greaterThan(0);
    if (!IS_LARGE) expect(overload.slowDownsPerS).to.be.greaterThan(0);
    expect(during - before).to.be.lessThan(128 * MIB);
    expect(recovered.goodputPerS).to.be.greaterThan(0);
    if (!IS_LARGE) return;
    const facts = { peak, overload, recovered, before, during };
    process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
    // Of the machine, so only where somebody looks.
    expect(overload.goodputPerS / peak.goodputPerS).to.be.greaterThan(0.8);
    expect(recovered.goodputPerS / peak.goodputPerS).to.be.greaterThan(0.8);
  });
});
