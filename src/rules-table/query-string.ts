/** Edits the parameters of a query. Parameters that no rule changes stay byte for byte, in their order. */
import { decodeForm } from '../base/percent.ts';

/** The texts between the ampersands: "a=1", "b", "". */
export type Parameters = readonly string[];

export function parseQuery(query: string | undefined): Parameters {
  return query === undefined || query === '' ? [] : query.split('&');
}

/** @returns undefined without parameters: the URL then has no "?" either. */
export function printQuery(parameters: Parameters): string | undefined {
  return parameters.length === 0 ? undefined : parameters.join('&');
}

export function appendParameter(parameters: Parameters, name: string, value: string): Parameters {
  return [...parameters, parameterOf(name, value)];
}

/** Replaces all parameters of that name by one, at the position of the first; appends it when there is none. */
export function overwriteParameter(parameters: Parameters, name: string, value: string): Parameters {
  const first = parameters.findIndex((each) => isNamed(each, name));
  if (first === -1) return appendParameter(parameters, name, value);
  return parameters.flatMap((each, index) => {
    if (index === first) return [parameterOf(name, value)];
    return isNamed(each, name) ? [] : [each];
  });
}

export function removeParameter(parameters: Parameters, name: string): Parameters {
  return parameters.filter((each) => !isNamed(each, name));
}

export function hasParameter(parameters: Parameters, name: string): boolean {
  return parameters.some((each) => isNamed(each, name));
}

function isNamed(parameter: string, name: string): boolean {
  const equals = parameter.indexOf('=');
  const found = equals === -1 ? parameter : parameter.slice(0, equals);
  return found === name || (ESCAPE.test(found) && decodeForm(found) === name);
}

const ESCAPE = /[%+]/;

/** Everything that must be percent-encoded in a query. Existing valid escapes are kept. */
const FORBIDDEN_IN_NAME = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$'()*+,;:@/?%]+/g;
const FORBIDDEN_IN_VALUE = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$'()*+,;:@/?=%]+/g;

function parameterOf(name: string, value: string): string {
  return `${encoded(name, FORBIDDEN_IN_NAME)}=${encoded(value, FORBIDDEN_IN_VALUE)}`;
}

function encoded(text: string, forbidden: RegExp): string {
  return text.replace(forbidden, (found) => encodeURIComponent(found.toWellFormed()));
}
