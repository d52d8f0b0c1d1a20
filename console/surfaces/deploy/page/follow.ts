const RETRY_MS = 3000;
const LOST = 'Connection lost. The operation continues in the background. Reconnecting…';

/**
 * Follows server-sent events until they are over. A connection that is lost is made again, by the
 * browser or, where the answer was a refusal, after the state as a whole was asked for.
 */
export class Following {
  #given;
  #source: EventSource | undefined;
  #isClosed = false;

  /**
   * @param given `events`: what is done with each, by its name; `ask` asks for the whole, and tells
   *   whether it goes on; `say` is told that the connection is lost, or nothing when it is there
   */
  constructor(given: {
    url: string;
    events: Readonly<Record<string, (data: never) => void>>;
    ask: () => Promise<boolean>;
    say: (text: string) => void;
  }) {
    this.#given = given;
    this.#open();
  }

  close() {
    this.#isClosed = true;
    this.#source?.close();
  }

  #open() {
    const { url, events, say } = this.#given;
    const source = new EventSource(url);
    this.#source = source;
    source.addEventListener('open', () => say(''));
    for (const [name, hear] of Object.entries(events)) {
      source.addEventListener(name, ({ data }) => {
        if (!this.#isClosed) hear(JSON.parse(String(data)) as never);
      });
    }
    source.addEventListener('error', () => {
      if (this.#isClosed) return;
      say(LOST);
      // The browser tries again by itself, unless the answer was a refusal.
      if (source.readyState === EventSource.CLOSED) this.#later();
    });
  }

  #later() {
    setTimeout(() => {
      if (!this.#isClosed) void this.#again();
    }, RETRY_MS);
  }

  async #again() {
    try {
      const goesOn = await this.#given.ask();
      if (goesOn && !this.#isClosed) this.#open();
    } catch {
      this.#later();
    }
  }
}
