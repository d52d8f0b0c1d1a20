import { DriverError, type ClusterNode, type NodeDriver } from '../../../nodes/driver.js';

/** One pass of a daemon takes seconds on a lab. */
const PASS_MS = 60_000;

/**
 * Single passes of daemons, where the driver can run them. Elsewhere the cluster's own daemons do
 * the same in their own time.
 */
export class Passes {
  #cannot = false;

  constructor(
    private readonly driver: NodeDriver | undefined,
    private readonly nodes: readonly ClusterNode[],
  ) {}

  /** Whether a pass was refused since the driver, or the roster, has none. */
  get areMissing(): boolean {
    return this.#cannot;
  }

  /**
   * @param ip - of the nodes where it runs; undefined for all
   * @returns whether it ran
   * @throws DriverError when a pass fails
   */
  async run(daemon: string, extra: readonly string[] = [], ip?: string): Promise<boolean> {
    const nodes = this.nodes.filter(({ storage_ip: one }) => ip === undefined || one === ip);
    const { driver } = this;
    const known = nodes.filter((node) => driver?.services(node).includes(daemon) === true);
    if (driver === undefined || known.length === 0) {
      this.#cannot = true;
      return false;
    }
    try {
      await Promise.all(known.map((node) => driver.once(node, daemon, extra, PASS_MS)));
      return true;
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      if (error.code !== 'unsupported' && error.code !== 'unknown_service') throw error;
      this.#cannot = true;
      return false;
    }
  }
}
