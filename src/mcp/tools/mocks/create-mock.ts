/** A new mock, which is stopped. */
import type { MockRecord } from '../../../client/shapes.ts';
import { DEFAULT_LIMITS } from '../../../limits.ts';
import { routeShape, settingsShape } from '../../../model/mocks/definition/schema.ts';
import { Type } from '../../../model/schema-type.ts';
import { outlined } from '../outline.ts';
import { tool } from '../tool.ts';
import { factsOf } from './mock-facts.ts';

export const createMock = tool({
  name: 'mocks_create',
  verb: 'mocks create',
  access: 'write',
  description:
    'Creates an empty or a small mock server, stopped: mocks_run starts it. Use mocks_import where there is an OpenAPI document, HAR or another file.',
  input: Type.Object({
    name: Type.String({ description: 'For people.' }),
    id: Type.Optional(
      Type.String({ description: 'Part of its address: a letter a-z, then at most 20 of a-z and 0-9.' }),
    ),
    description: Type.Optional(Type.String()),
    settings: Type.Optional(outlined(settingsShape, 0)),
    routes: Type.Optional(
      Type.Array(outlined(routeShape(DEFAULT_LIMITS.mocks), 0), { description: 'As routes_put takes them.' }),
    ),
  }),
  async run(api, body) {
    const { data, envelope } = await api.send<MockRecord>('POST', ['mocks'], { body: { ...body, start: false } });
    const next = 'It answers 503 until mocks_run starts it.';
    return { data: { mock: factsOf(data), warnings: envelope['warnings'], next } };
  },
});
