import { call } from '../../../../ui/api.js';
import { el } from '../../../../ui/dom.js';
import { fail } from '../../../../ui/shell.js';
import { toast } from '../../../../ui/toast.js';
import { handOver } from '../../../../ui/ring-change.js';
import { card, note, row } from '../../page/ground.js';
import type { RingChange } from '../../../../ui/ring-change.js';

/** Makes a draft of a specification out of a change that was tried. Nothing is saved by it. */
export function sendToDeploy(wanted: RingChange) {
  const send = el('button', {
    type: 'button',
    className: 'primary',
    textContent: 'Send to Deploy',
    onclick: () => void handedOver(wanted).catch(fail),
  });
  return card(
    'Next steps',
    note(
      'Opens the change in Deploy as a draft of the specification. Nothing is saved or applied until you do so there.',
    ),
    row(send),
  );
}

export async function handedOver(wanted: RingChange) {
  const { features } = await call('GET', '/api/session', undefined, true);
  if (features.deploy !== true) {
    toast('Deploy is not configured. Set deploy_upstream in the console configuration.');
    return;
  }
  handOver(wanted);
  location.assign('/deploy?tab=spec');
}
