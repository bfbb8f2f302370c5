/** What a mock was asked, and why nothing answered some of it. */
import type { RequestPage, RequestRecord, RequestSummary, TryAnswer } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Api } from '../../api.ts';
import { fitting } from '../../page.ts';
import { mock, scopeOf, session } from '../shapes.ts';
import { tool } from '../tool.ts';
import { askedAgain, summaryOf, wholeOf } from './recorded.ts';

const PAGE = 30;
/** Each miss is a dry run. */
const MISSES_PAGE = 8;

export const listRequests = tool({
  name: 'traffic_list',
  verb: 'traffic list',
  access: 'read',
  description:
    'Lists what a mock was asked, newest first. With `misses` only what no route answered, each with the reason and the nearest route: begin here when a test got an unexpected 404. With `full` headers and bodies.',
  input: Type.Object({
    mock,
    session,
    misses: Type.Optional(Type.Boolean()),
    full: Type.Optional(Type.Boolean()),
    method: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: 'Exactly, without a query.' })),
    status: Type.Optional(Type.Integer()),
    q: Type.Optional(Type.String({ description: 'A part of path, header or body.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: '`nextBefore` of the page before.' })),
  }),
  async run(api, { mock: id, session: sessionId, misses = false, full = false, limit, ...filters }) {
    const scope = scopeOf(id, sessionId);
    const isWhole = full || misses;
    const { data, envelope } = await api.get<RequestRecord[]>([...scope, 'requests'], {
      ...filters,
      matched: misses ? false : undefined,
      fields: isWhole ? 'all' : 'summary',
      limit: misses ? Math.min(limit ?? MISSES_PAGE, MISSES_PAGE) : (limit ?? PAGE),
    });
    const items = await Promise.all(
      data.map(async (record) => ({
        ...(full ? wholeOf(record) : summaryOf(record)),
        ...(misses ? await reasonFor(api, scope, record) : {}),
      })),
    );
    const kept = fitting(items);
    const { total, truncated, nextBefore } = envelope as unknown as RequestPage<RequestSummary>;
    const next = kept.length < items.length ? Number(data[kept.length - 1]?.id) : nextBefore;
    return { data: { requests: kept, total, olderWereDropped: truncated, nextBefore: next }, isRecorded: true };
  },
});

interface Near {
  readonly routeId: string;
  readonly method: string;
  readonly path: string;
  readonly problems: readonly string[];
}

/** What was recorded with it; else what a dry run against the version that answered says of the nearest routes. */
async function reasonFor(api: Api, scope: readonly string[], record: RequestRecord): Promise<object> {
  if (record.problem !== undefined) return { why: record.problem };
  const body = { ...askedAgain(record), against: record.version };
  // The version may be gone.
  const tried = await api.send<TryAnswer>('POST', [...scope, 'try'], { body }).catch(() => undefined);
  if (tried === undefined) return {};
  const { route, explanation } = tried.data;
  if (route !== null) return { why: 'a route answers it by now' };
  const nearest = (explanation['nearest'] ?? []) as readonly Near[];
  const [first] = nearest;
  const passed = explanation['passedOn'];
  return {
    why:
      first === undefined
        ? 'the mock has no route'
        : `no route matches; nearest is ${first.method} ${first.path}: ${first.problems.join(', ')}`,
    nearest: nearest.map(({ routeId, method, path, problems }) => ({ routeId, route: `${method} ${path}`, problems })),
    ...(passed === undefined
      ? {}
      : { more: 'routes match, but none of their responses answered: mocks_try with `request` says why' }),
  };
}
