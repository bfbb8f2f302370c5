/** Kinds of values in WireMock's templates: it compares and prints them by their type. */
import type { Rewording } from '../../templates/reword.ts';
import { callOf, type Term } from '../../templates/terms.ts';

/** `opaque`: an object of its own, which equals no text. `json`: whatever a body has. */
type Kind = 'text' | 'number' | 'flag' | 'list' | 'json' | 'opaque';

const OF_CALLS: Readonly<Record<string, Kind>> = {
  ...kinds('list', 'array range arrayAdd arrayRemove'),
  ...kinds('json', 'jsonPath parseJson lookup pickRandom'),
  ...kinds('number', 'size math randomInt randomDecimal'),
  ...kinds('flag', 'eq neq gt gte lt lte and or not contains matches'),
};

function kinds(kind: Kind, names: string): Readonly<Record<string, Kind>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}

const LISTS: ReadonlySet<string> = new Set(['query', 'headers', 'cookies']);

export function kindOf(term: Term, context: Rewording): Kind {
  if (term.kind === 'literal') {
    return typeof term.value === 'number' ? 'number' : typeof term.value === 'boolean' ? 'flag' : 'text';
  }
  if (term.kind === 'name') {
    if (term.name === 'request') return kindOfRequest(term.steps);
    if (term.name.startsWith('@')) return term.name === '@index' ? 'number' : 'text';
    const variable = context.variable(term.name);
    if (variable !== undefined) return variable.kind === 'literal' ? 'text' : 'json';
    if (context.isLocal(term.name) || context.hasItem) return 'json';
  }
  const name = callOf(term)?.name ?? '';
  return Object.hasOwn(OF_CALLS, name) ? (OF_CALLS[name] as Kind) : 'text';
}

function kindOfRequest(given: readonly string[]): Kind {
  const [member = '', ...inside] = given[0] === 'requestLine' ? given.slice(1) : given;
  if (LISTS.has(member)) return inside.length === 1 ? 'opaque' : 'text';
  return member === 'method' || (member === 'path' && inside.length === 0) ? 'opaque' : 'text';
}

/** An object prints with white space of its own. Within a text there is none, or what comes of it is not JSON there either. */
export function noteJson(context: Rewording): void {
  if (context.isJsonValue) context.differs('an object is printed with line breaks');
}
