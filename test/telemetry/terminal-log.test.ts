import { expect } from 'chai';
import { terminalLine } from '../../src/telemetry/terminal-log.js';

describe('log lines at a terminal', () => {
  const time = '2026-11-27T04:44:49.397Z';

  it('say when, how grave, who, what and what else', () => {
    const line = { level: 'warn', time, process: 'listener', pid: 7, worker: 2, bucket: 'b' };
    const err = { type: 'Error', message: 'no answer', stack: 'Error: no answer\n    at x' };
    expect(terminalLine(JSON.stringify({ ...line, err, msg: 'a call failed' }))).to.equal(
      '04:44:49 warn listener 2: a call failed: no answer bucket=b\n',
    );
    expect(
      terminalLine(JSON.stringify({ ...line, worker: 0, tries: 3, msg: 'tried again' })),
    ).to.equal('04:44:49 warn listener: tried again bucket=b tries=3\n');
  });

  it('leave out ordinary work, and keep what a lower level asks for', () => {
    const line = { time, process: 'supervisor', pid: 7, msg: 'listener up' };
    expect(terminalLine(JSON.stringify({ ...line, level: 'info' }))).to.equal(undefined);
    expect(terminalLine(JSON.stringify({ ...line, level: 'debug' }))).to.equal(
      '04:44:49 debug supervisor: listener up\n',
    );
  });
});
