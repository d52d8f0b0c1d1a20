import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { carryError } from '../src/s3/xml-pool/carried-error.js';
import { parseDocument } from '../src/s3/xml-pool/documents.js';
import type { ParseAnswer, ParseResult, ParseTask } from '../src/s3/xml-pool/protocol.js';
import { yieldToEventLoops } from './thread-priority.js';

if (!isMainThread) yieldToEventLoops();

/** Parses one document. */
export default function run(task: ParseTask): ParseAnswer {
  const startedAt = performance.now();
  const result = parse(task);
  return { ...result, runS: (performance.now() - startedAt) / 1000 };
}

function parse({ name, body, settings }: ParseTask): ParseResult {
  try {
    const document = parseDocument(name, Buffer.from(body.buffer), settings);
    return { json: JSON.stringify(document) };
  } catch (error) {
    return { error: carryError(error) };
  }
}
