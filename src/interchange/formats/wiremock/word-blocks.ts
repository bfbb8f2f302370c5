/** WireMock's blocks in our words. */
import type { Block, Speaker } from '../../templates/reword.ts';
import { condition, items, type MakeBlock } from '../../templates/same-words.ts';
import { called, literalText, type Call } from '../../templates/terms.ts';
import { HELPERS } from './word-helpers.ts';

/** A condition that is a block has the name of its helper. */
function compared(call: Call, _names: readonly string[], speaker: Speaker): Block | undefined {
  const own = HELPERS[call.name]?.(call, 'tested', speaker);
  return own === undefined ? undefined : { begin: `#if ${own}`, end: '{{/if}}' };
}

/** Keeps the content of a block, and gives it to a helper. */
function held(use: (name: string, call: Call, speaker: Speaker) => string | undefined): MakeBlock {
  return (call, _names, speaker) => {
    const name = speaker.context.freshName();
    const own = use(name, call, speaker);
    return own === undefined ? undefined : { begin: `#assign '${name}'`, end: `{{/assign}}{{${own}}}` };
  };
}

/** Makes a block whose content is the last argument of a helper. */
function heldBy(helper: string): MakeBlock {
  return held((name, call, speaker) => {
    const last = { kind: 'name' as const, up: 0, name, steps: [] };
    return HELPERS[helper]?.({ ...call, args: [...call.args, last] }, 'printed', speaker)?.slice(1, -1);
  });
}

export const BLOCKS: Readonly<Record<string, MakeBlock>> = {
  if: condition,
  unless: condition,
  each: items,
  with: items,
  eq: compared,
  neq: compared,
  gt: compared,
  gte: compared,
  lt: compared,
  lte: compared,
  and: compared,
  or: compared,
  not: compared,
  contains: compared,
  matches: compared,
  trim: heldBy('trim'),
  base64: heldBy('base64'),
  formatJson: heldBy('formatJson'),
  jsonMerge: heldBy('jsonMerge'),
  assign: (call, _names, { context }) => {
    const name = literalText(call.args[0]);
    if (name === undefined || call.args.length > 1) return undefined;
    context.assign(name, { kind: 'literal', value: '' });
    return { begin: `#assign '${name}'`, end: '{{/assign}}', trims: true };
  },
  parseJson: held((name, call, { context }) => {
    const variable = literalText(call.args[0]);
    if (variable === undefined || call.args.length > 1) return undefined;
    context.assign(variable, call);
    return called('setVar', `'${variable}'`, called('parseJson', name)).slice(1, -1);
  }),
  arrayJoin: (call, names, { of }) => {
    const separator = literalText(call.args[0]);
    const list = of(call.args[1], 'listed');
    const isPlain = Object.keys(call.named).length === 0 && call.args.length === 2 && names.length > 0;
    if (separator === undefined || /[{}]/.test(separator) || list === undefined || !isPlain) return undefined;
    // The separator is before each item but the first, and stands in the text that the block holds.
    return {
      begin: `#each ${list} as |${names.join(' ')}|`,
      after: `{{#unless @first}}${separator}{{/unless}}`,
      end: '{{/each}}',
      names,
    };
  },
};
