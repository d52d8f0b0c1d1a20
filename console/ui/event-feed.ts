/** Three times the time that a server lets pass between two signs of life. */
const SILENCE_MS = 45_000;
const RETRY_MS = 5_000;

/** The address of a feed, and who is told what. */
interface Given {
  readonly url: string;
  /** Called with each event, by its name. */
  readonly events: Readonly<Record<string, (data: never) => void>>;
  readonly onOpen: () => void;
  /** The connection is lost, and will be made again. */
  readonly onLost: () => void;
  /**
   * Asks, before a connection is made again that was refused.
   * @returns whether there is more to come
   */
  readonly ask: () => Promise<boolean>;
}

/**
 * Follows server-sent events. A connection that is lost is made again: by the browser; here, where the
 * answer was a refusal, or where the server has been silent for too long, since a connection that is
 * lost on the way says nothing of it.
 */
export class EventFeed {
  readonly #given: Given;
  #source: EventSource | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(given: Given) {
    this.#given = given;
    this.#open();
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#silence);
    this.#source?.close();
  }

  #open() {
    const { url, events, onOpen, onLost } = this.#given;
    const source = new EventSource(url);
    this.#source = source;
    const on = (name: string, act: (event: MessageEvent) => void) => {
      source.addEventListener(name, (event) => {
        if (this.#isClosed) return;
        this.#wait();
        act(event);
      });
    };
    this.#wait();
    on('open', onOpen);
    on('ping', () => undefined);
    for (const [name, hear] of Object.entries(events)) {
      on(name, ({ data }) => hear(JSON.parse(String(data)) as never));
    }
    source.addEventListener('error', () => {
      if (this.#isClosed) return;
      onLost();
      // The browser goes on by itself where it was cut, but gives up where it was refused.
      if (source.readyState === EventSource.CLOSED) this.#later();
    });
  }

  /** Begins to wait for the next sign of life. */
  #wait() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#source?.close();
      this.#given.onLost();
      this.#open();
    }, SILENCE_MS);
  }

  #later() {
    clearTimeout(this.#silence);
    setTimeout(() => {
      if (!this.#isClosed) void this.#again();
    }, RETRY_MS);
  }

  async #again() {
    try {
      const goesOn = await this.#given.ask();
      if (goesOn && !this.#isClosed) this.#open();
    } catch {
      if (!this.#isClosed) this.#later();
    }
  }
}
