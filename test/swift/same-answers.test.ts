import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { startApi } from '../swift-api/support/api.js';
import { ApiClient } from '../swift-api/support/client.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import type { SwiftClient } from '../support/swift-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { CONVERSATIONS, type Turn } from './same-answers/conversation.js';
import { useSwiftClient } from './support.js';

interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Headers that clients go by. Dates, transaction ids and names of servers are each one's own. */
const COMPARED =
  /^(?:content-(?:type|length|range|disposition|encoding|location)|etag|accept-ranges|allow|destination|x-(?:(?:object|container)-(?:meta-.*|manifest)|delete-at|static-large-object|symlink-target|manifest-etag|container-(?:read|write|object-count)|copied-from))$/;

/** Until Swift's container servers have heard of what is stored: a guard, no measurement. */
const LATE_MS = 10_000;

describeWith(SWIFT_NEEDS, 'our Swift API, against Swift', function () {
  this.timeout(120_000);
  const lab = useOnce(sharedSwiftLab);
  const api = useOnce(() => startApi(), 'close');
  const ours = useOnce(() => ApiClient.login(api(), 'test:tester', 'testing'), 'close');
  const swift = useSwiftClient(lab);
  const suffix = randomBytes(6).toString('hex');

  /** Containers of this run, in the path and in what names other objects. */
  const named = (text: string): string =>
    text
      .replace(/^(c|segments|absent)(?=$|[/?])/gm, `$1-${suffix}`)
      .replace(/"path":"(\/?)(segments)/g, `"path":"$1$2-${suffix}`);

  async function say(client: ApiClient | SwiftClient, turn: Turn): Promise<object> {
    const headers = Object.entries(turn.headers ?? {}).map(([name, value]) => {
      const isPath = ['destination', 'x-copy-from', 'x-symlink-target', 'x-object-manifest'];
      if (!isPath.includes(name)) return [name, value];
      return [name, value.replace(/^(\/?)(c|segments|absent)\//, `$1$2-${suffix}/`)];
    });
    const sent = {
      headers: Object.fromEntries(headers) as Record<string, string>,
      ...(turn.body === undefined ? {} : { body: named(turn.body) }),
    };
    return told(await client.send(turn.method, `/v1/AUTH_test/${named(turn.path)}`, sent), turn);
  }

  for (const [about, turns] of CONVERSATIONS) {
    it(`answers alike: ${about}`, async () => {
      const differences: string[] = [];
      for (const turn of turns) {
        const mine = await say(ours(), turn);
        let theirs = await say(swift(), turn);
        const giveUpAt = Date.now() + LATE_MS;
        while (turn.isLate === true && !isSame(mine, theirs) && Date.now() < giveUpAt) {
          theirs = await say(swift(), turn);
        }
        if (isSame(mine, theirs)) continue;
        const [request, one, other] = [turn, mine, theirs].map((what) => JSON.stringify(what));
        differences.push(`${request}\n  ours  ${one}\n  Swift ${other}`);
      }
      expect(differences.join('\n')).to.equal('');
      expect(api().errors).to.deep.equal([]);
    });
  }
});

/** The compared part of an answer. */
function told({ status, headers, text }: Given, { without = [] }: Turn): object {
  // Of an answer without a body, 204 and errors to HEAD, servers say the length as they like; that
  // of JSON is the length of their times as well.
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  const hasLength = (status === 200 || status === 206) && !isJson;
  const kept = Object.entries(headers)
    .filter(([name]) => COMPARED.test(name) && (hasLength || name !== 'content-length'))
    // A manifest has the times of its segments, in seconds, and so has its ETag.
    .map(([name, value]) => [name, name === 'x-manifest-etag' ? value.length : value] as const);
  const all: Record<string, unknown> = {
    status,
    ...Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))),
    // Swift's is a set of Python's.
    ...(headers.allow === undefined ? {} : { allow: headers.allow.split(', ').sort() }),
    body: plain(text),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
}

/** Without times, which are each store's own, and with the keys of JSON in order. */
function plain(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === 'last_modified') return 'a time';
      if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } catch {
    return text.replace(/<last_modified>[^<]*/g, '<last_modified>');
  }
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
