/** The settings of a working copy. */
import type { MockDefinition } from '../../../model/mocks/definition/definition.ts';
import { settingsShape } from '../../../model/mocks/definition/schema.ts';
import { Type } from '../../../model/schema-type.ts';
import { outlined } from '../outline.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';
import { stagedAnswer } from './mock-facts.ts';

export const configureMock = tool({
  name: 'mocks_configure',
  verb: 'mocks configure',
  access: 'write',
  description:
    'Stages settings of a mock: latency, seed, CORS, scenarios, rate limit, clock, variables. Members that are not given stay. mocks_save serves them.',
  input: Type.Object({ mock, settings: outlined(settingsShape, 1) }),
  async run(api, { mock: id, settings }) {
    const path = ['mocks', id, 'staged'];
    const { data: staged, etag } = await api.get<MockDefinition>(path);
    const { routes } = staged;
    const body = { settings: { ...staged.settings, ...settings }, routes };
    const { envelope } = await api.send('PUT', path, { body, ifMatch: etag });
    return { data: await stagedAnswer(api, id, { warnings: envelope['warnings'] }) };
  },
});
