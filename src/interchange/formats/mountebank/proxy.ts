/** A response that another server gives. By default mountebank records the answers, and repeats the first of each kind. */
import { isObject } from '../../../base/json-object.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';
import { scalarText } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { headerEdits, REQUEST_URL, upstreamProblem, urlWithout } from '../../stubs/stub-proxy.ts';
import type { StubProxy } from '../../stubs/stub.ts';
import { quoted } from '../../templates/terms.ts';

/** Settings of a connection. */
const CONNECTION = ['cert', 'key', 'passphrase', 'ciphers', 'secureProtocol', 'keepalive'] as const;

const KNOWN: ReadonlySet<string> = new Set([
  ...CONNECTION,
  'to',
  'mode',
  'predicateGenerators',
  'addWaitBehavior',
  'addDecorateBehavior',
  'injectHeaders',
  'pathRewrite',
]);

/** @param proxy Accounted for. @returns undefined where no upstream can be named: the item reports why. */
export function readProxy(proxy: Member, item: Item, report: ReportWriter): StubProxy | undefined {
  const value = isObject(proxy.value) ? proxy.value : {};
  const to = scalarText(value.to) ?? '';
  const upstream = to.replace(/(?<!\/)\/+$/, '');
  const problem = upstreamProblem(upstream);
  if (problem !== undefined) {
    item.note('mountebank.proxy', proxy, to === '' ? problem : `${to}: ${problem}`);
    return undefined;
  }
  const mode = value.mode === 'proxyAlways' || value.mode === 'proxyTransparent' ? value.mode : 'proxyOnce';
  const isRecorded = mode !== 'proxyTransparent';
  if (isRecorded) item.note('mountebank.recording', proxy, mode);
  for (const name of CONNECTION) {
    const option = proxy.at(`/${name}`);
    if (option !== undefined && option.value !== null) item.note('mountebank.proxy-option', option, name);
  }
  for (const name of proxy.names()) if (!KNOWN.has(name)) item.noteUnknown('import.unknown', proxy.get(name) as Member);
  const path = rewritten(value.pathRewrite);
  const given = isObject(value.injectHeaders) ? Object.entries(value.injectHeaders) : [];
  const edits = given
    .filter(([name]) => !isServersOwn(name))
    .map(([name, each]) => ({ name, value: scalarText(each) ?? '' }));
  report.count('mountebank.framing-headers', given.length - edits.length);
  const requestHeaders = headerEdits('requestHeaders', edits, (why) =>
    item.note('mountebank.proxy-headers', proxy.at('/injectHeaders'), why),
  );
  item.count('mountebank.proxied');
  report.count('import.proxied');
  return {
    upstream,
    ...(isRecorded ? { record: true } : {}),
    ...(path === undefined ? {} : { path }),
    ...(requestHeaders.length === 0 ? {} : { requestHeaders }),
  };
}

/** Servers that speak as mountebank does have it: a part of the path that is another one upstream. @returns A template. */
function rewritten(given: unknown): string | undefined {
  const { from, to } = isObject(given) ? given : {};
  if (typeof from !== 'string' || typeof to !== 'string' || from === '') return undefined;
  const own = to === '' ? urlWithout(from) : `{{replace (url) ${quoted(from)} ${quoted(to)}}}`;
  return own === REQUEST_URL ? undefined : own;
}
