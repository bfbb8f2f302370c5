/** Kinds of values in Mockoon's templates: it prints and compares them by their type. */
import type { Rewording } from '../../templates/reword.ts';
import { callOf, type Term } from '../../templates/terms.ts';

/** `safe`: a text of its own kind, which always holds, is never a list, and is printed without HTML escapes. `any`: whatever a body has. */
type Kind = 'safe' | 'text' | 'number' | 'flag' | 'list' | 'object' | 'any';

const OF_CALLS: Readonly<Record<string, Kind>> = {
  ...kinds('safe', 'body queryParam data'),
  ...kinds(
    'any',
    'bodyRaw queryParamRaw dataRaw objectPath lookup jsonParse getVar jwtPayload jwtHeader oneOf faker getEnvVar join find jsonPath getGlobalVar',
  ),
  ...kinds('number', 'add subtract multiply divide modulo ceil floor round parseInt len indexOf int float lat long'),
  ...kinds('flag', 'eq gt gte lt lte includes boolean isValidDate'),
  ...kinds('list', 'array split slice sort sortBy reverse someOf filter'),
  ...kinds('object', 'object objectMerge queryParams urlParams headers'),
};

function kinds(kind: Kind, names: string): Readonly<Record<string, Kind>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}

export function kindOf(term: Term, context: Rewording): Kind {
  if (term.kind === 'literal') {
    return typeof term.value === 'number' ? 'number' : typeof term.value === 'boolean' ? 'flag' : 'text';
  }
  if (term.kind === 'name') {
    if (term.name === '@index' || term.name === '@total') return 'number';
    const variable = context.variable(term.name.replace(/^@/, ''));
    if (variable !== undefined) return term.steps.length > 0 ? 'any' : kindOf(variable, context);
    if (context.isLocal(term.name) || term.up > 0 || term.name === 'this') return 'any';
  }
  const { name = '', args = [] } = callOf(term) ?? {};
  if (name === 'concat' && args[0] !== undefined) return kindOf(args[0], context) === 'list' ? 'list' : 'text';
  return Object.hasOwn(OF_CALLS, name) ? (OF_CALLS[name] as Kind) : 'text';
}
