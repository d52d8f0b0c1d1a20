import type { Backend } from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { BackendError } from '../../../src/backend/errors.js';

const FENCE = /\/index\.g\d+\.json$/;

const VERSION = /\/[0-9a-f]{32}$/;

export type Place =
  | 'behind its fence'
  | 'before its move'
  | 'before its index'
  | 'before its link'
  | 'before its deletion'
  | 'nowhere';

type Wake = (then?: 'to die behind its write') => void;

/**
 * Does something on a store until that sleeps at a place.
 *
 * @returns a function that wakes it, and waits for its end
 */
export async function untilAsleep<T>(
  store: Backend,
  where: Place,
  act: (store: Backend) => Promise<T>,
): Promise<(...then: Parameters<Wake>) => Promise<T>> {
  const sleepy = new Sleepy(store, where);
  const done = act(sleepy);
  await sleepy.asleep;
  return (then) => {
    sleepy.wake(then);
    return done;
  };
}

/** Does nothing more, once, until it is woken. */
export class Sleepy extends DecoratedBackend {
  wake!: Wake;
  readonly asleep: Promise<void>;
  #fallAsleep!: () => void;
  #dies = false;
  readonly #woken = new Promise<void>((resolve) => {
    this.wake = (then) => {
      this.#dies = then !== undefined;
      resolve();
    };
  });

  constructor(
    inner: Backend,
    public where: Place,
  ) {
    super(inner);
    this.asleep = new Promise((resolve) => {
      this.#fallAsleep = resolve;
    });
  }

  override async putObject(...args: Parameters<Backend['putObject']>) {
    const [, { object }, { order }] = args;
    const isMove = VERSION.test(object) && order !== undefined;
    if (this.where === 'before its move' && isMove) await this.#sleep();
    if (this.where === 'before its index' && object.endsWith('/index.json')) await this.#sleep();
    const outcome = await super.putObject(...args);
    if (this.where === 'behind its fence' && FENCE.test(object)) await this.#sleep();
    return outcome;
  }

  override async putLink(...args: Parameters<Backend['putLink']>) {
    if (this.where === 'before its link') await this.#sleep();
    const put = await super.putLink(...args);
    this.#dieBehind(put.outcome === 'created');
    return put;
  }

  override async deleteObject(...args: Parameters<Backend['deleteObject']>) {
    if (this.where === 'before its deletion') await this.#sleep();
    const deleted = await super.deleteObject(...args);
    this.#dieBehind(deleted.outcome === 'deleted');
    return deleted;
  }

  #dieBehind(isWritten: boolean): void {
    if (this.#dies && isWritten) throw new BackendError('Unavailable', 'it died');
  }

  #sleep(): Promise<void> {
    this.#fallAsleep();
    return this.#woken;
  }
}
