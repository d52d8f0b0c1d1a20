import type { FastifyReply } from 'fastify';
import type { Ramp } from './ramp-record.js';
import type { Ramps } from './ramps.js';
import type { Run } from './run-record.js';
import type { Runs } from './runs.js';

const PING_MS = 15_000;
/** A reader that is so far behind asks again: it gets the whole then. */
const BEHIND_BYTES_MAX = 1024 * 1024;

/**
 * Sends a run as server-sent events: whole at first, then each step that changes, and whole again
 * when it has ended. A client that connects again needs nothing of before.
 *
 * @throws DeployError `busy`
 */
export function streamRun(runs: Runs, run: Run, reply: FastifyReply): void {
  stream(reply, {
    name: 'run',
    whole: () => run,
    isOver: () => run.state !== 'running',
    listen: (send, finish) =>
      runs.listen(run, (_run, step) => {
        if (step !== null) send('step', { index: step, ...run.steps[step] });
        else finish();
      }),
  });
}

/**
 * Sends a ramp as server-sent events, whole each time.
 *
 * @throws DeployError `busy`
 */
export function streamRamp(ramps: Pick<Ramps, 'listen'>, ramp: Ramp, reply: FastifyReply): void {
  const isOver = (): boolean => ramp.ended_unix_s !== null;
  stream(reply, {
    name: 'ramp',
    whole: () => ramp,
    isOver,
    listen: (send, finish) =>
      ramps.listen(ramp, () => {
        if (isOver()) finish();
        else send('ramp', ramp);
      }),
  });
}

type Send = (event: string, data: unknown) => void;

/** A run or a ramp that is followed by events. */
interface Followed {
  /** The event that has the whole: the first one and the last. */
  readonly name: string;
  readonly whole: () => unknown;
  readonly isOver: () => boolean;
  /** @returns what ends the subscription */
  readonly listen: (send: Send, finish: () => void) => () => void;
}

function stream(reply: FastifyReply, { name, whole, isOver, listen }: Followed): void {
  const { raw } = reply;
  let number = 0;
  const send: Send = (event, data) => {
    number += 1;
    raw.write(`id: ${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (raw.writableLength > BEHIND_BYTES_MAX) raw.destroy();
  };
  const finish = (): void => {
    // A reader may take long for what there is, and nothing can be written after the end.
    clearInterval(ping);
    unlisten();
    send(name, whole());
    raw.end();
  };
  const unlisten = isOver() ? () => undefined : listen(send, finish);
  const ping = setInterval(() => raw.write(': ping\n\n'), PING_MS);
  raw.once('close', () => {
    clearInterval(ping);
    unlisten();
  });
  reply.hijack();
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  if (isOver()) finish();
  else send(name, whole());
}
