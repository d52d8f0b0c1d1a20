import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { mountTmpfs } from '../../backend/embedded/tmpfs.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { soak, type SmallDevice, type SoakFigures } from './soak.js';

const MIB = 1024 * 1024;

/** An hour with RINGWAY_LARGE=1, or what `RINGWAY_SOAK_SECONDS` says. */
function soakSeconds(): number {
  const { RINGWAY_SOAK_SECONDS, RINGWAY_LARGE } = process.env;
  if (RINGWAY_SOAK_SECONDS !== undefined) return Number(RINGWAY_SOAK_SECONDS);
  return RINGWAY_LARGE === '1' ? 3600 : 5;
}

describe('a service under mixed load', () => {
  const seconds = soakSeconds();
  const isLong = seconds >= 300;

  it('loses nothing while it is reloaded, the janitor is run beside, and listeners are killed', async function () {
    const rounds = Number(process.env.RINGWAY_SOAK_ROUNDS ?? (isLong ? 100 : 2));
    this.timeout(rounds * 60_000);
    const figures = await soak({
      seconds: 0,
      rounds,
      listeners: 2,
      workers: 6,
      secondsPerKill: undefined,
      restMs: 2,
      seed: Date.now() % 2 ** 31,
    });
    if (rounds > 2) console.log(JSON.stringify(figures));
    expect(figures).to.include({ reloads: rounds, janitors: rounds, kills: rounds });
    expect(figures.counterProblems).to.deep.equal([]);
  });

  async function run(secondsPerKill?: number, device?: SmallDevice): Promise<SoakFigures> {
    const figures = await soak({
      seconds,
      ...(device === undefined ? {} : { device }),
      listeners: 2,
      workers: 6,
      secondsPerKill,
      restMs: isLong ? 40 : 2,
      seed: isLong ? Date.now() % 2 ** 31 : 1,
    });
    // The workers check their reads themselves.
    if (isLong) console.log(JSON.stringify(figures, null, 2));
    expect(figures.counterProblems).to.deep.equal([]);
    expect(figures.restarts).to.deep.equal(figures.kills === 0 ? {} : { signal: figures.kills });
    expect(figures.rssPeakBytes).to.be.below(600 * MIB);
    return figures;
  }

  /** 100 MiB in a day would be 1.2 kB/s; ten minutes cannot tell less than that from noise. */
  function expectNoLeak({ processes }: SoakFigures): void {
    for (const { kind, anonymousSlopeBytesPerS, descriptors, threads } of processes) {
      // Connections come and go: a leak would be one for each of thousands of operations.
      for (const [halfWay, last] of [descriptors, threads]) {
        expect(last, kind).to.be.at.most(halfWay + 32);
      }
      // Memory that is not anonymous is pages of the store's index: a cache of the kernel's.
      expect(anonymousSlopeBytesPerS, kind).to.be.below((8 * MIB) / (seconds / 2));
    }
  }

  // A leak shows after minutes: a short run does not look for it, and does not say so.
  const leaks = isLong ? ', leaks nothing' : '';
  it(`loses and tears nothing${leaks}, and counts on, while listeners are killed`, async function () {
    this.timeout((seconds + 120) * 1000);
    const figures = isLong ? await onSmallDevice((device) => run(15, device)) : await run(2);
    if (isLong) expect(figures.fills).to.be.above(0);
    expect(figures.kills).to.be.above(0);
    expect(figures.operations).to.be.above(figures.kills * 10);
    if (isLong) expectNoLeak(figures);
  });

  if (!isLong) return;
  it('does so for as long as no process is killed', async function () {
    this.timeout((seconds + 120) * 1000);
    const figures = await run();
    expect(figures.unclear).to.equal(0);
    expect(figures.processes.filter(({ kind }) => kind === 'listener')).to.have.length(2);
    expectNoLeak(figures);
  });
});

/** @throws Error where this process may not mount */
async function onSmallDevice<T>(work: (device: SmallDevice) => Promise<T>): Promise<T> {
  const folder = await makeTempFolder('soak');
  const mount = mountTmpfs(folder, 'size=1g');
  if (mount === undefined) throw new Error('a device that can be full needs root');
  const ballast = join(folder, 'ballast');
  const fill = () => {
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    return {
      remove: () => {
        rmSync(ballast);
      },
    };
  };
  try {
    return await work({ dataDir: join(folder, 'data'), fill });
  } finally {
    mount.unmount();
    await removeFolder(folder);
  }
}
