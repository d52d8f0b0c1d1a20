import { expect } from 'chai';
import {
  LoginRefusedError,
  TokenSource,
  type IssuedToken,
} from '../../../src/backend/swift/net/tokens.js';
import { failureOf } from '../../support/failure.js';

const CREDENTIAL = { user: 'test:tester', key: 'testing' };

/** A source on a clock that stands, and logins that are counted. */
class Bench {
  now = 1_000_000;
  logins = 0;
  next: () => Promise<IssuedToken>;
  readonly source: TokenSource;

  constructor() {
    this.next = () => Promise.resolve({ value: `token-${this.logins}`, lifetimeMs: 100_000 });
    this.source = new TokenSource(
      () => {
        this.logins += 1;
        return this.next();
      },
      () => this.now,
    );
  }

  async value(credential = CREDENTIAL): Promise<string> {
    return (await this.source.token(credential)).value;
  }
}

describe('TokenSource', () => {
  it('renews a token shortly before its end, while requests still use it', async () => {
    const bench = new Bench();
    expect(await bench.value()).to.equal('token-1');
    bench.now += 89_000;
    expect(await bench.value()).to.equal('token-1');
    bench.now += 2_000;
    expect(await bench.value()).to.equal('token-1');
    await Promise.resolve();
    expect(await bench.value()).to.equal('token-2');
    expect(bench.logins).to.equal(2);
  });

  it('waits for a new one when the old one is over', async () => {
    const bench = new Bench();
    await bench.value();
    bench.now += 100_000;
    expect(await bench.value()).to.equal('token-2');
  });

  it('does not ask again and again where a token is the same until its end, as with tempauth', async () => {
    const bench = new Bench();
    let left = 100_000;
    bench.next = () => Promise.resolve({ value: 'the same', lifetimeMs: left });
    await bench.value();
    bench.now += 91_000;
    left = 9_000;
    for (let i = 0; i < 20; i++) await bench.value();
    expect(bench.logins).to.equal(2);
  });

  it('goes on with a token that is still good when it cannot be renewed', async () => {
    const bench = new Bench();
    await bench.value();
    bench.now += 91_000;
    bench.next = () => Promise.reject(new Error('down'));
    for (let i = 0; i < 5; i++) expect(await bench.value()).to.equal('token-1');
  });

  it('replaces a token that is refused, when it was good before', async () => {
    const bench = new Bench();
    const token = await bench.source.token(CREDENTIAL);
    token.proven = true;
    bench.source.refused(CREDENTIAL, token);
    expect(await bench.value()).to.equal('token-2');
    // Others come late with the same refusal.
    bench.source.refused(CREDENTIAL, token);
    expect(await bench.value()).to.equal('token-2');
  });

  it('keeps a new token that is refused, for a while', async () => {
    const bench = new Bench();
    const token = await bench.source.token(CREDENTIAL);
    bench.source.refused(CREDENTIAL, token);
    expect(await bench.value()).to.equal('token-1');
    bench.now += 1_001;
    bench.source.refused(CREDENTIAL, token);
    expect(await bench.value()).to.equal('token-2');
  });

  it('asks again after a refused login only after some seconds', async () => {
    const bench = new Bench();
    bench.next = () => Promise.reject(new LoginRefusedError('test:tester', 401));
    for (let i = 0; i < 5; i++) expect(await failureOf(bench.value())).to.have.property('code');
    expect(bench.logins).to.equal(1);
    bench.now += 5_001;
    await failureOf(bench.value());
    expect(bench.logins).to.equal(2);
  });

  it('asks at once when the key was changed', async () => {
    const bench = new Bench();
    bench.next = () => Promise.reject(new LoginRefusedError('test:tester', 401));
    await failureOf(bench.value());
    bench.next = () => Promise.resolve({ value: 'new', lifetimeMs: undefined });
    expect(await bench.value({ ...CREDENTIAL, key: 'new' })).to.equal('new');
  });
});
