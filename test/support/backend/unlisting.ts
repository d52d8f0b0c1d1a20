import type {
  Backend,
  CallContext,
  ContainerRef,
  ObjectPage,
  ObjectQuery,
} from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';

/**
 * A store whose listings of one container lack what was written since: as a container of Swift while
 * it is sharded, or a replica of it that was down.
 */
export class UnlistingBackend extends DecoratedBackend {
  constructor(
    inner: Backend,
    private readonly lagging: string,
    /** The listing as it was. */
    private readonly before: ObjectPage = { entries: [], truncated: false },
  ) {
    super(inner);
  }

  override listObjects(
    context: CallContext,
    ref: ContainerRef,
    query: ObjectQuery,
  ): Promise<ObjectPage> {
    if (ref.container === this.lagging) return Promise.resolve(this.before);
    return super.listObjects(context, ref, query);
  }
}
