import path from 'node:path';
import { z } from 'zod';
import { readJson } from '../../../src/lib/durable-file.js';
import type { ChangeParams } from './change-run.js';

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/);
const RECORD = z.strictObject({
  v: z.literal(1),
  target: z.string(),
  nodes: z.array(
    z.strictObject({
      node: z.string(),
      before_sha256: SHA256,
      after_sha256: SHA256,
      stamp: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/),
    }),
  ),
});

/** The file of a change that a build before 1.0.0 has left unfinished. */
export function formerChangeFile(stateDir: string): string {
  return path.join(stateDir, 'users-change.json');
}

/** @throws system errors; ZodError for a file that no console has written */
export async function formerChange(
  file: string,
): Promise<{ readonly target: string; readonly params: ChangeParams } | undefined> {
  const record = await readJson(file);
  if (record === undefined) return undefined;
  const { target, nodes } = RECORD.parse(record);
  const digests = nodes.map(({ node, before_sha256, after_sha256 }) => ({
    node,
    before_sha256,
    after_sha256,
  }));
  return { target, params: { stamp: nodes[0]?.stamp ?? '', nodes: digests } };
}
