/** Proxy settings: checks that schemas cannot express. */
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { BODY_FAULTS, type Report } from '../behaviour/behaviour-checks.ts';
import type {
  HeaderEdit,
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
  ProxySettings,
} from '../definition/definition.ts';
import { headerNameProblem, headerProblem } from '../definition/edit-checks.ts';

export function checkProxy(proxy: ProxySettings, sharedDomains: readonly string[], report: Report): void {
  const problem = upstreamProblem(proxy.upstream);
  if (problem !== undefined) report('/upstream', problem);
  checkEdits(proxy, sharedDomains, report);
  for (const [index, name] of (proxy.redact?.headers ?? []).entries()) {
    const found = headerNameProblem(name);
    if (found !== undefined) report(`/redact/headers/${index}`, found);
  }
}

function checkEdits(
  { requestHeaders, responseHeaders }: Pick<ProxySettings, 'requestHeaders' | 'responseHeaders'>,
  sharedDomains: readonly string[],
  report: Report,
): void {
  for (const [index, each] of (requestHeaders ?? []).entries()) {
    const found = editProblem(each, [], OWN_OF_REQUESTS);
    if (found !== undefined) report(`/requestHeaders/${index}`, found);
  }
  for (const [index, each] of (responseHeaders ?? []).entries()) {
    const found = editProblem(each, sharedDomains, NONE);
    if (found !== undefined) report(`/responseHeaders/${index}`, found);
  }
}

const NONE: ReadonlySet<string> = new Set();
const OWN_OF_REQUESTS: ReadonlySet<string> = new Set(['expect', 'te', 'trailer', 'via']);

function editProblem(
  { name, value }: HeaderEdit,
  sharedDomains: readonly string[],
  own: ReadonlySet<string>,
): string | undefined {
  const problem = headerProblem(name, value ?? '', sharedDomains);
  if (problem !== undefined) return problem;
  const lower = name.toLowerCase();
  if (own.has(lower) || lower.startsWith('x-switchyard-')) return `the server sets ${name}`;
  // Sent as they are to another server: what is beyond one byte has no form there.
  return /[^\t\u0020-\u00ff]/.test(value ?? '') ? 'the value must not contain characters above U+00FF' : undefined;
}

/** Checks members of a response against its `proxy`: the upstream provides everything else. */
export function checkResponseProxy(
  { proxy, body, headers, delivery, templated, fault }: MockResponse,
  report: Report,
): void {
  if (proxy === undefined) return;
  if (proxy.upstream !== undefined) {
    const problem = upstreamProblem(proxy.upstream);
    if (problem !== undefined) report('/proxy/upstream', problem);
  }
  if (proxy.path !== undefined) {
    const problem = pathProblem(proxy.path, templated !== false);
    if (problem !== undefined) report('/proxy/path', problem);
  }
  // Cookies of shared domains are left out as those of the upstream are: when they are sent.
  checkEdits(proxy, [], (path, problem) => report(`/proxy${path}`, problem));
  if (body !== '') report('/body', 'cannot be combined with proxy, which returns the body of the upstream');
  if (headers.length > 0)
    report('/headers', 'cannot be combined with proxy, which returns the headers of the upstream');
  if (delivery !== undefined)
    report('/delivery', 'cannot be combined with proxy, which streams the response of the upstream');
  if (fault !== undefined && BODY_FAULTS.has(fault.kind))
    report('/fault/kind', `${fault.kind} needs a body of the mock itself`);
}

function upstreamProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\/[^\s\\]+$/i.test(text))
    return 'expected a URL such as https://api.example.com/v1';
  if (url.username !== '' || url.password !== '') return 'must not contain a user and password: set a request header';
  if (/[?#]/.test(text)) return 'must not contain a query or a fragment';
  return undefined;
}

function pathProblem(path: string, isTemplate: boolean): string | undefined {
  const problem = isTemplate ? templateProblem(path, 'text') : undefined;
  if (problem !== undefined) return problem;
  if (!path.startsWith('/') && !(isTemplate && path.startsWith('{{'))) return 'must start with /';
  return path.includes('#') && !isTemplate ? 'must not contain a fragment' : undefined;
}

interface ProxyingMock extends Pick<MockDefinition, 'routes'> {
  readonly settings: Pick<MockSettings, 'proxy'>;
}

/** Some request may go to an upstream. */
export function mayProxy({ settings, routes }: ProxyingMock): boolean {
  return proxiesMisses(settings) || routes.some(({ responses }) => responses.some(({ proxy }) => proxy !== undefined));
}

/** Requests that no response with `proxy` answers may go to an upstream. */
export function proxiesMisses({ proxy }: { readonly proxy?: MockSettings['proxy'] }): boolean {
  return proxy !== undefined && proxy !== null && proxy.when !== 'never';
}

/** Each completes a sentence that begins with the response, or with "The settings". @param routes Those that are enabled. */
export function proxyWarnings(
  routes: readonly MockRoute[],
  { proxy }: MockSettings,
): { routeId?: string; responseId?: string; warning: string }[] {
  if (proxy?.when === 'always' && proxy.onFailure !== 'mock' && routes.length > 0)
    return [{ warning: 'proxy every request: no route ever answers' }];
  if ((proxy?.record === true || proxy?.rules === true) && !mayProxy({ settings: { proxy }, routes })) {
    const does = proxy.record === true ? 'record nothing' : 'have rules act on nothing';
    return [{ warning: `${does}: \`when\` is never, and no response has a proxy` }];
  }
  if (proxy !== undefined && proxy !== null) return [];
  return routes.flatMap(({ id: routeId, responses }) =>
    responses
      .filter((response) => response.proxy !== undefined && response.proxy.upstream === undefined)
      .map(({ id: responseId }) => ({
        routeId,
        responseId,
        warning: 'has a proxy without `upstream`, and the settings have none: it answers 502',
      })),
  );
}
