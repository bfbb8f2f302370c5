/** A route is removed from the working copy. */
import { Type } from '../../../model/schema-type.ts';
import { stagedAnswer } from '../mocks/mock-facts.ts';
import { mock, route } from '../shapes.ts';
import { tool } from '../tool.ts';

export const deleteRoute = tool({
  name: 'routes_delete',
  verb: 'routes delete',
  access: 'write',
  isDestructive: true,
  description:
    'Removes a route from the working copy; it is served until mocks_save. Answers the route that was removed.',
  input: Type.Object({ mock, route }),
  async run(api, { mock: id, route: routeId }) {
    const path = ['mocks', id, 'staged', 'routes', routeId];
    const { data: deleted, etag } = await api.get(path);
    await api.send('DELETE', path, { ifMatch: etag });
    const undo = 'To get it back before a save: routes_put with `deleted`, or mocks_discard for all edits.';
    return { isRecorded: true, data: await stagedAnswer(api, id, { deleted, undo }) };
  },
});
