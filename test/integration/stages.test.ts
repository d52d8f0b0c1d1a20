import { expect } from 'chai';
import type { StageReport } from '../../supervisor/stage-report.js';
import { useOnce } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';

/** Sum and count of each stage of a path, in seconds. */
async function stagesOf(service: Service, path: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${service.adminEndpoint}/metrics`)).text();
  const line = /^ringway_stage_(\w+)_seconds_(sum|count)\{path="(\w+)",stage="\w+"\} (\S+)$/gm;
  const found = new Map<string, number>();
  for (const [, stage, what, of, value] of text.matchAll(line)) {
    if (of === path) found.set(`${stage ?? ''} ${what ?? ''}`, Number(value));
  }
  return found;
}

function sumOf(stages: Map<string, number>): number {
  return [...stages].reduce((sum, [name, s]) => (name.endsWith(' sum') ? sum + s : sum), 0);
}

async function durationOf(service: Service, operation: string): Promise<number> {
  const text = await (await fetch(`${service.adminEndpoint}/metrics`)).text();
  const line = `ringway_request_duration_seconds_sum\\{operation="${operation}"\\} (\\S+)$`;
  return Number(new RegExp(line, 'm').exec(text)?.[1]);
}

describe('integration: stages', () => {
  const service = useOnce(
    () => startService({ listeners: 1, config: { stage_sample_every: 1 } }),
    'stop',
  );
  const client = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await client().send({ method: 'PUT', path: '/stages' });
  });

  it('reports them on the admin port', async () => {
    await client().send({ method: 'HEAD', path: '/stages/none' });
    const response = await fetch(`${service().adminEndpoint}/recon/stage`);
    const { paths } = (await response.json()) as StageReport;
    expect(paths.head?.requests).to.equal(1);
    const stages = paths.head?.stages.map(({ id }) => id) ?? [];
    expect(stages).to.include.members(['parse', 'auth', 'backend_wait', 'unattributed']);
  });

  for (const bytes of [10, 3_000_000]) {
    it(`divides PUT and GET of ${bytes} bytes among their stages, and all of their time`, async () => {
      const [putBefore, getBefore] = [
        await stagesOf(service(), 'put'),
        await stagesOf(service(), 'get'),
      ];
      const path = `/stages/${bytes}`;
      await client().send({ method: 'PUT', path, body: Buffer.alloc(bytes, 7) });
      await client().send({ method: 'GET', path });
      const [put, get] = [await stagesOf(service(), 'put'), await stagesOf(service(), 'get')];
      const grown = (now: Map<string, number>, before: Map<string, number>) =>
        [...now].filter(([name, value]) => value > (before.get(name) ?? 0)).map(([name]) => name);
      const usual = ['parse', 'auth', 'authorise', 'route', 'backend_wait', 'render', 'write'];
      const sums = usual.map((stage) => `${stage} sum`);
      expect(grown(put, putBefore)).to.include.members([...sums, 'body_read sum', 'hash sum']);
      expect(grown(get, getBefore)).to.include.members(sums);
      expect(get.get('body_read count') ?? 0).to.equal(0);
      const [putS, getS] = [
        await durationOf(service(), 'PutObject'),
        await durationOf(service(), 'GetObject'),
      ];
      // The clock counts whole tenths of microseconds.
      expect(sumOf(put)).to.be.closeTo(putS, 1e-5);
      expect(sumOf(get)).to.be.closeTo(getS, 1e-5);
    });
  }
});
