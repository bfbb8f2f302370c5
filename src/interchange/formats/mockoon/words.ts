/** Templates of Mockoon in our words. Helpers that it does not have print nothing there. */
import type { Rewording, Use } from '../../templates/reword.ts';
import { isHelperName } from '../../../languages/templates/signatures.ts';
import { called, callOf, literalText, pathText, quoted, type Call, type Term } from '../../templates/terms.ts';
import type { Buckets } from './buckets.ts';
import type { RouteContext } from './context.ts';
import { Words } from '../../templates/words.ts';
import { BLOCKS } from './word-blocks.ts';
import { dataWords, setDataWords } from './word-data.ts';
import { HELPERS, OTHERS } from './word-helpers.ts';
import { kindOf } from './word-kinds.ts';

export class MockoonWords extends Words {
  readonly escapes = true;
  readonly isStrict = true;
  readonly #buckets: Buckets;
  readonly #wildcards: ReadonlySet<string>;

  constructor({ buckets, wildcards }: Pick<RouteContext, 'buckets' | 'wildcards'>) {
    super(BLOCKS);
    this.#buckets = buckets;
    this.#wildcards = wildcards;
  }

  override value(term: Term, use: Use, context: Rewording): string | undefined {
    if (term.kind === 'literal') {
      if (use !== 'printed') return typeof term.value === 'string' ? quoted(term.value) : String(term.value);
      return nothing(context);
    }
    const call = callOf(term);
    const isHelper = call !== undefined && (term.kind === 'call' || !context.isLocal(call.name));
    const own = isHelper && this.#has(call.name) ? this.#call(call, use, context) : this.#path(term, use, context);
    if (own !== undefined && own !== '' && use === 'printed') {
      notePrinted(term, context);
      if (kindOf(term, context) === 'list') return called('join', own, "','");
    }
    const isSafe = own !== undefined && kindOf(term, context) === 'safe';
    if (isSafe && use === 'listed') context.differs('it is a string, not a list');
    // An object, which always holds.
    return isSafe && use === 'tested' ? 'true' : own;
  }

  #has(name: string): boolean {
    return Object.hasOwn(HELPERS, name) || name === 'data' || name === 'dataRaw' || name === 'setData';
  }

  #call(call: Call, use: Use, context: Rewording): string | undefined {
    const { of } = this.speaker(context);
    if (call.name === 'data' || call.name === 'dataRaw') return dataWords(call, use, this.#buckets, context, of);
    if (call.name === 'setData') return setDataWords(call, use, this.#buckets, of);
    const own = HELPERS[call.name]?.(call, use, this.speaker(context));
    // A list, which is printed with commas.
    const isList = call.name === 'urlParam' && this.#wildcards.has(literalText(call.args[0]) ?? '');
    if (!isList || own === undefined) return own;
    const list = called('split', own, "'/'");
    return use === 'printed' ? called('join', list, "','") : list;
  }

  /** Drops a path that is neither a helper nor a name of the template, and prints nothing. */
  #path(term: Term, use: Use, context: Rewording): string | undefined {
    const name = term.kind === 'literal' ? '' : term.name;
    if (OTHERS.has(name)) return undefined;
    if (term.kind === 'name') {
      const { up, steps } = term;
      const isAssigned = name.startsWith('@') && context.variable(name.slice(1)) !== undefined;
      if (isAssigned || this.#isPlace(name, context)) return pathText(up, name, steps);
      const isVariable = context.variable(name) !== undefined;
      if ((context.isLocal(name) && !isVariable) || (context.hasItem && !(up > 0 && this.#has(name))))
        return up === 0 && (isVariable || isHelperName(name))
          ? pathText(up, 'this', [name, ...steps])
          : pathText(up, name, steps);
      if (name === 'this' || name.startsWith('@')) return undefined;
    }
    return MISSING[use] ?? nothing(context);
  }

  #isPlace(name: string, context: Rewording): boolean {
    return ['@index', '@first', '@last', '@key', '@total'].includes(name) && context.isInBlock;
  }
}

/** Meaning of a name that stands for nothing. */
const MISSING: Readonly<Partial<Record<Use, string>>> = { tested: 'false', listed: '(array)', argument: 'null' };

/** A comment, so that what was there is seen. */
function nothing({ tag }: Rewording): string {
  return tag.includes('--') ? "''" : `!-- ${tag.replaceAll(/^\{\{\{?~?\s*|(?:(?<!\s)\s+)?~?\}?\}\}$/g, '')} --`;
}

/** Values are printed in their kind's way, and with HTML escapes, unless they are safe or in three braces. */
function notePrinted(term: Term, context: Rewording): void {
  const kind = kindOf(term, context);
  if (kind === 'list' && !isPlainList(term)) context.mayDiffer();
  if (kind === 'object') context.differs('it is printed as [object Object]');
  const isRaw = context.tag.startsWith('{{{');
  if (kind === 'any' || (kind === 'text' && !isRaw && isOfRequest(term))) context.mayDiffer();
}

/** Whether its items are written out: objects are printed as such. */
function isPlainList(term: Term): boolean {
  if (term.kind !== 'call' || !PLAIN_LISTS.has(term.name)) return false;
  return term.args.every((each) => each.kind === 'literal' || isPlainList(each));
}

const PLAIN_LISTS: ReadonlySet<string> = new Set(['array', 'split', 'slice', 'sort', 'reverse', 'concat']);

const FIXED: ReadonlySet<string> = new Set(['method', 'baseUrl', 'hostname', 'ip']);

function isOfRequest(term: Term): boolean {
  if (term.kind === 'literal') return false;
  if (term.kind === 'name') return !FIXED.has(term.name) && term.name !== 'body';
  if (READ.has(term.name)) return true;
  return [...term.args, ...Object.values(term.named)].some(isOfRequest);
}

const READ: ReadonlySet<string> = new Set(
  'urlParam queryParam queryParamRaw body bodyRaw header cookie getVar jwtPayload jwtHeader'.split(' '),
);
