import { expect } from 'chai';
import { change, download, job, list, query, upload } from '../console/files/support.js';
import type { ConsoleClient } from '../console/support/client.js';
import { ConsoleAndS3 } from '../support/console-s3.js';
import { useOnce } from '../support/fixture.js';
import { CONSOLE_LIMIT_MS } from '../support/service-console.js';
import type { S3TestClient } from '../support/s3-client.js';
import { told } from './console-steps.js';
import { legalHold, retention } from './object-lock/bench.js';

/** How long it goes on, in seconds; by default some rounds, which take a few. */
const SECONDS = Number(process.env.RINGWAY_TOGETHER_S ?? '0');
const ROUNDS = 2;
const STEPS_A_ROUND = 10;
/** Versions of each key whose locks and tags are compared: the newest. */
const VERSIONS_COMPARED = 6;
const KEYS = ['a', 'dir/b', 'dir/c d', 'e+ü'];
const DAY_S = 86_400;

/** Numbers that are the same in every run with the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * An S3 client and the console write, delete, restore and lock in one bucket with Object Lock at the
 * same time. Whenever both are at rest they have to show the same, and whatever was put under legal
 * hold has to be there.
 */
describe('service: an S3 client and Files on a locked bucket together', function () {
  this.timeout(CONSOLE_LIMIT_MS + SECONDS * 3000);
  const both = useOnce(() => ConsoleAndS3.start(), 'stop');
  let client: ConsoleClient;
  let s3: S3TestClient;
  let bucket: string;
  /** Versions under a legal hold that nobody has released: `key` and id. */
  const held = new Map<string, string>();

  before(async () => {
    ({ client, s3 } = both());
    bucket = await both().makeBucket('Locked');
  });

  const path = (key: string) => `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const inTwoDays = () => Math.floor(Date.now() / 1000) + 2 * DAY_S;

  /** A version with a body, or undefined where there is none. */
  async function someVersion(key: string, pick: (below: number) => number) {
    const found = (await both().versions(bucket, key)).filter(({ deleted }) => !deleted);
    return found.length === 0 ? undefined : found[pick(found.length)]!.id;
  }

  /** An act of an S3 client; refused where the other one was faster, or a lock forbids it. */
  async function byS3(turn: number, pick: (below: number) => number): Promise<void> {
    const key = KEYS[pick(KEYS.length)]!;
    const step = pick(10);
    if (step < 4) {
      expectStatus(await s3.put(path(key), `s3 ${turn}`), 200);
      return;
    }
    if (step < 6) {
      expectStatus(await s3.delete(path(key)), 204);
      return;
    }
    const id = await someVersion(key, pick);
    if (id === undefined) return;
    const at = (what: string) => `${path(key)}?${what}${what === '' ? '' : '&'}versionId=${id}`;
    if (step === 6) expectStatus(await s3.delete(at('')), 204, 403, 404);
    else if (step === 7) {
      const { status } = await s3.put(at('legal-hold'), legalHold('ON'));
      if (status === 200) held.set(id, key);
    } else if (step === 8) {
      const until = new Date(inTwoDays() * 1000).toISOString();
      expectStatus(await s3.put(at('retention'), retention('GOVERNANCE', until)), 200, 403, 404);
    } else {
      const tags = `<Tagging><TagSet><Tag><Key>turn</Key><Value>${turn}</Value></Tag></TagSet></Tagging>`;
      expectStatus(await s3.put(at('tagging'), tags), 200, 404);
    }
  }

  async function byConsole(turn: number, pick: (below: number) => number): Promise<void> {
    const name = KEYS[pick(KEYS.length)]!;
    const step = pick(10);
    if (step < 3) {
      const answer = await upload(client, bucket, name, `console ${turn}`, { overwrite: '1' });
      // The other client made it between look and write: the page asks its user again.
      expectStatus(answer, 201, 412);
      return;
    }
    if (step < 5) {
      await job(client, '/api/files/delete', { container: bucket, names: [name], mode: 'trash' });
      return;
    }
    const id = await someVersion(name, pick);
    if (id === undefined) return;
    const place = { container: bucket, name, version_id: id };
    const put = (what: string, more: object) =>
      client.send('PUT', `/api/files/versions/${what}`, { body: { ...place, ...more } });
    if (step === 5) {
      expectStatus(await client.post('/api/files/versions/restore', place), 200, 404, 409);
    } else if (step === 6) {
      const body = { ...place, confirm_name: name, bypass: pick(2) === 0 };
      expectStatus(await client.post('/api/files/versions/delete', body), 200, 404, 423);
    } else if (step === 7) {
      const isOn = !held.has(id);
      if (!isOn) held.delete(id);
      const answer = await put('legal-hold', { on: isOn });
      expectStatus(answer, 204, 404);
      if (isOn && answer.status === 204) held.set(id, name);
    } else if (step === 8) {
      const retention = { mode: 'GOVERNANCE', until_unix_s: inTwoDays() };
      expectStatus(await put('retention', { retention }), 204, 404, 423);
    } else {
      const tags = [{ key: 'turn', value: `console ${turn}` }];
      const answer = await change(client, 'tags', { ...place, tags });
      // Another change of the same tags came between.
      expectStatus(answer, 204, 404, 409);
    }
  }

  it('show the same whenever both are at rest', async () => {
    const seed = Number(process.env.RINGWAY_TOGETHER_SEED ?? Date.now() % 1_000_000);
    const picks = [numbers(seed), numbers(seed + 1)] as const;
    const endsAt = Date.now() + SECONDS * 1000;
    for (let round = 0; round < ROUNDS || Date.now() < endsAt; round++) {
      const lane = async (work: typeof byS3, pick: (below: number) => number) => {
        for (let step = 0; step < STEPS_A_ROUND; step++) {
          await work(round * STEPS_A_ROUND + step, pick);
        }
      };
      await Promise.all([lane(byS3, picks[0]), lane(byConsole, picks[1])]);
      await compare(`seed ${seed}, round ${round}`);
    }
  });

  /** Compares the console's view of each key with that of S3, once both are at rest. */
  async function compare(when: string): Promise<void> {
    const present: string[] = [];
    for (const key of KEYS) {
      const object = await s3.get(path(key));
      if (object.status === 200) present.push(key);
      const shown = await download(client, bucket, key);
      expect([shown.status, shown.status === 200 && shown.text], `${when}: ${key}`).to.deep.equal([
        object.status,
        object.status === 200 && object.text,
      ]);
      const all = await both().versions(bucket, key);
      const listed = (await s3.get(`/${bucket}?versions&prefix=${encodeURIComponent(key)}`)).text;
      const known = [...listed.matchAll(/<VersionId>([^<]+)</g)].map(([, id]) => id);
      const ids = all.map(({ id }) => id);
      expect(ids, `${when}: ${key}`).to.deep.equal(known);
      const bodies = all.filter(({ deleted }) => !deleted).slice(0, VERSIONS_COMPARED);
      for (const { id } of bodies) await compareVersion(key, id, when);
      for (const [id, of] of held) if (of === key) expect(known, `${when}: ${key}`).to.include(id);
    }
    const { items } = await list(client, bucket, { delimiter: '' });
    const names = items.map(({ name }) => name);
    expect(names, when).to.deep.equal(present.sort());
  }

  async function compareVersion(key: string, id: string, when: string): Promise<void> {
    const place = query({ container: bucket, name: key, version_id: id });
    const { headers } = await s3.head(`${path(key)}?versionId=${id}`);
    const {
      bytes,
      etag,
      s3: facts,
    } = (await told(client.get(`/api/files/versions/properties?${place}`))) as {
      bytes: number;
      etag: string;
      s3: { legal_hold: boolean };
    };
    expect({ bytes, etag, ...facts }, `${when}: ${key} ${id}`).to.deep.include({
      bytes: Number(headers['content-length']),
      etag: headers.etag?.replaceAll('"', ''),
      version_id: id,
      lock_mode: headers['x-amz-object-lock-mode'] ?? null,
      retain_until: headers['x-amz-object-lock-retain-until-date'] ?? null,
      legal_hold: headers['x-amz-object-lock-legal-hold'] === 'ON',
      tags: Number(headers['x-amz-tagging-count'] ?? 0),
    });
    if (held.has(id)) expect(facts.legal_hold, `${when}: ${key} ${id}`).to.equal(true);
    const tags = (await told(client.get(`/api/files/tags?${place}`))) as {
      tags: { value: string }[];
    };
    const document = (await s3.get(`${path(key)}?tagging&versionId=${id}`)).text;
    const values = [...document.matchAll(/<Value>([^<]*)</g)].map(([, value]) => value);
    const shown = tags.tags.map(({ value }) => value);
    expect(shown, `${when}: ${key} ${id}`).to.deep.equal(values);
  }
});

function expectStatus(
  answer: { readonly status: number; readonly text: string },
  ...wanted: number[]
) {
  expect(wanted, answer.text).to.include(answer.status);
}
