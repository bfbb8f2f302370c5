/** Reads the tokens of a tag as an expression: a value, or a helper with its arguments. */
import { fakerName } from './faker-modules.ts';
import { OTHER_NAMES, SIGNATURES, type HelperName, type Signature } from './signatures.ts';
import type { Scopes } from './template-scopes.ts';
import type { Token } from './template-tokens.ts';
import type { Expression } from './template-tree.ts';

/** undefined: it is text. A problem: it would be a helper, but its arguments are impossible. */
export type Reading = Expression | { readonly problem: string } | undefined;

/** Maximum nesting of parentheses. */
const DEPTH_MAX = 8;

export function readExpression(tokens: readonly Token[], scopes: Scopes): Reading {
  const reader = new Reader(tokens, scopes);
  const read = reader.call(0);
  if (read === undefined || 'problem' in read) return read;
  return reader.isAtEnd ? read : undefined;
}

/** The helper of a name; other names of it count, too. */
function helperOf(name: string): HelperName | undefined {
  if (Object.hasOwn(SIGNATURES, name)) return name as HelperName;
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
}

function signatureOf(helper: HelperName): Signature {
  return SIGNATURES[helper];
}

class Reader {
  readonly #tokens: readonly Token[];
  readonly #scopes: Scopes;
  #at = 0;

  constructor(tokens: readonly Token[], scopes: Scopes) {
    this.#tokens = tokens;
    this.#scopes = scopes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** A helper with arguments up to the next ")", or a single value. */
  call(depth: number): Reading {
    const first = this.#tokens[this.#at];
    const helper =
      first?.kind === 'name' && first.up === 0 && first.steps.length === 0 ? helperOf(first.name) : undefined;
    const next = this.#tokens[this.#at + 1];
    const isAlone = next === undefined || next.kind === ')';
    if (first?.kind !== 'name' || helper === undefined || (isAlone && this.#isLocal(first))) return this.#value(depth);
    this.#at++;
    const args: Expression[] = [];
    const named: Record<string, Expression> = {};
    while (!this.isAtEnd && this.#tokens[this.#at]?.kind !== ')') {
      const token = this.#tokens[this.#at] as Token;
      if (token.kind === 'named') this.#at++;
      const value = this.#value(depth);
      if (value === undefined || 'problem' in value) return value;
      if (token.kind === 'named')
        Object.defineProperty(named, token.name, { value, enumerable: true, configurable: true });
      else args.push(value);
    }
    const problem = argumentProblem(first.name, helper, args, named);
    return problem === undefined ? { kind: 'call', helper, args, named, at: first.at } : { problem };
  }

  #value(depth: number): Reading {
    const token = this.#tokens[this.#at++];
    switch (token?.kind) {
      case 'value':
        return { kind: 'literal', value: token.value };
      case '(': {
        if (depth === DEPTH_MAX) return { problem: `parentheses may be nested ${DEPTH_MAX} deep` };
        const inner = this.call(depth + 1);
        if (inner === undefined || 'problem' in inner) return inner;
        return this.#tokens[this.#at++]?.kind === ')' ? inner : undefined;
      }
      case 'name':
        return this.#named(token);
      default:
        return undefined;
    }
  }

  #named(token: Token & { kind: 'name' }): Reading {
    const { up, name, steps } = token;
    if (name.startsWith('@')) return this.#special(token);
    if (name === 'this' || up > 0) {
      const slot = this.#scopes.item(up);
      if (slot === undefined) return undefined;
      return { kind: 'local', slot, steps: name === 'this' ? steps : [name, ...steps] };
    }
    const local = this.#scopes.named(name);
    if (local !== undefined) return { kind: 'local', slot: local, steps };
    if (name === 'request' && steps.length > 0) return requestExpression(steps);
    if (this.#scopes.isVariable(name)) return { kind: 'variable', name, steps };
    const helper = steps.length === 0 ? helperOf(name) : undefined;
    if (helper !== undefined && signatureOf(helper).count[0] === 0) {
      return { kind: 'call', helper, args: [], named: {}, at: token.at };
    }
    const item = this.#scopes.item(0);
    if (item !== undefined) return { kind: 'local', slot: item, steps: [name, ...steps] };
    return name === 'response' && RESPONSE_MEMBERS.has(steps[0] ?? '') ? { kind: 'response', steps } : undefined;
  }

  #special({ name, steps, up }: Token & { kind: 'name' }): Reading {
    if (up > 0) return undefined;
    const plain = name.slice(1);
    const slot = this.#scopes.special(plain);
    if (slot !== undefined) return { kind: 'local', slot, steps };
    return this.#scopes.isVariable(plain) ? { kind: 'variable', name: plain, steps } : undefined;
  }

  /** Whether a name that is a helper's, too, means something of the template here. */
  #isLocal({ name }: Token & { kind: 'name' }): boolean {
    if (this.#scopes.named(name) !== undefined || this.#scopes.isVariable(name)) return true;
    const helper = helperOf(name);
    // A member of the item, where the helper cannot stand without arguments.
    return helper !== undefined && signatureOf(helper).count[0] > 0 && this.#scopes.item(0) !== undefined;
  }
}

/** Members below `response.`: the answer that a callback follows. In other templates it is empty. */
const RESPONSE_MEMBERS: ReadonlySet<string> = new Set(['status', 'headers', 'body']);

/** Members below `request.`. */
const REQUEST_MEMBERS = [
  'method',
  'path',
  'pathSegments',
  'url',
  'host',
  'baseUrl',
  'query',
  'headers',
  'cookies',
  'params',
  'body',
  'clientIp',
] as const;
export type RequestMember = (typeof REQUEST_MEMBERS)[number];

function requestExpression(steps: readonly string[]): Reading {
  const [member = ''] = steps;
  return (REQUEST_MEMBERS as readonly string[]).includes(member)
    ? { kind: 'request', steps }
    : { problem: `request has no ${member}; it has ${REQUEST_MEMBERS.join(', ')}` };
}

function argumentProblem(
  name: string,
  helper: HelperName,
  args: readonly Expression[],
  named: Readonly<Record<string, Expression>>,
): string | undefined {
  const { count, named: known = [], needed = [], literal = [], example } = signatureOf(helper);
  const [fewest, most] = count;
  if (args.length < fewest || args.length > most) {
    return `${name} takes ${countText(fewest, most)}: {{${example}}}`;
  }
  const unknown = known === 'any' ? undefined : Object.keys(named).find((each) => !known.includes(each));
  if (unknown !== undefined) return `${name} takes no ${unknown}=: {{${example}}}`;
  const missing = needed.find((each) => named[each] === undefined);
  if (missing !== undefined) return `${name} needs ${missing}=: {{${example}}}`;
  const { seconds } = named;
  if (needed.length > 0 || helper === 'jwtSign') {
    if (seconds?.kind === 'literal' && !(Number(seconds.value) > 0)) return `seconds= of ${name} must be above 0`;
  }
  const [claims] = args;
  if (helper === 'jwtSign' && claims?.kind === 'literal' && !/^\s*\{/.test(String(claims.value)))
    return `argument 1 of ${name} must be an object: {{${example}}}`;
  const computed = literal.find((index) => args[index] !== undefined && args[index].kind !== 'literal');
  if (computed !== undefined) return `argument ${computed + 1} of ${name} is written out, not computed: {{${example}}}`;
  if (
    helper === 'hash' &&
    args[1]?.kind === 'literal' &&
    !(HASH_ALGORITHMS as readonly unknown[]).includes(args[1].value)
  )
    return `argument 2 of hash must be one of ${HASH_ALGORITHMS.join(', ')}`;
  return helper === 'faker' ? fakerProblem(args[0]) : undefined;
}

export const HASH_ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const;

function fakerProblem(name: Expression | undefined): string | undefined {
  const text = name?.kind === 'literal' ? name.value : undefined;
  return typeof text === 'string' && fakerName(text) !== undefined
    ? undefined
    : "faker takes a module and a function: {{faker 'person.firstName'}}";
}

function countText(fewest: number, most: number): string {
  const plural = (count: number): string => (count === 1 ? 'argument' : 'arguments');
  if (most === 0) return 'no arguments';
  if (fewest === most) return `${fewest} ${plural(fewest)}`;
  return most === Infinity ? `at least ${fewest} ${plural(fewest)}` : `${fewest} to ${most} arguments`;
}
