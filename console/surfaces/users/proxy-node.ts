import { createHash } from 'node:crypto';
import type { ConsoleOptions } from '../../config/load.js';
import { reloadCommand } from '../../nodes/service-scripts.js';
import type { Shell, ShellResult } from '../../nodes/shell.js';
import { ApiError } from '../../server/api-error.js';
import { READ, REPLACE, RESTORE, SCRIPT_STATUS } from './scripts.js';

/** Why a step failed on a node, as it is shown. */
export class NodeError extends Error {
  override readonly name = 'NodeError';

  constructor(
    readonly node: string,
    readonly status: number | undefined,
    message: string,
    /** Whether the step said that it changed nothing. */
    readonly isUntouched = false,
  ) {
    super(message);
  }
}

const REASONS: ReadonlyMap<number, string> = new Map([
  [SCRIPT_STATUS.absent, 'Configuration file not found.'],
  [SCRIPT_STATUS.tooLarge, 'The configuration is too large.'],
  [SCRIPT_STATUS.locked, 'Another operator is changing the configuration.'],
  [SCRIPT_STATUS.ownerLost, 'The owner or mode of the configuration file could not be preserved.'],
  [SCRIPT_STATUS.cut, 'The new configuration was not transferred completely.'],
  [SCRIPT_STATUS.changed, 'The configuration has changed in the meantime.'],
  [SCRIPT_STATUS.refused, 'The proxy rejected the new configuration.'],
  [SCRIPT_STATUS.backupLost, 'The backup is missing or has changed.'],
  [SCRIPT_STATUS.noService, 'The proxy is not running.'],
]);

/** The digests of a node's configuration before and after a change. */
export interface NodeDigests {
  readonly node: string;
  readonly before_sha256: string;
  readonly after_sha256: string;
}

type NodeOptions = Pick<
  ConsoleOptions,
  'proxyNodes' | 'proxyConf' | 'proxyService' | 'nodeDriver' | 'clusterNodes'
>;

/** A proxy whose configuration holds the users. */
export class ProxyNode {
  constructor(
    readonly name: string,
    private readonly options: NodeOptions,
    private readonly shell: Shell,
  ) {}

  /** @throws NodeError */
  async read(): Promise<{ readonly text: string; readonly sha256: string }> {
    const text = await this.#run(READ, [this.options.proxyConf]);
    return { text, sha256: sha256(text) };
  }

  /**
   * Puts a new configuration in place of the one that was read, whole or not at all.
   * @throws NodeError; the file that was there still is
   */
  async replace(
    digests: NodeDigests,
    stamp: string,
    text: string,
    isTested: boolean,
  ): Promise<void> {
    try {
      await this.#run(REPLACE, [...this.#argsOf(digests, stamp), isTested ? '1' : '0'], text);
    } catch (error) {
      if (!(error instanceof NodeError) || !REASONS.has(error.status ?? 0)) throw error;
      throw new NodeError(this.name, error.status, error.message, true);
    }
  }

  /**
   * Brings back what was there, wherever {@link replace} ended.
   * @returns whether the new configuration had been in place
   * @throws NodeError
   */
  async restore(digests: NodeDigests, stamp: string): Promise<boolean> {
    return (await this.#run(RESTORE, this.#argsOf(digests, stamp))).trim() === 'restored';
  }

  /** Lets the proxy read its configuration. @throws NodeError */
  async reload(): Promise<void> {
    const { nodeDriver, proxyService: service } = this.options;
    if (service === '' || nodeDriver === 'none') return;
    const [script, args] = reloadCommand(nodeDriver, service, () => this.#pidFile(service));
    await this.#run(script, args);
  }

  #pidFile(service: string): string {
    const node = this.options.clusterNodes.find(
      ({ name, storage_ip: storage, replication_ip: replication, public_ip: outside }) =>
        [name, storage, replication, outside].includes(this.name),
    );
    const file = node?.services[service]?.pid_file;
    if (file === undefined)
      throw new NodeError(
        this.name,
        undefined,
        'The proxy service of this node has no pid_file in cluster_nodes.',
      );
    return file;
  }

  #argsOf({ before_sha256, after_sha256 }: NodeDigests, stamp: string): string[] {
    return [this.options.proxyConf, before_sha256, after_sha256, stamp];
  }

  async #run(script: string, args: readonly string[], input?: string): Promise<string> {
    const { status, stdout }: ShellResult = await this.shell(this.name, script, args, input);
    if (status === 0) return stdout;
    const unreachable = 'The node is unreachable, or the step failed on it.';
    throw new NodeError(this.name, status, REASONS.get(status ?? 0) ?? unreachable);
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The error for the browser when a node failed before anything was changed. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof NodeError)) return error;
  return new ApiError('upstream_error', error.message, { node: error.node });
}
