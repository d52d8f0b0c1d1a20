/** What one document took; for the metrics. */
export interface ParseTiming {
  /** From posting until the thread took it, in seconds. */
  readonly waitS: number;
  /** On the thread, in seconds. */
  readonly runS: number;
}

export interface XmlPoolOptions {
  /** Documents up to this size are parsed on the event loop. */
  readonly inlineBytesMax?: number;
  /** Documents that may wait for the thread or be on it; one more is refused. */
  readonly tasksMax?: number;
  /** A thread that had nothing to do for this long ends. */
  readonly idleTimeoutMs?: number;
  /** Address of the thread's module. */
  readonly workerFile?: string;
  readonly onTask?: (timing: ParseTiming) => void;
}

export type FilledXmlPoolOptions = Required<XmlPoolOptions>;

export const XML_POOL_DEFAULTS: FilledXmlPoolOptions = {
  // Half a millisecond of a loop that has compiled the parser, or twice what a hop costs: bench/xml.ts.
  inlineBytesMax: 8_192,
  // At most 4 MiB each, and the bodies are in memory anyway.
  tasksMax: 64,
  idleTimeoutMs: 60_000,
  workerFile: new URL('../../../workers/xml.js', import.meta.url).href,
  onTask: () => undefined,
};
