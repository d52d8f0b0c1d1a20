import { expect } from 'chai';
import type { AccessEntry } from '../../src/telemetry/access-log.js';
import type { FinishedRequest } from '../../src/telemetry/metrics.js';
import {
  RequestTrace,
  TRACES_MAX,
  type TraceBatch,
  type TraceFilter,
} from '../../src/telemetry/request-trace.js';
import { lookAtTrace, RequestTraces } from '../../supervisor/request-traces.js';
import { useEach } from '../support/fixture.js';

const LEASE_MS = 1000;

function finished(given: Partial<FinishedRequest> = {}): FinishedRequest {
  const sizes = { bytesIn: 0, bytesOut: 0, aborted: false };
  return { operation: 'GetObject', account: 'a', bucket: 'photos', status: 200, durationS: 0.01, ...sizes, ...given }; // prettier-ignore
}

describe('telemetry: trace of requests', () => {
  let nowMs = 0;
  const sent = useEach<TraceBatch[]>(() => []);
  const trace = useEach(() => new RequestTrace(() => nowMs), 'close');
  let made: number;

  beforeEach(() => {
    nowMs = 0;
    made = 0;
  });

  const follow = (filter: Partial<TraceFilter> = {}, id = 'one') => {
    trace().follow({ id, filter: { every: 1, ...filter }, forMs: LEASE_MS }, (batches) => {
      sent().push(...batches);
    });
  };
  const offer = (given: Partial<FinishedRequest> = {}, method = 'GET') => {
    const one = finished(given);
    trace().offer(one, method, () => {
      made += 1;
      return { status: one.status, operation: one.operation } as AccessEntry;
    });
  };
  const statuses = () => {
    trace().flush();
    return sent().flatMap(({ entries }) => entries.map(({ status }) => status));
  };

  it('is off until somebody looks, and again once nobody does', () => {
    expect(trace().isOn).to.equal(false);
    follow();
    expect(trace().isOn).to.equal(true);
    nowMs = LEASE_MS / 2;
    follow();
    nowMs = LEASE_MS;
    trace().flush();
    expect(trace().isOn).to.equal(true);
    nowMs = 1.5 * LEASE_MS;
    trace().flush();
    expect(trace().isOn).to.equal(false);
  });

  it('has the requests that fit all wishes, and makes nothing of others', () => {
    follow({ status: 'errors', method: 'PUT', bucket: 'photos', operation: 'PutObject', minMs: 5 });
    const fitting = { status: 503, operation: 'PutObject' };
    offer(fitting, 'PUT');
    offer({ ...fitting, status: 200 }, 'PUT');
    offer({ ...fitting, bucket: 'other' }, 'PUT');
    offer({ ...fitting, operation: 'CopyObject' }, 'PUT');
    offer({ ...fitting, durationS: 0.001 }, 'PUT');
    offer(fitting, 'GET');
    expect(statuses()).to.deep.equal([503]);
    expect(made).to.equal(1);
  });

  it('takes one of so many, of those that fit', () => {
    follow({ every: 3, status: '4xx' });
    for (let i = 0; i < 7; i++) {
      offer({ status: 200 });
      offer({ status: 400 + i });
    }
    expect(statuses()).to.deep.equal([400, 403, 406]);
  });

  it('is bounded in orders and in entries, and says what it left out', () => {
    for (let i = 0; i <= TRACES_MAX; i++) follow({}, `t${i}`);
    for (let i = 0; i < 1000; i++) offer();
    trace().flush();
    expect(sent().map(({ id }) => id)).to.deep.equal(['t0', 't1', 't2', 't3']);
    for (const { entries, skipped } of sent()) {
      expect(entries.length + skipped).to.equal(1000);
      expect(entries).to.have.length(50);
    }
    expect(made).to.equal(50);
  });
});

describe('supervisor: traces of requests', () => {
  const entry = { request_id: 'tx1' } as AccessEntry;
  const every = { every: 1 };

  it('ask listeners, also those that come later, and number what they say', () => {
    const traces = new RequestTraces();
    const asked: string[] = [];
    traces.join({ trace: ({ id }) => asked.push(`first ${id}`) });
    expect(traces.look('a', every, 0)).to.deep.equal({ entries: [], next: 0, skipped: 0, listeners: 1 }); // prettier-ignore
    traces.join({ trace: ({ id }) => asked.push(`second ${id}`) });
    expect(asked).to.deep.equal(['first a', 'second a']);
    traces.add([
      { id: 'a', entries: [entry, entry], skipped: 3 },
      { id: 'nobody', entries: [entry], skipped: 0 },
    ]);
    const look = traces.look('a', every, 1);
    expect(look?.entries.map(({ seq }) => seq)).to.deep.equal([2]);
    expect(look).to.include({ next: 2, skipped: 3, listeners: 2 });
  });

  it('keep the latest entries alone, and begin anew with other wishes', () => {
    const traces = new RequestTraces();
    traces.look('a', every, 0);
    for (let i = 0; i < 30; i++) {
      traces.add([{ id: 'a', entries: Array.from({ length: 50 }, () => entry), skipped: 0 }]);
    }
    expect(traces.look('a', every, 0)?.entries).to.have.length(500);
    const other = traces.look('a', { every: 2 }, 0);
    expect(other?.entries).to.have.length(0);
    expect(other?.next).to.equal(1500);
  });

  it('say how many were let go before a look could find them', () => {
    const traces = new RequestTraces();
    const add = (count: number) => {
      traces.add([{ id: 'a', entries: Array.from({ length: count }, () => entry), skipped: 0 }]);
    };
    traces.look('a', every, 0);
    // More listeners than one send more in a second than are kept.
    for (let i = 0; i < 16; i++) add(50);
    const first = traces.look('a', every, 0);
    expect(first?.entries).to.have.length(500);
    expect(first?.skipped).to.equal(300);
    // Those that were found already make place for others.
    add(400);
    const second = traces.look('a', every, first?.next ?? 0);
    expect(second?.entries).to.have.length(400);
    expect(second?.skipped).to.equal(300);
  });

  it('are four at most', () => {
    const traces = new RequestTraces();
    const ids = Array.from({ length: TRACES_MAX }, (_, index) => `t${index}`);
    for (const id of ids) expect(traces.look(id, every, 0)).not.to.equal(undefined);
    expect(lookAtTrace(traces, new URLSearchParams('id=more')).status).to.equal(429);
    expect(lookAtTrace(traces, new URLSearchParams('id=t1')).status).to.equal(200);
  });

  for (const query of [
    '',
    'id=a%20b',
    'id=a&every=0',
    'id=a&status=200',
    'id=a&after=-1',
    'id=a&secret=1',
  ]) {
    it(`refuse ?${query}`, () => {
      expect(lookAtTrace(new RequestTraces(), new URLSearchParams(query)).status).to.equal(400);
    });
  }
});
