import { expect } from 'chai';
import type { ContainerAcl, ContainerUpdate } from '../../src/backend/backend.js';
import { failureOf } from '../support/failure.js';
import {
  CONTEXT,
  failure,
  type Fixture,
  freshContainer,
  freshObject,
  inputOf,
  readObject,
} from './fixture.js';
import { byBytes } from './listing-oracle.js';
import { cancelledBy } from '../../src/lib/cancellation.js';

export function describeContainers(fixture: Fixture): void {
  describe('containers', () => {
    it('answers a ping', () => fixture.backend.ping(CONTEXT));

    it('creates once, and leaves an existing one as it is', async () => {
      const ref = { account: fixture.account, container: 'twice' };
      const first = { metadata: { colour: 'red' } };
      expect(await fixture.backend.createContainer(CONTEXT, ref, first)).to.equal('created');
      const second = { metadata: { colour: 'blue' } };
      expect(await fixture.backend.createContainer(CONTEXT, ref, second)).to.equal('exists');
      const head = await fixture.backend.headContainer(CONTEXT, ref);
      expect(head.metadata).to.deep.equal({ colour: 'red' });
      await fixture.backend.deleteContainer(CONTEXT, ref);
    });

    it('creates one like another, whether that is there or not', async () => {
      const other = await freshContainer(fixture);
      for (const placedLike of [other.container, 'nowhere']) {
        const ref = { account: fixture.account, container: 'alike' };
        const input = { metadata: { colour: 'red' }, placedLike };
        expect(await fixture.backend.createContainer(CONTEXT, ref, input)).to.equal('created');
        const head = await fixture.backend.headContainer(CONTEXT, ref);
        expect(head.metadata).to.deep.equal({ colour: 'red' });
        await fixture.backend.deleteContainer(CONTEXT, ref);
      }
    });

    it('of racing creators exactly one creates', async () => {
      const ref = { account: fixture.account, container: 'raced' };
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, () => fixture.backend.createContainer(CONTEXT, ref, {})),
      );
      expect(outcomes.filter((outcome) => outcome === 'created')).to.have.length(1);
      await fixture.backend.deleteContainer(CONTEXT, ref);
    });

    it('tells of a missing container in every method', async () => {
      const { backend, account } = fixture;
      const ref = { account, container: 'nowhere' };
      const object = { ...ref, object: 'o' };
      await failure('NoSuchContainer', backend.headContainer(CONTEXT, ref));
      await failure('NoSuchContainer', backend.updateContainer(CONTEXT, ref, {}));
      await failure('NoSuchContainer', backend.deleteContainer(CONTEXT, ref));
      await failure('NoSuchContainer', backend.listObjects(CONTEXT, ref, { limit: 1 }));
      await failure('NoSuchContainer', backend.putObject(CONTEXT, object, inputOf('x')));
      await failure('NoSuchContainer', backend.headObject(CONTEXT, object));
      await failure('NoSuchContainer', backend.getObject(CONTEXT, object));
      await failure('NoSuchContainer', backend.updateObject(CONTEXT, object, {}));
      await failure('NoSuchContainer', backend.deleteObject(CONTEXT, object));
    });

    it('does not delete a container that holds an object', async () => {
      const ref = await freshObject(fixture);
      await fixture.backend.putObject(CONTEXT, ref, inputOf('x'));
      await failure('ContainerNotEmpty', fixture.backend.deleteContainer(CONTEXT, ref));
      expect((await readObject(fixture, ref)).toString()).to.equal('x');
      await fixture.backend.deleteObject(CONTEXT, ref);
      await fixture.backend.deleteContainer(CONTEXT, ref);
      await failure('NoSuchContainer', fixture.backend.headContainer(CONTEXT, ref));
    });

    it('never loses an object to a racing delete of its container', async () => {
      for (let round = 0; round < 10; round++) {
        const ref = await freshObject(fixture);
        const [put, removed] = await Promise.allSettled([
          fixture.backend.putObject(CONTEXT, ref, inputOf('x')),
          fixture.backend.deleteContainer(CONTEXT, ref),
        ]);
        expect([put.status, removed.status].sort()).to.deep.equal(['fulfilled', 'rejected']);
        if (put.status === 'fulfilled') {
          expect((await readObject(fixture, ref)).toString()).to.equal('x');
        }
      }
    });

    it('begins empty when it is created again', async () => {
      const ref = await freshObject(fixture);
      await fixture.backend.putObject(CONTEXT, ref, inputOf('x'));
      await fixture.backend.deleteObject(CONTEXT, ref);
      await fixture.backend.deleteContainer(CONTEXT, ref);
      await fixture.backend.createContainer(CONTEXT, ref, {});
      await failure('NoSuchObject', fixture.backend.getObject(CONTEXT, ref));
      await fixture.backend.putObject(CONTEXT, ref, inputOf('y'));
      expect((await readObject(fixture, ref)).toString()).to.equal('y');
    });

    it('counts objects and bytes through puts, overwrites and deletes', async () => {
      const { backend } = fixture;
      const ref = await freshContainer(fixture);
      const put = (object: string, body: string): Promise<unknown> =>
        backend.putObject(CONTEXT, { ...ref, object }, inputOf(body));
      await put('a', '12345');
      await put('b', '');
      await put('a', '123');
      let head = await backend.headContainer(CONTEXT, ref);
      expect([head.objectCount, head.bytesUsed]).to.deep.equal([2, 3]);
      await backend.deleteObject(CONTEXT, { ...ref, object: 'a' });
      head = await backend.headContainer(CONTEXT, ref);
      expect([head.objectCount, head.bytesUsed]).to.deep.equal([1, 0]);
    });

    it('patches metadata and system metadata apart from each other', async () => {
      const { backend, account } = fixture;
      const ref = { account, container: 'patched' };
      await backend.createContainer(CONTEXT, ref, {
        metadata: { kept: 'é😀', changed: '1', removed: 'x' },
        systemMetadata: { acl: '{}', changed: 'sys' },
      });
      await backend.updateContainer(CONTEXT, ref, {
        metadata: { changed: '2', removed: null, added: 'new', unknown: null },
        systemMetadata: { acl: null },
      });
      const head = await backend.headContainer(CONTEXT, ref);
      expect(head.metadata).to.deep.equal({ kept: 'é😀', changed: '2', added: 'new' });
      expect(head.systemMetadata).to.deep.equal({ changed: 'sys' });
      expect(head.createdAt).to.be.closeTo(Date.now(), 60_000);
      await backend.deleteContainer(CONTEXT, ref);
    });

    it('keeps its ACL, which an update replaces as a whole or leaves alone', async () => {
      const { backend, account } = fixture;
      const ref = { account, container: 'opened' };
      const aclAfter = async (update: ContainerUpdate): Promise<ContainerAcl> => {
        await backend.updateContainer(CONTEXT, ref, update);
        return (await backend.headContainer(CONTEXT, ref)).acl;
      };
      const open = { read: '.r:*,.rlistings,other:user', write: 'other' };
      await backend.createContainer(CONTEXT, ref, { acl: open });
      expect((await backend.headContainer(CONTEXT, ref)).acl).to.deep.equal(open);
      expect(await aclAfter({ metadata: { a: 'b' } })).to.deep.equal(open);
      const narrower = { read: '.r:*', write: '' };
      expect(await aclAfter({ acl: narrower })).to.deep.equal(narrower);
      expect((await backend.headContainer(CONTEXT, ref)).metadata).to.deep.equal({ a: 'b' });
      await backend.deleteContainer(CONTEXT, ref);
      await backend.createContainer(CONTEXT, ref, {});
      const closed = { read: '', write: '' };
      expect((await backend.headContainer(CONTEXT, ref)).acl).to.deep.equal(closed);
      await backend.deleteContainer(CONTEXT, ref);
    });

    it('lists the containers of an account, page by page, and of no other', async () => {
      const { backend } = fixture;
      const account = `${fixture.account}_listed`;
      const names = ['a', 'a-b', 'a.b', 'ab', 'b', 'b+segments', 'b+versions', 'z'];
      for (const container of names) {
        await backend.createContainer(CONTEXT, { account, container }, {});
      }
      const other = { account: `${account}x`, container: 'other' };
      await backend.createContainer(CONTEXT, other, {});
      const list = async (query: object): Promise<string[]> => {
        const page = await backend.listContainers(CONTEXT, account, { limit: 100, ...query });
        return page.containers.map(({ name }) => name);
      };
      const sorted = [...names].sort(byBytes);
      expect(await list({})).to.deep.equal(sorted);
      expect(await list({ prefix: 'b' })).to.deep.equal(['b', 'b+segments', 'b+versions']);
      expect(await list({ marker: 'ab' })).to.deep.equal(sorted.slice(sorted.indexOf('ab') + 1));
      expect(await list({ prefix: 'b', marker: 'a' })).to.have.length(3);
      for (let limit = 1; limit <= names.length; limit++) {
        const pages: string[] = [];
        for (let marker = '', truncated = true; truncated;) {
          const page = await backend.listContainers(CONTEXT, account, { marker, limit });
          expect(page.containers.length).to.be.within(1, limit);
          pages.push(...page.containers.map(({ name }) => name));
          ({ truncated } = page);
          marker = pages.at(-1) ?? '';
        }
        expect(pages).to.deep.equal(sorted);
      }
      const nobody = await backend.listContainers(CONTEXT, `${account}-none`, { limit: 10 });
      expect(nobody).to.deep.equal({ containers: [], truncated: false });
      for (const container of names) await backend.deleteContainer(CONTEXT, { account, container });
      await backend.deleteContainer(CONTEXT, other);
    });

    it('gives up with an aborted signal', async () => {
      const reason = new Error('nobody waits');
      const context = { ...CONTEXT, cancellation: cancelledBy(AbortSignal.abort(reason)) };
      const ref = await freshObject(fixture);
      expect(await failureOf(fixture.backend.headContainer(context, ref))).to.equal(reason);
      const put = fixture.backend.putObject(context, ref, inputOf('x'));
      expect(await failureOf(put)).to.equal(reason);
      await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
    });
  });
}
