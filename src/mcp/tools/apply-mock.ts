/** Changes that decide what a mock serves, or lose edits: each takes two calls. */
import type { MockRecord } from '../../client/shapes.ts';
import type { MockRoute } from '../../model/mocks/definition/definition.ts';
import type { StagedDiff } from '../../model/mocks/show/diff.ts';
import { Type } from '../../model/schema-type.ts';
import { compact, type ToolAnswer } from '../answer.ts';
import { confirmed, confirmShape } from '../confirm.ts';
import { ToolError } from '../tool-error.ts';
import { briefly, factsOf, readableRoute, routeName } from './mock-texts.ts';
import { FILE_BYTES_MAX } from './mocks.ts';
import { mock, tool, type Api } from './tool.ts';

const ROUTES_SHOWN = 40;
const ACTIONS = ['serve', 'save', 'start', 'stop', 'discard', 'delete'] as const;

interface ApplyInput {
  readonly action: (typeof ACTIONS)[number];
  readonly version?: number;
  readonly confirm?: string;
}

interface ShownMock {
  readonly record: MockRecord;
  /** Unsaved changes of the working copy. */
  readonly edits: StagedDiff;
}

export const applyMock = tool({
  name: 'mocks_apply',
  verb: 'mocks apply',
  access: 'serve',
  isDestructive: true,
  description:
    'Changes what a mock serves, in two calls: the first shows the change and returns a `confirm`, the second, with that `confirm`, makes the change. `save` serves the working copy as the next version; `start` and `stop` the mock (stopped, it answers 503); `serve` saves and starts. `discard` resets the working copy to the saved version, or to `version`. `delete` returns a file from which mocks_create can restore the mock.',
  input: Type.Object({
    mock,
    action: Type.Enum([...ACTIONS]),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'For `discard`. Default: the last saved version.' }),
    ),
    confirm: confirmShape,
  }),
  async run(api, { mock: id, ...asked }) {
    const { action, version } = asked;
    if (version !== undefined && action !== 'discard') throw new ToolError(400, '`version` is only for `discard`');
    const [record, edits] = await Promise.all([api.mocks.get(id), api.mocks.staged.diff(id)]);
    if (action === 'delete') return remove(api, asked, record);
    if (action === 'discard') return discard(api, asked, { record, edits });
    return serve(api, asked, { record, edits });
  },
});

async function serve(api: Api, { action, confirm }: ApplyInput, { record, edits }: ShownMock): Promise<ToolAnswer> {
  const { id, version, state } = record;
  const isSaved = record.hasStagedChanges && (action === 'serve' || action === 'save');
  const then = action === 'save' ? state : action === 'stop' ? 'stopped' : 'running';
  if (!isSaved && then === state)
    return { data: { done: true, mock: factsOf(record), note: 'nothing to change: it is already in this state' } };
  const routes = isSaved ? await api.mocks.staged.routes(id) : await api.mocks.versionRoutes(id, version);
  const served = (of: string, number: number) => (of === 'running' ? `version ${number}` : '503 for every request');
  const after = isSaved ? version + 1 : version;
  const shown = {
    mock: id,
    action,
    ...(isSaved ? { diff: briefly(edits) } : {}),
    served: { before: served(state, version), after: served(then, after), routeCount: routes.length },
    ...(then === state ? {} : { routes: routes.slice(0, ROUTES_SHOWN).map(routeName) }),
  };
  const tags = [record, edits].map((each) => api.transport.etagOf(each));
  return confirmed(api, confirm, { action: `mocks_apply ${id} ${action}`, shown, tags }, async () => {
    let result = record;
    if (isSaved) result = await api.mocks.save(id, { ifMatch: edits });
    if (then === 'running' && state !== then) result = await api.mocks.start(id, { ifMatch: result });
    if (then === 'stopped' && state !== then) result = await api.mocks.stop(id, { ifMatch: result });
    const undo = `To go back: \`discard\` with version ${version}, then \`save\`.`;
    return {
      mock: factsOf(result),
      ...(result.published === false ? { published: false } : {}),
      ...(isSaved ? { undo } : {}),
    };
  });
}

async function discard(
  api: Api,
  { version, confirm }: ApplyInput,
  { record: { id }, edits }: ShownMock,
): Promise<ToolAnswer> {
  const to = version ?? 'saved';
  const diff = await api.mocks.diff(id, { from: 'staged', to });
  const becomes = version === undefined ? 'what is saved' : `version ${version}`;
  const shown = { mock: id, workingCopyBecomes: becomes, diff: briefly(diff) };
  const change = { action: `mocks_apply ${id} discard ${to}`, shown, tags: [api.transport.etagOf(edits)] };
  return confirmed(api, confirm, change, async () => {
    const dropped = await editedRoutes(api, id, edits);
    const options = { ifMatch: edits };
    const record =
      version === undefined ? await api.mocks.discard(id, options) : await api.mocks.restore(id, version, options);
    const undo = 'To restore the edits: mocks_edit with `droppedRoutes`, and with the settings of the diff.';
    return { mock: factsOf(record), ...compact({ droppedRoutes: dropped.map(readableRoute) }), undo };
  });
}

/** Reads the routes of the working copy. */
async function editedRoutes(
  api: Api,
  id: string,
  { routesAdded, routesChanged }: StagedDiff,
): Promise<readonly MockRoute[]> {
  const edited = new Set([...routesAdded, ...routesChanged].map(({ routeId }) => routeId));
  if (edited.size === 0) return [];
  return (await api.mocks.staged.get(id)).routes.filter((route) => edited.has(route.id));
}

async function remove(api: Api, { confirm }: ApplyInput, record: MockRecord): Promise<ToolAnswer> {
  const { id } = record;
  const [{ file }, { total: requests }, { total: openSessions }] = await Promise.all([
    api.mocks.export(id),
    api.mocks.counts(id, { sessions: true }),
    api.mocks.sessions(id, { pageSize: 1 }),
  ]);
  const fits = Buffer.byteLength(JSON.stringify(file)) <= FILE_BYTES_MAX;
  const toGetItBack = fits
    ? 'the second call returns its saved version as a file'
    : `it is too large for an answer: run \`switchyard export ${id}\` first`;
  const shown = { deletes: factsOf(record), openSessions, toGetItBack };
  const change = { action: `mocks_apply ${id} delete`, shown, tags: [api.transport.etagOf(record)] };
  return confirmed(api, confirm, change, async () => {
    await api.mocks.delete(id, { ifMatch: record });
    const undo = fits
      ? `To restore it: mocks_create with this file as \`content\` and id "${id}". Versions and traffic are lost.`
      : 'It can only be restored from a file.';
    return { deleted: { ...factsOf(record), requests }, ...(fits ? { file } : {}), undo };
  });
}
