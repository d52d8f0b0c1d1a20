import type {
  SwiftInfo,
  SwiftRequest,
  SwiftResponse,
  WholeBody,
  SwiftTransport,
} from '../../../../src/backend/swift/transport.js';

/** The limits and features of a cluster of Debian's Swift, with the filter. */
export const INFO: SwiftInfo = {
  objectNameBytesMax: 1024,
  containerNameBytesMax: 256,
  listingLimit: 10_000,
  metaNameBytesMax: 128,
  metaValueBytesMax: 256,
  metaCountMax: 90,
  metaBytesMax: 4096,
  headerBytesMax: 8192,
  manifestSegmentsMax: 1000,
  manifestBytesMax: 8_388_608,
  hasSymlinks: true,
  takesWholeHeaders: false,
  policies: ['gold'],
  filter: { version: 1, hopRights: true },
};

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Script = (request: SwiftRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** Answers as a script says, and keeps what it was asked. */
export class ScriptedTransport implements SwiftTransport {
  readonly requests: SwiftRequest[] = [];

  constructor(private readonly script: Script) {}

  async request(request: SwiftRequest): Promise<SwiftResponse> {
    this.requests.push(request);
    const { status, headers = {}, body = '' } = await this.script(request);
    return {
      status,
      headers: new Map(Object.entries(headers)),
      body: bodyOf(body),
      text: () => Promise.resolve(body),
      whole: () => Promise.resolve(wholeOf(body)),
      cancel: () => undefined,
    };
  }

  info(): Promise<SwiftInfo> {
    return Promise.resolve(INFO);
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** In memory of its own, as scratch memory is. */
function wholeOf(text: string): WholeBody {
  const length = Buffer.byteLength(text);
  const memory = Buffer.allocUnsafeSlow(length);
  memory.write(text);
  return { memory, length };
}

async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  await Promise.resolve();
  if (text !== '') yield Buffer.from(text);
}
