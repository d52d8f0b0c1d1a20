import { mapLimited } from '../../lib/promises.js';
import type { Driver } from '../drivers/driver.js';
import { nodeOf, type Applied } from '../plan/make-plan.js';
import type { UnreachableNode } from './planner-protocol.js';

const AT_A_TIME = 32;
/** Where so many do not answer, others are not waited for. */
const UNREACHABLE_MAX = 64;

/**
 * Which nodes with something to install cannot be reached.
 *
 * @param nodes - names; some more than once
 */
export async function unreachableNodes(
  driver: Pick<Driver, 'reach'>,
  next: Applied,
  nodes: Iterable<string>,
): Promise<UnreachableNode[]> {
  const found: UnreachableNode[] = [];
  if (driver.reach === undefined) return found;
  await mapLimited([...new Set(nodes)], AT_A_TIME, async (node) => {
    if (found.length >= UNREACHABLE_MAX) return;
    try {
      await driver.reach?.(nodeOf(next, node));
    } catch (error) {
      found.push({ node, why: (error as Error).message });
    }
  });
  return found.sort((a, b) => (a.node < b.node ? -1 : 1));
}
