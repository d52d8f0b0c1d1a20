import { expect } from 'chai';

/** An error with the code that most of ours have. */
export type Failure = Error & { readonly code?: string };

/** The error of work that has to fail, of the class that is given; anything else fails the test. */
export async function failureOf(work: Promise<unknown>): Promise<Failure>;
export async function failureOf<T>(
  work: Promise<unknown>,
  type: abstract new (...args: never[]) => T,
): Promise<T>;
export async function failureOf(
  work: Promise<unknown>,
  type?: abstract new (...args: never[]) => unknown,
): Promise<unknown> {
  const error: unknown = await work.then(
    (result) => expect.fail(`expected a rejection, got ${JSON.stringify(result)}`),
    (reason: unknown) => reason,
  );
  if (type !== undefined) expect(error).to.be.instanceOf(type);
  return error;
}

/** The error of work that may fail, or undefined. */
export function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The code of the error that work ends with, or `none`. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error = await errorOf(work);
  return error === undefined ? 'none' : (error as Failure).code;
}
