import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useEach } from '../support/fixture.js';
import type { ProgramResult } from '../support/programs.js';
import { readXml, S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { useTempFolder } from '../support/temp-folder.js';
import { linesOf, runRingway, type Line } from './janitor-once.js';

/** Due at once: the only rule that is, for objects that were just written. */
const RULES =
  '<LifecycleConfiguration><Rule><ID>past</ID><Filter><Prefix>logs/</Prefix></Filter>' +
  '<Status>Enabled</Status><Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration>' +
  '</Rule></LifecycleConfiguration>';

/** A bucket with the rules, two objects that they are about, and one that they are not. */
async function putRules(client: S3TestClient): Promise<void> {
  await client.put('/rules');
  for (const key of ['logs/a', 'logs/b', 'kept']) await client.put(`/rules/${key}`, 'x');
  await client.put('/rules?lifecycle', RULES);
}

/** By hand: `RINGWAY_JANITOR_OBJECTS=100000`. */
const OBJECTS = Number(process.env.RINGWAY_JANITOR_OBJECTS ?? 500);

/** Node itself and the pages of the index that it maps are most of it. */
const RSS_MIB_MAX = 250;

describe('the janitor beside the service', function () {
  this.timeout(60_000 + OBJECTS * 5);
  const folder = useTempFolder('janitor');
  const dataDir = useEach(() => join(folder(), 'data'));
  let service: Service | undefined;
  let s3: S3TestClient | undefined;

  afterEach(async () => {
    await s3?.close();
    await service?.kill9();
    s3 = undefined;
    service = undefined;
  });

  async function start(config: Readonly<Record<string, unknown>>): Promise<S3TestClient> {
    service = await startService({ dataDir: dataDir(), listeners: 1, config });
    s3 = new S3TestClient(service);
    return s3;
  }

  async function admin(path: string): Promise<string> {
    return (await fetch(`${service?.adminEndpoint ?? ''}${path}`)).text();
  }

  /** `ringway janitor`, with a configuration that says nothing. */
  async function janitor(mode: string): Promise<ProgramResult> {
    const file = join(folder(), 'janitor.json');
    await writeFile(file, '{}');
    return runRingway('janitor', mode, '--config', file, '--data', dataDir());
  }

  it('expires objects by itself, and tells of it', async () => {
    const client = await start({ janitor_interval_ms: 200, probe_interval_ms: 100 });
    await putRules(client);
    await eventually(
      () => keysOf(client, '/rules'),
      (keys) => keys.length === 1,
    );
    expect(await keysOf(client, '/rules')).to.deep.equal(['kept']);
    const metrics = await eventually(
      () => admin('/metrics'),
      (text) =>
        /^ringway_janitor_last_run_timestamp_seconds 1\d{9}/m.test(text) &&
        text.includes('ringway_janitor_actions_total{action="expire",outcome="done"} 2\n'),
    );
    expect(metrics).to.match(/^ringway_janitor_up 1$/m);
    await eventually(
      () => admin('/readyz?verbose'),
      (text) =>
        text.includes('[+] janitor pass: ok, idle, last pass ended') && text.endsWith('\nready\n'),
    );
    const buckets = await client.get('/');
    expect(buckets.text).to.include('<Name>rules</Name>').and.not.include('.ringway');
    expect((await client.get('/.ringway/janitor.json')).code).to.equal('InvalidBucketName');
    expect(await service?.stop()).to.equal(0);
  });

  it('shows in a dry run what a pass then does, beside the service', async () => {
    const client = await start({ janitor_interval_ms: 0 });
    await putRules(client);

    const dry = await janitor('--dry-run');
    expect(dry, dry.stderr).to.include({ code: 0, stderr: '' });
    expect(await keysOf(client, '/rules')).to.deep.equal(['kept', 'logs/a', 'logs/b']);
    const once = await janitor('--once');
    expect(once, once.stderr).to.include({ code: 0, stderr: '' });
    expect(await keysOf(client, '/rules')).to.deep.equal(['kept']);

    const [planned, done] = [linesOf(dry), linesOf(once)].map((lines) =>
      lines.slice(0, -1).map((line): Line => ({ ...line, outcome: undefined })),
    );
    expect(planned).to.deep.equal(done);
    expect(
      planned?.map((line) => [line.action, line.bucket, line.key, line.rule_id]),
    ).to.deep.equal([
      ['expire', 'rules', 'logs/a', 'past'],
      ['expire', 'rules', 'logs/b', 'past'],
    ]);
    const summary = { dry_run: true, entries: 2, actions: { expire: { planned: 2 } } };
    expect(linesOf(dry).at(-1)).to.deep.equal({ summary });
    expect(linesOf(once).at(-1)).to.deep.equal({
      summary: { ...summary, dry_run: false, actions: { expire: { done: 2 } } },
    });
    expect(linesOf(await janitor('--dry-run'))).to.have.length(1);
  });

  it('says that there is no store rather than making one', async () => {
    await mkdir(dataDir());
    const result = await janitor('--once');
    expect(result.code).to.equal(73);
    expect(result.stderr).to.match(/^ringway: there is no store in .*store yet\n$/);
  });

  it('says that there are no credentials rather than looking at nothing', async () => {
    await mkdir(join(dataDir(), 'store'), { recursive: true });
    const result = await janitor('--dry-run');
    expect(result.code).to.equal(78);
    expect(result.stderr).to.match(/^ringway: .*json: expected a file with credentials\n$/);
  });

  it(`finishes what it was killed over, of ${OBJECTS} objects, and touches nothing else`, async () => {
    const slow = {
      janitor_interval_ms: 600_000,
      janitor_operations_per_s: Math.max(250, OBJECTS / 10),
      janitor_lease_ms: 1500,
      restart_backoff_ms_min: 1,
      probe_interval_ms: 100,
    };
    const kept = await fill(await start({ janitor_interval_ms: 0 }));
    expect(await service?.stop()).to.equal(0);
    await s3?.close();

    const client = await start(slow);
    const all = OBJECTS + kept.length;
    await eventually(expired, (count) => count > OBJECTS / 10);
    const [, victim] = service?.pids() ?? [];
    if (victim === undefined) throw new Error('there is no janitor');
    process.kill(victim, 'SIGKILL');
    const left = (await keysOf(client, '/rules')).length;
    expect(left, 'killed in the middle').to.be.within(kept.length + 1, all - 1);
    // Written while nobody is at work, under keys that the rules are about and not.
    await client.put('/rules/other/fresh', 'x');
    const finished = /^ringway_janitor_last_run_timestamp_seconds 1\d{9}/m;
    await eventually(
      () => admin('/metrics'),
      (text) => finished.test(text),
      50_000 + OBJECTS * 5,
    );
    expect(await keysOf(client, '/rules')).to.deep.equal([...kept, 'other/fresh'].sort());
    const [, successor = victim] = service?.pids() ?? [];
    const rssMiB = peakRssMiB(successor);
    if (OBJECTS > 500) console.info(`      the janitor took ${rssMiB} MiB at most`);
    expect(rssMiB).to.be.below(RSS_MIB_MAX);
  });

  async function expired(): Promise<number> {
    const line = /^ringway_janitor_actions_total\{action="expire",outcome="done"\} (\d+)/m;
    return Number(line.exec(await admin('/metrics'))?.[1] ?? 0);
  }

  /** Every hundredth object is not for the rules. @returns the keys of those */
  async function fill(client: S3TestClient): Promise<string[]> {
    await client.put('/rules');
    const kept: string[] = [];
    const put = async (from: number): Promise<void> => {
      const own = new S3TestClient(service ?? fail());
      for (let i = from; i < OBJECTS; i += WRITERS) {
        await own.put(`/rules/logs/${String(i).padStart(7, '0')}`, 'x');
        if (i % 100 !== 0) continue;
        kept.push(`other/${i}`);
        await own.put(`/rules/other/${i}`, 'x');
      }
      await own.close();
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, from) => put(from)));
    await client.put('/rules?lifecycle', RULES);
    return kept;
  }
});

const WRITERS = 16;

function fail(): never {
  throw new Error('there is no service');
}

async function keysOf(client: S3TestClient, path: string): Promise<string[]> {
  const keys: string[] = [];
  for (let token = ''; ;) {
    const { text } = await client.get(`${path}?list-type=2${token}`);
    const { ListBucketResult: page } = readXml(text) as {
      ListBucketResult: { Contents?: { Key: string }[]; NextContinuationToken?: string };
    };
    keys.push(...(page.Contents ?? []).map(({ Key }) => Key));
    if (page.NextContinuationToken === undefined) return keys.sort();
    token = `&continuation-token=${encodeURIComponent(page.NextContinuationToken)}`;
  }
}

function peakRssMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
