import { expect } from 'chai';
import { HistoryBuilder } from './builder.js';
import { checkHistory } from './check.js';
import type { Operation } from './operation.js';

const enabled = (): HistoryBuilder => new HistoryBuilder().state('Enabled', [0, 1]);
const suspended = (): HistoryBuilder => enabled().state('Suspended', [2, 3]);
const unversioned = (): HistoryBuilder => new HistoryBuilder();

/** Histories that a versioned bucket may have, however odd they look. */
const LEGAL: Readonly<Record<string, Operation[]>> = {
  'writes one after the other': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [30, 40], 'v2')
    .get([50, 60], 'v2=b')
    .delete([70, 80], 'm1')
    .get([90, 100], 'm1')
    .getVersion('v1', [110, 120], 'v1=a')
    .end('m1', 'v2=b', 'v1=a'),
  'writes at the same time, in either order': enabled()
    .put('a', [10, 50], 'v1')
    .put('b', [20, 40], 'v2')
    .end('v1=a', 'v2=b'),
  'a write that is done at the moment when the next one begins, in either order': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [20, 30], 'v2')
    .end('v1=a', 'v2=b'),
  'a read at the same time as a write, before and after it': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [30, 80], 'v2')
    .get([40, 50], 'v1=a')
    .get([55, 60], 'v2=b')
    .end('v2=b', 'v1=a'),
  'a write without an answer that never happened': enabled()
    .put('a', [10, 20], 'v1')
    .putUnanswered('b', [30, 40])
    .end('v1=a'),
  'a write without an answer that happens long after': enabled()
    .putUnanswered('a', [10, 20])
    .put('b', [30, 40], 'v2')
    .get([50, 60], 'v2=b')
    .get([70, 80], 'v1=a')
    .end('v1=a', 'v2=b'),
  'a write without an answer that is seen and removed': enabled()
    .putUnanswered('a', [10, 20])
    .list([30, 40], 'v1=a')
    .remove('v1', [50, 60])
    .get([70, 80])
    .end(),
  'a removal without an answer that happens late, or never': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [21, 22], 'v2')
    .removeUnanswered('v1', [30, 40])
    .removeUnanswered('v2', [30, 40])
    .list([50, 60], 'v2=b', 'v1=a')
    .end('v2=b'),
  'a removal that brings the one below back': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [30, 40], 'v2')
    .delete([50, 60], 'm1')
    .remove('m1', [70, 80])
    .get([90, 100], 'v2=b')
    .remove('v2', [110, 120])
    .get([130, 140], 'v1=a')
    .end('v1=a'),
  'a read of the one below while the latest is being removed': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [30, 40], 'v2')
    .remove('v2', [50, 90])
    .get([60, 70], 'v1=a')
    .get([75, 80], 'v1=a')
    .end('v1=a'),
  'a delete marker of a DELETE without an answer': enabled()
    .put('a', [10, 20], 'v1')
    .deleteUnanswered([30, 40])
    .deleteUnanswered([35, 45])
    .get([50, 60], 'm7')
    .end('m7', 'v1=a'),
  'overwriting where versioning is not enabled': unversioned()
    .put('a', [10, 20])
    .get([30, 40], '-=a')
    .put('b', [50, 60])
    .delete([70, 80])
    .get([90, 100])
    .put('c', [110, 120])
    .end('null=c'),
  'an object from before versioning becomes the version null': unversioned()
    .put('a', [10, 20])
    .state('Enabled', [30, 40])
    .put('b', [50, 60], 'v1')
    .getVersion('null', [70, 80], 'null=a')
    .end('v1=b', 'null=a'),
  'the null version moves to the front when it is overwritten': suspended()
    .put('a', [10, 20], 'null')
    .state('Enabled', [30, 40])
    .put('b', [50, 60], 'v1')
    .state('Suspended', [70, 80])
    .put('c', [90, 100], 'null')
    .get([110, 120], 'null=c')
    .end('null=c', 'v1=b'),
  'a delete marker takes the place of the null version': suspended()
    .put('a', [10, 20], 'null')
    .delete([30, 40], 'null')
    .get([50, 60], 'null')
    .getVersion('null', [55, 65], 'null')
    .end('null'),
  'of null versions written at the same time either is left': suspended()
    .put('a', [10, 50], 'null')
    .put('b', [20, 40], 'null')
    .delete([15, 45], 'null')
    .end('null=a'),
  'a null version without an answer that overwrote another, and was overwritten': suspended()
    .put('a', [10, 20], 'null')
    .putUnanswered('b', [30, 40])
    .get([50, 60], 'null=a')
    .get([70, 80], 'null=b')
    .put('c', [90, 100], 'null')
    .end('null=c'),
  'a null version that is deleted while it is being overwritten': suspended()
    .put('a', [10, 20], 'null')
    .put('b', [30, 60], 'null')
    .remove('null', [40, 50])
    .end(),
  'either state while it is being changed': enabled()
    .state('Suspended', [10, 50])
    .put('a', [20, 30], 'v1')
    .put('b', [35, 40], 'null')
    .end('null=b', 'v1=a'),
  'either state after a change without an answer': enabled()
    .state('Suspended', [10, 20], false)
    .put('a', [30, 40], 'v1')
    .put('b', [50, 60], 'null')
    .put('c', [70, 80], 'v2')
    .end('v2=c', 'null=b', 'v1=a'),
  'a refused write that nobody sees': enabled().putRefused('a', [10, 20]).get([30, 40]).end(),
  'the key itself behind the list, as long as nothing is acknowledged': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [30, 90], 'v2')
    .list([40, 50], 'v2=b', 'v1=a')
    .get([60, 70], 'v1=a')
    .remove('v2', [100, 190])
    .getVersion('v2', [110, 120])
    .get([130, 140], 'v2=b')
    .end('v1=a'),
  'a removal of what is not there': enabled()
    .put('a', [10, 20], 'v1')
    .remove('v9', [30, 40])
    .end('v1=a'),
};

/** Histories that are also legal while unacknowledged writes displace each other. */
const UNSETTLED: Readonly<Record<string, Operation[]>> = {
  'comes and goes': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [30, 90], 'v2')
    .get([40, 50], 'v2=b')
    .list([40, 50], 'v2=b', 'v1=a')
    .get([60, 70], 'v1=a')
    .list([60, 70], 'v1=a')
    .end('v2=b', 'v1=a'),
  'changes its place': enabled()
    .put('a', [10, 20], 'v1')
    .put('b', [30, 90], 'v2')
    .list([40, 50], 'v2=b', 'v1=a')
    .put('c', [55, 65], 'v3')
    .list([70, 80], 'v3=c', 'v2=b', 'v1=a')
    .end('v2=b', 'v3=c', 'v1=a'),
  'is seen, and has no answer': enabled().putUnanswered('a', [10, 20]).get([30, 40], 'v1=a').end(),
};

describe('history checker', () => {
  for (const [title, history] of Object.entries(UNSETTLED)) {
    it(`lets what is not acknowledged be seen only if told to: it ${title}`, () => {
      expect(checkHistory(history, { seenIsFirm: false })).to.deep.equal([]);
      expect(checkHistory(history)).not.to.deep.equal([]);
    });
  }

  for (const [title, history] of Object.entries(LEGAL)) {
    it(`accepts ${title}`, () => {
      expect(checkHistory(history)).to.deep.equal([]);
    });
  }
});
