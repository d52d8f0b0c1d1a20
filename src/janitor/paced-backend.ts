import type { Backend } from '../backend/backend.js';
import { type BackendCall, DecoratedBackend } from '../backend/decorators/decorated-backend.js';

/** Asked before each call; what it throws, the call fails with. */
export type BeforeCall = () => Promise<void>;

/**
 * A backend whose every call waits for its turn and needs the lease, whoever makes it: code that the
 * janitor shares with operations knows of neither.
 */
export class PacedBackend extends DecoratedBackend {
  constructor(
    backend: Backend,
    private readonly beforeCall: BeforeCall,
  ) {
    super(backend);
  }

  protected override async around<T>(_call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    await this.beforeCall();
    return proceed();
  }
}
