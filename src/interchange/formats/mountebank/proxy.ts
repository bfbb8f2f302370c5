/** A response that another server gives. By default mountebank records the answers, and repeats the first of each kind. */
import { isObject } from '../../../base/json-object.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';
import { scalarText } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { headerEdits, upstreamProblem } from '../../stubs/stub-proxy.ts';
import type { StubProxy } from '../../stubs/stub.ts';

/** What says how it connects. */
const CONNECTION = ['cert', 'key', 'passphrase', 'ciphers', 'secureProtocol', 'keepalive'] as const;

/** @param proxy Accounted for. @returns undefined where no upstream can be named: the item reports why. */
export function readProxy(proxy: Member, item: Item, report: ReportWriter): StubProxy | undefined {
  const value = isObject(proxy.value) ? proxy.value : {};
  const to = scalarText(value.to) ?? '';
  const upstream = to.replace(/\/+$/, '');
  const problem = upstreamProblem(upstream);
  if (problem !== undefined) {
    item.note('mountebank.proxy', proxy, `${to}: ${problem}`);
    return undefined;
  }
  const mode = value.mode === 'proxyAlways' || value.mode === 'proxyTransparent' ? value.mode : 'proxyOnce';
  if (mode !== 'proxyTransparent') item.note('mountebank.recording', proxy, mode);
  for (const name of CONNECTION) {
    const option = proxy.at(`/${name}`);
    if (option !== undefined && option.value !== null) item.note('mountebank.proxy-option', option, name);
  }
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
  return { upstream, ...(requestHeaders.length === 0 ? {} : { requestHeaders }) };
}
