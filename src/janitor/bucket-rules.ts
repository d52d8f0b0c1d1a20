import type { ContainerHead } from '../backend/backend.js';
import { storedConfiguration } from '../s3/bucket/configuration.js';
import { storedLifecycle } from '../s3/bucket/lifecycles.js';
import type { LifecycleConfiguration } from '../s3/rules/lifecycle/configuration.js';
import { unlessGone } from './gone.js';
import type { PassContext } from './pass-context.js';

/** The lifecycle rules of a bucket when a pass came to it. */
export interface BucketRules {
  /** The document as it is stored; undefined without one. */
  readonly stored: string | undefined;
  /** Undefined without rules that can be read. */
  readonly configuration: LifecycleConfiguration | undefined;
}

export const NO_RULES: BucketRules = { stored: undefined, configuration: undefined };

/** Rules that cannot be read want nothing: other buckets are not to suffer from it. */
export function rulesOf(
  pass: PassContext,
  bucket: string,
  { systemMetadata }: ContainerHead,
): BucketRules {
  const stored = storedConfiguration(systemMetadata, 'lifecycle');
  try {
    return { stored, configuration: storedLifecycle(systemMetadata) };
  } catch (error) {
    pass.unreadable(bucket, error);
    return { stored, configuration: undefined };
  }
}

/**
 * Whether a bucket still has these rules. An owner who removes one that deletes too much does so while a
 * pass is in the bucket, for hours where it is large: what has other rules by now is left to the next
 * pass.
 */
export function areInForce({ stored }: BucketRules, { systemMetadata }: ContainerHead): boolean {
  return storedConfiguration(systemMetadata, 'lifecycle') === stored;
}

/** @returns undefined when it is gone */
export function containerHead(
  { backend, call, account }: PassContext,
  container: string,
  options?: { readonly newest: boolean },
): Promise<ContainerHead | undefined> {
  return unlessGone(backend.headContainer(call, { account, container }, options));
}

/** The container as it is now. @returns undefined when it is gone */
export function newestHead(pass: PassContext, container: string) {
  return containerHead(pass, container, { newest: true });
}
