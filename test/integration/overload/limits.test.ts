import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { S3TestClient } from '../../support/s3-client.js';
import { startService, type Service } from '../../support/service.js';
import { onlyOn } from '../../support/stack.js';
import { SlowClients } from './slow-clients.js';

const MIB = 1024 * 1024;

describe('overload: limits of a listener', () => {
  let service: Service;
  let s3: S3TestClient;
  let slow: SlowClients;

  before(function () {
    onlyOn(this, 'embedded', 'it is about the listener, whatever it stores in');
  });

  async function start(config: Readonly<Record<string, unknown>>): Promise<void> {
    service = await startService({
      listeners: 1,
      config: { admission_queue_max: 0, response_stall_timeout_ms: 60_000, ...config },
    });
    s3 = new S3TestClient(service);
    slow = new SlowClients(service);
    expect((await s3.put('/bucket', '')).status).to.equal(200);
  }

  afterEach(async () => {
    slow.close();
    await s3.close();
    await service.stop();
  });

  async function metric(series: string): Promise<number> {
    const text = await (await fetch(`${service.adminEndpoint}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? NaN);
  }

  function until(series: string, value: number): Promise<number> {
    return eventually(
      () => metric(series),
      (now) => now === value,
    );
  }

  it('sends requests away that are too many, and serves again afterwards', async () => {
    await start({ admission_in_flight_max: 2 });
    const uploads = [await slow.upload('a', 10, 5), await slow.upload('b', 10, 5)];
    await until('ringway_admission_in_flight', 2);
    const answer = await s3.get('/bucket/a');
    expect([answer.status, answer.code, answer.headers['retry-after']]).to.deep.equal([
      503,
      'SlowDown',
      '1',
    ]);
    expect((await s3.head('/bucket/a')).status).to.equal(503);
    expect(await metric('ringway_admission_rejected_total{reason="queue_full"}')).to.equal(2);
    // The admin port waits behind nobody.
    expect((await fetch(`${service.adminEndpoint}/readyz`)).status).to.equal(200);
    // To send a client away is no failure of the service: no line tells of it.
    expect(service.output()).not.to.include('SlowDown');
    for (const upload of uploads) {
      upload.send(Buffer.alloc(5));
      expect((await upload.readResponse()).status).to.equal(200);
    }
    expect((await s3.get('/bucket/a')).status).to.equal(200);
    await until('ringway_admission_in_flight', 0);
  });

  it('lets requests wait for a moment', async () => {
    const waits = { admission_queue_max: 1, admission_wait_ms_max: 600_000 };
    await start({ admission_in_flight_max: 1, ...waits });
    const upload = await slow.upload('a', 10, 5);
    await until('ringway_admission_in_flight', 1);
    const waiting = s3.get('/bucket/a');
    await until('ringway_admission_waiting', 1);
    const third = new S3TestClient(service);
    expect((await third.get('/bucket/a')).code).to.equal('SlowDown');
    await third.close();
    upload.send(Buffer.alloc(5));
    expect((await waiting).status).to.equal(200);
    expect(await metric('ringway_admission_wait_seconds_count')).to.equal(1);
  });

  it('ends the wait of those that come to no end', async () => {
    await start({ admission_in_flight_max: 1, admission_queue_max: 9, admission_wait_ms_max: 50 });
    await slow.upload('a', 10, 5);
    await until('ringway_admission_in_flight', 1);
    expect((await s3.get('/bucket/a')).code).to.equal('SlowDown');
    expect(await metric('ringway_admission_rejected_total{reason="wait_timeout"}')).to.equal(1);
  });

  it('forgets a request whose client has left', async () => {
    await start({ admission_in_flight_max: 1 });
    const upload = await slow.upload('a', 10, 5);
    await until('ringway_admission_in_flight', 1);
    upload.destroy();
    await until('ringway_admission_in_flight', 0);
    expect((await s3.get('/bucket/a')).status).to.equal(404);
  });

  it('bounds the memory of slow uploads, and of slow downloads', async () => {
    await start({ body_memory_bytes_max: 2 * MIB });
    expect((await s3.put('/bucket/large', Buffer.alloc(24 * MIB))).status).to.equal(200);
    await slow.upload('a', 64 * MIB, 1000);
    await slow.download('large');
    await until('ringway_admission_body_bytes', 2 * MIB);
    const late = await slow.upload('b', MIB, 1000);
    const refused = await late.readResponse();
    expect(refused.status).to.equal(503);
    expect(refused.values('retry-after')).to.deep.equal(['1']);
    expect((await s3.get('/bucket/large')).code).to.equal('SlowDown');
    const rejected = 'ringway_admission_rejected_total{reason="memory_queue_full"}';
    expect(await metric(rejected)).to.equal(2);
    // A small body takes none of it.
    expect((await s3.put('/bucket/small', 'x')).status).to.equal(200);
    expect((await s3.get('/bucket/small')).text).to.equal('x');
    slow.close();
    await until('ringway_admission_body_bytes', 0);
    expect((await s3.get('/bucket/large')).body.length).to.equal(24 * MIB);
  });

  it('limits the rate of an access key', async () => {
    await start({ rate_limit_requests_per_s: 1, rate_limit_burst: 5 });
    await eventually(
      () => s3.head('/bucket'),
      ({ status }) => status === 503,
    );
    const rejected = await metric('ringway_admission_rejected_total{reason="rate"}');
    expect(rejected).to.be.at.least(1);
    // Nobody else pays for it.
    const unsigned = await s3.send({ method: 'GET', path: '/bucket', signed: false });
    expect(unsigned.code).to.equal('AccessDenied');
  });
});
