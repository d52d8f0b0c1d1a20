import { join } from 'node:path';

/** The tool of `ops/swift-lab` is plain JavaScript: what tests use of it is declared here. */

export interface Options {
  readonly command: string;
  readonly names: readonly string[];
  readonly dir: string;
  readonly deviceBytes: number;
  readonly filter: boolean;
  readonly encryption: boolean;
  readonly tls: boolean | undefined;
  readonly nodes: number | undefined;
  readonly defaultPolicy: string;
  readonly shardRows: number | undefined;
  readonly swiftRoot: string | undefined;
  readonly statsd: boolean;
  readonly proxyWorkers: number;
  readonly storageWorkers: number;
  readonly proxyOptions: Readonly<Record<string, string>>;
  readonly portBase: number | undefined;
  readonly fresh: boolean;
  readonly hold: boolean;
  readonly wipe: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

/** Of the state, what makes the configuration files. */
export interface LabState {
  readonly dir: string;
  readonly nodeCount: number;
  readonly filter: boolean;
  readonly encryption: boolean;
  readonly tls: boolean;
  readonly defaultPolicy: string;
  readonly shardRows: number | undefined;
  readonly statsd: boolean;
  readonly proxyWorkers: number;
  readonly storageWorkers: number;
  readonly proxyOptions: Readonly<Record<string, string>>;
  readonly ports: Readonly<Record<string, number>>;
}

export interface LabProcess {
  readonly pid: number;
  readonly service: string;
  readonly isPaused: boolean;
  readonly isLeader: boolean;
}

interface Tools {
  readonly 'options.mjs': {
    USAGE: string;
    parseOptions: (args: readonly string[]) => Options;
  };
  readonly 'ini.mjs': {
    ini: (sections: Record<string, Record<string, string | number | boolean>>) => string;
  };
  readonly 'ports.mjs': {
    portsFrom: (base: number) => Record<string, number>;
    choosePorts: (base?: number) => Promise<Record<string, number>>;
  };
  readonly 'daemons.mjs': {
    passesOf: (
      lab: { dir: string; nodeCount: number },
      daemon: string,
      only?: string,
    ) => { program: string; conf: string; node: string }[][];
  };
  readonly 'proxy-conf.mjs': { proxyConf: (lab: LabState) => Record<string, string> };
  readonly 'gateway-conf.mjs': {
    gatewayConf: (
      lab: LabState & {
        id: string;
        s3api: string;
        endpoints: readonly string[];
        tlsEndpoints: readonly string[];
      },
    ) => Record<string, string>;
  };
  readonly 'services.mjs': {
    swiftCommand: (
      conf: string,
      program: string,
      args: readonly string[],
      root?: string,
    ) => { args: string[]; env: { PYTHONPATH: string } };
  };
  readonly 'programs.mjs': { requirePrograms: (lab: { swiftRoot?: string }) => void };
  readonly 'tls.mjs': { tlsConf: (lab: LabState) => Record<string, string> };
  readonly 'storage-conf.mjs': { storageConf: (lab: LabState) => Record<string, string> };
  readonly 'processes.mjs': {
    labProcesses: (id: string) => LabProcess[];
    endProcesses: (
      id: string,
      isWanted: (process: LabProcess) => boolean,
      options?: { force?: boolean },
    ) => Promise<void>;
    marked: (id: string, service: string) => Record<string, string>;
  };
  readonly 'status.mjs': {
    statusTable: (
      statuses: readonly { name: string; address: string; pids: number[]; health: string }[],
    ) => string[];
  };
}

export async function loadLabTool<K extends keyof Tools>(name: K): Promise<Tools[K]> {
  return (await import(join(process.cwd(), 'ops/swift-lab/lib', name))) as Tools[K];
}
