import { expect } from 'chai';
import {
  chronySource,
  parseTracking,
  kernelSource,
  parseTimex,
  PeerDate,
  runProgram,
} from '../../src/clock/sources.js';
import {
  isWithin,
  offByAtLeastMs,
  offByAtMostMs,
  UNSYNCHRONISED,
  type ClockReading,
} from '../../src/clock/reading.js';
import { describeWith, program, type Need } from '../support/needs.js';

/** Whole outputs of `chronyc -c -n tracking`, chrony 4.3. */
const SYNCHRONISED =
  '7F000001,127.0.0.1,9,1795183341.794994177,-0.000002133,-0.000000054,0.000000810,0.457,-0.071,20.647,0.000008734,0.000018982,0.3,Normal\n';
const LOCAL_REFERENCE =
  '7F7F0101,,8,1795183329.289512785,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,0.000000000,0.000000000,0.0,Normal\n';
const WITHOUT_REFERENCE =
  '00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised\n';

function tracking(leapStatus: string, systemTime = '0.5'): string {
  return `C0000201,192.0.2.1,3,1795183341.7,${systemTime},0.1,0.1,1.0,0.0,0.1,0.02,0.03,64.0,${leapStatus}\n`;
}

describe('clock: chrony', () => {
  it('bounds the error as chronyc(1) says', () => {
    const { offsetMs, uncertaintyMs } = parseTracking(SYNCHRONISED);
    expect(offsetMs).to.be.closeTo(-0.002133, 1e-9);
    expect(uncertaintyMs).to.be.closeTo(0.018982 + 0.008734 / 2, 1e-9);
  });

  for (const status of ['Normal', 'Insert second', 'Delete second']) {
    it(`is synchronised: ${status}`, () => {
      expect(parseTracking(tracking(status))).to.deep.equal({ offsetMs: 500, uncertaintyMs: 40 });
    });
  }

  for (const [what, output] of [
    ['only the clock itself to go by', LOCAL_REFERENCE],
    ['nothing to go by', WITHOUT_REFERENCE],
    ['lost it', tracking('Not synchronised')],
  ] as const) {
    it(`is not synchronised: ${what}`, () => {
      expect(parseTracking(output)).to.equal(UNSYNCHRONISED);
    });
  }

  for (const output of [
    '',
    '506 Cannot talk to daemon\n',
    SYNCHRONISED.replace(',Normal', ''),
    SYNCHRONISED.replace('Normal', 'Normal,'),
    SYNCHRONISED + SYNCHRONISED,
    tracking('Unknown'),
    tracking('Normal', 'nan'),
    tracking('Normal', 'inf'),
    tracking('Normal', '1e3'),
    tracking('Normal', ''),
  ]) {
    it(`is unknown: ${JSON.stringify(output)}`, () => {
      expect(() => parseTracking(output)).to.throw(Error);
    });
  }

  it('asks chronyc, without names to resolve', async () => {
    const asked: string[] = [];
    const source = chronySource((name, args) => {
      asked.push([name, ...args].join(' '));
      return Promise.resolve(SYNCHRONISED);
    });
    await source.read();
    expect(asked).to.deep.equal(['chronyc -c -n tracking']);
  });
});

describe('clock: kernel', () => {
  for (const [what, output, reading] of [
    ['never kept', '0 16000000 64\n', UNSYNCHRONISED],
    ['no longer kept', '0 16000000 8257\n', UNSYNCHRONISED],
    ['kept, in microseconds', '-1500 2000 1\n', { offsetMs: -1.5, uncertaintyMs: 2 }],
    ['kept, in nanoseconds', '1500000 2000 8193\n', { offsetMs: 1.5, uncertaintyMs: 2 }],
    // chronyd without rtcsync leaves STA_UNSYNC set, and tells the error all the same.
    ['kept, but not the hardware clock', '0 512 8256\n', { offsetMs: 0, uncertaintyMs: 0.512 }],
  ] as const) {
    it(what, () => {
      expect(parseTimex(output)).to.deep.equal(reading);
    });
  }

  for (const output of ['', '0 16000000\n', 'a b c\n', '0 -1 64\n', '0 1 64\n0 1 64\n']) {
    it(`is unknown: ${JSON.stringify(output)}`, () => {
      expect(() => parseTimex(output)).to.throw(Error);
    });
  }

  it('is unknown where the number of the call is', async () => {
    const source = kernelSource(() => Promise.resolve('0 1 64\n'), 's390x');
    expect(await source.read().catch(String)).to.contain('s390x');
  });
});

const ADJTIMEX: Need = {
  name: 'Linux on x64 or arm64',
  isMet: () => process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch),
};

describeWith([program('perl'), ADJTIMEX], 'clock: kernel of this machine', () => {
  it('answers', async () => {
    const { uncertaintyMs } = await kernelSource().read();
    expect(uncertaintyMs).to.be.at.least(0);
  });
});

describe('clock: Date of a backend', () => {
  const DATE = Date.UTC(2026, 0, 1);

  it('is within a second, and the time of the answer', async () => {
    const peer = new PeerDate();
    peer.observe(DATE, DATE + 100, DATE + 300);
    // The peer's clock was between DATE and DATE + 1000, this one between 100 and 300 after DATE.
    expect(await peer.read()).to.deep.equal({ offsetMs: -300, uncertaintyMs: 600 });
  });

  it('is unknown before the first answer, and a while after the last', async () => {
    let now = 0;
    const peer = new PeerDate(() => now);
    expect(await peer.read().catch(String)).to.contain('lately');
    peer.observe(DATE, DATE, DATE);
    now = 30_000;
    expect(await peer.read()).to.have.property('uncertaintyMs', 500);
    now = 30_001;
    expect(await peer.read().catch(String)).to.contain('lately');
  });

  it('says nothing when the clock was set back meanwhile', async () => {
    const peer = new PeerDate();
    peer.observe(DATE, DATE + 1, DATE);
    expect(await peer.read().catch(String)).to.contain('lately');
  });
});

describe('clock: readings', () => {
  const read = (offsetMs: number, uncertaintyMs: number): ClockReading => ({
    offsetMs,
    uncertaintyMs,
  });

  it('bound the error from both sides', () => {
    expect(offByAtMostMs(read(-30, 10))).to.equal(40);
    expect(offByAtLeastMs(read(-30, 10))).to.equal(20);
    expect(offByAtLeastMs(read(5, 10))).to.equal(0);
    expect(offByAtLeastMs(UNSYNCHRONISED)).to.equal(0);
  });

  for (const [what, readings, healthy] of [
    ['nobody says anything', [], false],
    ['the bound itself', [read(60, 40)], true],
    ['beyond the bound', [read(60, 41)], false],
    ['not synchronised', [UNSYNCHRONISED], false],
    ['shown right, and nothing said against it', [read(0, 1), read(-300, 600)], true],
    ['shown right, and shown wrong', [read(0, 1), read(5_000, 600)], false],
    ['shown right by another', [UNSYNCHRONISED, read(0, 100)], true],
    ['not shown right by anybody', [read(0, 200), read(0, 500)], false],
  ] as const) {
    it(`${what}: ${healthy ? 'healthy' : 'unhealthy'}`, () => {
      expect(isWithin(readings, 100)).to.equal(healthy);
    });
  }
});

describe('clock: programs', () => {
  it('give their output', async () => {
    expect(await runProgram(process.execPath, ['-p', '1 + 1'])).to.equal('2\n');
  });

  it('run without a shell', async () => {
    const argument = '$HOME; `id` "\'';
    const args = ['-p', 'process.argv[1]', argument];
    expect(await runProgram(process.execPath, args)).to.equal(`${argument}\n`);
  });

  for (const [what, name, args] of [
    ['are not there', 'ringway-no-such-program', []],
    ['fail', process.execPath, ['-e', 'process.exit(1)']],
    ['write too much', process.execPath, ['-e', 'process.stdout.write("x".repeat(100000))']],
  ] as const) {
    it(`are an error when they ${what}`, async () => {
      const outcome = await runProgram(name, args).catch((error: unknown) => error);
      expect(outcome).to.be.an('error');
    });
  }
});
