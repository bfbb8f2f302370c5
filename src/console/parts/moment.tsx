/** Points in time in words, in the browser's zone. */

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const WHOLE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

/** "18:20" today, "23 Nov, 18:20" this year, else with the year. @param at Milliseconds since the Unix epoch. */
export function momentText(at: number, now: number): string {
  if (YEAR.format(at) === YEAR.format(now)) return TIME.format(at);
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return `${(isThisYear ? DAY : YEAR).format(at)}, ${TIME.format(at)}`;
}

/** To the second, with the zone. */
export const wholeMoment = (at: number): string => WHOLE.format(at);

interface MomentProps {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A short point in time, with the exact one as a tooltip. */
export const Moment = ({ at }: MomentProps): JSX.Element => (
  <time dateTime={new Date(at).toISOString()} title={wholeMoment(at)}>
    {momentText(at, Date.now())}
  </time>
);
