/** Returns the value that was opened for the test that runs. */
export type Fixture<T> = () => T;

type Open<T> = () => T | Promise<T>;

/** A function that closes what was opened, or the name of its own method for that. */
type Close<T> = ((opened: T) => unknown) | MethodOf<T>;

/** Names of the methods of T that need no arguments. */
type MethodOf<T> = keyof { [K in keyof T as T[K] extends () => unknown ? K : never]: unknown };

/** Closing functions of the open fixtures, in the order of opening. */
type Stack = (() => unknown)[];

/** Open fixtures by the suite that declared them. */
const OPEN_FOR_EACH = new WeakMap<Mocha.Suite, Stack>();
const OPEN_FOR_ALL = new WeakMap<Mocha.Suite, Stack>();

/**
 * Opens something before each test of the enclosing `describe`, as a `beforeEach` in its place would,
 * and closes it after the test. The fixtures of a `describe` close after all its `afterEach` hooks,
 * the last one first.
 */
export function useEach<T>(open: Open<T>, close?: Close<T>): Fixture<T> {
  const fixture = new Held(open, close);
  beforeEach(async function () {
    const suite = this.test!.parent!;
    await fixture.open(stackOf(OPEN_FOR_EACH, suite, (closing) => suite.afterEach(closing)));
  });
  return () => fixture.value;
}

/** As {@link useEach}, once for all tests of the `describe`: between `before` and `after`. */
export function useOnce<T>(open: Open<T>, close?: Close<T>): Fixture<T> {
  const fixture = new Held(open, close);
  before(async function () {
    const suite = this.test!.parent!;
    await fixture.open(stackOf(OPEN_FOR_ALL, suite, (closing) => suite.afterAll(closing)));
  });
  return () => fixture.value;
}

class Held<T> {
  private opened: { readonly value: T } | undefined;

  constructor(
    private readonly opener: Open<T>,
    private readonly closer: Close<T> | undefined,
  ) {}

  async open(stack: Stack): Promise<void> {
    const value = await this.opener();
    this.opened = { value };
    stack.push(() => this.close(value));
  }

  private close(value: T): unknown {
    const { closer } = this;
    if (closer === undefined) return undefined;
    return typeof closer === 'function' ? closer(value) : (value[closer] as () => unknown)();
  }

  get value(): T {
    if (this.opened === undefined) throw new Error('a fixture is used before it was opened');
    return this.opened.value;
  }
}

/**
 * @param addHook adds the hook that closes. It is added when the first fixture opens, which puts it
 *   behind the hooks that were written in the `describe`.
 */
function stackOf(
  stacks: WeakMap<Mocha.Suite, Stack>,
  suite: Mocha.Suite,
  addHook: (closing: () => Promise<void>) => unknown,
): Stack {
  let stack = stacks.get(suite);
  if (stack === undefined) {
    const added: Stack = [];
    stack = added;
    stacks.set(suite, added);
    addHook(() => closeAll(added));
  }
  return stack;
}

/** Closes the rest as well when one fails. */
async function closeAll(stack: Stack): Promise<void> {
  const errors: unknown[] = [];
  for (const close of stack.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
  if (errors.length === 1) throw errors[0];
}
