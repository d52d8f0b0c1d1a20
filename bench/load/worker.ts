import { messageOf } from '../../src/lib/error-message.js';
import type { AnswerMessage, CallMessage } from './protocol.js';
import { Session } from './session.js';

/** A process that generates load: does what it is called for, one call after the other. */

const session = new Session();

process.on('message', (message) => {
  void answer(message as CallMessage);
});
process.once('disconnect', () => process.exit(0));

async function answer({ id, name, args }: CallMessage): Promise<void> {
  let reply: AnswerMessage;
  try {
    reply = { id, result: await callsOf(session)[name](...args) };
  } catch (error) {
    reply = { id, error: messageOf(error) };
  }
  process.send?.(reply);
}

/** The protocol's types hold at the caller; here anything may arrive. */
function callsOf(target: Session) {
  type Call = (...args: readonly unknown[]) => Promise<unknown>;
  return target as unknown as Readonly<Record<CallMessage['name'], Call>>;
}
