import { expect } from 'chai';
import { settingOf } from '../../../console/server/features.js';
import type { SessionView } from '../../../console/server/session-routes.js';
import type { Surface, SurfaceService } from '../../../console/server/surface.js';
import { SURFACES } from '../../../console/surfaces/registry.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';

/** The service of the surface below: counts, and keeps what it was told. */
class Counter implements SurfaceService {
  readonly told: string[] = [];
  #count = 0;

  next(): number {
    this.#count += 1;
    return this.#count;
  }

  async begin(turn: () => Promise<boolean>): Promise<void> {
    this.told.push(`begin: ${String(await turn())}`);
  }

  close(): void {
    this.told.push('close');
  }
}

/** A surface in one object: nothing else of the console knows it. */
const COUNTER: Surface<{ readonly service: Counter }> = {
  id: 'counter',
  group: 'none',
  feature: 'counter',
  setting: settingOf('Counting is', 'lab_enabled', 'docs/lab.md', ({ labEnabled }) => labEnabled),
  parts: { counter_rounds: ({ labMutations }) => labMutations },
  access: 'operate',
  prefixes: ['/api/counter'],
  pages: [
    {
      id: 'counter',
      title: 'Counter',
      purpose: 'Counts.',
      path: '/counter',
      icon: 'gauge',
      routes: (app, _context, counter) => {
        app.get('/api/counter', { config: { access: 'read' } }, () => ({ count: counter.next() }));
      },
    },
  ],
  open: () => new Counter(),
  topics: [{ name: 'counts', access: 'read', events: 1 }],
};

const startWith = (one: Surface, overrides: Readonly<Record<string, unknown>> = {}) =>
  startTestBed(overrides, undefined, [...SURFACES, one]);

describe('a surface', () => {
  it('is one object: page, routes, service, topics, and what switches it on', async () => {
    const bed = await startWith(COUNTER, { lab_enabled: true });
    let counter: Counter | undefined;
    try {
      const client = await bed.login();
      const { features, pages } = await client.read<SessionView>('/api/session');
      expect(features).to.include({ counter: true, counter_rounds: false, files: true });
      expect(pages.at(-1)).to.include({ path: '/counter', surface: 'counter' });
      const page = await client.get('/counter', { accept: 'text/html' });
      expect(page.text).to.include('data-page="counter"');
      await client.get('/api/counter');
      expect(await client.read('/api/counter')).to.deep.equal({ count: 2 });
      bed.console.context.events.publish('counts', 2);
      const reader = await bed.login('tester3', 'testing3');
      expect(codeOf(await reader.get('/api/counter'))).to.equal('forbidden');
      counter = bed.console.service(COUNTER);
      expect(counter?.told).to.deep.equal(['begin: true']);
    } finally {
      await bed.close();
    }
    expect(counter?.told).to.deep.equal(['begin: true', 'close']);
  });

  it('has no service while it is off, and says what switches it on', async () => {
    await using bed = await startWith(COUNTER);
    const client = await bed.login();
    const answer = await client.get('/api/counter');
    expect(codeOf(answer)).to.equal('feature_disabled');
    expect(answer.json()).to.have.nested.property('error.details.needs', 'lab_enabled');
    expect(bed.console.service(COUNTER)).to.equal(undefined);
  });

  it('does not start with a route that hides who may use it, or that it changes something', async () => {
    const withRoute = (config: object): Surface => ({
      ...COUNTER,
      pages: [],
      routes: (app) => {
        app.post('/api/counter', { config }, () => ({}));
      },
    });
    const start = (config: object) =>
      startWith(withRoute(config), { lab_enabled: true }).then(
        async (bed) => {
          await bed.close();
          return 'started';
        },
        (error: unknown) => (error as Error).message,
      );
    expect(await start({ audits: true })).to.equal(
      '/api/counter does not declare who can access it.',
    );
    expect(await start({ access: 'read' })).to.equal(
      '/api/counter does not declare whether it is in the audit log.',
    );
    expect(await start({ access: 'read', unaudited: 'counts' })).to.equal('started');
  });
});
