import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { startTestBed } from '../support/console.js';
import {
  askStore,
  bringBack,
  change,
  listTrash,
  makeContainer,
  ok,
  query,
  throwAway,
  type TrashItem,
  unique,
  upload,
} from './support.js';

const DAYS = 7;
const DAY_S = 86_400;

describe('console trash', () => {
  const bed = useOnce(() => startTestBed({ trash_days: DAYS }), 'close');
  const client = useOnce(() => bed().login());
  const ask = useOnce(() => askStore(bed().store));
  let container: string;

  beforeEach(async () => {
    container = unique('c');
    await makeContainer(client(), container);
    await ok(upload(client(), container, 'o', 'hello'), 201);
  });

  /** Undefined: it does not expire. */
  async function expiryS(path: string): Promise<number | undefined> {
    const { status, headers } = await ask()('HEAD', path);
    expect(status).to.equal(200);
    const text = headers.get('x-delete-at');
    return text === null ? undefined : Number(text);
  }

  async function expireAt(deleteAtUnixS: number): Promise<void> {
    const body = { container, name: 'o', meta: {}, delete_at_unix_s: deleteAtUnixS };
    await ok(change(client(), 'object', body), 204);
    expect(await expiryS(`${container}/o`)).to.equal(deleteAtUnixS);
  }

  it('keeps an object for the days of the configuration', async () => {
    const from = Math.floor(Date.now() / 1000);
    await throwAway(client(), container, 'o');
    const until = Math.ceil(Date.now() / 1000);
    const [entry] = await listTrash(client(), container);
    expect(await expiryS(`${container}+trash/${entry!.trash_name}`)).to.be.within(
      from + DAYS * DAY_S,
      until + DAYS * DAY_S,
    );
    expect((await ask()('HEAD', `${container}/o`)).status).to.equal(404);
  });

  it('shows what was deleted last first, and says what is left out', async () => {
    const names = ['o', 'p', 'q'];
    for (const name of names) {
      bed().clock.nowMs += 10;
      if (name !== 'o') await ok(upload(client(), container, name, 'x'), 201);
      await throwAway(client(), container, name);
    }
    for (const [limit, shown, truncated] of [
      [2, ['q', 'p'], true],
      [3, ['q', 'p', 'o'], false],
    ] as const) {
      const path = `/api/files/trash?${query({ container, limit })}`;
      const view = await client().read<{ items: TrashItem[]; truncated: boolean }>(path);
      expect(view.items.map(({ name }) => name)).to.deep.equal(shown);
      expect(view.truncated).to.equal(truncated);
    }
  });

  it('shows the expiry that is stored, whatever the configuration says, and what has expired', async () => {
    await throwAway(client(), container, 'o');
    const [name] = (await (await ask()('GET', `${container}+trash`)).text()).trim().split('\n');
    const at = Math.floor(Date.now() / 1000) + 7200;
    const posted = await ask()('POST', `${container}+trash/${name!}`, {
      'x-delete-at': String(at),
      'x-object-meta-trash-by': 'test:tester',
    });
    expect(posted.status).to.equal(202);
    const shown = async () => (await listTrash(client(), container))[0];
    expect(await shown()).to.deep.include({ expires_unix_s: at, expired: false });
    const { nowMs } = bed().clock;
    bed().clock.nowMs = at * 1000;
    try {
      expect(await shown()).to.deep.include({ expires_unix_s: at, expired: true });
    } finally {
      bed().clock.nowMs = nowMs;
    }
  });

  it('gives an object its own expiry back, not that of the trash', async () => {
    const deleteAt = Math.floor(Date.now() / 1000) + 30 * DAY_S;
    await expireAt(deleteAt);
    await throwAway(client(), container, 'o');
    await bringBack(client(), container);
    expect(await expiryS(`${container}/o`)).to.equal(deleteAt);
    const info = await client().read(`/api/files/object?${query({ container, name: 'o' })}`);
    expect(info).to.deep.include({ delete_at_unix_s: deleteAt, meta: {} });
  });

  it('gives no expiry back that has passed meanwhile', async () => {
    await expireAt(Math.floor(Date.now() / 1000) + 600);
    await throwAway(client(), container, 'o');
    const { nowMs } = bed().clock;
    // By the console's clock; by that of the store the object would still live for minutes.
    bed().clock.nowMs += 1200 * 1000;
    try {
      await bringBack(client(), container);
    } finally {
      bed().clock.nowMs = nowMs;
    }
    expect(await expiryS(`${container}/o`)).to.equal(undefined);
  });
});
