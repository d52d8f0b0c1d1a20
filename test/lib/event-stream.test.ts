import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { EventStream } from '../../src/lib/event-stream.js';

describe('lib/event-stream', () => {
  it('tells events, where to go on, and nothing after its end', async () => {
    const events = new EventStream(1000);
    events.retryAfter(3000, 'a-1');
    events.tell('news', '{"n":1}', 'a-2');
    events.tell('rest', '{}');
    events.finish();
    events.tell('late', '{}');
    expect(await text(events)).to.equal(
      'retry: 3000\nid: a-1\n\nid: a-2\nevent: news\ndata: {"n":1}\n\nevent: rest\ndata: {}\n\n',
    );
  });

  it('cuts off a reader that leaves too much unread', () => {
    const events = new EventStream(100);
    events.tell('news', JSON.stringify('x'.repeat(50)));
    expect(events.destroyed).to.equal(false);
    events.tell('news', JSON.stringify('x'.repeat(50)));
    expect(events.destroyed).to.equal(true);
    events.tell('news', '{}');
  });
});
