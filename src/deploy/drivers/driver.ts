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
  readonly node: string;
  readonly files: readonly InstallFile[];
  readonly deleted: readonly string[];
}

/** How files get to a node, and what is known of those that are there. */
export interface Driver {
  /**
   * Puts all files of a node in place. Nothing is changed before all of them are there and their
   * hashes are right; a repetition after a crash completes it.
   *
   * @returns how many files were changed
   * @throws Error with a message for operators; then what was there before is still there, or a
   *   part of it was replaced if the message says so
   */
  install(installation: Installation): Promise<number>;
  /** @returns the SHA-256 of each file; null for one that is not there @throws Error when unknown */
  hashes(node: string, paths: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}

/** The command lines by which an operator reloads services: the drivers do not. */
export function reloadCommands(services: readonly string[]): string[] {
  return services.map((service) =>
    service === 'memcached'
      ? 'systemctl restart memcached'
      : `systemctl reload-or-restart ${service}`,
  );
}
