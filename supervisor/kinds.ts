/**
 * The kinds of child processes. S3 is served by the listeners alone: without one the service is not
 * ready, and one that crashes again and again ends it. Any other kind is started again for as long
 * as the service runs, and what is wrong with it is told.
 */
export const CHILD_KINDS = {
  listener: { servesRequests: true },
  janitor: { servesRequests: false },
  store: { servesRequests: false },
} as const satisfies Readonly<Record<string, { readonly servesRequests: boolean }>>;

export type ChildKind = keyof typeof CHILD_KINDS;

/** One process' place, in words: `listener 2`, or `janitor`, of which there is one. */
export function nameOf({ kind, worker }: { readonly kind: ChildKind; readonly worker: number }) {
  return kind === 'listener' ? `listener ${worker}` : kind;
}
