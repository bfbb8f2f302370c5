/** The working copy is served. */
import type { MockRecord } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import { confirmed, confirmShape } from '../../confirm.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';
import { briefly, factsOf, readDiff, readMock } from './mock-facts.ts';

export const saveMock = tool({
  name: 'mocks_save',
  verb: 'mocks save',
  access: 'serve',
  description:
    'Serves the working copy as the next version. The first call shows the diff and a `confirm`; call again with it. Afterwards mocks_discard with the version before brings that back.',
  input: Type.Object({ mock, confirm: confirmShape }),
  async run(api, { mock: id, confirm }) {
    const [{ data: record, etag }, { data: diff, etag: stagedTag }] = await Promise.all([
      readMock(api, id),
      readDiff(api, id),
    ]);
    if (!record.hasStagedChanges)
      return { data: { done: false, mock: id, note: 'the working copy is what is saved: nothing to save' } };
    const { version, state } = record;
    const served = { before: `version ${version}`, after: `version ${version + 1}`, state };
    const { warnings, ...changes } = diff;
    const shown = { mock: id, diff: briefly({ ...changes, warnings: [] }), warnings, served };
    const change = { action: `mocks_save ${id}`, shown, tags: [etag, stagedTag], isRecorded: true };
    return confirmed(api, confirm, change, async () => {
      const { data } = await api.send<MockRecord>('POST', ['mocks', id, 'save'], { ifMatch: stagedTag });
      const undo = `To go back: mocks_discard with version ${version}, then mocks_save.`;
      return { mock: factsOf(data), ...(data.published === false ? { published: false } : {}), undo };
    });
  },
});
