import { expect } from 'chai';
import { OPERATORS } from '../../console/surfaces/lab/shadow/mutation.js';
import type { ShadowWholeRun } from '../../console/surfaces/lab/shadow/shadow-runs.js';
import { REAL_CLOCK, startTestBed } from '../console/support/console.js';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { startSwiftLab, SWIFT_NEEDS, type SwiftLab } from '../support/swift-lab.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

/** With RINGWAY_LARGE=1 the other side is a cluster of its own, with its own disks and rings. */
const IS_LARGE = process.env.RINGWAY_LARGE === '1';
const CASES = IS_LARGE ? 700 : 25;

describeWith(SWIFT_NEEDS, 'Shadow over two Swifts', function () {
  this.timeout(IS_LARGE ? 3_600_000 : 300_000);
  let other: SwiftLab | undefined;

  after(async () => {
    await other?.close();
  });

  it(`finds no difference in ${CASES} cases, and leaves no container`, async () => {
    const lab = await sharedSwiftLab();
    if (IS_LARGE) other = await startSwiftLab({ noFilter: true });
    // The proxy with s3api has no filter of Ringway, as the second cluster has none.
    const peer = other?.state.endpoints[0] ?? lab.state.s3api;
    const root = await makeTempFolder('shadow');
    const bed = await startTestBed(
      {
        ...{ lab_enabled: true, shadow_root: root },
        ...{ store_base: lab.state.endpoints[0], auth_url: lab.state.authUrl },
        ...{ shadow_peer_base: peer, shadow_peer_auth: `${peer}/auth/v1.0` },
      },
      REAL_CLOCK,
    );
    try {
      const operator = await bed.login();
      const given = { mode: 'dual', seed: 1, cases: CASES, operators: OPERATORS };
      const started = await operator.post('/lab/api/shadow/runs', given);
      expect(started.status, started.text).to.equal(202);
      const { id }: { id: string } = started.json();
      const { state, error, result } = await eventually(
        async () => (await operator.get(`/lab/api/shadow/runs/${id}`)).json() as ShadowWholeRun,
        (run) => ['done', 'failed', 'cancelled'].includes(run.state),
        IS_LARGE ? 3_000_000 : 200_000,
      );
      expect(state, JSON.stringify(error)).to.equal('done');
      expect(result).to.include({ cases: CASES, skipped: 0, problem: null });
      if (IS_LARGE) console.log(`${result?.steps} requests, ${JSON.stringify(result?.matrix)}`);
      // A failure of both is a finding, and none of the comparison: Swift's COPY of %FF is one.
      const found = result?.findings.map(({ id: what, difference, is_flaky: isFlaky }) => ({
        what,
        isBoth: difference.rule === 'server_error',
        isFlaky,
      }));
      if (IS_LARGE) console.log(JSON.stringify(found));
      expect(found?.filter(({ isBoth }) => !isBoth)).to.deep.equal([]);
      const left = await operator.get('/api/files/containers?prefix=shadow-');
      expect(left.text).not.to.match(/shadow-[0-9a-f]{12}/);
    } finally {
      await bed.close();
      await removeFolder(root);
    }
  });
});
