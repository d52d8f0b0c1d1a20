/**
 * The kinds of child processes. S3 is served by the listeners alone: without one the service is not
 * ready, and one that crashes again and again ends it. Any other kind is started again for as long
 * as the service runs, and what is wrong with it is told.
 */
export const CHILD_KINDS = {
  listener: { servesRequests: true, knowsSecrets: true },
  janitor: { servesRequests: false, knowsSecrets: true },
  store: { servesRequests: false, knowsSecrets: true },
  // It asks the store whether a key is right.
  console: { servesRequests: false, knowsSecrets: false },
  // It has passwords and secrets of its own.
  deploy: { servesRequests: false, knowsSecrets: false },
} as const satisfies Readonly<Record<string, ChildTraits>>;

interface ChildTraits {
  readonly servesRequests: boolean;
  /** It verifies signatures or keys, and is told the secret keys for that. */
  readonly knowsSecrets: boolean;
}

export type ChildKind = keyof typeof CHILD_KINDS;

/** One process' place, in words: `listener 2`, or `janitor`, of which there is one. */
export function nameOf({ kind, worker }: { readonly kind: ChildKind; readonly worker: number }) {
  return kind === 'listener' ? `listener ${worker}` : kind;
}
