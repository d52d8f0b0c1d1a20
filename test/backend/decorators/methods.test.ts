import { expect } from 'chai';
import type { Backend, CallContext, CallWatch } from '../../../src/backend/backend.js';
import {
  BACKEND_METHODS,
  DecoratedBackend,
  type BackendCall,
  type BackendMethod,
} from '../../../src/backend/decorators/decorated-backend.js';
import { watchedBackend } from '../../../src/backend/decorators/watched-backend.js';
import { useEach } from '../../support/fixture.js';

const METHODS = Object.keys(BACKEND_METHODS) as BackendMethod[];

/** More than any method takes. */
const ARGUMENTS = ['second', 'third', 'fourth', 'fifth'];

/** How many arguments follow the context, at most. */
const ARGUMENTS_OF: Readonly<Partial<Record<BackendMethod, number>>> = {
  ...{ ping: 0, deleteContainer: 1, copyObject: 4 },
  ...{ putObject: 3, putManifest: 3, putLink: 3, getObject: 3 },
  ...{ updateObject: 3, updateBody: 3, deleteObject: 3 },
};

type AnyMethod = (context: CallContext, ...rest: unknown[]) => Promise<unknown>;

function methodOf(backend: Backend, name: BackendMethod | 'listUnread'): AnyMethod {
  const methods = backend as unknown as Record<string, AnyMethod | undefined>;
  if (methods[name] === undefined) throw new Error(`${name} is missing`);
  return (context, ...rest) => methods[name]!(context, ...rest);
}

describe('backend: decorators of every method', () => {
  /** The calls to the store behind and the reports of decorators, in order. */
  const told = useEach<unknown[]>(() => []);

  /** A store that has every method, and notes its calls. */
  function store(): Backend {
    const notes = (method: string): AnyMethod => {
      return (_context, ...rest) => {
        told().push([method, ...rest.filter((each) => each !== undefined)]);
        return Promise.resolve(method);
      };
    };
    const methods = [...METHODS, 'listUnread'].map((method) => [method, notes(method)] as const);
    return { capabilities: {}, ...Object.fromEntries(methods) } as unknown as Backend;
  }

  for (const method of METHODS) {
    const passed = ARGUMENTS.slice(0, ARGUMENTS_OF[method] ?? 2);

    it(`a decorated backend asks ${method} of the store, and says so`, async () => {
      class Noting extends DecoratedBackend {
        protected override around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
          told().push([call.method, call.kind]);
          return proceed();
        }
      }
      const ask = methodOf(new Noting(store()), method);
      expect(await ask({ requestId: 'r' }, ...passed)).to.equal(method);
      expect(told()).to.deep.equal([
        [method, BACKEND_METHODS[method]],
        [method, ...passed],
      ]);
    });

    it(`a watched backend tells the watch around ${method}`, async () => {
      const watch: CallWatch = {
        waits: () => told().push('waits'),
        goesOn: () => told().push('goes on'),
      };
      const ask = methodOf(watchedBackend(store()), method);
      expect(await ask({ requestId: 'r', watch }, ...passed)).to.equal(method);
      expect(told()).to.deep.equal(['waits', [method, ...passed], 'goes on']);
      expect(await ask({ requestId: 'r' }, ...passed)).to.equal(method);
    });
  }

  it('both have the listings that only some stores have where the store has them', async () => {
    for (const backend of [new DecoratedBackend(store()), watchedBackend(store())]) {
      expect(await methodOf(backend, 'listUnread')({ requestId: 'r' })).to.equal('listUnread');
    }
    const without = { capabilities: {} } as unknown as Backend;
    for (const backend of [new DecoratedBackend(without), watchedBackend(without)]) {
      for (const name of ['listUnread', 'listExpired']) {
        expect(Reflect.get(backend, name), name).to.equal(undefined);
      }
    }
  });
});
