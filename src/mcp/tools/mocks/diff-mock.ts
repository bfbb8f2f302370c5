/** What a save would change, or what differs between two versions. */
import type { StagedDiff } from '../../../model/mocks/show/diff.ts';
import { Type } from '../../../model/schema-type.ts';
import { copy, mock } from '../shapes.ts';
import { tool } from '../tool.ts';
import { briefly } from './mock-facts.ts';

export const diffMock = tool({
  name: 'mocks_diff',
  verb: 'mocks diff',
  access: 'read',
  description:
    'Shows what mocks_save would change, with warnings of likely mistakes; or what differs between two versions. Use it before a save, and to see what others have edited.',
  input: Type.Object({ mock, from: copy, to: copy }),
  async run(api, { mock: id, from, to }) {
    const { data } =
      from === undefined && to === undefined
        ? await api.get<StagedDiff>(['mocks', id, 'staged', 'diff'])
        : await api.get<StagedDiff>(['mocks', id, 'diff'], { from, to });
    return { data: briefly(data) };
  },
});
