import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { findProgram } from './programs.js';
import { makeTempFolder, removeFolder } from './temp-folder.js';

/** A real proxy, or another server, on loopback, with a folder and a configuration of its own. */
export interface Proxy {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** One that can be killed, and comes back at its port with what it had. */
export interface Mortal extends Proxy {
  kill9(): Promise<void>;
  again(): Promise<void>;
}

/** The block of that language in docs/behind-a-proxy.md: what is documented is what is tested. */
export function documentedConfiguration(language: 'nginx' | 'haproxy'): string {
  const document = readFileSync('docs/behind-a-proxy.md', 'utf8');
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(document)?.[1];
  if (block === undefined) throw new Error(`no ${language} in docs/behind-a-proxy.md`);
  return block;
}

/** Replaces what must be there. */
export function substituted(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`no ${from} in ${changed}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** @param servers of the `http` context, by the port to listen on */
export function startNginx(servers: (port: number) => string): Promise<Proxy> {
  return start('nginx', async (folder, port) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    for (const name of temporary) await mkdir(join(folder, name));
    const config = `
      daemon off;
      master_process off;
      pid nginx.pid;
      error_log stderr;
      events { }
      http {
        access_log off;
        ${temporary.map((name) => `${name}_temp_path ${name};`).join('\n')}
        ${servers(port)}
      }`;
    await writeFile(join(folder, 'nginx.conf'), config);
    return ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'];
  });
}

/** @param config the whole of it, by the port to listen on */
export function startHaproxy(config: (port: number) => string): Promise<Proxy> {
  return start('haproxy', async (folder, port) => {
    await writeFile(join(folder, 'haproxy.cfg'), config(port));
    return ['-f', join(folder, 'haproxy.cfg'), '-db'];
  });
}

/** @param configuration in YAML @param files beside it, by their names */
export function startPrometheus(
  configuration: string,
  files: Readonly<Record<string, string>>,
): Promise<Mortal> {
  return start('prometheus', async (folder, port) => {
    for (const [name, text] of Object.entries({ ...files, 'prometheus.yml': configuration })) {
      await writeFile(join(folder, name), text);
    }
    return [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ];
  });
}

/** Starts the exporter of a host. @param ip a loopback address: a host of its own to Prometheus */
export async function startNodeExporter(ip: string): Promise<Proxy> {
  const exporter = await start('prometheus-node-exporter', (_folder, port) =>
    Promise.resolve([
      ...[...new Set(['127.0.0.1', ip])].map((one) => `--web.listen-address=${one}:${port}`),
      '--collector.disable-defaults',
      '--collector.loadavg',
      '--log.level=error',
    ]),
  );
  return { ...exporter, endpoint: exporter.endpoint.replace('127.0.0.1', ip) };
}

async function start(
  name: string,
  prepare: (folder: string, port: number) => Promise<readonly string[]>,
): Promise<Mortal> {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  const folder = await makeTempFolder(name);
  // Neither proxy can say which port it took, so that it has to be told one.
  const port = await freePort();
  const args = await prepare(folder, port);
  let end: (signal: NodeJS.Signals) => Promise<void>;
  const again = async (): Promise<void> => {
    end = await run(path, args, folder, port);
  };
  const stop = async (): Promise<void> => {
    await end('SIGTERM');
    await removeFolder(folder);
  };
  try {
    await again();
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop, kill9: () => end('SIGKILL'), again };
}

/** @returns what ends it; harmless when it has ended */
async function run(
  path: string,
  args: readonly string[],
  cwd: string,
  port: number,
): Promise<(signal: NodeJS.Signals) => Promise<void>> {
  const child = spawn(path, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  const killOnExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killOnExit);
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
    process.off('exit', killOnExit);
  };
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`${path} ended: ${output}`);
        return accepts(port);
      },
      (accepted) => accepted,
    );
  } catch (error) {
    await end('SIGTERM');
    throw error;
  }
  return end;
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
