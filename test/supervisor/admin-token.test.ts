import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useRuns, type Supervised } from './support/supervised.js';

const TOKEN = 'correct-horse-battery-staple';

describe('supervisor: token of the admin port', () => {
  const runs = useRuns('admin-token');

  beforeEach(async () => {
    await writeFile(join(runs().folder, 'token'), `${TOKEN}\n`, { mode: 0o600 });
  });

  function launch(keys: Readonly<Record<string, unknown>>): Promise<Supervised> {
    return runs().start({ listeners: 1, ...keys });
  }

  it('is asked for by all but what load balancers ask', async () => {
    const service = await (await launch({ admin_token_file: 'token' })).ready();
    const status = async (path: string, authorization?: string): Promise<number> => {
      const headers = authorization === undefined ? {} : { authorization };
      return (await service.admin(path, { headers })).status;
    };
    for (const path of ['/livez', '/readyz']) expect(await status(path), path).to.equal(200);
    const guarded = ['/readyz?verbose', '/metrics', '/statusz', '/recon/stage', '/nothing'];
    for (const path of [...guarded, '/loki/api/v1/labels']) {
      expect(await status(path), path).to.equal(401);
      expect(await status(path, 'Bearer wrong'), path).to.equal(401);
      expect(await status(path, `Basic ${TOKEN}`), path).to.equal(401);
      expect(await status(path, `Bearer ${TOKEN}x`), path).to.equal(401);
      expect(await status(path, TOKEN), path).to.equal(401);
      for (const scheme of ['Bearer', 'bearer']) {
        expect(await status(path, `${scheme} ${TOKEN}`), path).not.to.equal(401);
      }
    }
    const refused = await service.admin('/metrics');
    expect(refused.headers.get('www-authenticate')).to.equal('Bearer realm="ringway"');
  });

  it('is needed where others reach the port', async () => {
    const open = await launch({ admin_listen: '0.0.0.0:0' });
    const ended = await open.ended;
    expect(ended.code).to.equal(78);
    expect(ended.stderr).to.match(/admin_token_file: got "", expected a file with a token, since/);
    const guarded = await launch({ admin_listen: '0.0.0.0:0', admin_token_file: 'token' });
    await guarded.ready();
    expect((await guarded.admin('/metrics')).status).to.equal(401);
  });

  it('is a secret of its owner', async () => {
    await chmod(join(runs().folder, 'token'), 0o644);
    const ended = await (await launch({ admin_token_file: 'token' })).ended;
    expect(ended.code).to.equal(78);
    expect(ended.stderr).to.include('mode 0600').and.not.include(TOKEN);
  });
});
