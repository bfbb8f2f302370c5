/** Recorded requests and explanations without the credentials that the requests carried. */
import { isObject } from '../../../base/json-object.ts';
import { isSecretHeader, SECRET_TARGETS } from '../../../model/mocks/secret-parts.ts';

const HIDDEN = '…';

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

/** Of the verdict on a condition, what the request has at the place of a credential. */
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

function isSecret({ target, property }: Record<string, unknown>): boolean {
  if (typeof target !== 'string' || typeof property !== 'string') return false;
  return SECRET_TARGETS.has(target) || (/^(?:header|query)$/.test(target) && isSecretHeader(property));
}
