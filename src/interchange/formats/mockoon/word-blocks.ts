/** Mockoon's blocks in our words. Repetitions have their commas already. */
import type { Speaker } from '../../templates/reword.ts';
import { asJson, condition, items, type MakeBlock } from '../../templates/same-words.ts';
import { literalText, type Term } from '../../templates/terms.ts';
import { kindOf } from './word-kinds.ts';

/** A value of a body is compared as JSON, which shows its type. */
function isCompared(value: Term | undefined, { context }: Speaker): boolean {
  return value !== undefined && kindOf(value, context) === 'any';
}

/** Separator of repetitions. */
const COMMA = ',\n';

function held(helper: string): MakeBlock {
  return (call, _names, { context }) => {
    const name = context.freshName();
    if (call.args.length > 0) return undefined;
    return { begin: `#assign '${name}'`, end: `{{/assign}}{{${helper} ${name}}}` };
  };
}

export const BLOCKS: Readonly<Record<string, MakeBlock>> = {
  if: condition,
  unless: condition,
  each: items,
  with: items,
  base64: held('base64'),
  base64Decode: held('base64Decode'),
  repeat: ({ args, named }, _names, { context, of }) => {
    const own = args.map((each) => of(each));
    if (own.includes(undefined) || Object.keys(named).length > 0) return undefined;
    const [least, second] = args;
    const isCommaed = literalText(args.at(-1)) === COMMA;
    const isDrawn = second !== undefined && literalText(second) !== COMMA;
    const isSome = least?.kind === 'literal' && Number(least.value) > 0;
    if (isDrawn && !isSome) context.differs('it may end without a line break');
    const end = isSome || isDrawn ? '\n' : `{{#if (gt ${own[0]} 0)}}\n{{/if}}`;
    return { begin: `#repeat ${own.join(' ')}`, end: `{{/repeat}}${isCommaed ? end : ''}`, isRepeat: true };
  },
  switch: ({ args: [value] }, _names, speaker) => {
    const own = value && (isCompared(value, speaker) ? asJson(value, speaker) : speaker.of(value));
    return own === undefined || value === undefined
      ? undefined
      : { begin: `#switch ${own}`, end: '{{/switch}}', switched: value };
  },
  case: ({ args }, _names, speaker) => {
    const { switched } = speaker.context;
    const kind = switched && kindOf(switched, speaker.context);
    const own = args.map((each) => (isCompared(switched, speaker) ? asJson(each, speaker) : speaker.of(each)));
    if (own.includes(undefined) || own.length === 0) return undefined;
    const isNumber = args.some((each) => each.kind === 'literal' && literalText(each) === undefined);
    if (isNumber && (kind === 'safe' || kind === 'text')) speaker.context.differs('a string never equals a number');
    return { begin: `#case ${own.join(' ')}`, end: '{{/case}}' };
  },
  default: ({ args }) => (args.length > 0 ? undefined : { begin: '#default', end: '{{/default}}' }),
};
