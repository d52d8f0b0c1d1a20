import type { SpecNode } from '../spec/schema.js';

/** A node as a driver has to know it. */
export type NodeTarget = Pick<SpecNode, 'name' | 'storage_ip' | 'replication_ip' | 'public_ip'>;

/** A file to install, with its secrets. */
export interface InstallFile {
  /** Below the node's root. */
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
  readonly sha256: string;
}

/** The files of a node, and those that are to go. */
export interface Installation {
  readonly run: string;
  readonly node: NodeTarget;
  readonly files: readonly InstallFile[];
  readonly deleted: readonly string[];
  /**
   * SHA-256 of files that may be replaced or deleted, besides those that are installed, by path. A
   * path that it does not have may have anything.
   */
  readonly expected: Readonly<Record<string, readonly string[]>>;
}

/** How files get to a node, and what is known of those that are there. */
export interface Driver {
  /**
   * Puts all files of a node in place. Nothing is changed before all of them are there and their
   * hashes are right, nor where a file that would be replaced or deleted is not as expected, since
   * others have changed it. A repetition after a crash completes it.
   *
   * @returns how many files were changed
   * @throws Error with a message for operators; then what was there before is still there, or a
   *   part of it was replaced if the message says so
   */
  install(installation: Installation): Promise<number>;
  /** @returns the SHA-256 of each file; null for one that is not there @throws Error when unknown */
  hashes(node: NodeTarget, paths: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /**
   * Whether a node can be reached at all, which costs less than a look at its files. Not there where
   * nodes are folders of this machine.
   *
   * @throws Error with a message for operators
   */
  reach?(node: NodeTarget): Promise<void>;
  /** Whether it reloads services of the node itself. */
  reloads?(node: NodeTarget): boolean;
  /**
   * Runs command lines of {@link reloadCommands}.
   *
   * @throws Error with a message for operators, also when a service does not run afterwards
   */
  reload?(node: NodeTarget, commands: readonly string[]): Promise<void>;
}

/** Why a node is left as it is: for operators. */
export function changedByOthers(path: string): string {
  return `${path} was changed since it was installed, such as by the console's Users page: nothing was replaced. Take the change into the specification; a repair puts back what was installed.`;
}

/** The command lines by which services are reloaded, by an operator where the driver does not. */
export function reloadCommands(services: readonly string[]): string[] {
  return services.map((service) =>
    service === 'memcached'
      ? 'systemctl restart memcached'
      : `systemctl reload-or-restart ${service}`,
  );
}
