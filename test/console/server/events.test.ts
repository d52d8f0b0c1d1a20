import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Events, type EventTopic } from '../../../console/server/events.js';
import type { Role } from '../../../console/config/keys.js';
import type { Session } from '../../../console/server/sessions.js';
import { useEach } from '../../support/fixture.js';

const session = (role: Role = 'reader') =>
  ({ ended: new AbortController(), user: { role } }) as unknown as Session;

const TOPICS: EventTopic[] = [
  { name: 'a', access: 'read', events: 5 },
  { name: 'b', access: 'read', events: 100 },
  { name: 'secret', access: 'operate', events: 5 },
];
const EPOCH = 'e';

/** The events sent to a listener so far: ids with their data. */
function received(stream: Readable): string[] {
  const sent = String(stream.read() ?? '');
  return [...sent.matchAll(/^id: e-(\d+)\nevent: \w+\ndata: (.*)$/gm)].map(
    ([, id, data]) => `${id} ${data}`,
  );
}

describe('console events', () => {
  const events = useEach(() => new Events(TOPICS, parseInt(EPOCH, 36)), 'close');

  it('go on after the last one that was received: each once, in order', () => {
    const own = session();
    const first = events().subscribe(own, ['a'], undefined);
    events().publish('a', 1);
    events().publish('a', 2);
    expect(received(first)).to.deep.equal(['1 1', '2 2']);
    first.destroy();
    events().publish('a', 3);
    events().publish('b', 'another topic');
    events().publish('a', 'of somebody else', session());
    events().publish('a', 4, own);
    const again = events().subscribe(own, ['a'], 'e-2');
    expect(received(again)).to.deep.equal(['3 3', '6 4']);
    events().publish('a', 5);
    expect(received(again)).to.deep.equal(['7 5']);
  });

  it('have room for eight pages of a session, of which none makes room for a ninth', async () => {
    const own = session();
    const pages = Array.from({ length: 8 }, (_, i) =>
      events().subscribe(own, ['a'], undefined, `p${i}`),
    );
    for (let again = 0; again < 3; again++) {
      const ninth = events().subscribe(own, ['a'], undefined, 'p8');
      expect(await text(ninth)).to.equal('retry: 15000\nevent: full\ndata: {}\n\n');
    }
    const other = events().subscribe(session(), ['a'], undefined, 'p8');
    events().publish('a', 1);
    for (const stream of [...pages, other]) expect(received(stream)).to.deep.equal(['1 1']);
    const [first] = pages;
    first?.destroy();
    await once(first ?? other, 'close');
    const ninth = events().subscribe(own, ['a'], undefined, 'p8');
    events().publish('a', 2);
    expect(received(ninth)).to.deep.equal(['2 2']);
  });

  it('have one stream for a page, also when the former one has not been seen to end', () => {
    const own = session();
    const pages = Array.from({ length: 8 }, (_, i) =>
      events().subscribe(own, ['a'], undefined, `p${i}`),
    );
    const again = events().subscribe(own, ['a'], undefined, 'p3');
    events().publish('a', 1);
    expect(received(again)).to.deep.equal(['1 1']);
    expect(pages.map(({ destroyed }) => destroyed)).to.deep.equal(pages.map((_, i) => i === 3));
    // Of another session, the same id is another page.
    events().subscribe(session(), ['a'], undefined, 'p3');
    expect(again.destroyed).to.equal(false);
  });

  for (const [title, lastId] of [
    ['that never sent what was received last', 'e-1000'],
    ['that was started anew since', 'd-1'],
    ['of which the id says nothing', 'x'],
  ] as const) {
    it(`begin anew at a console ${title}, and say so`, () => {
      events().publish('a', 'before');
      const stream = events().subscribe(session(), ['a'], lastId);
      events().publish('a', 1);
      const sent = String(stream.read());
      expect(sent).to.include('id: e-1\n\nevent: reset\n');
      expect(sent).not.to.include('before');
      expect(sent.indexOf('id: e-2\nevent: a')).to.be.above(sent.indexOf('event: reset'));
    });
  }

  it('say so to a page that missed more than is kept, and to no other', () => {
    const own = session();
    for (let n = 1; n <= 7; n++) events().publish('a', n);
    // The second is gone; whoever has it misses nothing.
    expect(String(events().subscribe(own, ['a'], 'e-1').read())).to.include('event: reset\n');
    const rest = String(events().subscribe(own, ['a'], 'e-2').read());
    expect(rest).not.to.include('event: reset');
    expect(rest).to.include('id: e-3\n').and.include('id: e-7\n');
    // Another topic keeps its own.
    events().publish('b', 1);
    for (let n = 1; n <= 7; n++) events().publish('a', n);
    expect(received(events().subscribe(own, ['b'], 'e-2'))).to.deep.equal(['8 1']);
  });

  it('send no more again than a page may leave unread', () => {
    const own = session();
    const long = 'x'.repeat(60 * 1024);
    for (let n = 1; n <= 3; n++) events().publish('a', long);
    for (let n = 1; n <= 3; n++) events().publish('b', long);
    const sent = String(events().subscribe(own, ['a', 'b'], 'e-0').read());
    expect(sent).to.include('event: reset\n').and.have.length.below(200);
    expect(received(events().subscribe(own, ['b'], 'e-0'))).to.have.length(3);
  });

  it('are heard by those alone whose role has the right to a topic', () => {
    const listen = (role: Role, topic: string) => () =>
      events().subscribe(session(role), ['a', topic], undefined);
    expect(listen('admin', 'secret')).to.throw().with.property('code', 'forbidden');
    expect(listen('operator', 'unheard-of')).to.throw().with.property('code', 'invalid_argument');
    const stream = listen('operator', 'secret')();
    events().publish('secret', 1);
    expect(received(stream)).to.deep.equal(['1 1']);
  });
});
