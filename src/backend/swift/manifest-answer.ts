import { BackendError } from '../errors.js';

/**
 * What Swift's slo middleware says of a manifest, in JSON: asked for by `Accept`, and always where
 * the answer began with a heartbeat, whose status says nothing.
 */
export interface ManifestAnswer {
  /** Of the PUT itself. */
  readonly status: number;
  /** What is wrong with which segment: the path, percent-encoded, and a status or a few words. */
  readonly problems: readonly (readonly [path: string, problem: string])[];
}

/** Of 10,000 segments, each with the longest path and a problem. */
export const MANIFEST_ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The end of an answer with a heartbeat: blanks, which kept the connection alive, then a document.
 * @throws BackendError Unavailable when it ended before that: nobody knows what became of the PUT
 */
export function readHeartbeatAnswer(text: string): ManifestAnswer {
  const document = parse(text);
  const said = document?.['Response Status'];
  const status = Number(/^\d{3}/.exec(typeof said === 'string' ? said : '')?.[0]);
  if (document === undefined || Number.isNaN(status)) {
    throw new BackendError('Unavailable', 'the answer to a manifest ended before it said anything');
  }
  return { status, problems: problemsOf(document) };
}

/** An answer without a heartbeat, which may be about something else than segments. */
export function readManifestAnswer(status: number, text: string): ManifestAnswer {
  return { status, problems: problemsOf(parse(text)) };
}

/**
 * A segment that cannot be looked at now is no reason to call it another one.
 * @returns undefined when the segments are not to blame
 */
export function segmentError({ problems }: ManifestAnswer): BackendError | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const wrong = problems.find(([, problem]) => !UNKNOWN.test(problem));
  const [path, problem] = wrong ?? first;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  const code = wrong === undefined ? 'Unavailable' : 'SegmentMismatch';
  return new BackendError(code, `segment ${path}: ${problem}${more}`);
}

/** Statuses of the HEAD that say nothing of the segment. */
const UNKNOWN = /^(?:401|403|408|429|498|5\d\d) /;

type Document = Readonly<Record<string, unknown>>;

function parse(text: string): Document | undefined {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null ? (document as Document) : undefined;
  } catch {
    return undefined;
  }
}

function problemsOf(document: Document | undefined): ManifestAnswer['problems'] {
  const errors = document?.Errors;
  if (!Array.isArray(errors)) return [];
  return errors.map((each: unknown) => {
    const [path, problem] = Array.isArray(each) ? (each as unknown[]) : [];
    return [String(path), String(problem)] as const;
  });
}
