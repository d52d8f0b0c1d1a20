import { expect } from 'chai';
import { Answer } from '../../../src/backend/swift/net/answer.js';
import {
  AttemptError,
  type AttemptStage,
  pauseMs,
  RetryBudget,
  retryReason,
} from '../../../src/backend/swift/net/retry-policy.js';
import type { AttemptErrorName } from '../../../src/backend/swift/net/options.js';
import { Upload } from '../../../src/backend/swift/net/upload.js';

type Request = 'write' | 'repeatable' | 'stream' | 'begun stream';

async function requestOf(kind: Request) {
  if (kind === 'write' || kind === 'repeatable') {
    return { upload: undefined, repeatable: kind === 'repeatable' };
  }
  const upload = new Upload(empty(), 0);
  if (kind === 'begun stream') await upload.next();
  // Whether a stream is repeatable has no bearing.
  return { upload, repeatable: true };
}

async function* empty(): AsyncGenerator<Buffer> {
  // Nothing.
}

function failed(stage: AttemptStage, kind: AttemptErrorName): AttemptError {
  return new AttemptError(stage, kind, 'http://proxy', new Error('why'));
}

function answered(status: number): Answer {
  const feed = { resume: () => undefined, abort: () => undefined, released: () => undefined };
  return new Answer(status, new Map(), feed);
}

describe('retryReason', () => {
  const NO = undefined;
  const KINDS: readonly Request[] = ['write', 'repeatable', 'stream', 'begun stream'];
  const TABLE: [string, Answer | AttemptError, (string | undefined)[]][] = [
    ['nothing sent', failed('unsent', 'connect'), ['connect', 'connect', 'connect', NO]],
    ['no connection in time', failed('unsent', 'timeout'), ['connect', 'connect', 'connect', NO]],
    ['reset before the body', failed('body_unsent', 'reset'), ['reset', 'reset', 'reset', NO]],
    ['no 100 Continue', failed('body_unsent', 'timeout'), ['timeout', 'timeout', 'timeout', NO]],
    ['reset', failed('unanswered', 'reset'), [NO, 'reset', NO, NO]],
    ['no answer', failed('unanswered', 'timeout'), [NO, 'timeout', NO, NO]],
    ['abort', failed('given_up', 'abort'), [NO, NO, NO, NO]],
    ['502', answered(502), [NO, 'status', 'status', NO]],
    ['503', answered(503), [NO, 'status', 'status', NO]],
    ['504', answered(504), [NO, 'status', 'status', NO]],
    ['500', answered(500), [NO, NO, NO, NO]],
    ['404', answered(404), [NO, NO, NO, NO]],
    ['507', answered(507), [NO, NO, NO, NO]],
  ];
  for (const [title, outcome, expected] of TABLE) {
    it(`knows what may be sent again after: ${title}`, async () => {
      const requests = await Promise.all(KINDS.map(requestOf));
      expect(requests.map((request) => retryReason(outcome, request))).to.deep.equal(expected);
    });
  }
});

describe('AttemptError', () => {
  it('says why each address of a proxy failed', () => {
    const refused = ['127.0.0.1:1', '::1:1'].map((at) => new Error(`connect ECONNREFUSED ${at}`));
    const error = new AttemptError('unsent', 'connect', 'http://a', new AggregateError(refused));
    expect(error.message).to.equal(
      'http://a: connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED ::1:1',
    );
  });
});

describe('pauseMs', () => {
  it('grows, with jitter, up to a bound', () => {
    expect([0, 1, 2, 10].map((retry) => pauseMs(retry, () => 1))).to.deep.equal([
      50, 100, 200, 1000,
    ]);
    expect([0, 1, 2, 10].map((retry) => pauseMs(retry, () => 0))).to.deep.equal([25, 50, 100, 500]);
  });
});

describe('RetryBudget', () => {
  it('lets one request in ten be sent again, in the long run', () => {
    const budget = new RetryBudget();
    let spent = 0;
    for (let i = 0; i < 10_000; i++) {
      budget.earn();
      for (let again = 0; again < 2; again++) if (budget.spend('status')) spent += 1;
    }
    expect(spent).to.be.within(1000, 1060);
  });

  it('takes nothing for what never reached Swift', () => {
    const budget = new RetryBudget();
    while (budget.spend('reset'));
    expect(budget.spend('connect')).to.equal(true);
    expect(budget.spend('token')).to.equal(true);
  });
});
