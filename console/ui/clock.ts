/** The one way in which pages write times: in the time zone of the browser, on a clock of 24 hours. */

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const SECOND = { ...CLOCK, second: '2-digit' } as const;
const DAY = { day: 'numeric', month: 'short' } as const;
const FULL = { ...SECOND, ...DAY, year: 'numeric' } as const;
const formats = {
  minute: new Intl.DateTimeFormat('en-GB', CLOCK),
  second: new Intl.DateTimeFormat('en-GB', SECOND),
  day: new Intl.DateTimeFormat('en-GB', DAY),
  full: new Intl.DateTimeFormat('en-GB', FULL),
  /** With the name of the zone: for what is shown on hover. */
  zoned: new Intl.DateTimeFormat('en-GB', { ...FULL, timeZoneName: 'short' }),
};

export const timeAt = (unixS: number, kind: keyof typeof formats) =>
  formats[kind].format(new Date(unixS * 1000));

/** @returns '' for what is no time */
export function timeText(iso: string) {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? '' : timeAt(ms / 1000, 'full');
}

const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * A text of the console with its times in the time zone of the browser; of today without the day.
 */
export function localTimes(text: string) {
  return text.replace(ISO, (iso) => {
    const time = new Date(iso);
    const today = time.toDateString() === new Date().toDateString();
    return timeAt(time.getTime() / 1000, today ? 'second' : 'full');
  });
}
