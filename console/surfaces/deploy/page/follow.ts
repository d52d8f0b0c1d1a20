import { EventFeed } from '../../../ui/event-feed.js';

const LOST = 'Connection lost. The operation continues in the background. Reconnecting…';

/**
 * Follows a run or a ramp until it is over.
 *
 * @param given `events`: what is done with each, by its name; `ask` asks for the whole, and tells
 *   whether it goes on; `link` says that the connection is lost, or nothing while it is there
 */
export function follow({
  link,
  ...given
}: {
  url: string;
  events: Readonly<Record<string, (data: never) => void>>;
  ask: () => Promise<boolean>;
  link: HTMLElement;
}) {
  const say = (text: string) => {
    link.textContent = text;
  };
  return new EventFeed({ ...given, onOpen: () => say(''), onLost: () => say(LOST) });
}
