/** Proxies as stubs with a `proxyBaseUrl`: those of responses, and behind or before all others the one of the settings. */
import { sendsOn } from '../../../model/mocks/upstream/proxy.ts';
import type {
  HeaderEdit,
  MockResponse,
  MockSettings,
  ProxySettings,
} from '../../../model/mocks/definition/definition.ts';
import type { Item } from '../../report/report.ts';
import { prefixIn, REQUEST_URL } from '../../stubs/stub-proxy.ts';
import { writtenTemplate } from './write-template.ts';

/** @returns What the stub responds with. */
export function writtenProxy(
  { proxy = {}, templated, fault }: Pick<MockResponse, 'proxy' | 'templated' | 'fault'>,
  { proxy: settings }: Pick<MockSettings, 'proxy'>,
  item: Item,
): object {
  const upstream = settings === null ? undefined : (proxy.upstream ?? settings?.upstream);
  if (upstream === undefined) {
    item.note('wiremock-export.proxy', undefined, 'nothing is sent on: the stub answers 502');
    return { status: 502 };
  }
  if (fault !== undefined) item.note('wiremock-export.fault', undefined, fault.kind);
  if (proxy.host === 'keep') item.note('wiremock-export.proxy', undefined, 'WireMock sends the `Host` of the upstream');
  const { path } = proxy;
  const base = upstream.replace(/(?<!\/)\/+$/, '');
  const isTemplate = path !== undefined && templated !== false;
  const prefix = isTemplate ? prefixIn(path) : undefined;
  const before =
    prefix === undefined && isTemplate && path.endsWith(REQUEST_URL) ? path.slice(0, -REQUEST_URL.length) : '';
  if (path !== undefined && prefix === undefined && before === '' && !(isTemplate && path === REQUEST_URL))
    item.note('wiremock-export.proxy', undefined, `the path ${path}: WireMock asks for that of the request`);
  return {
    proxyBaseUrl: `${base}${writtenTemplate(before, item)}`,
    ...(prefix === undefined ? {} : { proxyUrlPrefixToRemove: prefix }),
    ...editsOf({ ...settings, ...proxy }, item),
    ...(before === '' ? {} : { transformers: ['response-template'] }),
  };
}

function editsOf({ requestHeaders = [], responseHeaders = [] }: Partial<ProxySettings>, item: Item): object {
  for (const { name, value } of responseHeaders) {
    const why = value === null ? 'WireMock does not remove it' : "WireMock sends it beside the upstream's";
    item.note('wiremock-export.proxy', undefined, `${name}: ${why}`);
  }
  const removed = requestHeaders.filter(({ value }) => value === null).map(({ name }) => name);
  return {
    ...valuesOf('additionalProxyRequestHeaders', requestHeaders),
    ...(removed.length === 0 ? {} : { removeProxyRequestHeaders: removed }),
    ...valuesOf('headers', responseHeaders),
  };
}

function valuesOf(member: string, edits: readonly HeaderEdit[]): object {
  const set = edits.filter(({ value }) => value !== null);
  return set.length === 0 ? {} : { [member]: Object.fromEntries(set.map(({ name, value }) => [name, value])) };
}

/** @param stubs In the order in which they are asked. @param mock Notes what WireMock has no place for. */
export function withCatchAll(stubs: readonly object[], settings: MockSettings, mock: Item): readonly object[] {
  const { proxy } = settings;
  if (proxy === undefined || proxy === null) return stubs;
  const { timeoutMs, host, rewrite, record, rules } = proxy;
  if (timeoutMs !== undefined) mock.note('wiremock-export.settings', undefined, 'proxy.timeoutMs');
  if (record === true) mock.note('wiremock-export.settings', undefined, 'proxy.record');
  if (rules === true) mock.note('wiremock-export.settings', undefined, 'proxy.rules');
  if (host === 'keep') mock.note('wiremock-export.settings', undefined, 'proxy.host');
  if (rewrite !== false) mock.note('wiremock-export.settings', undefined, 'proxy.rewrite');
  if (!sendsOn(settings)) return stubs;
  const last = { request: { method: 'ANY' }, response: writtenProxy({ templated: false }, settings, mock) };
  return proxy.when === 'always' ? [last, ...stubs] : [...stubs, last];
}
