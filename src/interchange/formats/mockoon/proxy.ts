/**
 * The server that answers what no route does: a setting. Where it is asked without the prefix of the environment, paths with the prefix
 * have a route of their own.
 */
import type { HeaderEdit, ProxySettings } from '../../../model/mocks/definition/definition.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';
import type { ReadRoute } from '../../format.ts';
import { countMembers, objectsIn, textIn, typed, type Members } from '../../reading/members.ts';
import type { Member } from '../../source/member.ts';
import { stableId } from '../../stable-id.ts';
import { headerEdits, REQUEST_URL, upstreamProblem, urlWithout } from '../../stubs/stub-proxy.ts';
import type { RouteContext } from './context.ts';
import { endpointPath, joinedPath } from './path.ts';
import { readTemplate } from './templates.ts';

const PROXY: Members = {
  proxyHost: ['text'],
  proxyRemovePrefix: ['flag'],
  proxyReqHeaders: ['any'],
  proxyResHeaders: ['any'],
};

interface ProxiedRoutes {
  readonly proxy: ProxySettings;
  readonly routes: readonly ReadRoute[];
}

/** @param latency That of the environment. @returns undefined where nothing is sent on. */
export function readProxy(environment: Member, latency: number, context: RouteContext): ProxiedRoutes | undefined {
  const { report } = context;
  const item = report.itemOf(environment);
  const mode = typed(environment, 'proxyMode', 'flag');
  const upstream = environment.at('/proxyHost')?.text() ?? '';
  if (mode?.value !== true || upstream === '') {
    report.count('mockoon.environment');
    countMembers(environment, PROXY, { code: 'mockoon.environment' }, report);
    return undefined;
  }
  const problem = upstreamProblem(upstream);
  if (problem !== undefined) {
    item.note('mockoon.proxy', mode, `${upstream}: ${problem}`);
    countMembers(environment, PROXY, { code: 'mockoon.environment' }, report);
    return undefined;
  }
  textIn(environment, 'proxyHost');
  const requestHeaders = editsIn('proxyReqHeaders', 'requestHeaders', environment, context);
  const responseHeaders = editsIn('proxyResHeaders', 'responseHeaders', environment, context);
  for (const { name } of context.headers)
    item.note('mockoon.proxy-headers', environment.at('/headers'), `${name} is only sent with responses`);
  if (latency > 0) item.note('mockoon.proxy-latency', environment.at('/latency'));
  item.note('mockoon.proxy-redirect', mode);
  report.count('import.proxied');
  const isCut = typed(environment, 'proxyRemovePrefix', 'flag')?.value === true;
  return {
    proxy: {
      upstream,
      ...(requestHeaders.length === 0 ? {} : { requestHeaders }),
      ...(responseHeaders.length === 0 ? {} : { responseHeaders }),
    },
    routes: isCut && context.prefix !== '' ? [withoutPrefix(context)] : [],
  };
}

/** Behind all others, as what is sent on is. Neither it nor its response is an item of the file. */
function withoutPrefix({ prefix, report }: RouteContext): ReadRoute {
  const own = joinedPath(prefix, '').replace(/\/$/, '');
  const { path, pathKind } = endpointPath(own);
  const [item, of] = [report.item('response'), report.item('route')];
  item.isCounted = of.isCounted = false;
  return {
    item: of,
    id: stableId('r', 'proxy', own),
    method: 'ANY',
    ...(pathKind === undefined ? { path: `${path}/*` } : { path: `${path}(?:/.*)?`, pathKind }),
    responses: [{ item, proxy: { path: urlWithout(own) ?? REQUEST_URL }, templated: true }],
  };
}

/** Values may be templates there, and are texts here. */
function editsIn(
  name: 'proxyReqHeaders' | 'proxyResHeaders',
  of: 'requestHeaders' | 'responseHeaders',
  environment: Member,
  context: RouteContext,
): HeaderEdit[] {
  const { report } = context;
  const item = report.itemOf(environment);
  const note = (why: string): void => item.note('mockoon.proxy-headers', environment.at(`/${name}`), why);
  const edits = objectsIn(environment, name, report).flatMap((header): HeaderEdit[] => {
    const key = textIn(header, 'key') ?? '';
    const value = textIn(header, 'value') ?? '';
    countMembers(header, { uuid: ['text'] }, { code: 'mockoon.environment' }, report);
    if (key === '' || value === '') return [];
    if (isServersOwn(key)) report.count('mockoon.framing-headers');
    else if (readTemplate(value, context).templated) note(`${key}: its value is a template`);
    else return [{ name: key, value }];
    return [];
  });
  return headerEdits(of, edits, note);
}
