/** The working copy becomes a saved version again. */
import type { MockRecord } from '../../../client/shapes.ts';
import type { StagedDiff } from '../../../model/mocks/show/diff.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Api } from '../../api.ts';
import { confirmed, confirmShape } from '../../confirm.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';
import { briefly, factsOf, readDiff } from './mock-facts.ts';

export const discardEdits = tool({
  name: 'mocks_discard',
  verb: 'mocks discard',
  access: 'write',
  isDestructive: true,
  description:
    'Drops the edits of the working copy, which becomes what is saved, or the `version` that is named: to undo edits, or to go back to a version (then mocks_save). Two calls, as mocks_save.',
  input: Type.Object({
    mock,
    version: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: the last saved.' })),
    confirm: confirmShape,
  }),
  async run(api, { mock: id, version, confirm }) {
    const { data: edits, etag } = await readDiff(api, id);
    const to = version ?? 'saved';
    const { data: diff } = await api.get<StagedDiff>(['mocks', id, 'diff'], { from: 'staged', to });
    const shown = {
      mock: id,
      workingCopyBecomes: version === undefined ? 'what is saved' : `version ${version}`,
      diff: briefly(diff),
    };
    const change = { action: `mocks_discard ${id} ${to}`, shown, tags: [etag], isRecorded: true };
    return confirmed(api, confirm, change, async () => {
      const dropped = await editedRoutes(api, id, edits);
      const path = version === undefined ? ['discard'] : ['versions', String(version), 'restore'];
      const { data } = await api.send<MockRecord>('POST', ['mocks', id, ...path], { ifMatch: etag });
      const undo =
        'To get the edits back: routes_put with each of `droppedRoutes`, and mocks_configure with the settings of the diff.';
      return { mock: factsOf(data), droppedRoutes: dropped, undo };
    });
  },
});

/** As they were in the working copy. */
async function editedRoutes(
  api: Api,
  id: string,
  { routesAdded, routesChanged }: StagedDiff,
): Promise<readonly MockRoute[]> {
  const edited = new Set([...routesAdded, ...routesChanged].map(({ routeId }) => routeId));
  if (edited.size === 0) return [];
  const { data } = await api.get<MockRoute[]>(['mocks', id, 'staged', 'routes']);
  return data.filter((route) => edited.has(route.id));
}
