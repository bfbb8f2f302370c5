/** Recorded requests and explanations without the credentials that the requests carried. */
import { isObject } from '../../base/json-object.ts';
import type { Verification } from '../../client/shapes.ts';
import { isSecretHeader, SECRET_TARGETS } from '../../model/mocks/secret-parts.ts';

const HIDDEN = '…';

type Differences = NonNullable<Verification['closest']>[number]['differences'];

export function headerValue(name: string, value: string): string {
  return isSecretHeader(name) ? HIDDEN : value;
}

/** @param query As received. Names of parameters are judged as those of headers. */
export function queryText(query: string): string {
  const hidden = query.split('&').map((part) => {
    const [name = ''] = part.split('=');
    return name !== part && isSecretHeader(name) ? `${name}=${HIDDEN}` : part;
  });
  return hidden.join('&');
}

/** @param target A path with its query. */
export function targetOf(target: string): string {
  const [path = '', query] = target.split(/\?(.*)/s);
  return query === undefined ? path : `${path}?${queryText(query)}`;
}

/** Leaves out of verdicts on conditions what the request has at the place of a credential. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  const { rule, actual } = value;
  const isHidden = Array.isArray(actual) && isObject(rule) && isSecret(rule);
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    isHidden && name === 'actual' ? actual.map(() => HIDDEN) : withoutSecrets(each),
  ]);
  return Object.fromEntries(entries);
}

/** Leaves out of a verification what requests have at the place of a credential. @param expectation Whose members the differences name. */
export function withoutActual(differences: Differences, expectation: unknown): Differences {
  return differences.map((each) => {
    const names = each.path.split('/').slice(1);
    const member = names.reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | undefined)?.[name],
      expectation,
    );
    const isHidden = isSecretHeader(names.at(-1) ?? '') || (isObject(member) && isSecret(member));
    return isHidden ? { ...each, actual: each.actual.map(() => HIDDEN) } : each;
  });
}

function isSecret({ target, property }: Record<string, unknown>): boolean {
  if (typeof target !== 'string' || typeof property !== 'string') return false;
  return SECRET_TARGETS.has(target) || (/^(?:header|query)$/.test(target) && isSecretHeader(property));
}
