import { createRequire } from 'node:module';
import type * as Library from 'uWebSockets.js';

const { versions } = process;

/** `process.versions.modules` of Node 24 and 25, which only a later release of the library serves. */
const LATER: ReadonlySet<string> = new Set(['137', '141']);

const uWS = await loadLibrary();

/** @throws Error with one line that says what this host needs */
async function loadLibrary(): Promise<typeof Library> {
  try {
    if (!LATER.has(versions.modules)) return await import('uWebSockets.js');
    // Its module for `import` leaves out `_cfg`.
    return createRequire(import.meta.url)('@btc-vision/uwebsockets.js') as typeof Library;
  } catch (error) {
    const needs = LATER.has(versions.modules)
      ? 'glibc 2.38 (Debian 13, Ubuntu 24.04), or Node.js 22'
      : 'Linux with glibc, and Node.js 20, 22, 24 or 25';
    throw new Error(
      `the HTTP library does not load with Node.js ${versions.node}: it needs ${needs}`,
      {
        cause: error,
      },
    );
  }
}

/** The exports and parameters of the package at run time that its types leave out. */
interface UntypedExports {
  _cfg(setting: 'silent'): void;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

interface UntypedApp {
  listen(
    host: string,
    port: number,
    options: number,
    callback: (socket: Library.us_listen_socket | false) => void,
  ): void;
}

const untyped = uWS as unknown as UntypedExports;

// Set once for the process: no `uWebSockets: 20` header on responses; `Date` stays.
untyped._cfg('silent');

export type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';

/** Files in PEM, read once, when the server is made. */
export interface TlsFiles {
  /** The certificate, with those that lead to its root behind it. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** @throws Error for files that cannot be used */
export function createApp(tls: TlsFiles | undefined): Library.TemplatedApp {
  if (tls === undefined) return uWS.App();
  return uWS.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile });
}

/** An open listen socket; the native handle is unchecked, so it is closed at most once. */
export class ListenSocket {
  readonly port: number;
  #handle: Library.us_listen_socket | undefined;

  private constructor(handle: Library.us_listen_socket) {
    this.#handle = handle;
    this.port = uWS.us_socket_local_port(handle);
  }

  /**
   * @param exclusive false sets SO_REUSEPORT, unless `port` is 0: then the port is never shared
   * @returns undefined when the library could not listen; it does not say why
   */
  static open(
    app: Library.TemplatedApp,
    host: string,
    port: number,
    exclusive: boolean,
  ): ListenSocket | undefined {
    const options = exclusive ? untyped.LIBUS_LISTEN_EXCLUSIVE_PORT : 0;
    let opened: ListenSocket | undefined;
    // The callback runs before listen() returns.
    (app as unknown as UntypedApp).listen(host, port, options, (socket) => {
      if (socket !== false) opened = new ListenSocket(socket);
    });
    return opened;
  }

  close(): void {
    if (this.#handle === undefined) return;
    uWS.us_listen_socket_close(this.#handle);
    this.#handle = undefined;
  }
}
