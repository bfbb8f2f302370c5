/** Helpers that read the request. */
import { take } from '../../../../languages/work-budget.ts';
import type { Argument, Evaluate, Helpers, MakeHelper } from '../helper.ts';
import { asNumber, asText, isTruthy } from '../helper.ts';
import { valueAtPath } from '../values.ts';
import { baseUrlOf, bodyAt, segmentOf, urlOf } from '../request-path.ts';
import type { RequestView } from '../../request/request-view.ts';
import type { TemplateRun } from '../template-run.ts';
import type { ConditionTarget } from '../../../../model/mocks/definition/condition-schema.ts';

export const REQUEST_HELPERS: Helpers<
  | 'urlParam'
  | 'queryParam'
  | 'header'
  | 'cookie'
  | 'body'
  | 'queryValue'
  | 'bodyValue'
  | 'graphql'
  | 'method'
  | 'path'
  | 'pathSegment'
  | 'url'
  | 'host'
  | 'baseUrl'
  | 'mockUrl'
  | 'clientIp'
  | 'clientCert'
> = {
  urlParam: named((view, name) => view.urlParam(name)),
  queryParam: target('query', ({ view }, name) => view.queryValues(name)[0]),
  header: target('header', ({ view }, name) => view.header(name.toLowerCase())),
  cookie: named((view, name) => view.cookie(name)),
  body: target('body', bodyAt),
  queryValue: ([path, fallback]) => {
    const literal = path === undefined ? '' : textOf(path);
    const read: Evaluate = (run) => valueAtPath(run, run.view.queryObject, literal ?? nameOf(run, path));
    return orElse(literal === '' ? ({ view }) => view.queryObject : read, fallback);
  },
  // Null is what the request says, and is printed.
  bodyValue: ([path, fallback], { raw }, { targets }) => {
    const literal = textOf(path);
    const read: Evaluate =
      literal?.startsWith('$') === true
        ? targets.compileOne('body', literal)
        : (run) => bodyAt(run, literal ?? nameOf(run, path));
    return (run) => {
      const value = read(run);
      if (value === undefined) return fallback?.evaluate(run);
      return value === null && (raw === undefined || !isTruthy(raw.evaluate(run))) ? 'null' : value;
    };
  },
  graphql: ([property, fallback], _named, { targets }) =>
    orElse(targets.compileOne('graphql', textOf(property) ?? ''), fallback),
  method: always(({ request }) => request.method),
  path: always(({ request }) => request.path),
  pathSegment:
    ([index]) =>
    (run) =>
      segmentOf(run.view, asNumber(run, index?.evaluate(run))),
  url: always(urlOf),
  host: always((view) => view.header('host')),
  baseUrl: always(baseUrlOf),
  mockUrl: always((view) => `${baseUrlOf(view)}${view.request.root ?? ''}`),
  clientIp: always(({ request }) => request.clientIp),
  clientCert: ([property, fallback], _named, { targets }) =>
    orElse(targets.compileOne('clientCert', textOf(property) ?? ''), fallback),
};

function always(read: (view: RequestView) => unknown): MakeHelper {
  return () => (run) => read(run.view);
}

/** Its second argument is the value of what is missing. */
function named(read: (view: RequestView, name: string) => unknown): MakeHelper {
  return ([name, fallback]) => {
    const literal = textOf(name);
    if (literal === undefined) return orElse((run) => read(run.view, nameOf(run, name)), fallback);
    return orElse(({ view }) => read(view, literal), fallback);
  };
}

/** The same for what conditions read, too: a value that several of them read is read once. */
function target(kind: ConditionTarget, read: (run: TemplateRun, name: string) => unknown): MakeHelper {
  return ([name, fallback], _named, { targets }) => {
    const literal = name === undefined ? '' : textOf(name);
    if (literal === undefined) return orElse((run) => read(run, nameOf(run, name)), fallback);
    return orElse(targets.compileOne(kind, literal), fallback);
  };
}

function textOf(argument: Argument | undefined): string | undefined {
  const value = argument?.literal?.value;
  return value === undefined ? undefined : String(value);
}

/** A name that only the rendering knows is as long as a client likes: reading it costs as much as its text. */
function nameOf(run: TemplateRun, argument: Argument | undefined): string {
  const name = asText(run, argument?.evaluate(run));
  return take(run.view, name.length) ? name : '';
}

function orElse(read: Evaluate, fallback: Argument | undefined): Evaluate {
  if (fallback === undefined) return read;
  const { literal } = fallback;
  if (literal !== undefined) return (run) => read(run) ?? literal.value;
  return (run) => read(run) ?? fallback.evaluate(run);
}
