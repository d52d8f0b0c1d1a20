import fastify from 'fastify';
import { expect } from 'chai';
import type { ConsoleContext } from '../../../console/server/context.js';
import { surfaceRoutes } from '../../../console/server/surface-routes.js';
import type { Lab } from '../../../console/surfaces/lab/lab.js';
import { LAB } from '../../../console/surfaces/lab/surface.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';

/** Method and path of every route of the Lab, as it registers them. */
async function labRoutes(): Promise<(readonly [method: string, path: string])[]> {
  const app = fastify();
  const found: (readonly [string, string])[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) found.push([one, url.replaceAll(/:\w+|\*/g, 'x')]);
  });
  const surfaces = { all: [LAB], service: () => ({}) as Lab };
  await surfaceRoutes(app, { options: { labEnabled: true } } as ConsoleContext, surfaces);
  await app.close();
  return found;
}

describe('the routes of the Lab', function () {
  this.timeout(60_000);

  it('are refused to readers, members and admins, each of them', async () => {
    const routes = await labRoutes();
    expect(routes.length).to.be.greaterThan(50);
    for (const [name, { path }] of LAB.pages.map((page) => [page.id, page] as const)) {
      expect(routes, name).to.deep.include(['GET', path]);
    }
    const accounts = [
      { account: 'test', user: 'tester', role: 'admin' },
      { account: 'test', user: 'tester2', role: 'member' },
      { account: 'test2', user: 'tester3', role: 'reader' },
    ];
    await using bed = await startTestBed({ lab_enabled: true, lab_mutations: true, accounts });
    const keys = { tester: 'testing', tester2: 'testing2', tester3: 'testing3' };
    for (const [user, key] of Object.entries(keys)) {
      const client = await bed.login(user, key);
      for (const [method, path] of routes) {
        const answer = await client.send(method, path);
        expect(answer.status, `${user}: ${method} ${path}`).to.equal(403);
        if (method !== 'HEAD') expect(codeOf(answer), path).to.equal('forbidden');
      }
    }
  });

  it('are switched off as one', async () => {
    await using bed = await startTestBed();
    const operator = await bed.login();
    for (const [method, path] of await labRoutes()) {
      const answer = await operator.send(method, path);
      expect(answer.status, `${method} ${path}`).to.equal(403);
      if (method === 'HEAD') continue;
      expect(codeOf(answer), path).to.equal('feature_disabled');
      expect(answer.json()).to.have.nested.property('error.details.needs', 'lab_enabled');
    }
  });
});
