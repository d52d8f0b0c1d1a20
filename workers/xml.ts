import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { yieldToEventLoops } from './thread-priority.js';
import { S3Error } from '../src/s3/errors.js';
import { parseDocument } from '../src/s3/xml-pool/documents.js';
import type {
  CarriedError,
  ParseAnswer,
  ParseResult,
  ParseTask,
} from '../src/s3/xml-pool/protocol.js';

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
    return { error: carry(error) };
  }
}

function carry(error: unknown): CarriedError {
  if (error instanceof S3Error) {
    const { code, message, details } = error;
    return { code, message, details };
  }
  return { code: 'InternalError', message: '', details: {}, cause: String(error) };
}
