import { expect } from 'chai';
import { ListenerMetrics, type FinishedRequest } from '../../src/telemetry/metrics.js';
import { useEach } from '../support/fixture.js';

const REQUEST: FinishedRequest = {
  operation: 'GetObject',
  account: 'AUTH_main',
  bucket: 'photos',
  status: 200,
  durationS: 0.02,
  ttfbS: 0.01,
  bytesIn: 0,
  bytesOut: 100,
  aborted: false,
};

describe('telemetry: listener metrics', () => {
  const metrics = useEach(() => new ListenerMetrics(), 'close');

  /** Lines of the text format that begin so. */
  async function lines(prefix: string): Promise<string[]> {
    const text = await metrics().registry.metrics();
    return text.split('\n').filter((line) => line.startsWith(prefix));
  }

  it('counts requests by operation and code, and errors by their code', async () => {
    const failure = { ...REQUEST, status: 404, errorCode: 'NoSuchKey' };
    for (const request of [REQUEST, REQUEST, failure]) {
      metrics().requestStarted();
      metrics().requestFinished(request);
    }
    expect(await lines('ringway_requests_total')).to.deep.equal([
      'ringway_requests_total{operation="GetObject",code="200"} 2',
      'ringway_requests_total{operation="GetObject",code="404"} 1',
    ]);
    expect(await lines('ringway_request_errors_total')).to.deep.equal([
      'ringway_request_errors_total{operation="GetObject",error_code="NoSuchKey"} 1',
    ]);
    expect(await lines('ringway_sent_bytes_total')).to.deep.equal(['ringway_sent_bytes_total 300']);
  });

  it('does not count twice when it is asked twice', async () => {
    metrics().requestStarted();
    metrics().requestFinished(REQUEST);
    expect(await lines('ringway_')).to.deep.equal(await lines('ringway_'));
  });

  it('tells the buckets apart that were used last, and adds up the others', async () => {
    metrics().requestFinished(REQUEST);
    expect(await lines('ringway_bucket_')).to.deep.equal([]);
    metrics().buckets.limit(2, 3);
    const buckets = ['a', 'b', 'a', 'c', 'nobody', 'a'];
    for (const bucket of buckets) {
      const missing = bucket === 'nobody' ? { status: 404, errorCode: 'NoSuchBucket' } : {};
      metrics().requestFinished({ ...REQUEST, bucket, bytesIn: 7, bytesOut: 11, ...missing });
    }
    const refused = { status: 503, errorCode: 'SlowDown', bytesOut: 11 };
    metrics().requestFinished({ ...REQUEST, bucket: 'c', ...refused });
    metrics().requestFinished({ ...REQUEST, account: '', bucket: 'unsigned' });
    expect(await lines('ringway_bucket_requests_total{')).to.deep.equal([
      'ringway_bucket_requests_total{account="AUTH_main",bucket="a",worker="3"} 3',
      'ringway_bucket_requests_total{account="AUTH_main",bucket="c",worker="3"} 2',
      'ringway_bucket_requests_total{account="_other",bucket="_other",worker="3"} 1',
    ]);
    const [, errors] = await lines('ringway_bucket_errors_total{');
    expect(errors).to.match(/bucket="c",worker="3"\} 1$/);
    const received = await lines('ringway_bucket_received_bytes_total{');
    expect(received.map((line) => line.split(' ')[1])).to.deep.equal(['21', '7', '7']);
    const sent = await lines('ringway_bucket_sent_bytes_total{');
    expect(sent.map((line) => line.split(' ')[1])).to.deep.equal(['33', '22', '11']);
  });

  it('knows what is in progress', async () => {
    metrics().requestStarted();
    metrics().requestStarted();
    metrics().requestFinished({ ...REQUEST, aborted: true, ttfbS: undefined });
    expect(metrics().requestsInProgress).to.equal(1);
    expect(await lines('ringway_requests_in_progress')).to.deep.equal([
      'ringway_requests_in_progress 1',
    ]);
    expect(await lines('ringway_client_aborts_total')).to.deep.equal([
      'ringway_client_aborts_total 1',
    ]);
    const count = (name: string): string => `${name}_count{operation="GetObject"}`;
    const [duration, ttfb] = [
      'ringway_request_duration_seconds',
      'ringway_time_to_first_byte_seconds',
    ].map(count) as [string, string];
    expect(await lines(duration)).to.deep.equal([`${duration} 1`]);
    expect(await lines(ttfb)).to.deep.equal([`${ttfb} 0`]);
  });

  it('reads pool and store when it is asked', async () => {
    expect(await lines('ringway_store_bytes'), 'without an embedded store').to.deep.equal([]);
    let bytes = 1;
    metrics().watchStoreBytes(() => bytes);
    metrics().watchPool(() => ({ queued: 2, active: 1 }));
    metrics().watchPool(() => ({ queued: 3, active: 0 }));
    bytes = 7;
    expect(await lines('ringway_store_bytes')).to.deep.equal(['ringway_store_bytes 7']);
    expect(await lines('ringway_pool_tasks_queued')).to.deep.equal(['ringway_pool_tasks_queued 5']);
    expect(await lines('ringway_pool_tasks_active')).to.deep.equal(['ringway_pool_tasks_active 1']);
  });

  it('observes pool, lanes, syncs and batches, and auth failures', async () => {
    metrics().poolTaskFinished(0.001, 0.002);
    metrics().digestLaneHashed(5);
    metrics().store.committed(0.003, 4);
    metrics().store.gateWaited('commit', 0.005);
    metrics().authFailed('SignatureDoesNotMatch');
    metrics().versionCommitEnded('in-doubt');
    const found = await Promise.all(
      [
        'ringway_pool_wait_seconds_sum',
        'ringway_pool_run_seconds_sum',
        'ringway_digest_lane_bytes_total',
        'ringway_store_sync_seconds_sum',
        'ringway_store_commit_batch_size_sum',
        'ringway_store_gate_wait_seconds_sum',
        'ringway_auth_failures_total',
        'ringway_version_commits_total',
      ].map(lines),
    );
    expect(found.flat()).to.deep.equal([
      'ringway_pool_wait_seconds_sum 0.001',
      'ringway_pool_run_seconds_sum 0.002',
      'ringway_digest_lane_bytes_total 5',
      'ringway_store_sync_seconds_sum 0.003',
      'ringway_store_commit_batch_size_sum 4',
      'ringway_store_gate_wait_seconds_sum{waiter="commit"} 0.005',
      'ringway_auth_failures_total{reason="SignatureDoesNotMatch"} 1',
      'ringway_version_commits_total{outcome="in_doubt"} 1',
    ]);
  });

  it('tells the state of an identity service where there is one', async () => {
    expect(await lines('ringway_identity_up')).to.deep.equal([]);
    metrics().identity.watch({ endpoint: 'http://k', knownKeys: () => 3, isUp: () => true });
    metrics().identity.requested({ purpose: 'verify', code: '200', durationS: 0.02 });
    metrics().identity.lookedUp('stale');
    const found = await Promise.all(
      [
        'ringway_identity_up',
        'ringway_identity_known_keys',
        'ringway_identity_requests_total',
        'ringway_identity_request_duration_seconds_sum',
        'ringway_identity_lookups_total',
      ].map(lines),
    );
    expect(found.flat()).to.deep.equal([
      'ringway_identity_up{endpoint="http://k"} 1',
      'ringway_identity_known_keys 3',
      'ringway_identity_requests_total{purpose="verify",code="200"} 1',
      'ringway_identity_request_duration_seconds_sum{purpose="verify"} 0.02',
      'ringway_identity_lookups_total{source="stale"} 1',
    ]);
  });

  it('sees a loop that is late', async () => {
    let max = 0;
    // Not at the first block when the timer behind the histogram has not started yet.
    for (let blocks = 0; max < 0.15 && blocks < 10; blocks++) {
      const until = performance.now() + 200;
      while (performance.now() < until);
      await new Promise((resolve) => setImmediate(resolve));
      const [line = ''] = await lines('ringway_event_loop_lag_seconds{stat="max"}');
      max = Number(line.split(' ')[1]);
    }
    // All of the block but what was left until the timer's next look.
    expect(max).to.be.at.least(0.15);
  });

  it('has an aggregator for every gauge', async () => {
    metrics().watchStoreBytes(() => 0);
    const gauges = (await metrics().snapshot()).filter((metric) => String(metric.type) === 'gauge');
    expect(gauges).to.have.length(15);
    for (const gauge of gauges)
      expect(gauge.aggregator, gauge.name).to.be.oneOf(['sum', 'max', 'min']);
  });
});
