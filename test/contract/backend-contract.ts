import { randomBytes } from 'node:crypto';
import { useOnce } from '../support/fixture.js';
import { describeBodies } from './bodies.js';
import { describeContainers } from './containers.js';
import { describeCopies } from './copies.js';
import { describeExpiry } from './expiry.js';
import type { ContractOptions, Fixture, OpenBackend } from './fixture.js';
import { describeGuards } from './guards.js';
import { describeLargeObjectWrites } from './large-object-writes.js';
import { describeLargeObjects } from './large-objects.js';
import { describeFixedLinks } from './fixed-links.js';
import { describeLinks } from './links.js';
import { describeListings } from './listings.js';
import { describeMetadata } from './metadata.js';
import { describePreconditions } from './preconditions.js';
import { describeUnsizedBodies } from './unsized-bodies.js';
import { describeUpdates } from './updates.js';

/**
 * Every promise of src/backend/backend.ts, tested on whatever `open` gives. Each implementation
 * runs the same suite; what one cannot do is told by its capabilities, or skipped with a reason.
 */
export function backendContract(
  name: string,
  open: () => Promise<OpenBackend>,
  options: ContractOptions = {},
): void {
  describe(`backend contract: ${name}`, () => {
    const opened = useOnce(open, 'close');
    const account = options.account ?? `AUTH_contract_${randomBytes(4).toString('hex')}`;
    const fixture: Fixture = {
      account,
      options,
      get backend() {
        return opened().backend;
      },
    };

    beforeEach(function () {
      const title = this.currentTest?.title ?? '';
      const reason = options.skip?.[title];
      if (reason === undefined) return;
      console.warn(`skipped on ${name}: ${title}: ${reason}`);
      this.skip();
    });

    describeContainers(fixture);
    describeBodies(fixture);
    describeUnsizedBodies(fixture);
    describeMetadata(fixture);
    describePreconditions(fixture);
    describeListings(fixture);
    describeLargeObjects(fixture);
    describeLargeObjectWrites(fixture);
    describeCopies(fixture);
    describeGuards(fixture);
    describeUpdates(fixture);
    describeLinks(fixture);
    describeFixedLinks(fixture);
    describeExpiry(fixture);
  });
}
