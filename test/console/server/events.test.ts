import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Events } from '../../../console/server/events.js';
import type { Session } from '../../../console/server/sessions.js';

const session = () => ({ ended: new AbortController() }) as unknown as Session;

/** What has been sent to a listener so far: ids with their data. */
function received(stream: Readable): string[] {
  const sent = String(stream.read() ?? '');
  return [...sent.matchAll(/^id: (\d+)\nevent: \w+\ndata: (.*)$/gm)].map(
    ([, id, data]) => `${id} ${data}`,
  );
}

describe('console events', () => {
  let events: Events;

  beforeEach(() => {
    events = new Events();
  });

  afterEach(() => {
    events.close();
  });

  it('go on after the last one that was received: each once, in order', () => {
    const own = session();
    const first = events.subscribe(own, ['a'], undefined);
    events.publish('a', 1);
    events.publish('a', 2);
    expect(received(first)).to.deep.equal(['1 1', '2 2']);
    first.destroy();
    events.publish('a', 3);
    events.publish('b', 'another topic');
    events.publish('a', 'of somebody else', session());
    events.publish('a', 4, own);
    const again = events.subscribe(own, ['a'], 2);
    expect(received(again)).to.deep.equal(['3 3', '6 4']);
    events.publish('a', 5);
    expect(received(again)).to.deep.equal(['7 5']);
  });

  it('have room for eight pages of a session, of which none makes room for a ninth', async () => {
    const own = session();
    const pages = Array.from({ length: 8 }, (_, i) =>
      events.subscribe(own, ['a'], undefined, `p${i}`),
    );
    for (let again = 0; again < 3; again++) {
      const ninth = events.subscribe(own, ['a'], undefined, 'p8');
      expect(await text(ninth)).to.equal('retry: 15000\nevent: full\ndata: {}\n\n');
    }
    const other = events.subscribe(session(), ['a'], undefined, 'p8');
    events.publish('a', 1);
    for (const stream of [...pages, other]) expect(received(stream)).to.deep.equal(['1 1']);
    const [first] = pages;
    first?.destroy();
    await once(first ?? other, 'close');
    const ninth = events.subscribe(own, ['a'], undefined, 'p8');
    events.publish('a', 2);
    expect(received(ninth)).to.deep.equal(['2 2']);
  });

  it('have one stream for a page, also when the former one has not been seen to end', () => {
    const own = session();
    const pages = Array.from({ length: 8 }, (_, i) =>
      events.subscribe(own, ['a'], undefined, `p${i}`),
    );
    const again = events.subscribe(own, ['a'], undefined, 'p3');
    events.publish('a', 1);
    expect(received(again)).to.deep.equal(['1 1']);
    expect(pages.map(({ destroyed }) => destroyed)).to.deep.equal(pages.map((_, i) => i === 3));
    // Of another session, the same id is another page.
    events.subscribe(session(), ['a'], undefined, 'p3');
    expect(again.destroyed).to.equal(false);
  });

  it('begin anew at a console that never sent what was received last', () => {
    const stream = events.subscribe(session(), ['a'], 1000);
    expect(String(stream.read())).to.include('id: 0\n\n');
    events.publish('a', 1);
    expect(received(stream)).to.deep.equal(['1 1']);
  });
});
