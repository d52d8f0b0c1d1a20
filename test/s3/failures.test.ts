import { expect } from 'chai';
import {
  logFailures,
  SampledFailureLog,
  type FailureFields,
} from '../../src/s3/request/failures.js';
import { type ErrorCode, S3Error } from '../../src/s3/errors.js';

describe('s3: the log of failures', () => {
  let nowMs: number;
  let lines: FailureFields[];
  let log: SampledFailureLog;

  beforeEach(() => {
    nowMs = 0;
    lines = [];
    log = new SampledFailureLog({ error: (fields) => lines.push(fields) }, () => nowMs);
  });

  function fail(code: ErrorCode, requestId: string): void {
    const failed = { requestId, operation: 'PutObject', remote: () => '192.0.2.1' };
    logFailures(log, [new S3Error(code)], 'a request failed', failed);
  }

  it('has one line in ten seconds of a full store, with the number of those left out', () => {
    for (let n = 0; n < 1000; n++) fail('InsufficientStorage', `r${n}`);
    nowMs = 9_999;
    fail('InsufficientStorage', 'late');
    nowMs = 10_000;
    fail('InsufficientStorage', 'next');
    nowMs = 30_000;
    fail('InsufficientStorage', 'last');
    const shown = lines.map((line) => [line.request_id, line.left_out]);
    expect(shown).to.deep.equal([
      ['r0', 0],
      ['next', 1000],
      ['last', 0],
    ]);
  });

  it('has a line for each other failure', () => {
    fail('InsufficientStorage', 'full');
    for (let n = 0; n < 5; n++) fail('InternalError', `r${n}`);
    expect(lines).to.have.length(6);
    expect(lines[5]).to.include({ request_id: 'r4', error_code: 'InternalError' });
    expect(lines[5]).not.to.have.property('left_out');
  });
});
