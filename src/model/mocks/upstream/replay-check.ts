/** Whether a mock answers as it was recorded: the schema of that check's result, and the sentence that sums it up. */
import type { Static } from 'typebox';
import { Type } from '../../schema-type.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const excerpt = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const differenceSchema = Type.Object({
  number: Type.Integer({ description: 'Of the entry of the recording, or of the sample, from 1.' }),
  request: Type.String({ description: 'Method, path and query.' }),
  reason: Type.Enum(['noRoute', 'otherRoute', 'status', 'mediaType', 'header', 'body'], {
    description:
      'The first that differs. noRoute: nothing answers it; otherRoute: another response than that of the sample does.',
  }),
  at: excerpt(
    'In a body: a JSON pointer, or the offset of a byte where one of them is not JSON. Of a header its name. Else null.',
  ),
  recorded: excerpt('What was recorded there, cut to some 200 characters; null where there is nothing.'),
  answered: excerpt('What the mock answers there.'),
});

const notCheckedSchema = Type.Object({
  partial: count('Without the whole body.'),
  open: count('Answers that had not ended.'),
  failed: count('Without an answer of the upstream.'),
  proxied: count('The mock sends them on to its upstream.'),
  beyond: count('More than one check answers in its time.'),
});

export const replayCheckSchema = Type.Object({
  checked: count('Compared with what the mock answers.'),
  same: count('Answered as recorded.'),
  different: Type.Array(differenceSchema, { description: 'At most 100.' }),
  notChecked: notCheckedSchema,
  summary: Type.String({ description: 'The same in a sentence.' }),
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
    open > 0 && `${open} that had not ended`,
    failed > 0 && `${failed} without an answer of the upstream`,
    proxied > 0 && `${proxied} that the mock sends on`,
    beyond > 0 && `${beyond} beyond the bounds of a check`,
  ].filter((each) => each !== false);
  const left = partial + open + failed + proxied + beyond;
  return left === 0 ? summary : `${summary}. Not checked: ${why.join(', ')}`;
}
