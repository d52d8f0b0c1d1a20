import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { RunKind } from '../../../console/server/runs/run.js';
import { JsonResult } from '../../../console/server/runs/run-result.js';
import { UNFINISHED } from '../../../src/lib/durable-file.js';
import { eventually } from '../../support/eventually.js';
import { watchSyncs } from '../../support/file-syncs.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { BY, openRuns } from '../support/runs.js';

/** Longer than what is read of a file at once, and not as `JSON.stringify` writes it. */
const LARGE = `{ "written" : "by a thread", "long": "${'é'.repeat(400_000)}" }`;

describe('results of console runs', () => {
  const folder = useTempFolder('run-results');
  const runs = useEach(() => openRuns(folder()), 'close');

  const started = async (result: Promise<unknown>): Promise<string> => {
    const kind: RunKind = {
      ...{ name: 'test.result', access: 'operate', kept: 9, resumes: false },
      run: () => result,
    };
    runs().register(kind);
    return (await runs().start(kind.name, { params: {}, target: '', lock: null }, BY)).id;
  };
  const done = (id: string) =>
    eventually(
      () => runs().view(id),
      ({ state }) => state === 'done',
    );
  /** The JSON of a run that is sent to the browser. */
  const sent = async (id: string): Promise<string> => text(await runs().json(id));

  it('are sent as `get` has them, also where there is none, or not yet', async () => {
    let end: (result: unknown) => void = () => undefined;
    const id = await started(new Promise((resolve) => (end = resolve)));
    expect(JSON.parse(await sent(id))).to.deep.equal(await runs().get(id));
    end({ ok: 'n1' });
    await done(id);
    expect(await runs().get(id)).to.deep.include({ state: 'done', result: { ok: 'n1' } });
    expect(JSON.parse(await sent(id))).to.deep.equal(await runs().get(id));
    const none = await started(Promise.resolve(null));
    await done(none);
    expect(await runs().get(none)).to.deep.include({ result: null });
    expect(JSON.parse(await sent(none))).to.deep.equal(await runs().get(none));
  });

  it('that are JSON already are kept and sent as they are', async () => {
    const id = await started(Promise.resolve(new JsonResult(Buffer.from(LARGE))));
    await done(id);
    expect(await readFile(join(folder(), 'runs', `${id}.json`), 'utf8')).to.equal(LARGE);
    expect((await sent(id)).endsWith(`,"result":${LARGE}}`)).to.equal(true);
    expect(JSON.parse(await sent(id))).to.deep.equal(await runs().get(id));
  });

  it('are sent from memory where they cannot be written', async () => {
    const fail = ({ path }: { path: string }): void => {
      if (UNFINISHED.test(path)) throw new Error('ENOSPC');
    };
    let id = '';
    await watchSyncs(fail, async () => {
      id = await started(Promise.resolve(new JsonResult(Buffer.from(LARGE))));
      await done(id);
    });
    expect((await sent(id)).endsWith(`,"result":${LARGE}}`)).to.equal(true);
    expect(JSON.parse(await sent(id))).to.deep.equal(await runs().get(id));
  });
});
