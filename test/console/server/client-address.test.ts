import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { ClientViews } from '../../../console/server/client-address.js';

const VIEWS = new ClientViews(['10.0.0.0/8', 'fd00::/8']);

function addressOf(peer: string, forwardedFor?: string): string {
  const headers = { host: 'console.example', 'x-forwarded-for': forwardedFor };
  return VIEWS.of({ socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage)
    .address;
}

describe('console: address of a client', () => {
  const TABLE: readonly [title: string, peer: string, header: string | undefined, is: string][] = [
    ['without a proxy', '198.51.100.7', undefined, '198.51.100.7'],
    ['whatever it says of itself', '198.51.100.7', '203.0.113.9', '198.51.100.7'],
    ['behind a proxy', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['behind two', '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
    ['behind one of IPv6', 'fd00::1', '2001:db8::7', '2001:db8::7'],
    ['behind one that is written as IPv6', '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    [
      'that writes another one before itself',
      '10.0.0.1',
      '203.0.113.9, 198.51.100.7',
      '198.51.100.7',
    ],
    ['that writes a proxy before itself', '10.0.0.1', '10.0.0.9, 198.51.100.7', '198.51.100.7'],
    ['that writes nonsense', '10.0.0.1', '203.0.113.9, nonsense', '10.0.0.1'],
  ];
  for (const [title, peer, header, expected] of TABLE) {
    it(title, () => {
      expect(addressOf(peer, header)).to.equal(expected);
    });
  }
});
