import { expect } from 'chai';
import type { ObjectRef } from '../../src/backend/backend.js';
import { failureOf } from '../support/failure.js';
import {
  bytesOf,
  CONTEXT,
  createdBy,
  DESCRIBED,
  failure,
  type Fixture,
  freshObject,
  inputOf,
  onlyWinner,
  LARGE,
  listed,
  md5Of,
  patternBytes,
  readObject,
  SMALL,
  needsCapability,
} from './fixture.js';
import { describePartialCopies } from './partial-copies.js';
import { cancelledBy } from '../../src/lib/cancellation.js';

export function describeCopies(fixture: Fixture): void {
  describe('copies', () => {
    for (const size of [0, SMALL, LARGE]) {
      describe(`of ${size} bytes`, () => {
        describePlainCopies(fixture, size);
        describeRacingCopies(fixture, size);
      });
    }
    describePartialCopies(fixture);
    describeCopyErrors(fixture);
  });
}

function describePlainCopies(fixture: Fixture, size: number): void {
  const bytes = patternBytes(size, 3);

  async function freshPair(): Promise<[ObjectRef, ObjectRef]> {
    const from = await freshObject(fixture, 'from');
    const input = inputOf(bytes, { ...DESCRIBED, listingAttributes: { class: 'COLD' } });
    await fixture.backend.putObject(CONTEXT, from, input);
    return [from, await freshObject(fixture, 'to')];
  }

  it('are what the source is', async () => {
    const [from, to] = await freshPair();
    const copied = createdBy(await fixture.backend.copyObject(CONTEXT, from, to, {}));
    expect(copied.etag).to.equal(md5Of(bytes));
    const result = await fixture.backend.getObject(CONTEXT, to);
    expect((await bytesOf(result)).equals(bytes)).to.be.true;
    const { etag, lastModified } = copied;
    expect(result.head).to.deep.equal({ size, etag, lastModified, ...DESCRIBED });
    expect((await listed(fixture, to)).attributes).to.deep.equal({ class: 'COLD' });
    const usage = { objectCount: 1, bytesUsed: size };
    expect(await fixture.backend.headContainer(CONTEXT, to)).to.include(usage);
    expect(await fixture.backend.headContainer(CONTEXT, from)).to.include(usage);
  });

  it('take what they are given instead, each field as a whole', async () => {
    const [from, to] = await freshPair();
    const given = {
      contentType: 'a/b',
      headers: {},
      metadata: { other: '1' },
      systemMetadata: { acl: '{}' },
    };
    for (const field of Object.keys(given) as (keyof typeof given)[]) {
      await fixture.backend.copyObject(CONTEXT, from, to, { [field]: given[field] });
      const head = await fixture.backend.headObject(CONTEXT, to);
      expect(head).to.deep.include({ ...DESCRIBED, [field]: given[field], size });
    }
    await fixture.backend.copyObject(CONTEXT, from, to, { listingAttributes: { x: 'y' } });
    expect((await listed(fixture, to)).attributes).to.deep.equal({ x: 'y' });
  });

  it('live on when the source goes, and the other way round', async () => {
    const [from, to] = await freshPair();
    const { backend } = fixture;
    await backend.copyObject(CONTEXT, from, to, {});
    await backend.putObject(CONTEXT, from, inputOf(patternBytes(size, 9)));
    expect((await readObject(fixture, to)).equals(bytes)).to.be.true;
    await backend.copyObject(CONTEXT, to, from, {});
    await backend.deleteObject(CONTEXT, to);
    expect((await readObject(fixture, from)).equals(bytes)).to.be.true;
  });

  it('go to other accounts', async () => {
    const [from] = await freshPair();
    const account = `${fixture.account}_copies_${size}`;
    const to = { account, container: 'c', object: 'to' };
    await fixture.backend.createContainer(CONTEXT, to, {});
    await fixture.backend.copyObject(CONTEXT, from, to, {});
    expect((await readObject(fixture, to)).equals(bytes)).to.be.true;
    await fixture.backend.deleteObject(CONTEXT, to);
    await fixture.backend.deleteContainer(CONTEXT, to);
  });

  it('onto themselves change what they are given', async () => {
    const [from] = await freshPair();
    const { backend } = fixture;
    const metadata = { changed: '1' };
    createdBy(await backend.copyObject(CONTEXT, from, from, { metadata }));
    const result = await backend.getObject(CONTEXT, from);
    expect(result.head).to.deep.include({ ...DESCRIBED, metadata, etag: md5Of(bytes) });
    expect((await bytesOf(result)).equals(bytes)).to.be.true;
    const usage = { objectCount: 1, bytesUsed: size };
    expect(await backend.headContainer(CONTEXT, from)).to.include(usage);
  });

  it('keep to the ETag of the source', async () => {
    const [from, to] = await freshPair();
    const { backend } = fixture;
    const other = await backend.copyObject(CONTEXT, from, to, { sourceEtag: 'other' });
    expect(other).to.deep.equal({ outcome: 'source_changed' });
    await failure('NoSuchObject', backend.headObject(CONTEXT, to));
    createdBy(await backend.copyObject(CONTEXT, from, to, { sourceEtag: md5Of(bytes) }));
  });

  it('keep to their preconditions', async function () {
    needsCapability(this, fixture, 'conditionalReplace');
    const [from, to] = await freshPair();
    const { backend } = fixture;
    const etag = md5Of(bytes);
    const early = await backend.copyObject(CONTEXT, from, to, {}, { etag });
    expect(early).to.deep.equal({ outcome: 'precondition_failed' });
    await failure('NoSuchObject', backend.headObject(CONTEXT, to));
    createdBy(await backend.copyObject(CONTEXT, from, to, {}, { absent: true }));
    const late = await backend.copyObject(CONTEXT, from, to, {}, { absent: true });
    expect(late).to.deep.equal({ outcome: 'precondition_failed' });
    createdBy(await backend.copyObject(CONTEXT, from, to, {}, { etag }));
    const itself = await backend.copyObject(CONTEXT, from, from, {}, { absent: true });
    expect(itself).to.deep.equal({ outcome: 'precondition_failed' });
  });
}

function describeRacingCopies(fixture: Fixture, size: number): void {
  it('let exactly one of racing creators win', async function () {
    needsCapability(this, fixture, 'atomicCreate');
    const ref = await freshObject(fixture, 'to');
    const sources = Array.from({ length: 6 }, (_, i) => ({ ...ref, object: `from-${i}` }));
    for (const [i, from] of sources.entries()) {
      const input = inputOf(patternBytes(size, i), { metadata: { of: String(i) } });
      await fixture.backend.putObject(CONTEXT, from, input);
    }
    const outcomes = await Promise.all(
      sources.map((from) => fixture.backend.copyObject(CONTEXT, from, ref, {}, { absent: true })),
    );
    const winner = onlyWinner(outcomes);
    const result = await fixture.backend.getObject(CONTEXT, ref);
    expect(result.head.metadata).to.deep.equal({ of: String(winner) });
    expect((await bytesOf(result)).equals(patternBytes(size, winner))).to.be.true;
  });

  it('are one version of the source, while it is overwritten', async () => {
    const from = await freshObject(fixture, 'from');
    const put = (version: number): Promise<unknown> => {
      const metadata = { version: String(version) };
      const input = inputOf(patternBytes(size, version), { metadata });
      return fixture.backend.putObject(CONTEXT, from, input);
    };
    await put(0);
    for (let version = 1; version <= 10; version++) {
      const targets = Array.from({ length: 3 }, (_, i) => ({ ...from, object: `to-${i}` }));
      await Promise.all([
        put(version),
        ...targets.map((to) => fixture.backend.copyObject(CONTEXT, from, to, {})),
      ]);
      for (const to of targets) {
        const result = await fixture.backend.getObject(CONTEXT, to);
        const seen = Number(result.head.metadata.version);
        expect(seen).to.be.oneOf([version - 1, version]);
        expect((await bytesOf(result)).equals(patternBytes(size, seen))).to.be.true;
      }
    }
  });

  it('onto themselves undo no write that they have not seen', async function () {
    needsCapability(this, fixture, 'conditionalReplace');
    const ref = await freshObject(fixture);
    await fixture.backend.putObject(CONTEXT, ref, inputOf(patternBytes(size, 0)));
    for (let version = 1; version <= 10; version++) {
      const body = Buffer.concat([patternBytes(size, version), Buffer.from(`v${version}`)]);
      await Promise.all([
        fixture.backend.copyObject(CONTEXT, ref, ref, { metadata: { copied: 'yes' } }),
        fixture.backend.putObject(CONTEXT, ref, inputOf(body)),
        fixture.backend.copyObject(CONTEXT, ref, ref, { metadata: { copied: 'twice' } }),
      ]);
      expect((await readObject(fixture, ref)).equals(body)).to.be.true;
    }
  });
}

function describeCopyErrors(fixture: Fixture): void {
  it('tell the source that is missing from the target that is', async () => {
    const { backend } = fixture;
    const nowhere = { account: fixture.account, container: 'nowhere', object: 'o' };
    for (const size of [0, SMALL, LARGE]) {
      const from = await freshObject(fixture, 'from');
      await backend.putObject(CONTEXT, from, inputOf(patternBytes(size)));
      await failure('NoSuchContainer', backend.copyObject(CONTEXT, from, nowhere, {}));
      await failure('NoSuchSourceContainer', backend.copyObject(CONTEXT, nowhere, from, {}));
      const missing = { ...from, object: 'missing' };
      await failure('NoSuchObject', backend.copyObject(CONTEXT, missing, from, {}));
      expect(await readObject(fixture, from)).to.have.length(size);
    }
  });

  it('give up with an aborted signal', async () => {
    const from = await freshObject(fixture, 'from');
    const to = { ...from, object: 'to' };
    await fixture.backend.putObject(CONTEXT, from, inputOf(patternBytes(LARGE)));
    const context = { ...CONTEXT, cancellation: cancelledBy(AbortSignal.abort(new Error('gone'))) };
    const error = await failureOf(fixture.backend.copyObject(context, from, to, {}));
    expect((error as Error).message).to.equal('gone');
    await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, to));
  });
}
