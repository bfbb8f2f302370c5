/**
 * Stubs that send requests on to another server. Tools say it stub by stub; a mock says in its settings what most have in common, and in a
 * response what is its own.
 */
import type { HeaderEdit, ProxySettings, ResponseProxy } from '../../model/mocks/definition/definition.ts';
import { checkProxy } from '../../model/mocks/upstream/proxy.ts';
import { quoted } from '../templates/terms.ts';
import { EVERY_PATH, escapePattern } from './stub-path.ts';
import type { Stub, StubProxy, StubResponse } from './stub.ts';

interface ProxiedStubs {
  readonly stubs: readonly Stub[];
  readonly proxy?: ProxySettings;
}

/** @param isAlone Whether the stubs come into a mock whose settings are not theirs: their responses say all. */
export function takeProxy(stubs: readonly Stub[], isAlone: boolean): ProxiedStubs {
  const all = stubs.flatMap(({ responses }) => responses.flatMap(({ forward }) => forward ?? []));
  if (all.length === 0) return { stubs };
  if (isAlone) return { stubs: stubs.map((stub) => withProxies(stub, wholeProxy)) };
  const last = stubs.at(-1) as Stub;
  const rest = isCatchAll(last) ? last.responses[0]?.forward : undefined;
  const usual = rest === undefined ? mostOf(all.map(editsOf)) : editsOf(rest);
  const upstream = rest?.upstream ?? mostOf(all.filter((each) => editsOf(each) === usual).map((each) => each.upstream));
  const proxied = (stub: Stub): Stub =>
    withProxies(stub, (forward) => ({
      ...(forward.upstream === upstream ? {} : { upstream: forward.upstream }),
      ...(forward.path === undefined ? {} : { path: forward.path }),
      ...(editsOf(forward) === usual ? {} : ownEdits(forward)),
    }));
  const { requestHeaders, responseHeaders, host } = JSON.parse(usual) as Edits;
  const proxy: ProxySettings = {
    upstream,
    when: rest === undefined ? 'never' : 'unmatched',
    ...(host === undefined ? {} : { host }),
    ...(requestHeaders.length === 0 ? {} : { requestHeaders }),
    ...(responseHeaders.length === 0 ? {} : { responseHeaders }),
    // The tools pass on redirects and cookies as they are.
    rewrite: false,
    ...(all.some(({ record }) => record === true) ? { record: true } : {}),
  };
  return { stubs: (rest === undefined ? stubs : stubs.slice(0, -1)).map(proxied), proxy };
}

/** Whether it sends on whatever no other stub takes, and does nothing else: that is a setting. */
export function isCatchAll({ method, path, rules, responses, times }: Stub): boolean {
  const [only, ...others] = responses;
  if (only?.forward === undefined || others.length > 0 || times !== undefined) return false;
  const isPlain = [only.forward.path, only.latency, only.fault, only.scenario].every((each) => each === undefined);
  return isPlain && method === 'ANY' && rules.length === 0 && path.path === EVERY_PATH.path;
}

interface Edits extends Pick<StubProxy, 'host'> {
  readonly requestHeaders: readonly HeaderEdit[];
  readonly responseHeaders: readonly HeaderEdit[];
}

function editsOf({ requestHeaders = [], responseHeaders = [], host }: StubProxy): string {
  return JSON.stringify({ requestHeaders, responseHeaders, host });
}

/** The first of several that are equally frequent. */
function mostOf(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

function withProxies(stub: Stub, proxyOf: (forward: StubProxy) => ResponseProxy): Stub {
  const proxied = ({ forward, ...response }: StubResponse): StubResponse =>
    forward === undefined ? response : { ...response, proxy: proxyOf(forward) };
  return { ...stub, responses: stub.responses.map(proxied) };
}

/** Each is named, so that the settings have no say. */
function ownEdits({ requestHeaders = [], responseHeaders = [], host }: StubProxy): ResponseProxy {
  return { host: host ?? 'upstream', requestHeaders, responseHeaders };
}

function wholeProxy(forward: StubProxy): ResponseProxy {
  const { upstream, path } = forward;
  return { upstream, ...(path === undefined ? {} : { path }), ...ownEdits(forward), rewrite: false };
}

/** @returns Why no mock can have it as an upstream. */
export function upstreamProblem(upstream: string): string | undefined {
  if (upstream.length > UPSTREAM_CHARS_MAX) return `it has more than ${UPSTREAM_CHARS_MAX} characters`;
  return problemsOf({ upstream })[0];
}

const UPSTREAM_CHARS_MAX = 2_000;
const EDITS_MAX = 100;

/** @param refuse Gets what is wrong with an edit that is left out. */
export function headerEdits(
  of: 'requestHeaders' | 'responseHeaders',
  edits: readonly HeaderEdit[],
  refuse: (problem: string) => void,
): HeaderEdit[] {
  if (edits.length > EDITS_MAX) refuse(`only the first ${EDITS_MAX} are kept`);
  return edits.slice(0, EDITS_MAX).filter((edit) => {
    const [problem] = problemsOf({ upstream: 'http://x', [of]: [edit] });
    if (problem !== undefined) refuse(`${edit.name}: ${problem}`);
    return problem === undefined;
  });
}

function problemsOf(proxy: ProxySettings): string[] {
  const problems: string[] = [];
  checkProxy(proxy, [], (_, problem) => problems.push(problem));
  return problems;
}

/** A template: the path and query of the request. */
export const REQUEST_URL = '{{url}}';

/** The same without a prefix of the path, where it is there. @returns undefined for a prefix that no template can name. */
export function urlWithout(prefix: string): string | undefined {
  const bare = prefix.replace(/(?<!\/)\/+$/, '');
  const pattern = quoted(`^(?:${escapePattern(bare)})?/?(.*)$`);
  return bare === '' ? REQUEST_URL : pattern && `/{{regexExtract (url) ${pattern} 1}}`;
}
