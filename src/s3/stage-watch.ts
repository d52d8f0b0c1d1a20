import type { ByteSource } from '../lib/byte-source.js';
import type { RequestBody } from '../http/exchange.js';
import { STAGE, type StageClock } from '../telemetry/stage-clock.js';
import type { RequestPath } from '../telemetry/stage-metrics.js';
import type { Payload } from './auth/payload.js';
import type { S3Response } from './operation.js';

/** Which of the kinds of requests an operation is, for the times of its stages. */
export function requestPathOf(operation: string): RequestPath {
  return PATHS[operation] ?? (operation.startsWith('List') ? 'list' : 'other');
}

const PATHS: Readonly<Record<string, RequestPath>> = {
  PutObject: 'put',
  UploadPart: 'put',
  GetObject: 'get',
  HeadObject: 'head',
  DeleteObject: 'delete',
  DeleteObjects: 'delete',
};

/** A body whose reader is in `stage` while it waits for bytes. */
export function watchSource(source: ByteSource, clock: StageClock, stage: number): ByteSource {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = source[Symbol.asyncIterator]();
      const leave = iterator.return?.bind(iterator);
      return {
        next: () => during(clock, stage, () => iterator.next()),
        ...(leave === undefined ? {} : { return: leave }),
      };
    },
  };
}

/** What is waited for while a stream is sent: the store, or else the client. */
export function watchResponse(
  body: S3Response['body'],
  clock: StageClock | undefined,
): S3Response['body'] {
  if (clock === undefined || body === undefined) return body;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return watchSource(body, clock, STAGE.backend_wait);
}

export function watchBody(body: RequestBody, clock: StageClock): RequestBody {
  const source = watchSource(body, clock, STAGE.body_read);
  return {
    contentLength: body.contentLength,
    get bytesReceived() {
      return body.bytesReceived;
    },
    collect: (limit) => during(clock, STAGE.body_read, () => body.collect(limit)),
    [Symbol.asyncIterator]: () => source[Symbol.asyncIterator](),
  };
}

export function watchPayload(payload: Payload, clock: StageClock): Payload {
  return {
    size: payload.size,
    takesMd5: payload.takesMd5,
    get source() {
      return watchSource(payload.source, clock, STAGE.hash);
    },
    collect: (limit) => during(clock, STAGE.hash, () => payload.collect(limit)),
    digests: () => payload.digests(),
  };
}

async function during<T>(clock: StageClock, stage: number, work: () => Promise<T>): Promise<T> {
  const former = clock.enter(stage);
  try {
    return await work();
  } finally {
    clock.enter(former);
  }
}
