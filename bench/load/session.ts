import { hash } from 'node:crypto';
import type { Dialect } from '../dialects/dialect.js';
import { openDialect } from '../dialects/open.js';
import { fixture, type FixtureName } from '../rows/fixtures.js';
import type { Row, RowContext, Workload } from '../rows/row.js';
import { rowNamed } from '../rows/table.js';
import { addressOf, Connection } from './connection.js';
import type {
  GeneratorCalls,
  Share,
  SliceLoad,
  SliceSettings,
  TargetSettings,
} from './protocol.js';
import { purgeBucket } from './purge.js';
import { exchangeAll, fetchBody } from './unmeasured.js';
import { runSlice } from './slice-run.js';

/** The most requests in flight where nothing is measured. */
const SETUP_CONCURRENCY = 64;

/** The generator's side of its calls: what one process does, for one slice after the other. */
export class Session implements GeneratorCalls {
  readonly #dialects = new Map<string, Dialect>();
  #measured: Clients | undefined;
  #beside: BesideClients | undefined;

  async createBucket(target: TargetSettings): Promise<void> {
    const dialect = this.#dialect(target);
    await fetchBody(dialect, dialect.createBucket(target.bucket));
    if (!dialect.features.has('list')) return;
    const page = dialect.list({ bucket: target.bucket, prefix: '', keysMax: 1 }, () => undefined);
    const { names } = dialect.readPage(await fetchBody(dialect, page));
    // The bucket is emptied at the end: foreign objects in it would be lost.
    if (names.length > 0) throw new Error(`bucket ${target.bucket} is not empty`);
  }

  async createVersionedBucket(target: TargetSettings): Promise<string | undefined> {
    const dialect = this.#dialect(target);
    const bucket = versionedBucket(target);
    try {
      await fetchBody(dialect, dialect.createBucket(bucket));
      await fetchBody(dialect, dialect.enableVersions(bucket));
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async load(target: TargetSettings, name: FixtureName, share: Share): Promise<void> {
    const dialect = this.#dialect(target);
    const { bucket, listKeys } = target;
    const { count, key, body, concurrency } = fixture(name);
    const total = count(listKeys);
    if (await isLoaded(dialect, target, name)) return;
    await exchangeAll(dialect, concurrency, puts());

    function* puts() {
      for (let i = share.index; i < total; i += share.count)
        yield dialect.put(bucket, key(i, listKeys), body(i), true);
    }
  }

  async prepare(target: TargetSettings, settings: SliceSettings, share: Share): Promise<void> {
    const dialect = this.#dialect(target);
    const row = rowNamed(settings.row);
    const isVersioned = row.needs.includes('versions');
    const clients = clientsOf(settings.concurrency, share);
    const place = `${target.name}/${row.name}-${settings.concurrency}/${share.index}`;
    const context: RowContext = {
      dialect,
      bucket: isVersioned ? versionedBucket(target) : target.bucket,
      ownPrefix: `own/${place}/`,
      slice: settings.slice,
      operations: settings.operations,
      listKeys: target.listKeys,
      run: (requests) => exchangeAll(dialect, setupConcurrency(row, clients), requests),
      fetch: (request) => fetchBody(dialect, request),
    };
    this.#measured = await connect(dialect, await row.prepare(context), clients);
    // All in one process, so that of several another one has the time to measure.
    if (row.beside === undefined || share.index !== share.count - 1) return;
    const workload = await row.beside.prepare(context);
    const { clients: others, bytes } = row.beside;
    this.#beside = { ...(await connect(dialect, workload, others)), bytes };
  }

  async run(seconds: number): Promise<SliceLoad> {
    const measured = this.#measured;
    const beside = this.#beside;
    if (measured === undefined) throw new Error('nothing was prepared');
    this.#measured = this.#beside = undefined;
    const running = [runClients(measured, seconds)];
    if (beside !== undefined) running.push(runClients(beside, seconds));
    const [load, other] = await Promise.all(running);
    if (load === undefined) throw new Error('nothing was run');
    if (other === undefined || beside === undefined) return load;
    return loadBeside(load, other, beside.bytes);
  }

  async purge(target: TargetSettings): Promise<void> {
    const dialect = this.#dialect(target);
    await purgeBucket(dialect, target.bucket, false);
    if (dialect.features.has('versions')) await purgeBucket(dialect, versionedBucket(target), true);
  }

  #dialect({ name, dialect }: TargetSettings): Dialect {
    const known = this.#dialects.get(name);
    if (known !== undefined) return known;
    const opened = openDialect(dialect);
    this.#dialects.set(name, opened);
    return opened;
  }
}

interface Clients {
  readonly connections: readonly Connection[];
  readonly workload: Workload;
}

interface BesideClients extends Clients {
  /** Content of one operation. */
  readonly bytes: number;
}

async function connect(dialect: Dialect, workload: Workload, count: number): Promise<Clients> {
  const address = addressOf(dialect.endpoint);
  const connections = Array.from({ length: count }, () => new Connection(address));
  await Promise.all(connections.map((connection) => connection.open()));
  return { connections, workload };
}

async function runClients({ connections, workload }: Clients, seconds: number): Promise<SliceLoad> {
  const load = await runSlice(connections, workload, seconds);
  for (const connection of connections) connection.close();
  return load;
}

/**
 * The load that is measured, what failed in the other, and what that moved. CPU is that of the
 * process in both.
 * @param bytes content of one of the other operations
 */
export function loadBeside(measured: SliceLoad, other: SliceLoad, bytes: number): SliceLoad {
  return {
    ...measured,
    // Without measured operations, the rate comes from the others.
    seconds: measured.operations === 0 ? other.seconds : measured.seconds,
    errors: measured.errors + other.errors,
    problems: [...measured.problems, ...other.problems],
    cpuMs: Math.max(measured.cpuMs, other.cpuMs),
    besideBytesPerS: other.seconds === 0 ? 0 : (other.operations * bytes) / other.seconds,
  };
}

/**
 * Each target has one of its own: targets of one store keep versions in ways of their own, and one
 * turns on in the container what the other cannot work with.
 */
export function versionedBucket({ bucket, name }: Pick<TargetSettings, 'bucket' | 'name'>): string {
  return `${bucket}-versioned-${hash('md5', name).slice(0, NAME_CHARACTERS)}`;
}

const NAME_CHARACTERS = 4;

/** Clients of one process: the first ones take one more where it does not divide. */
export function clientsOf(concurrency: number, { index, count }: Share): number {
  return Math.floor(concurrency / count) + (index < concurrency % count ? 1 : 0);
}

/**
 * How many requests prepare a row at once. Each first version of a key takes a lease from the cluster's
 * memcached: of 64 at once some were refused for want of a connection to it, and with one of them
 * the slice.
 */
export function setupConcurrency({ needs }: Pick<Row, 'needs'>, clients: number): number {
  return needs.includes('versions') ? Math.max(1, clients) : SETUP_CONCURRENCY;
}

/** The last key is there: another target of this run has the same store. The bucket is the run's. */
async function isLoaded(
  dialect: Dialect,
  target: TargetSettings,
  name: FixtureName,
): Promise<boolean> {
  const { bucket, listKeys } = target;
  const { count, key, body } = fixture(name);
  const last = count(listKeys) - 1;
  const connection = new Connection(addressOf(dialect.endpoint));
  const bytes = body(last).length;
  const reply = await connection.exchange(dialect.head(bucket, key(last, listKeys), bytes));
  connection.close();
  return reply.problem === undefined;
}
