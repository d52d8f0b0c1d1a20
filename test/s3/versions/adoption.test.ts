import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import {
  type BackendCall,
  DecoratedBackend,
} from '../../../src/backend/decorators/decorated-backend.js';
import { readVersionsPage } from '../../../src/s3/versions/listing/versions-page.js';
import type { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { failureOf } from '../../support/failure.js';
import {
  ACCOUNT,
  archivedNames,
  BUCKET,
  bodiesOf,
  CALL,
  gatewayOn,
  keyOf,
  memoryStore,
  put,
  putPlain,
  read,
  readVersion,
  SUSPENDED,
} from './support.js';

const KEY = keyOf('k');
const ALLOW = (): void => undefined;
/** More than any request here makes. */
const CALLS_MAX = 40;

/** Lets others do something before one of its calls: 1 is the first. */
class Interrupted extends DecoratedBackend {
  calls = 0;

  constructor(
    inner: Backend,
    private readonly before: (call: number, what: string) => Promise<void> | void,
  ) {
    super(inner);
  }

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    this.calls += 1;
    await this.before(this.calls, call.method);
    return super.around(call, proceed);
  }
}

for (const strength of ['strong', 'chained', 'ordered'] as const) {
  describe(`s3/versions: an object from before the versions, on a ${strength} store`, () => {
    let store: Backend;
    let others: VersionedKeys;

    beforeEach(begin);

    async function begin(): Promise<void> {
      store = (await memoryStore({ strength })).asBackend;
      others = gatewayOn(store);
      await putPlain(store, KEY, 'before');
    }

    /**
     * Does something again and again, each time with something else in between, one call later.
     * @param since - is done before each call after that
     */
    async function atEachCall(
      between: () => Promise<unknown>,
      act: (versions: VersionedKeys, at: string, interrupted: Backend) => Promise<void>,
      since: (at: string) => Promise<void> = () => Promise.resolve(),
    ): Promise<void> {
      for (let at = 1; at <= CALLS_MAX; at++) {
        await begin();
        const interrupted = new Interrupted(store, async (call) => {
          if (call === at) await between();
          else if (call > at) await since(`before call ${call}, after ${at}`);
        });
        await act(gatewayOn(interrupted), `before call ${at}`, interrupted);
        if (interrupted.calls < at) return;
      }
      expect.fail(`it makes more than ${CALLS_MAX} calls`);
    }

    const deleteNull = (versions: VersionedKeys) =>
      versions.deleteVersion(CALL, KEY, 'null', ALLOW);

    it('is found while it moves into the archive', () =>
      atEachCall(
        () => put(store, others, KEY, 'after'),
        async (versions, at) => {
          expect(await versions.find(CALL, KEY, 'null'), at).to.not.equal(undefined);
        },
      ));

    /** The ids of a page of all versions, newest first; `v` for one that is not `null`. */
    async function listed(backend: Backend): Promise<string> {
      const versions = gatewayOn(backend);
      const page = await readVersionsPage(
        {
          ...{ backend, call: CALL, account: ACCOUNT, bucket: BUCKET },
          readIndex: versions.readIndex.bind(versions),
          repairLink: versions.repairLink.bind(versions),
        },
        { prefix: '', delimiter: undefined, keyMarker: '', versionIdMarker: '', maxKeys: 10 },
      );
      const ids = page.entries.map((entry) => ('versionId' in entry ? entry.versionId : ''));
      return ids.map((id) => (id === 'null' ? id : 'v')).join(' ');
    }

    it('is listed as things were at one moment while it moves and goes', () =>
      atEachCall(
        async () => {
          await put(store, others, KEY, 'after');
          await deleteNull(others);
        },
        async (_versions, at, interrupted) => {
          expect(await listed(interrupted), at).to.be.oneOf(['null', 'v null', 'v']);
        },
      ));

    it('is deleted while it moves into the archive', () =>
      atEachCall(
        () => put(store, others, KEY, 'after'),
        async (versions, at) => {
          expect(await deleteNull(versions), at).to.not.equal('absent');
          expect(await others.find(CALL, KEY, 'null'), at).to.equal(undefined);
          expect(await archivedNames(store, KEY), at).to.have.lengthOf.at.most(1);
        },
      ));

    it('is not brought back by a second deletion', () =>
      atEachCall(
        async () => {
          await put(store, others, KEY, 'after');
          await deleteNull(others);
        },
        async (versions, at) => {
          await deleteNull(versions);
          const { entries, removed } = await others.readIndex(CALL, KEY);
          if (entries.length === 0) return;
          expect(entries, at).to.have.lengthOf(1);
          expect(removed, `${at}: it was a version once`).to.have.lengthOf(1);
        },
        async (at) => {
          expect(await others.find(CALL, KEY, 'null'), at).to.equal(undefined);
        },
      ));

    it('is not brought back by a write beside its deletion', () =>
      atEachCall(
        () => put(store, others, KEY, 'beside'),
        async (versions, at) => {
          await put(store, others, KEY, 'after');
          await deleteNull(versions);
          expect(await readVersion(store, others, KEY, 'null'), at).to.equal(undefined);
        },
      ));

    /** As a writer leaves it that died before its link. */
    async function adoptWithoutLink(): Promise<void> {
      let isDead = false;
      const dying = new Interrupted(store, (_call, what) => {
        isDead ||= what === 'putLink';
        if (isDead) throw new Error('it died');
      });
      await put(dying, gatewayOn(dying), KEY, 'after').catch(() => undefined);
      expect(isDead).to.equal(true);
      expect(await read(store, KEY)).to.equal('before');
    }

    const deletions: Readonly<Record<string, (versions: VersionedKeys) => Promise<unknown>>> = {
      'a deletion': deleteNull,
      'the janitor': (versions) =>
        versions.upkeep.prune(CALL, KEY, {
          choose: ({ entries }) => entries.filter(({ id }) => id === 'null'),
          mayGo: () => true,
        }),
    };
    for (const [who, deletion] of Object.entries(deletions)) {
      it(`is away from the key before ${who} takes it out of the index`, () =>
        atEachCall(
          () => put(store, others, KEY, 'beside'),
          async (versions, at) => {
            await adoptWithoutLink();
            await deletion(versions);
            const bodies = await bodiesOf(store, others, KEY);
            const left = bodies.filter((body) => body !== 'beside');
            expect(left, at).to.deep.equal(['after']);
          },
        ));
    }

    it('stays `null` once it is locked, whatever is written over the key', async () => {
      await others.touchVersion(CALL, KEY, 'null', () => ({ 's3-lock': 'COMPLIANCE' }));
      await putPlain(store, KEY, 'over it');
      expect(await readVersion(store, others, KEY, 'null')).to.equal('before');
      const refuse = (): never => {
        throw new Error('locked');
      };
      const { message } = await failureOf(others.deleteVersion(CALL, KEY, 'null', refuse));
      expect(message).to.equal('locked');
      expect(await read(store, KEY)).to.equal('over it');
      expect(await listed(store)).to.equal('v null');
      expect(await bodiesOf(store, others, KEY)).to.deep.equal(['over it', 'null before']);
      await putPlain(store, KEY, 'once more');
      await deleteNull(others);
      expect(await bodiesOf(store, others, KEY)).to.deep.equal(['null once more', 'over it']);
    });

    it('does not come back when what it has become is replaced', async () => {
      await adoptWithoutLink();
      await put(store, others, KEY, 'instead', SUSPENDED);
      expect(await bodiesOf(store, others, KEY)).to.deep.equal(['null instead', 'after']);
      expect(await read(store, KEY)).to.equal('instead');
    });
  });
}
