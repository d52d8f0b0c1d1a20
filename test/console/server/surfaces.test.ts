import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SessionView } from '../../../console/server/session-routes.js';
import { ASSETS_PATH } from '../../../console/server/assets.js';
import { SCRIPT_FOLDER, SOURCE_FOLDER } from '../../../console/server/console-folders.js';
import type { PageView, Surface } from '../../../console/server/surface.js';
import { SURFACES } from '../../../console/surfaces/registry.js';
import { useOnce } from '../../support/fixture.js';
import { browserModule } from '../support/browser-module.js';
import { startTestBed } from '../support/console.js';
import { codeOf, expectRefused } from '../support/client.js';

const SURFACE_FOLDER = join(SOURCE_FOLDER, 'surfaces');

/** The folders below one that hold a file of this name, such as `lab/rings`. */
function foldersWith(root: string, file: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(`/${file}`))
    .map((path) => path.slice(0, -file.length - 1));
}

/** Surfaces and pages that are registered and have no folder, and the other way round. */
function gaps(
  surfaces: readonly Pick<Surface, 'id' | 'pages'>[],
  surfaceFolders: readonly string[],
  pageFolders: readonly string[],
): string[] {
  const missing = (what: string, have: readonly string[], others: readonly string[]) =>
    have.filter((id) => !others.includes(id)).map((id) => `${id}: ${what}`);
  const surfaceIds = surfaces.map(({ id }) => id);
  const pageIds = surfaces.flatMap(({ pages }) => pages.map(({ id }) => id));
  return [
    ...missing('no surface.ts in console/surfaces/', surfaceIds, surfaceFolders),
    ...missing('not in console/surfaces/registry.ts', surfaceFolders, surfaceIds),
    ...missing('no page/page.ts in console/surfaces/', pageIds, pageFolders),
    ...missing('no page of a surface', pageFolders, pageIds),
  ];
}

describe('the registry of surfaces', () => {
  const pages = SURFACES.flatMap((surface) => surface.pages);

  it('has what has a folder, and nothing else', () => {
    const [surfaces, modules] = [
      foldersWith(SURFACE_FOLDER, 'surface.ts'),
      foldersWith(SURFACE_FOLDER, 'page/page.ts'),
    ];
    expect(surfaces).to.include('files');
    expect(gaps(SURFACES, surfaces, modules)).to.deep.equal([]);
  });

  it('notices a folder that is not registered, and one that is missing', () => {
    const lab = { id: 'lab', pages: [{ id: 'lab/rings' } as Surface['pages'][number]] };
    expect(gaps([lab], ['users'], ['lab/debt'])).to.deep.equal([
      'lab: no surface.ts in console/surfaces/',
      'users: not in console/surfaces/registry.ts',
      'lab/rings: no page/page.ts in console/surfaces/',
      'lab/debt: no page of a surface',
    ]);
  });

  it('has pages with addresses of their own, and with a module that mounts them', () => {
    const paths = pages.map(({ path }) => path);
    expect(new Set(paths).size).to.equal(paths.length);
    for (const { id, styles = [] } of pages) {
      const module = readFileSync(join(SURFACE_FOLDER, id, 'page', 'page.ts'), 'utf8');
      expect(module, id).to.match(/^export (?:(?:async )?function mount\(|const \{ mount\b)/m);
      for (const href of styles.filter((one) => !one.startsWith('/vendor/'))) {
        expect(existsSync(join(SOURCE_FOLDER, href)), href).to.equal(true);
      }
    }
  });
});

describe('the icons', () => {
  it('has every icon in the sprite that a page or a script names', () => {
    const sprite = readFileSync(join(SOURCE_FOLDER, 'ui/icons.svg'), 'utf8');
    const ids = new Set([...sprite.matchAll(/<symbol id="([\w-]+)"/g)].map(([, id]) => id));
    const named = SURFACES.flatMap(({ pages }) => pages.map(({ icon }) => icon));
    const scripts = readdirSync(SOURCE_FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(SOURCE_FOLDER, path), 'utf8'));
    for (const script of scripts) {
      for (const [, name] of script.matchAll(/\b(?:icon|iconButton)\('([\w-]+)'/g)) {
        named.push(name ?? '');
      }
    }
    expect(named).to.include('chevron-right');
    expect(named.filter((name) => !ids.has(name))).to.deep.equal([]);
  });
});

describe('the scripts of pages', () => {
  it('ask for nothing that a browser has on https pages alone', async () => {
    const scripts = readdirSync(SOURCE_FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => ({ path, text: readFileSync(join(SOURCE_FOLDER, path), 'utf8') }));
    const found = scripts.filter(({ text }) => text.includes('crypto.randomUUID('));
    expect(found.map(({ path }) => path)).to.deep.equal([]);
    const { randomId } = await browserModule<{ randomId: () => string }>('ui/dom');
    // The trace of the Monitor takes ids of letters, digits and hyphens.
    expect(randomId()).to.match(/^[0-9a-f]{32}$/);
    expect(randomId()).not.to.equal(randomId());
  });
});

describe('surfaces behind their gates', () => {
  const bed = useOnce(() => startTestBed({ lab_enabled: true }), 'close');

  const paths = async (user?: string, key?: string) => {
    const client = await bed().login(user, key);
    const session = await client.read<{ pages: readonly PageView[] }>('/api/session');
    return session.pages.map(({ path }) => path);
  };

  it('tells each user the pages that are open to them', async () => {
    const lab = SURFACES.find(({ id }) => id === 'lab')?.pages.map(({ path }) => path) ?? [];
    expect(lab).to.include('/lab/rings');
    expect(await paths()).to.deep.equal(['/', '/buckets', ...lab, '/audit']);
    expect(await paths('tester3', 'testing3')).to.deep.equal(['/', '/buckets']);
  });

  it('tells operators what is off, and the keys that switch it on', async () => {
    const session = async (user?: string, key?: string) =>
      await (await bed().login(user, key)).read<SessionView>('/api/session');
    const { off, pages } = await session();
    expect(off.map(({ path, needs }) => [path, needs])).to.deep.equal([
      ['/monitor', 'metrics_url, admin_url, logs_url, or cluster_nodes with store_dir'],
      ['/deploy', 'deploy_upstream, deploy_user, deploy_token_file'],
      ['/benchmarks', 'test_enabled'],
      ['/users', 'account_admin'],
      ['/keys', 'credentials_file'],
    ]);
    const lab = pages.filter(({ surface }) => surface === 'lab');
    expect(lab.filter(({ in_rail: isIn }) => isIn).map(({ path }) => path)).to.deep.equal(['/lab']);
    expect((await session('tester3', 'testing3')).off).to.deep.equal([]);
  });

  it('says on the page of what is off where to read on', async () => {
    const operator = await bed().login();
    const { text } = await operator.get('/benchmarks', { accept: 'text/html' });
    expect(text).to.include('Set test_enabled').and.include('docs/benchmarks.md');
  });

  it('serves a page only to users who may open it', async () => {
    const operator = await bed().login();
    const page = await operator.get('/audit', { accept: 'text/html' });
    expect(page.status).to.equal(200);
    expect(page.text).to.include('<title>Audit log · Ringway</title>');
    expect(page.text)
      .to.include('data-page="audit"')
      .and.not.match(/\{\w+\}|<!--/);
    const reader = await bed().login('tester3', 'testing3');
    const refused = await reader.get('/audit', { accept: 'text/html' });
    expect(refused.status).to.equal(403);
    expect(refused.text).to.include('Your role does not allow this.');
  });

  it('asks for the right of the surface wherever its routes are', async () => {
    const reader = await bed().login('tester3', 'testing3');
    for (const path of ['/lab', '/lab/rings', '/lab/api/rings', '/api/audit/anything']) {
      expect(codeOf(await reader.get(path)), path).to.equal('forbidden');
    }
    const operator = await bed().login();
    expect(codeOf(await operator.get('/lab/api/nothing'))).to.equal('not_found');
    expect(codeOf(await operator.get('/api/audit/anything'))).to.equal('not_found');
  });

  it('refuses what is off before it looks at the right', async () => {
    const reader = await bed().login('tester3', 'testing3');
    expect(codeOf(await reader.get('/api/users'))).to.equal('feature_disabled');
    const answer = await reader.post('/deploy/api/plans', {});
    await expectRefused(answer, 503, 'deploy_unconfigured');
    const needs = 'deploy_upstream, deploy_user, deploy_token_file';
    expect(answer.json()).to.have.nested.property('error.details.needs', needs);
    const page = await reader.get('/deploy', { accept: 'text/html' });
    expect(page.text).to.include('Not available').and.include('deploy_upstream');
  });

  it('sends no code of the server, though it lies beside that of pages', async () => {
    const operator = await bed().login();
    for (const path of ['surfaces/files/names', 'surfaces/lab/rings/page', 'server/app', 'main']) {
      expect(existsSync(join(SCRIPT_FOLDER, `${path}.js`)), path).to.equal(true);
      for (const end of ['.js', '.js.map', '.d.ts', '.ts']) {
        expect((await operator.get(`${ASSETS_PATH}${path}${end}`)).status, path + end).to.equal(
          404,
        );
      }
    }
  });

  it('does not send the sources of pages', async () => {
    const operator = await bed().login();
    const page = `${ASSETS_PATH}surfaces/files/page/page`;
    const hidden = ['page.html', 'page.ts', 'page.d.ts', '../../../ui/shell.html'].map(
      (name) => new URL(name, `http://c${page}`).pathname,
    );
    for (const path of [...hidden, '/ui/shell.html', '/index.html', '/ui/api.js']) {
      expect((await operator.get(path)).status, path).to.equal(404);
    }
    const script = await operator.get(`${page}.js`);
    expect(script.text).to.include('//# sourceMappingURL=page.js.map');
    const map = JSON.parse((await operator.get(`${page}.js.map`)).text) as object;
    expect(map).to.have.property('sourcesContent').that.has.length(1);
  });

  it('lets browsers keep what pages load, until it changes', async () => {
    const operator = await bed().login();
    const { text: page } = await operator.get('/', { accept: 'text/html' });
    const loaded = [...page.matchAll(/(?:href|src)="(\/[^"]*\.(?:js|css|svg))"/g)];
    expect(loaded.length).to.be.above(8);
    for (const [, path = ''] of loaded) {
      const kept = await operator.get(path, { 'accept-encoding': 'gzip' });
      expect(kept.status, path).to.equal(200);
      expect(kept.headers, path).to.include({
        'cache-control': 'private, max-age=31536000, immutable',
        'content-encoding': 'gzip',
        vary: 'accept-encoding',
      });
      const plain = await operator.get(path, { 'accept-encoding': 'identity' });
      expect(plain.headers).not.to.have.property('content-encoding');
      // As a page of an earlier build asks that is still open.
      const late = await operator.get(path.replace(/^\/assets\/\w+/, '/assets/000000000000'));
      expect([late.status, late.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    }
    const { text: login } = await bed().client().get('/login.html');
    const [, script = ''] = /src="([^"]*login\.js)"/.exec(login) ?? [];
    expect((await bed().client().get(script)).status).to.equal(200);
    expect((await bed().client().get(script.replace('login', 'api'))).status).to.equal(401);
  });
});
