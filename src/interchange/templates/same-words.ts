/** Helpers and blocks that are the same here, or have another name alone. */
import type { Block, Speaker, Use } from './reword.ts';
import { called, quoted, type Call, type Term } from './terms.ts';

export type Helper = (call: Call, use: Use, speaker: Speaker) => string | undefined;
export type MakeBlock = (call: Call, names: readonly string[], speaker: Speaker) => Block | undefined;

/** @param named Its `name=value` arguments; "*" for any. */
export function same(name: string, least: number, most: number, ...named: readonly string[]): Helper {
  return (call, _use, speaker) => {
    const { length } = call.args;
    return length < least || length > most ? undefined : spoken(name, call, named, speaker);
  };
}

/** @returns undefined where an argument has no words. */
export function spoken(
  name: string,
  { args, named }: Pick<Call, 'args' | 'named'>,
  known: readonly string[],
  { of }: Speaker,
): string | undefined {
  if (!known.includes('*') && Object.keys(named).some((each) => !known.includes(each))) return undefined;
  const own = args.map((each) => of(each));
  const pairs = Object.entries(named).map(([key, value]) => {
    const text = of(value);
    return text && `${key}=${text}`;
  });
  return own.includes(undefined) || pairs.includes(undefined) ? undefined : called(name, ...own, ...pairs);
}

/** A value as JSON, which shows its type. */
export function asJson(term: Term, { of }: Speaker): string | undefined {
  if (term.kind === 'literal') return quoted(JSON.stringify(term.value ?? null));
  const own = of(term);
  return own && called('json', own);
}

/** `if` and `unless`. */
export function condition(call: Call, _names: readonly string[], { of }: Speaker): Block | undefined {
  const own = call.args.length === 1 ? of(call.args[0], 'tested') : undefined;
  return own === undefined ? undefined : { begin: `#${call.name} ${own}`, end: `{{/${call.name}}}` };
}

/** `each` and `with`. */
export function items(call: Call, names: readonly string[], { of }: Speaker): Block | undefined {
  const own = call.args.length === 1 ? of(call.args[0], 'listed') : undefined;
  if (own === undefined) return undefined;
  const as = names.length === 0 ? '' : ` as |${names.join(' ')}|`;
  return { begin: `#${call.name} ${own}${as}`, end: `{{/${call.name}}}`, names };
}
