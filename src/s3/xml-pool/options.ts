import type { PoolThreadOptions } from './pool-thread.js';

export interface FilledXmlPoolOptions extends Omit<PoolThreadOptions, 'tasksAtOnce'> {
  /** Documents up to this size are parsed on the event loop. */
  readonly inlineBytesMax: number;
}

export type XmlPoolOptions = Partial<FilledXmlPoolOptions>;

export const XML_POOL_DEFAULTS: FilledXmlPoolOptions = {
  // Half a millisecond of a loop that has compiled the parser, or twice a hop: bench/micro/xml.ts.
  inlineBytesMax: 8_192,
  // The limit of waiting tasks. Each has at most 4 MiB, and the bodies are in memory anyway.
  tasksMax: 64,
  // The largest takes half a second: who waits for 64 of those has given up.
  waitMsMax: 30_000,
  idleTimeoutMs: 60_000,
  workerFile: new URL('../../../workers/xml.js', import.meta.url).href,
  onTask: () => undefined,
};
