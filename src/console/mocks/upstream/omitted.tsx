/** Why a body was not stored. */
import type { RecordedExchange } from '../../../client/upstream-shapes.ts';

const OMITTED_WORDS = {
  tooLarge: 'Larger than 1 MB.',
  cut: 'Incomplete.',
  undecodable: 'Unknown encoding or charset.',
  busy: 'Too many bodies were waiting to be masked.',
} as const;

interface OmittedProps {
  readonly body: Pick<RecordedExchange['request'], 'bodyOmitted'>;
}

export const Omitted = ({ body }: OmittedProps): JSX.Element | null =>
  body.bodyOmitted === undefined ? null : (
    <p class="warning">The body was not kept. {OMITTED_WORDS[body.bodyOmitted]}</p>
  );
