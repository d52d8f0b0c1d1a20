import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok } from '../console/files/support.js';
import type { Answer } from '../console/support/client.js';
import type { Service } from '../support/service.js';

/** The document of an answer that has to succeed. */
export async function told(answer: Promise<Answer>): Promise<unknown> {
  return (await ok(answer, 200)).json();
}

/** The audit log's records of a target, as `action result`. */
export async function recordsOf({ dataDir }: Service, target: string): Promise<string[]> {
  const text = await readFile(join(dataDir, 'console', 'audit.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<'target' | 'action' | 'result', string>)
    .filter((record) => record.target === target)
    .map(({ action, result }) => `${action} ${result}`);
}
