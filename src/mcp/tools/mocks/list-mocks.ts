/** Which mocks there are. */
import type { MockRecord } from '../../../client/shapes.ts';
import { MOCK_STATES } from '../../../model/mocks/show/list-mocks.ts';
import { Type } from '../../../model/schema-type.ts';
import { pageOf } from '../../page.ts';
import { offset } from '../shapes.ts';
import { tool } from '../tool.ts';
import { factsOf } from './mock-facts.ts';

const PAGE = 30;

export const listMocks = tool({
  name: 'mocks_list',
  verb: 'mocks list',
  access: 'read',
  description: 'Lists mock servers with their ids, addresses and state. Begin here: other tools take the id of a mock.',
  input: Type.Object({
    q: Type.Optional(Type.String({ description: 'Only mocks with this in name or description.' })),
    state: Type.Optional(Type.Enum([...MOCK_STATES])),
    offset,
  }),
  async run(api, { q, state, offset: from = 0 }) {
    const { data, envelope } = await api.get<MockRecord[]>(['mocks'], { q, state, offset: from, pageSize: PAGE });
    return { data: pageOf('mocks', data.map(factsOf), from, envelope['total'] as number) };
  },
});
