import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import type { S3TestClient } from '../support/s3-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { complete, DropIn, initiate, PART_BYTES, uploadPart } from './drop-in.js';

/** The ETag of a copy in three answers. */
interface Etags {
  readonly answered: string;
  readonly listed: string;
  readonly head: string;
}

/**
 * A copy has no parts, so its ETag is the MD5 of its bytes, as in AWS. Swift's s3api lists it so, too,
 * but answers, in CopyObject and HEAD, with the ETag of the source: Swift copies the system metadata
 * in which s3api keeps that, and not what listings show. Ringway says one thing everywhere.
 */
describeWith(SWIFT_NEEDS, 'a copy of an object made of parts', function () {
  this.timeout(120_000);
  const parts = [randomBytes(PART_BYTES), Buffer.from('the last part')];
  const md5 = createHash('md5').update(Buffer.concat(parts)).digest('hex');
  const dropIn = useOnce(() => DropIn.open(), 'close');
  const bucket = useOnce(() => `copies-${randomBytes(5).toString('hex')}`);
  let source: string;

  before(async () => {
    expect((await dropIn().ours.put(`/${bucket()}`)).status).to.equal(200);
    const path = `/${bucket()}/parts`;
    const id = await initiate(dropIn().theirs, path);
    const etags: string[] = [];
    for (const [at, part] of parts.entries()) {
      etags.push(await uploadPart(dropIn().theirs, path, id, at + 1, part));
    }
    await complete(dropIn().theirs, path, id, etags);
    source = ((await dropIn().theirs.head(path)).headers.etag ?? '').replaceAll('"', '');
  });

  async function copyBy(client: S3TestClient, key: string): Promise<Etags> {
    const headers = { 'x-amz-copy-source': `/${bucket()}/parts` };
    const copied = await client.put(`/${bucket()}/${key}`, '', headers);
    expect(copied.status, copied.text).to.equal(200);
    const listing = await client.get(`/${bucket()}?prefix=${key}`);
    const head = await client.head(`/${bucket()}/${key}`);
    const etagIn = (text: string): string =>
      /<ETag>(?:"|&quot;)([^<]*?)(?:"|&quot;)<\/ETag>/u.exec(text)?.[1] ?? '';
    return {
      answered: etagIn(copied.text),
      listed: etagIn(listing.text),
      head: (head.headers.etag ?? '').replaceAll('"', ''),
    };
  }

  it('has one ETag, where the copy of s3api has two', async () => {
    const ours = await copyBy(dropIn().ours, 'ours');
    expect(ours).to.deep.equal({ answered: md5, listed: md5, head: md5 });
    const theirs = await copyBy(dropIn().theirs, 'theirs');
    expect(theirs).to.deep.equal({ answered: source, listed: md5, head: source });
    expect(source).to.match(/^[0-9a-f]{32}-2$/u);
  });
});
