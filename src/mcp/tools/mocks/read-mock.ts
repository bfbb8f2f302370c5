/** One mock: its record, settings, counts and versions. */
import type { RequestCounts, VersionRecord } from '../../../client/shapes.ts';
import type { MockDefinition } from '../../../model/mocks/definition/definition.ts';
import { Type } from '../../../model/schema-type.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';
import { factsOf, readMock as recordOf } from './mock-facts.ts';

const VERSIONS_SHOWN = 5;

export const readMock = tool({
  name: 'mocks_read',
  verb: 'mocks read',
  access: 'read',
  description:
    'Reads one mock: address, state, settings of the working copy, counts of requests, last versions. Its routes: routes_list.',
  input: Type.Object({ mock }),
  async run(api, { mock: id }) {
    const { data: record } = await recordOf(api, id);
    const [{ data: versions }, { data: counts }, { data: staged }] = await Promise.all([
      api.get<VersionRecord[]>(['mocks', id, 'versions']),
      api.get<RequestCounts>(['mocks', id, 'counts'], { sessions: true }),
      api.get<MockDefinition>(['mocks', id, 'staged']),
    ]);
    const { total, unmatched, statuses } = counts;
    return {
      data: {
        ...factsOf(record),
        description: record.description,
        settings: staged.settings,
        requests: { total, unmatched, statuses },
        versions: versions.slice(0, VERSIONS_SHOWN),
        versionCount: versions.length,
      },
    };
  },
});
