/** A route is added to the working copy, or replaced in it. */
import { DEFAULT_LIMITS } from '../../../limits.ts';
import { routeShape } from '../../../model/mocks/definition/schema.ts';
import { Type } from '../../../model/schema-type.ts';
import { stagedAnswer } from '../mocks/mock-facts.ts';
import { outlined } from '../outline.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';

export const putRoute = tool({
  name: 'routes_put',
  verb: 'routes put',
  access: 'write',
  description:
    'Stages a route: adds it to the working copy, or replaces that of the id in `replaces`. Answers what a save would change. A condition in `rules` of a response is {target: header|query|body|cookie|urlParam, property, operator: equals|contains|regex|exists|…, value}; docs_search (q: "operators", "templates" or "faults") for more.',
  input: Type.Object({
    mock,
    replaces: Type.Optional(Type.String({ description: 'Id of the route to replace. Without it the route is added.' })),
    route: outlined(routeShape(DEFAULT_LIMITS.mocks), 3),
  }),
  async run(api, { mock: id, replaces, route }) {
    const path = ['mocks', id, 'staged', 'routes'];
    const { data, envelope } =
      replaces === undefined
        ? await api.send<{ id: string }>('POST', path, { body: route })
        : await api.send<{ id: string }>('PUT', [...path, replaces], { body: route });
    return {
      isRecorded: true,
      data: await stagedAnswer(api, id, { routeId: data.id, warnings: envelope['warnings'] }),
    };
  },
});
