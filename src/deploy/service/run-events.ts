import type { FastifyReply } from 'fastify';
import type { Run } from './run-record.js';
import type { Runs } from './runs.js';

const PING_MS = 15_000;
/** A reader that is so far behind asks again: it gets the whole run then. */
const BEHIND_BYTES_MAX = 1024 * 1024;

/**
 * Sends a run as server-sent events: whole at first, then each step that changes, and whole again
 * when it has ended. A client that connects again needs nothing of before.
 *
 * @throws DeployError `busy`
 */
export function streamRun(runs: Runs, run: Run, reply: FastifyReply): void {
  const { raw } = reply;
  let number = 0;
  const send = (event: string, data: unknown): void => {
    number += 1;
    raw.write(`id: ${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (raw.writableLength > BEHIND_BYTES_MAX) raw.destroy();
  };
  const isOver = (): boolean => run.state !== 'running';
  const unlisten = isOver()
    ? () => undefined
    : runs.listen(run, (_run, step) => {
        if (step !== null) send('step', { index: step, ...run.steps[step] });
        else finish();
      });
  const ping = setInterval(() => raw.write(': ping\n\n'), PING_MS);
  const finish = (): void => {
    // A reader may take long for what there is, and nothing can be written after the end.
    clearInterval(ping);
    send('run', run);
    raw.end();
  };
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
  else send('run', run);
}
