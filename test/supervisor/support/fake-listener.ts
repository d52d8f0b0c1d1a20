import { existsSync, open, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, Registry } from 'prom-client';
import { runChild, StartError, type ChildService } from '../../../src/processes/child.js';
import type { Roster } from '../../../src/config/credentials.js';
import type { ChildInit } from '../../../src/processes/protocol.js';

/**
 * A listener, or a janitor (worker 0), that speaks the supervisor's protocol and serves nothing: requests to its control
 * port, whose number is in the metric `fake_control_port`, make it misbehave:
 *
 *     /count?n=5     adds to the counter `fake_total`
 *     /begin, /end   a request in flight, which a drain waits for
 *     /sick, /well   what the probe of `backend` says
 *     /mute          answers no more scrapes
 *     /complain      writes a line to stderr
 *     /wait-for-disk has one of its threads wait for ever, for a writer of the FIFO FAKE_FIFO
 *     /crash, /abort ends with code 3, or by SIGABRT
 *
 * FAKE_START: `fail-listen`, `fail-store`, `crash` or `hang` instead of a start, `fail-begin` when it
 * is to begin, `wait-begin` to begin when the file FAKE_BEGIN_FILE is there, `sick` for a start that finds its backend not well.
 * FAKE_START_FILE: the same in a file, which may change while the service runs.
 * FAKE_CRASH_FILE: ends at its start when this file exists.
 */
runChild(startFake);

function startFake({ worker, credentials }: ChildInit): Promise<ChildService> {
  const { FAKE_CRASH_FILE = '' } = process.env;
  if (existsSync(FAKE_CRASH_FILE)) process.exit(3);
  const start = howToStart();
  switch (start) {
    case 'fail-listen':
      throw new StartError('listen', 'fake: cannot listen');
    case 'fail-store':
      return Promise.reject(new StartError('store', 'fake: no store'));
    case 'crash':
      process.exit(3);
      break;
    case 'hang':
      return new Promise(() => undefined);
    default:
      return serveFake(worker, start, credentials);
  }
}

function howToStart(): string | undefined {
  const { FAKE_START, FAKE_START_FILE = '' } = process.env;
  return existsSync(FAKE_START_FILE) ? readFileSync(FAKE_START_FILE, 'utf8') : FAKE_START;
}

/** How many secret keys it was told. */
function secretsIn(roster: Roster): number {
  return roster.filter(({ secretKey }) => secretKey !== '').length;
}

async function serveFake(
  worker: number,
  start: string | undefined,
  roster: Roster,
): Promise<ChildService> {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['worker'];
  const total = new Counter({ name: 'fake_total', help: 'A counter.', registers });
  const port = new Gauge({ name: 'fake_control_port', help: 'A gauge.', labelNames, registers });
  const loads = new Gauge({ name: 'fake_in_flight', help: 'A gauge.', registers });
  const credentials = new Gauge({ name: 'fake_credentials', help: 'A gauge.', registers });
  const secrets = new Gauge({ name: 'fake_secrets', help: 'A gauge.', registers });
  secrets.set(secretsIn(roster));
  let inFlight = 0;
  let sick = start === 'sick';
  let mute = false;
  let closed = false;
  let ended: () => void = () => undefined;
  const actions: Readonly<Record<string, (n: number) => unknown>> = {
    '/count': (n) => {
      total.inc(n);
    },
    '/begin': () => {
      inFlight += 1;
      loads.set(inFlight);
    },
    '/end': () => {
      inFlight -= 1;
      ended();
    },
    '/sick': () => (sick = true),
    '/well': () => (sick = false),
    '/mute': () => (mute = true),
    '/complain': () => process.stderr.write('fake listener complains\n'),
    '/wait-for-disk': () => {
      open(process.env.FAKE_FIFO ?? '', () => undefined);
    },
    '/crash': () => process.exit(3),
    '/abort': () => process.abort(),
  };
  const control = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    actions[url.pathname]?.(Number(url.searchParams.get('n')));
    response.end('done');
  });
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
  const address = control.address();
  if (address === null || typeof address === 'string') throw new Error('no control port');
  port.set({ worker: String(worker) }, address.port);
  return {
    begin: async () => {
      const { FAKE_BEGIN_FILE = '' } = process.env;
      while (start === 'wait-begin' && !existsSync(FAKE_BEGIN_FILE)) await delay(10);
      if (start === 'fail-begin') throw new StartError('listen', 'fake: cannot begin');
    },
    snapshot: () => {
      if (closed) throw new Error('asked after close');
      return mute ? new Promise(() => undefined) : registry.getMetricsAsJSON();
    },
    probe: () =>
      Promise.resolve([{ name: 'backend', ok: !sick, detail: sick ? 'sick' : undefined }]),
    requestsInProgress: () => inFlight,
    replaceCredentials: (next) => {
      credentials.set(next.length);
      secrets.set(secretsIn(next));
    },
    drain: async () => {
      while (inFlight > 0) {
        await new Promise<void>((resolve) => {
          ended = resolve;
        });
      }
    },
    close: () => {
      closed = true;
      return Promise.resolve();
    },
  };
}
