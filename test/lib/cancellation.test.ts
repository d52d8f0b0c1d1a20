import { expect } from 'chai';
import { cancelledBy } from '../../src/lib/cancellation.js';

describe('lib/cancellation', () => {
  it('is listened to by as many calls as are under way, and Node warns of none', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    try {
      const { signal } = new AbortController();
      const cancellation = cancelledBy(signal);
      const heard: unknown[] = [];
      const listeners = Array.from({ length: 40 }, () => ({
        aborted: (reason: unknown) => void heard.push(reason),
      }));
      for (const listener of listeners) cancellation.addAbortListener(listener);
      // Those that wait for their turn listen to the signal itself.
      for (const listener of listeners) signal.addEventListener('abort', listener.aborted);
      await new Promise(setImmediate);
      expect(warnings).to.deep.equal([]);
    } finally {
      process.off('warning', note);
    }
  });
});
