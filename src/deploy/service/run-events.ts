import { EventStream } from '../../lib/event-stream.js';
import type { Ramp } from './ramp-record.js';
import type { Ramps } from './ramps.js';
import type { Run } from './run-record.js';
import type { Runs } from './runs.js';

/** A reader that is so far behind asks again: it gets the whole then. */
const BEHIND_BYTES_MAX = 1024 * 1024;

/**
 * A run as server-sent events: whole at first, then each step that changes, and whole again
 * when it has ended. A client that connects again needs nothing of before.
 *
 * @throws DeployError `busy`
 */
export function streamRun(runs: Runs, run: Run): EventStream {
  return stream({
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
 * A ramp as server-sent events, whole each time.
 *
 * @throws DeployError `busy`
 */
export function streamRamp(ramps: Pick<Ramps, 'listen'>, ramp: Ramp): EventStream {
  const isOver = (): boolean => ramp.ended_unix_s !== null;
  return stream({
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

function stream({ name, whole, isOver, listen }: Followed): EventStream {
  let number = 0;
  const send: Send = (event, data) => {
    events.tell(event, JSON.stringify(data), String(++number));
  };
  const finish = (): void => {
    unlisten();
    send(name, whole());
    events.finish();
  };
  const unlisten = isOver() ? () => undefined : listen(send, finish);
  const events = new EventStream(BEHIND_BYTES_MAX);
  events.once('close', unlisten);
  if (isOver()) finish();
  else send(name, whole());
  return events;
}
