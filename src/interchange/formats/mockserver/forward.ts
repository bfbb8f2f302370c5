/** Expectations that send requests on: to a server that they name, with headers and a path in place of the request's. */
import { isObject } from '../../../base/json-object.ts';
import type { HeaderEdit } from '../../../model/mocks/definition/definition.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';
import { scalarText } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { headerEdits, upstreamProblem } from '../../stubs/stub-proxy.ts';
import type { StubProxy } from '../../stubs/stub.ts';
import { namedValues } from './named.ts';

type Value = Readonly<Record<string, unknown>>;

/** Behind the path of a template: the query of the request. */
const OWN_QUERY = "{{regexExtract (url) '[?].*' default=''}}";

/** `httpForward`. @param action Accounted for. @returns undefined where no upstream can be named: the item reports why. */
export function forwardOf(action: Member, item: Item, report: ReportWriter): StubProxy | undefined {
  return checked({ upstream: addressOf(asObject(action.value)) }, action, item, report);
}

/** `httpOverrideForwardedRequest`. */
export function overrideOf(action: Member, item: Item, report: ReportWriter): StubProxy | undefined {
  const value = asObject(action.value);
  const request = asObject(value.requestOverride ?? value.httpRequest);
  const response = asObject(value.responseOverride ?? value.httpResponse);
  const { headers, path, socketAddress, secure, ...others } = request;
  const { headers: answered, ...otherAnswers } = response;
  const modifiers = [value.requestModifier, value.responseModifier].map(asObject);
  const unsaid = [others, otherAnswers, ...modifiers].flatMap(Object.keys).filter((name) => name !== 'headers');
  if (value.responseTemplate !== undefined) unsaid.push('responseTemplate');
  const asked = scalarText(path);
  if (asked?.includes('{{') === true || (path !== undefined && asked === undefined)) unsaid.push('path');
  if (unsaid.length > 0) {
    item.note('mockserver.forward', action, `it changes ${[...new Set(unsaid)].join(', ')}`);
    return undefined;
  }
  const requestHeaders = [...editsOf(headers), ...modified(modifiers[0])];
  const responseHeaders = [...editsOf(answered), ...modified(modifiers[1])];
  const host = requestHeaders.find(({ name }) => name.toLowerCase() === 'host')?.value ?? '';
  const isNamed = isObject(socketAddress);
  const upstream = isNamed ? addressOf(socketAddress) : `http${secure === true ? 's' : ''}://${host}`;
  // The address says it already.
  const kept = isNamed ? requestHeaders : requestHeaders.filter(({ name }) => name.toLowerCase() !== 'host');
  const made = checked({ upstream, requestHeaders: kept, responseHeaders }, action, item, report);
  return made === undefined || asked === undefined || asked === '' ? made : { ...made, path: `${asked}${OWN_QUERY}` };
}

function asObject(value: unknown): Value {
  return isObject(value) ? value : {};
}

function addressOf({ host, port, scheme }: Value): string {
  const isSecure = scalarText(scheme)?.toUpperCase() === 'HTTPS';
  const own = scalarText(port) ?? '80';
  const isUsual = own === (isSecure ? '443' : '80');
  return `http${isSecure ? 's' : ''}://${scalarText(host) ?? ''}${isUsual ? '' : `:${own}`}`;
}

function editsOf(headers: unknown): HeaderEdit[] {
  return (namedValues(headers ?? {}) ?? []).flatMap(({ name, values }) =>
    values.map((value) => ({ name: scalarText(name) ?? '', value: scalarText(value) ?? '' })),
  );
}

/** Sets replaced headers, which MockServer replaces only where they were sent. */
function modified(modifier: Value = {}): HeaderEdit[] {
  const { add, replace, remove } = asObject(modifier.headers);
  const removed = [remove ?? []].flat().map((name) => ({ name: scalarText(name) ?? '', value: null }));
  return [...removed, ...editsOf(replace), ...editsOf(add)];
}

function checked(
  { upstream, requestHeaders: requestEdits = [], responseHeaders: responseEdits = [] }: StubProxy,
  action: Member,
  item: Item,
  report: ReportWriter,
): StubProxy | undefined {
  const problem = upstreamProblem(upstream);
  if (problem !== undefined) {
    item.note('mockserver.forward', action, `${upstream}: ${problem}`);
    return undefined;
  }
  const sent = (of: 'requestHeaders' | 'responseHeaders', edits: readonly HeaderEdit[]): HeaderEdit[] => {
    const own = edits.filter(({ name }) => !isServersOwn(name));
    report.count('mockserver.framing-headers', edits.length - own.length);
    return headerEdits(of, own, (why) => item.note('mockserver.proxy-headers', action, why));
  };
  const requestHeaders = sent('requestHeaders', requestEdits);
  const responseHeaders = sent('responseHeaders', responseEdits);
  report.count('import.proxied');
  return {
    upstream,
    ...(requestHeaders.length === 0 ? {} : { requestHeaders }),
    ...(responseHeaders.length === 0 ? {} : { responseHeaders }),
  };
}
