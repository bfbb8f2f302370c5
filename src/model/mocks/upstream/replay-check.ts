/** Whether a mock answers as it was recorded: the schema of that check's result, and the sentence that sums it up. */
import type { Static } from 'typebox';
import { Type } from '../../schema-type.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const excerpt = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const differenceSchema = Type.Object({
  number: Type.Integer({ description: 'Number of the entry in the recording, or of the sample, from 1.' }),
  request: Type.String({ description: 'Method, path and query.' }),
  reason: Type.Enum(['noRoute', 'otherRoute', 'status', 'mediaType', 'header', 'body'], {
    description:
      'The first difference. noRoute: no route answers; otherRoute: another response than that of the sample answers.',
  }),
  at: excerpt(
    'In a body: a JSON pointer, or a byte offset if one of the two is not JSON. For a header: its name. Otherwise null.',
  ),
  recorded: excerpt('The recorded value, truncated to about 200 characters; null when there is none.'),
  answered: excerpt('The value in the response of the mock.'),
});

const notCheckedSchema = Type.Object({
  partial: count('Exchanges with an incomplete body.'),
  open: count('Exchanges whose response had not ended.'),
  failed: count('Exchanges without a response of the upstream.'),
  proxied: count('Requests that the mock proxies to its upstream.'),
  beyond: count('Exchanges beyond the time limit of a check.'),
});

export const replayCheckSchema = Type.Object({
  checked: count('Compared exchanges.'),
  same: count('Exchanges answered as recorded.'),
  different: Type.Array(differenceSchema, { description: 'At most 100.' }),
  notChecked: notCheckedSchema,
  summary: Type.String({ description: 'The result as a sentence.' }),
});

export type ReplayDifference = Static<typeof differenceSchema>;
export type NotChecked = Static<typeof notCheckedSchema>;
export type ReplayCheck = Static<typeof replayCheckSchema>;

const ENTRIES = { recording: ['exchange', 'exchanges'], samples: ['sample', 'samples'] } as const;

/** "212 of 214 exchanges are answered the same; 2 differ. 3 were not checked: 1 without its whole body, 2 sent on." */
export function sumUp(
  { checked, same, notChecked }: Pick<ReplayCheck, 'checked' | 'same' | 'notChecked'>,
  entries: keyof typeof ENTRIES,
): string {
  const [one, several] = ENTRIES[entries];
  const differ = checked - same;
  const counted = differ === 0 && checked > 1 ? `all ${checked}` : differ === 0 ? '1' : `${same} of ${checked}`;
  const answered = `${counted} ${checked === 1 ? one : several} ${counted === '1' ? 'is' : 'are'} answered the same`;
  const others = differ === 0 ? '' : `; ${differ} ${differ === 1 ? 'differs' : 'differ'}`;
  const summary = checked === 0 ? `no ${one} was checked` : `${answered}${others}`;
  const { partial, open, failed, proxied, beyond } = notChecked;
  const why = [
    partial > 0 && `${partial} without the whole body`,
    open > 0 && `${open} with an incomplete response`,
    failed > 0 && `${failed} without a response of the upstream`,
    proxied > 0 && `${proxied} that the mock proxies`,
    beyond > 0 && `${beyond} beyond the limits of a check`,
  ].filter((each) => each !== false);
  const left = partial + open + failed + proxied + beyond;
  return left === 0 ? summary : `${summary}. Not checked: ${why.join(', ')}`;
}
