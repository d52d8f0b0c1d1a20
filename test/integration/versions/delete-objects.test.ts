import { expect } from 'chai';
import type { S3Answer } from '../../support/s3-client.js';
import { deleteRequest, textOf, useVersionsBench, VERSION_ID } from './bench.js';

describe('DeleteObjects of versions over the wire', () => {
  const bench = useVersionsBench();

  function remove(bucket: string, objects: readonly (readonly string[])[]): Promise<S3Answer> {
    const list = objects.map(([key, id]) => {
      const version = id === undefined ? '' : `<VersionId>${id}</VersionId>`;
      return `<Key>${key}</Key>${version}`;
    });
    return bench().s3.send(deleteRequest(bucket, list));
  }

  it('writes delete markers, and tells their ids', async () => {
    const bucket = await bench().bucket('many', 'Enabled');
    await bench().put(`${bucket}/a`, 'a');
    await bench().put(`${bucket}/b`, 'b');
    await bench().mark(`${bucket}/b`);
    const answer = await remove(bucket, [['a'], ['b'], ['c']]);
    const [deleted = '', ...others] = answer.text.match(/<Deleted>.*?<\/Deleted>/g) ?? [];
    expect(others).to.deep.equal([]);
    expect(textOf(deleted, 'DeleteMarker')).to.equal('true');
    const marker = textOf(deleted, 'DeleteMarkerVersionId');
    expect(marker).to.match(VERSION_ID);
    expect((await bench().history(bucket, 'a'))[0]).to.equal(`DeleteMarker ${marker} latest`);
    // SPEC.md 4.2: what is missing is an error.
    expect(answer.text.match(/<Code>NoSuchKey<\/Code>/g)).to.have.length(2);
    expect(await bench().history(bucket, 'b'), 'no second marker').to.have.length(2);
    await bench().expectHistory(bucket, 'c');
  });

  it('deletes versions and markers for good, several of one key too', async () => {
    const bucket = await bench().bucket('many-versions', 'Enabled');
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await bench().put(`${bucket}/key`, `${i}`));
    const marker = await bench().mark(`${bucket}/key`);
    const [kept = '', ...doomed] = ids;
    const answer = await remove(bucket, [
      ...doomed.map((id) => ['key', id]),
      ['key', marker],
      ['key', 'f'.repeat(32)],
    ]);
    const deleted = answer.text.match(/<Deleted>.*?<\/Deleted>/g) ?? [];
    expect(deleted.map((xml) => textOf(xml, 'VersionId'))).to.deep.equal([...doomed, marker]);
    expect(deleted.map((xml) => textOf(xml, 'DeleteMarkerVersionId'))).to.deep.equal([
      ...doomed.map(() => ''),
      marker,
    ]);
    expect(answer.text.match(/<Error>.*?<\/Error>/g)).to.have.length(1);
    expect(answer.text).to.contain('<Code>NoSuchVersion</Code>');
    await bench().expectHistory(bucket, 'key', `Version ${kept} latest`);
    expect(await bench().read(`${bucket}/key`)).to.equal('0');
  });

  it('marks and deletes the version null while versioning is suspended', async () => {
    const bucket = await bench().bucket('many-suspended', 'Suspended');
    await bench().put(`${bucket}/key`, 'null');
    const marked = await remove(bucket, [['key']]);
    expect(textOf(marked.text, 'DeleteMarkerVersionId')).to.equal('null');
    await bench().expectHistory(bucket, 'key', 'DeleteMarker null latest');
    const removed = await remove(bucket, [['key', 'null']]);
    expect(textOf(removed.text, 'DeleteMarkerVersionId')).to.equal('null');
    expect(await bench().versions(bucket)).to.deep.equal([]);
  });
});
