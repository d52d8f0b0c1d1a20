const FRESH_MS = 1000;

/**
 * A question whose answer a job needs for each of many names: asked once a second, since whether
 * versions are kept decides what is lost, and a job may take hours.
 */
export function fresh<T>(now: () => number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (last === undefined || now() - last.atMs >= FRESH_MS) last = { atMs: now(), answer: ask() };
    return last.answer;
  };
}
