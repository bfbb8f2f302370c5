/** A stub that sends requests on: `proxyBaseUrl`, and what is changed on the way. WireMock has no use there for a status, a body and a fault. */
import type { HeaderEdit, HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';
import { countMembers, printed, scalarText, textIn, typed, type Members } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { headerEdits, REQUEST_URL, upstreamProblem, urlWithout } from '../../stubs/stub-proxy.ts';
import type { StubProxy, StubResponse } from '../../stubs/stub.ts';
import type { RewordedText } from '../../templates/reword.ts';

/** Members that have no effect without a `proxyBaseUrl`. */
export const PROXY: Members = {
  proxyUrlPrefixToRemove: ['text'],
  additionalProxyRequestHeaders: ['object'],
  removeProxyRequestHeaders: ['array'],
};
/** Members that have no effect beside it. */
const UNUSED: Members = {
  status: ['number'],
  body: ['text'],
  base64Body: ['text'],
  jsonBody: ['any'],
  bodyFileName: ['text'],
  fault: ['text'],
};

/**
 * @param own   A text of the stub in our words.
 * @param lines Those that the answer has besides the other server's.
 * @returns undefined where no upstream can be named: the item reports why.
 */
export function readForward(
  response: Member,
  own: (text: string) => RewordedText,
  lines: readonly HeaderLine[],
  item: Item,
  report: ReportWriter,
): Pick<StubResponse, 'forward' | 'templated'> | undefined {
  countMembers(response, UNUSED, { code: 'wiremock.metadata' }, report);
  const source = response.at('/proxyBaseUrl');
  const base = (textIn(response, 'proxyBaseUrl') ?? '').trim();
  const prefix = textIn(response, 'proxyUrlPrefixToRemove') ?? '';
  const changes = (text: string): void => item.note('wiremock.proxy-headers', undefined, text);
  const fixed = ({ name, value }: HeaderEdit): boolean => {
    const isFixed = value === null || !own(value).templated;
    if (!isFixed) changes(`${name}: its value is a template`);
    return isFixed;
  };
  const requestHeaders = headerEdits('requestHeaders', requestEdits(response, report).filter(fixed), changes);
  const responseHeaders = headerEdits('responseHeaders', lines.filter(fixed), changes);
  for (const { name } of responseHeaders) changes(`${name}: it replaces the header of the upstream`);
  if (typed(response, 'chunkedDribbleDelay', 'object')?.whole() !== undefined)
    item.note('wiremock.proxy-delivery', response.at('/chunkedDribbleDelay'));
  const target = targetOf(base, prefix, own, item);
  const problem = typeof target === 'string' ? target : upstreamProblem(target.upstream);
  if (typeof target === 'string' || problem !== undefined) {
    item.note('wiremock.proxy', source, `${base}: ${problem}`);
    return undefined;
  }
  report.count('import.proxied');
  const forward: StubProxy = {
    ...target,
    ...(requestHeaders.length === 0 ? {} : { requestHeaders }),
    ...(responseHeaders.length === 0 ? {} : { responseHeaders }),
  };
  return { forward, ...(target.path === undefined ? {} : { templated: true }) };
}

/** @returns Why there is none. */
function targetOf(
  base: string,
  prefix: string,
  own: (text: string) => RewordedText,
  item: Item,
): Pick<StubProxy, 'upstream' | 'path'> | string {
  const [, origin, path = ''] = /^(https?:\/\/[^/?#]*)(.*)$/is.exec(base) ?? [];
  if (origin === undefined || own(origin).templated) return 'the request decides the target host';
  const words = own(path.replace(/(?<!\/)\/+$/, ''));
  noteWords([words], item);
  const url = urlWithout(prefix);
  if (url === undefined) return 'its path cannot be written as a template';
  if (words.templated) return { upstream: origin, path: `${words.text}${url}` };
  return { upstream: `${origin}${words.text}`, ...(url === REQUEST_URL ? {} : { path: url }) };
}

/** Keeps added headers, also where they are removed. Only the first of several values is sent. */
function requestEdits(response: Member, report: ReportWriter): HeaderEdit[] {
  const added = typed(response, 'additionalProxyRequestHeaders', 'object')?.members() ?? [];
  const removed = typed(response, 'removeProxyRequestHeaders', 'array')?.items() ?? [];
  const edits = [
    ...added.map(({ name, value }) => ({ name, value: scalarText([value].flat()[0]) ?? '' })),
    ...removed.map(({ value }) => ({ name: printed(value), value: null })),
  ];
  for (const each of added) each.whole();
  const names = new Set(added.map(({ name }) => name.toLowerCase()));
  return edits.filter(({ name, value }) => {
    const isFramed = isServersOwn(name) || (value === null && name.toLowerCase() === 'host');
    if (isFramed) report.count('wiremock.framing-headers');
    return !isFramed && (value !== null || !names.has(name.toLowerCase()));
  });
}

/** Notes what has no words here, and what prints otherwise. */
export function noteWords(all: readonly RewordedText[], item: Item): void {
  for (const { unknown, different } of all) {
    for (const each of unknown) item.note('wiremock.template', undefined, each);
    for (const each of different) item.note('wiremock.template-value', undefined, each);
  }
}
