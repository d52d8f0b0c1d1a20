import { z } from 'zod';
import type { ServiceVerb } from '../../../nodes/driver.js';
import { CHAOS_REVERTS } from '../chaos/reverts.js';
import type { RevertKind } from './fault.js';

const SERVICE = z.object({ node: z.string(), service: z.string() });

const serviceRevert =
  (verb: ServiceVerb, done: string, before: string): RevertKind =>
  async (params, tools) => {
    const { node, service } = SERVICE.parse(params);
    const { changed } = await tools.driver.act(tools.node(node), service, verb);
    return `${service} on ${node} ${changed ? done : before}`;
  };

const goOn = serviceRevert('resume', 'goes on', 'was not paused');

/** A service that has ended meanwhile cannot go on, and is not paused either. */
const resume: RevertKind = async (params, tools) => {
  const { node, service } = SERVICE.parse(params);
  const [status] = await tools.driver.status(tools.node(node), [service]);
  return status?.state === 'inactive' || status?.state === 'failed'
    ? `${service} on ${node} has ended: nothing of it is paused`
    : goOn(params, tools);
};

/**
 * The reverts by name. The program of dead-men imports them: they import nothing of the console's
 * server, and need neither a session nor a store.
 */
export const REVERT_KINDS: Readonly<Record<string, RevertKind>> = {
  /** Starts a service that was stopped or has ended. */
  'service.start': serviceRevert('start', 'was started', 'ran already'),
  /** Lets a service go on that was paused. */
  'service.resume': resume,
  ...CHAOS_REVERTS,
};
