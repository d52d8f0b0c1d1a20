import { hash } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { startApi } from './support/api.js';
import { ApiClient } from './support/client.js';

const PATH = '/v1/AUTH_test/conditions';
const md5 = (text: string): string => hash('md5', text);

describe('swift api: conditions of copies and deletions', () => {
  const api = useOnce(startApi, 'close');
  const owner = useOnce(() => ApiClient.login(api(), 'test:tester', 'testing'), 'close');

  before(async () => {
    await owner().send('PUT', PATH);
  });

  it('copies onto nothing with “Overwrite: F”, and deletes what has the ETag of If-Match', async () => {
    const container = 'conditions';
    const put = (name: string, body: string, headers = {}) =>
      owner().send('PUT', `${PATH}/${name}`, { headers, body });
    await put('o', 'abc');
    const manifest = JSON.stringify([{ path: `/${container}/o` }]);
    await put('m?multipart-manifest=put', manifest);
    await put('l', '', { 'x-symlink-target': `${container}/o` });
    await put('taken', 'kept');
    const copy = (from: string, to: string) =>
      owner().send('COPY', `${PATH}/${from}`, {
        headers: { destination: `${container}/${to}`, overwrite: 'F' },
      });
    for (const from of ['o', 'm?multipart-manifest=get', 'l?symlink=get']) {
      expect((await copy(from, 'taken')).status, from).to.equal(412);
      expect((await copy(from, `new-${from.charAt(0)}`)).status, from).to.equal(201);
    }
    expect((await owner().send('GET', `${PATH}/taken`)).text).to.equal('kept');
    const remove = (match: string) =>
      owner().send('DELETE', `${PATH}/taken`, { headers: { 'if-match': match } });
    expect((await remove(`"${md5('other')}"`)).status).to.equal(412);
    expect((await remove(`"${md5('a')}", "${md5('b')}"`)).status).to.equal(400);
    expect((await remove(`"${md5('kept')}"`)).status).to.equal(204);
    expect((await remove('*')).status).to.equal(404);
  });
});
