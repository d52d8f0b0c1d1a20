import { el, messageOf, shownText } from '../../../../ui/dom.js';
import { badge, card, facts, note, numberText, pctText } from '../../page/ground.js';
import type { Simulation } from '../ring-sim.js';

/**
 * The answer of Swift's own program to the same change: it takes up to a minute.
 *
 * @param moved by our own builder
 * @param ask null where no program is configured
 */
export function simulatedCard(moved: number, ask: () => Promise<Simulation | null>) {
  const place = el('div');
  place.setAttribute('aria-busy', 'true');
  const show = (nodes: readonly Node[]) => {
    place.removeAttribute('aria-busy');
    place.replaceChildren(...nodes);
  };
  ask().then(
    (answer) => show(answer === null ? [] : [answered(moved, answer)]),
    (error: unknown) =>
      show([
        card('Swift ring builder', badge('no result', 'warn'), note(shownText(messageOf(error)))),
      ]),
  );
  return place;
}

function answered(moved: number, { moved: theirs, balance_pct: balance, rebalances }: Simulation) {
  return card(
    'Swift ring builder',
    facts(
      ['Replicas to move', numberText(theirs), `RingScope: ${numberText(moved)}`],
      ['Balance after', pctText(balance)],
      ['Rebalances', String(rebalances)],
    ),
    note(
      'swift-ring-builder-analyzer builds its own ring from the same devices and applies the change to it. Its partition placement is different, but it moves about the same amount of data.',
    ),
  );
}
