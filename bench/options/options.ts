/** A row at one concurrency: a line of the table. */
export interface RowChoice {
  readonly row: string;
  readonly concurrency: number;
}

export type PeerChoice =
  | { readonly kind: 'nginx' | 's3rver' | 'swift' | 's3api' }
  /** The same configuration, but that all reads of a Swift cluster go through proxies. */
  | { readonly kind: 'ringway-proxy' }
  /** Another build: the folder that it was compiled to. */
  | { readonly kind: 'ringway'; readonly dist: string };

export interface KeyPair {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** How Swift is reached, as far as flags say; a lab says the rest. */
export interface SwiftFlags {
  readonly lab: string | undefined;
  readonly auth: string | undefined;
  readonly url: string | undefined;
  readonly user: string | undefined;
  readonly key: string | undefined;
  readonly s3api: string | undefined;
  readonly pids: string | undefined;
}

/** The options that a command line asks for. */
export interface Options {
  readonly rows: readonly RowChoice[];
  readonly slices: number;
  readonly seconds: number;
  /** Seconds of warm-up for each row and target, before the first slice. */
  readonly warmUpSecondsMin: number;
  readonly listKeys: number;
  readonly workers: number;
  readonly configFile: string | undefined;
  readonly listeners: number | undefined;
  readonly profile: boolean;
  /** Undefined: Ringway is started. */
  readonly target: string | undefined;
  readonly keys: KeyPair | undefined;
  readonly region: string;
  readonly bucket: string | undefined;
  readonly pids: readonly number[];
  readonly peers: readonly PeerChoice[];
  readonly swift: SwiftFlags;
  readonly jsonFile: string | undefined;
  readonly reportFile: string | undefined;
  readonly compareFile: string | undefined;
}

/** Thrown with one line a mistake: flag, what was given, what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
