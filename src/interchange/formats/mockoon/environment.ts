/** An environment: its settings, and its routes in the order in which they are asked. */
import { STUB_SETTINGS } from '../../stubs/stub-routes.ts';
import type { ImportOptions, ReadMock } from '../../format.ts';
import { countMembers, numberIn, objectsIn, textIn, typed, type Members } from '../../reading/members.ts';
import type { ReportWriter } from '../../report/report.ts';
import type { Bundle } from '../../source/bundle.ts';
import type { Member } from '../../source/member.ts';
import { Buckets } from './buckets.ts';
import { callbacksIn } from './callback.ts';
import { headersIn } from './headers.ts';
import type { RouteContext } from './context.ts';
import { readProxy } from './proxy.ts';
import { readRoute } from './route.ts';
import { readTemplate } from './templates.ts';

const TEXT = ['text'] as const;
const ANY = ['any'] as const;

const ENVIRONMENT: Members = {
  uuid: TEXT,
  lastMigration: ['number'],
  port: ['number', 'text'],
  hostname: TEXT,
  localhostOnly: ['flag'],
  https: ['flag'],
  running: ['flag'],
  instance: ANY,
  tlsOptions: ANY,
  modifiedAt: ANY,
  duplicates: ANY,
};
/** A template that changes buckets. */
const CHANGES = /\bsetData\b/;

const FOLDER: Members = { name: TEXT, collapsed: ['flag'] };

export function readEnvironment(
  environment: Member,
  bundle: Bundle,
  options: ImportOptions,
  report: ReportWriter,
): ReadMock {
  const name = textIn(environment, 'name') ?? '';
  const latency = numberIn(environment, 'latency') ?? 0;
  const cors = typed(environment, 'cors', 'flag')?.value !== false;
  const prefix = textIn(environment, 'endpointPrefix') ?? '';
  const placed = inOrder(environment, report);
  const context: RouteContext = {
    prefix,
    headers: headersIn(environment, report.itemOf(environment), report),
    buckets: new Buckets(
      objectsIn(environment, 'data', report),
      CHANGES.test(JSON.stringify(environment.value)),
      environment.at('/routes')?.value,
    ),
    wildcards: new Set(),
    callbacks: callbacksIn(environment, { report }),
    bundle,
    report,
  };
  countMembers(environment, ENVIRONMENT, { code: 'mockoon.environment' }, report);
  const routes = placed.flatMap((route) => readRoute(route, context));
  const proxied = readProxy(environment, latency, context);
  context.buckets.account(report);
  return {
    name: options.name ?? name,
    settings: {
      ...STUB_SETTINGS,
      cors,
      ...(latency > 0 ? { latency } : {}),
      ...context.buckets.settings(
        (text) => readTemplate(text, context),
        (source, problem) => report.itemOf(environment).note('mockoon.store', source, problem),
      ),
      ...(proxied === undefined ? {} : { proxy: proxied.proxy }),
    },
    routes: [...routes, ...(proxied?.routes ?? [])],
  };
}

/** A route that no folder names is left out, as Mockoon does. */
function inOrder(environment: Member, report: ReportWriter): Member[] {
  const routes = objectsIn(environment, 'routes', report);
  const folders = new Map<unknown, Member>();
  for (const folder of objectsIn(environment, 'folders', report)) {
    countMembers(folder, FOLDER, { code: 'mockoon.environment' }, report);
    folders.set(folder.get('uuid')?.value, folder);
  }
  if (!environment.has('rootChildren')) return routes;
  const byId = new Map(routes.map((route) => [route.at('/uuid')?.value, route]));
  const placed: Member[] = [];
  const open = [...objectsIn(environment, 'rootChildren', report)].toReversed();
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    const id = child.get('uuid')?.value;
    if (textIn(child, 'type') === 'route') {
      const route = byId.get(id);
      byId.delete(id);
      if (route !== undefined) placed.push(route);
      continue;
    }
    const folder = folders.get(id);
    folders.delete(id);
    if (folder !== undefined) open.push(...objectsIn(folder, 'children', report).toReversed());
  }
  for (const folder of folders.values()) folder.get('children')?.whole();
  const names = new Set(placed);
  for (const route of routes) {
    if (names.has(route)) continue;
    route.whole();
    report.item('route', route).note('mockoon.unplaced');
  }
  return placed;
}
