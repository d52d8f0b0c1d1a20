import { expect } from 'chai';
import { createRequestIdGenerator, hostId, nextRequestId } from '../../src/telemetry/request-id.js';

const FORMAT = /^tx[0-9a-f]{21}-[0-9a-f]{10}$/;

describe('request ids', () => {
  it('have the form of SPEC.md 7.1', () => {
    expect(nextRequestId()).to.match(FORMAT);
  });

  it('end with the time in seconds', () => {
    let now = 0x68d1c35f * 1000 + 999;
    const next = createRequestIdGenerator(Buffer.alloc(7, 0xab), () => now);
    expect(next()).to.equal('txababababababa00000001-0068d1c35f');
    now += 1;
    expect(next()).to.equal('txababababababa00000002-0068d1c360');
  });

  it('are unique within a process', () => {
    const count = 1_000_000;
    const ids = new Set<string>();
    for (let i = 0; i < count; i++) ids.add(nextRequestId());
    expect(ids.size).to.equal(count);
  });

  it('differ between processes at the same time', () => {
    const now = () => 1;
    const first = createRequestIdGenerator(Buffer.alloc(7, 1), now);
    const second = createRequestIdGenerator(Buffer.alloc(7, 2), now);
    expect(first()).not.to.equal(second());
  });

  it('have a host id of their own, which is a legal header value', () => {
    const first = hostId(nextRequestId());
    const second = hostId(nextRequestId());
    expect(first).to.match(/^[\w-]{51}$/);
    expect(second).not.to.equal(first);
    expect(second.slice(0, 43)).to.equal(first.slice(0, 43));
  });
});
