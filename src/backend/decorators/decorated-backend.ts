import type * as B from '../backend.js';

/** The methods of the interface that ask something of a store. `listUnread` is a `listObjects`. */
type AskingMethod = Exclude<keyof B.Backend, 'capabilities' | 'immediate' | 'listUnread' | 'close'>;

/**
 * The method table of all decorators: every method that asks something of a store, and whether it
 * may change what is stored. A method that the interface gains does not compile until it stands
 * here; one that stands here has to be in {@link DecoratedBackend}, with this kind, and in
 * `watchedBackend`: the compiler says so, or the test that goes through this table.
 *
 * The decorators write their methods out and do not make them from the table in a loop. Functions
 * made by one loop share their inline caches, so V8 could optimise no call of a store for the
 * method that it calls.
 */
export const BACKEND_METHODS = {
  ping: 'read',
  listContainers: 'read',
  createContainer: 'write',
  headContainer: 'read',
  updateContainer: 'write',
  deleteContainer: 'write',
  listObjects: 'read',
  putObject: 'write',
  headObject: 'read',
  getObject: 'read',
  putManifest: 'write',
  putLink: 'write',
  getSegments: 'read',
  copyObject: 'write',
  updateObject: 'write',
  updateBody: 'write',
  deleteObject: 'write',
  listExpired: 'read',
} as const satisfies Readonly<Record<AskingMethod, 'read' | 'write'>>;

export type BackendMethod = keyof typeof BACKEND_METHODS;

interface CallOf<Method extends BackendMethod> {
  readonly context: B.CallContext;
  readonly method: Method;
  /** Whether it may change what is stored. */
  readonly kind: (typeof BACKEND_METHODS)[Method];
  /** The object, container or account of the call, or nothing. For a copy, the target. */
  readonly ref: Partial<B.ObjectRef>;
  /** The source of a copy; undefined for other calls. */
  readonly source?: B.ObjectRef;
}

/** A call, as far as decorators care. */
export type BackendCall = { [Method in BackendMethod]: CallOf<Method> }[BackendMethod];

/**
 * A backend in front of another one. All calls pass through {@link around}, so that a decorator says
 * once what is to happen before, after or instead of them; one that changes a single method
 * overrides that.
 */
export class DecoratedBackend implements B.Backend {
  listExpired?: NonNullable<B.Backend['listExpired']>;
  listUnread?: NonNullable<B.Backend['listUnread']>;

  constructor(
    protected readonly inner: B.Backend,
    readonly capabilities: B.Capabilities = inner.capabilities,
  ) {
    // Decorators that change pages have to see them.
    const seesPages = this.listObjects !== DecoratedBackend.prototype.listObjects;
    const unread = seesPages ? undefined : inner.listUnread?.bind(inner);
    if (unread !== undefined) {
      this.listUnread = (context, ref, query) =>
        this.around({ context, method: 'listObjects', kind: 'read', ref }, () =>
          unread(context, ref, query),
        );
    }
    const list = inner.listExpired?.bind(inner);
    if (list === undefined) return;
    this.listExpired = (context, account, query) =>
      this.around({ context, method: 'listExpired', kind: 'read', ref: { account } }, () =>
        list(context, account, query),
      );
  }

  protected around<T>(_call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    return proceed();
  }

  ping(context: B.CallContext): Promise<void> {
    return this.around({ context, method: 'ping', kind: 'read', ref: {} }, () =>
      this.inner.ping(context),
    );
  }

  listContainers(
    context: B.CallContext,
    account: string,
    query: B.ContainerQuery,
  ): Promise<B.ContainerPage> {
    return this.around({ context, method: 'listContainers', kind: 'read', ref: { account } }, () =>
      this.inner.listContainers(context, account, query),
    );
  }

  createContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    input: B.ContainerInput,
  ): Promise<'created' | 'exists'> {
    return this.around({ context, method: 'createContainer', kind: 'write', ref }, () =>
      this.inner.createContainer(context, ref, input),
    );
  }

  headContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    options?: B.ReadOptions,
  ): Promise<B.ContainerHead> {
    return this.around({ context, method: 'headContainer', kind: 'read', ref }, () =>
      this.inner.headContainer(context, ref, options),
    );
  }

  updateContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    update: B.ContainerUpdate,
  ): Promise<void> {
    return this.around({ context, method: 'updateContainer', kind: 'write', ref }, () =>
      this.inner.updateContainer(context, ref, update),
    );
  }

  deleteContainer(context: B.CallContext, ref: B.ContainerRef): Promise<void> {
    return this.around({ context, method: 'deleteContainer', kind: 'write', ref }, () =>
      this.inner.deleteContainer(context, ref),
    );
  }

  listObjects(
    context: B.CallContext,
    ref: B.ContainerRef,
    query: B.ObjectQuery,
  ): Promise<B.ObjectPage> {
    return this.around({ context, method: 'listObjects', kind: 'read', ref }, () =>
      this.inner.listObjects(context, ref, query),
    );
  }

  putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.around({ context, method: 'putObject', kind: 'write', ref }, () =>
      this.inner.putObject(context, ref, input, precondition),
    );
  }

  headObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    options?: B.ReadOptions,
  ): Promise<B.ObjectHead> {
    return this.around({ context, method: 'headObject', kind: 'read', ref }, () =>
      this.inner.headObject(context, ref, options),
    );
  }

  getObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    range?: B.RangeSpec,
    options?: B.ReadOptions,
  ): Promise<B.GetObjectResult> {
    return this.around({ context, method: 'getObject', kind: 'read', ref }, () =>
      this.inner.getObject(context, ref, range, options),
    );
  }

  putManifest(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.around({ context, method: 'putManifest', kind: 'write', ref }, () =>
      this.inner.putManifest(context, ref, input, precondition),
    );
  }

  putLink(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.around({ context, method: 'putLink', kind: 'write', ref }, () =>
      this.inner.putLink(context, ref, input, precondition),
    );
  }

  getSegments(
    context: B.CallContext,
    ref: B.ObjectRef,
    options?: B.ReadOptions,
  ): Promise<readonly B.Segment[] | undefined> {
    return this.around({ context, method: 'getSegments', kind: 'read', ref }, () =>
      this.inner.getSegments(context, ref, options),
    );
  }

  copyObject(
    context: B.CallContext,
    from: B.ObjectRef,
    to: B.ObjectRef,
    input: B.CopyInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.CopyOutcome> {
    return this.around(
      { context, method: 'copyObject', kind: 'write', ref: to, source: from },
      () => this.inner.copyObject(context, from, to, input, precondition),
    );
  }

  updateObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.ObjectUpdate,
    precondition?: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    return this.around({ context, method: 'updateObject', kind: 'write', ref }, () =>
      this.inner.updateObject(context, ref, update, precondition),
    );
  }

  updateBody(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.BodyUpdate,
    precondition: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    return this.around({ context, method: 'updateBody', kind: 'write', ref }, () =>
      this.inner.updateBody(context, ref, update, precondition),
    );
  }

  deleteObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.DeletePrecondition,
    options?: B.DeleteOptions,
  ): Promise<B.DeleteOutcome> {
    return this.around({ context, method: 'deleteObject', kind: 'write', ref }, () =>
      this.inner.deleteObject(context, ref, precondition, options),
    );
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
