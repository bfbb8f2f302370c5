/** Reads the requests that an expectation takes. A condition that cannot be expressed drops it. */
import { parameterName, routeMethod } from '../../exchanges/literal-path.ts';
import type { ReadRule } from '../../format.ts';
import { countMembers, typed, unreadIn, type Members } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { EVERY_PATH, pathOfPattern, pathOfText, type StubPath } from '../../stubs/stub-path.ts';
import type { StubRequest } from '../../stubs/stub.ts';
import { schemeRule } from '../../stubs/stub-rules.ts';
import { bodyRules } from './body.ts';
import { namedRules } from './named.ts';
import { isPlain, nottableOf, textRules } from './texts.ts';

const METADATA: Members = {
  socketAddress: ['any'],
  localAddress: ['text'],
  remoteAddress: ['text'],
  protocol: ['text'],
  clientCertificateChain: ['any'],
};
const NAMED: readonly (readonly [name: string, target: string])[] = [
  ['queryStringParameters', 'query'],
  ['headers', 'header'],
  ['cookies', 'cookie'],
  ['pathParameters', 'urlParam'],
];
const UNSAID = ['keepAlive', 'not'] as const;

/** @returns undefined when it cannot be expressed: the item reports why. */
export function readRequest(request: Member | undefined, item: Item, report: ReportWriter): StubRequest | undefined {
  if (request === undefined) {
    item.note('mockserver.matcher', undefined, 'it has no request');
    return undefined;
  }
  if (request.has('specUrlOrPayload')) {
    request.whole();
    item.note('mockserver.openapi', request);
    return undefined;
  }
  countMembers(request, METADATA, { code: 'mockserver.metadata' }, report);
  const rules: ReadRule[] = [];
  let isSaid = true;
  const add = (source: Member, found: readonly ReadRule[] | string): void => {
    if (typeof found === 'string') {
      item.note('mockserver.matcher', source, found);
      isSaid = false;
    } else rules.push(...found);
  };
  let method = 'ANY';
  const written = request.get('method');
  if (written !== undefined) {
    const given = nottableOf(written.whole());
    const own = given === undefined || given.isNot ? undefined : routeMethod(given.text);
    if (own !== undefined) method = own;
    else add(written, textRules({ target: 'method' }, written.value));
  }
  const path = request.get('path');
  const place = path && pathOf(path.whole());
  if (path !== undefined && place === undefined) add(path, textRules({ target: 'path' }, path.value));
  if (place?.path.pathKind === undefined && place !== undefined) item.count('mockserver.path-case');
  for (const [name, target] of NAMED) {
    const member = request.get(name);
    if (member !== undefined) add(member, namedRules(target, member.whole()));
  }
  const body = request.get('body');
  if (body !== undefined) add(body, bodyRules(body.whole()));
  if (typed(request, 'secure', 'flag')?.value === true) rules.push(schemeRule(true));
  for (const name of UNSAID) {
    const member = request.get(name);
    if (member === undefined) continue;
    member.whole();
    if (name !== 'keepAlive' && member.value !== false && member.value !== null)
      add(member, `${name} is not supported`);
  }
  if (isSaid) for (const member of unreadIn(request)) add(member, `${member.name} is not known here`);
  item.name = `${method} ${(place?.path ?? EVERY_PATH).path}`;
  return isSaid ? { method, path: place?.path ?? EVERY_PATH, rules } : undefined;
}

/** @returns undefined where rules say the path. */
function pathOf(value: unknown): { readonly path: StubPath } | undefined {
  const given = nottableOf(value);
  if (given === undefined || given.isNot || given.text.trim() === '') return undefined;
  const { text } = given;
  if (isPlain(text)) return { path: pathOfText(text) };
  if (/^(?:\/(?:\{[^{}/]+\}|[^{}/\\^$|?*+()[\]]+))+$/.test(text) && text.includes('{')) {
    return { path: { path: text.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => `:${parameterName(name)}`) } };
  }
  return { path: pathOfPattern(text) };
}
