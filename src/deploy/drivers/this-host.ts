import type { Driver, Installation, NodeTarget } from './driver.js';
import {
  HostDriver,
  PYTHON_PROGRAM,
  type FailedCall,
  type HostCall,
  type HostOptions,
} from './host.js';

/** Where a service may be started from; systemd's own programs are there as well. */
const PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin';

export interface ThisHostOptions extends HostOptions {
  /** Folders of programs; others in tests. */
  readonly path?: string;
}

/** Installs into `/etc` of this machine, as the driver `ssh` does on another one. */
class ThisHost extends HostDriver {
  constructor(private readonly options: ThisHostOptions) {
    super(options);
  }

  protected callOf(): HostCall {
    const { path = PATH } = this.options;
    return { program: 'python3', args: ['-c', PYTHON_PROGRAM], path };
  }

  protected failureOf({ code }: FailedCall, said: string): string {
    return `python3 (exit code ${String(code)}): ${said}`;
  }
}

/** One node is this machine, and the others are folders of it. */
export class ThisHostDriver implements Driver {
  readonly #host: Driver;

  /**
   * @param name - the node that is this machine
   * @param folders - the driver of the other ones
   */
  constructor(
    private readonly name: string,
    options: ThisHostOptions,
    private readonly folders: Driver,
  ) {
    this.#host = new ThisHost(options);
  }

  install(installation: Installation): Promise<number> {
    return this.#of(installation.node).install(installation);
  }

  hashes(node: NodeTarget, paths: readonly string[]) {
    return this.#of(node).hashes(node, paths);
  }

  reloads(node: NodeTarget): boolean {
    return this.#of(node).reloads?.(node) ?? false;
  }

  async reload(node: NodeTarget, commands: readonly string[]): Promise<void> {
    await this.#of(node).reload?.(node, commands);
  }

  #of({ name }: NodeTarget): Driver {
    return name === this.name ? this.#host : this.folders;
  }
}
