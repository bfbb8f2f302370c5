/** A short point in time, with the exact one as a tooltip. */
import { momentText, wholeMoment } from './moment-text.ts';

interface MomentProps {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export const Moment = ({ at }: MomentProps): JSX.Element => (
  <time dateTime={new Date(at).toISOString()} title={wholeMoment(at)}>
    {momentText(at, Date.now())}
  </time>
);
