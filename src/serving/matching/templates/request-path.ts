/** Paths into the request, as templates write them: `request.query.page`, `request.path.[1]`, `request.body.user.name`. */
import type { RequestMember } from '../../../languages/templates/read-expression.ts';
import { mayRepeat } from '../../../languages/templates/template-tree.ts';
import { decodeOnce } from '../../../base/percent.ts';
import { splitPath } from '../../../languages/paths/route-path.ts';
import { collect, objectOfForm } from '../../../languages/form.ts';
import type { RequestView } from '../request/request-view.ts';
import type { RouteTargets } from '../request/condition-target.ts';
import type { Evaluate } from './helper.ts';
import type { TemplateRun } from './template-run.ts';
import { valueAtPath } from './values.ts';

/** @param steps Without "request". */
export function compileRequestPath([member, ...steps]: readonly string[], targets: RouteTargets): Evaluate {
  const [name = '', ...inside] = steps;
  const each = Number(inside[0] ?? 0);
  switch (member as RequestMember) {
    case 'method':
      return ({ view }) => view.request.method;
    case 'path':
      return name === '' ? ({ view }) => view.request.path : ({ view }) => segmentOf(view, Number(name));
    case 'pathSegments':
      return name === '' ? segmentsOf : ({ view }) => segmentOf(view, Number(name));
    case 'url':
      return ({ view }) => urlOf(view);
    case 'host':
      return ({ view }) => view.header('host');
    case 'baseUrl':
      return ({ view }) => baseUrlOf(view);
    case 'query': {
      if (name === '') return whole((view) => view.queryPairs());
      return targets.compileOne('query', name, each);
    }
    case 'headers': {
      if (name === '') return whole((view) => view.request.headers);
      const lower = name.toLowerCase();
      return inside.length === 0 ? ({ view }) => view.header(lower) : ({ view }) => view.headerValues(lower)[each];
    }
    case 'cookies':
      return name === '' ? whole((view) => view.cookiePairs()) : ({ view }) => view.cookie(name);
    case 'params':
      return name === '' ? whole((view) => view.paramPairs()) : ({ view }) => view.urlParam(name);
    case 'clientIp':
      return ({ view }) => view.request.clientIp;
    case 'body': {
      if (name === '') return ({ view }) => view.bodyText;
      return targets.compileOne('body', steps.join('.'));
    }
  }
}

/** Names with their values as an object: one value as a text, several as a list. */
function whole(pairsOf: (view: RequestView) => readonly string[]): Evaluate {
  return (run) => {
    const { view } = run;
    const pairs = pairsOf(view);
    return run.mayMakeList(pairs.length / 2) ? objectOfForm(collect(pairs, view), view) : undefined;
  };
}

/**
 * The values of a name that a request may repeat, for where a list is taken: several as a list.
 *
 * @param steps Without "request".
 * @returns undefined for a path of which there is one value at most.
 */
export function compileRepeated(
  steps: readonly string[],
  targets: RouteTargets,
): ((run: TemplateRun) => readonly unknown[]) | undefined {
  if (!mayRepeat(steps)) return undefined;
  const [member, name] = steps as [string, string];
  const read = targets.compileAll(member === 'query' ? 'query' : 'header', name);
  return ({ view }) => read(view);
}

/** Work of a character of a path that is split, and of one that is decoded, too. In units of RULE_WORK_MAX. */
const SPLIT_WORK_PER_CHAR = 3;
/** "%" alone is an error that is thrown. */
const DECODE_WORK_PER_CHAR = 500;

function segmentsOf(run: TemplateRun): unknown {
  const { path } = run.view.request;
  run.view.work -= path.length * (path.includes('%') ? DECODE_WORK_PER_CHAR : SPLIT_WORK_PER_CHAR);
  if (run.view.work < 0) return undefined;
  const segments = splitPath(path);
  return run.mayMakeList(segments.length) ? segments.map(decodeOnce) : undefined;
}

export function segmentOf(view: RequestView, index: number): string | undefined {
  view.work -= view.request.path.length * SPLIT_WORK_PER_CHAR;
  const text = splitPath(view.request.path)[index];
  return text === undefined ? undefined : decodeOnce(text);
}

/** Path and query as they were sent. */
export function urlOf({ request: { path, query } }: RequestView): string {
  return query === '' ? path : `${path}?${query}`;
}

/** How a proxy in front of the server was reached, only that proxy can say. */
export function baseUrlOf(view: RequestView): string {
  const isSecure = view.request.isSecure === true || view.header('x-forwarded-proto') === 'https';
  const scheme = isSecure ? 'https' : 'http';
  return `${scheme}://${view.header('host') ?? ''}`;
}

/** A body by a path that is known with the request alone. */
export function bodyAt(run: TemplateRun, path: string): unknown {
  const { view } = run;
  if (path === '') return view.bodyText === '' ? undefined : view.bodyText;
  const found = valueAtPath(run, view.formObject ?? (view.json && view.exactJson), path);
  if (found !== undefined) return found;
  const other = view.nestedForm ?? view.xml?.value;
  return other === undefined ? undefined : valueAtPath(run, other, path);
}
