import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect } from 'chai';
import { createLoggerTo, type LoggerOptions } from '../../src/telemetry/logger.js';

const MODULE = new URL('../../src/telemetry/logger.js', import.meta.url).href;

function logOf(options: LoggerOptions, write: (log: ReturnType<typeof createLoggerTo>) => void) {
  const lines: string[] = [];
  write(createLoggerTo({ write: (line) => lines.push(line) }, options));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('telemetry: logger', () => {
  it('writes JSON with ISO time, level name, process and worker', () => {
    const options = { level: 'info', process: 'listener', worker: 2 };
    const [line] = logOf(options, (log) => {
      log.info({ status: 200 }, 'done');
    });
    expect(line).to.include({ level: 'info', process: 'listener', worker: 2, pid: process.pid });
    expect(line).to.include({ status: 200, msg: 'done' });
    expect(line?.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('leaves out what is less severe than its level', () => {
    const lines = logOf({ level: 'warn', process: 'x' }, (log) => {
      log.info('no');
      log.warn('yes');
    });
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['yes']);
  });

  it('masks secrets by their key', () => {
    const text = JSON.stringify(
      logOf({ level: 'info', process: 'x' }, (log) => {
        log.info({ secretKey: 'hush', credential: { secretKey: 'hush', accessKey: 'AK' } });
        log.info({ headers: { authorization: 'hush' }, signature: 'hush', token: 'hush' });
      }),
    );
    expect(text).not.to.include('hush');
    expect(text).to.include('AK');
  });

  for (const buffered of [false, true]) {
    it(`loses nothing when the process ends at once, ${buffered ? 'buffered' : 'unbuffered'}`, () => {
      const script = `
        import { createLogger } from ${JSON.stringify(MODULE)};
        const log = createLogger({ level: 'info', process: 'x', buffered: ${buffered} });
        for (let n = 0; n < 500; n++) log.info({ n }, 'line');
        process.exit(0);`;
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
      expect(stderr.toString().trimEnd().split('\n')).to.have.length(500);
    });

    it(`lets the process go on when nothing can be written, ${buffered ? 'buffered' : 'unbuffered'}`, () => {
      const script = `
        import { createLogger } from ${JSON.stringify(MODULE)};
        const log = createLogger({ level: 'info', process: 'x', buffered: ${buffered} });
        const text = 'x'.repeat(8192);
        for (let n = 0; n < 600; n++) log.info(text);
        // After the writes that the lines began have failed.
        setImmediate(() => { log.info(text); process.stdout.write('alive'); });`;
      const full = openSync('/dev/full', 'w');
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', full],
      });
      closeSync(full);
      expect(stdout.toString()).to.equal('alive');
    });
  }
});
