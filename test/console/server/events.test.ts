import { expect } from 'chai';
import type { Readable } from 'node:stream';
import { Events } from '../../../console/server/events.js';
import type { Session } from '../../../console/server/sessions.js';

const session = () => ({ ended: new AbortController() }) as unknown as Session;

/** What has been sent to a listener so far: ids with their data. */
function received(stream: Readable): string[] {
  const text = String(stream.read() ?? '');
  return [...text.matchAll(/^id: (\d+)\nevent: \w+\ndata: (.*)$/gm)].map(
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

  it('begin anew at a console that never sent what was received last', () => {
    const stream = events.subscribe(session(), ['a'], 1000);
    expect(String(stream.read())).to.include('id: 0\n\n');
    events.publish('a', 1);
    expect(received(stream)).to.deep.equal(['1 1']);
  });
});
