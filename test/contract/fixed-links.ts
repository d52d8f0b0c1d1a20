import { expect } from 'chai';
import type { ObjectRef } from '../../src/backend/backend.js';
import {
  CONTEXT,
  createdBy,
  failure,
  type Fixture,
  freshObject,
  inputOf,
  needsCapability,
  patternBytes,
  readObject,
  SMALL,
} from './fixture.js';
import { linkTo, listedIn, OWN } from './links.js';

export function describeFixedLinks(fixture: Fixture): void {
  describe('links that are fixed', () => {
    beforeEach(function () {
      needsCapability(this, fixture, 'fixedLinks');
    });

    async function freshFixed(): Promise<{ ref: ObjectRef; target: ObjectRef; etag: string }> {
      const target = await freshObject(fixture, 'target/of it');
      const body = patternBytes(SMALL);
      const { etag } = createdBy(await fixture.backend.putObject(CONTEXT, target, inputOf(body)));
      const ref = await freshObject(fixture, 'link');
      const input = linkTo(target, { etag, size: SMALL, isFixed: true });
      createdBy(await fixture.backend.putLink(CONTEXT, ref, input, { absent: true }));
      return { ref, target, etag };
    }

    it('are read and listed as others', async () => {
      const { backend } = fixture;
      const { ref, target, etag } = await freshFixed();
      const { head } = await backend.getObject(CONTEXT, ref);
      expect([head.etag, head.link?.etag]).to.deep.equal([etag, etag]);
      expect(head.link?.target.object).to.equal(target.object);
      const part = await readObject(fixture, ref, { first: 3, last: 5 });
      expect(part.equals(patternBytes(SMALL).subarray(3, 6))).to.be.true;
      const [shown] = await listedIn(fixture, ref);
      expect(shown).to.include({ etag, size: SMALL, contentType: OWN.contentType });
      expect(shown?.attributes).to.deep.equal(OWN.listingAttributes);
    });

    it('are broken where their target is another', async () => {
      const { backend } = fixture;
      const { ref, target } = await freshFixed();
      await backend.putObject(CONTEXT, target, inputOf('another'));
      await failure('BrokenLink', backend.getObject(CONTEXT, ref));
      await failure('BrokenLink', backend.headObject(CONTEXT, ref, { newest: true }));
      await failure('BrokenLink', backend.copyObject(CONTEXT, ref, { ...ref, object: 'copy' }, {}));
      createdBy(await backend.putLink(CONTEXT, ref, linkTo(target)));
      expect((await readObject(fixture, ref)).toString()).to.equal('another');
    });
  });
}
