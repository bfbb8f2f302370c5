/** The codes of a `db.json` of json-server. */
import { dropped, droppedPart, type CodeFacts } from './facts.ts';

export const JSON_SERVER_CODES = {
  'json-server.value': dropped(
    'Only lists and objects are resources: this member is left out',
    'Add a route that answers it',
  ),
  'json-server.store': dropped(
    'Left out: the resource has too many items or bytes, its name cannot be that of a store, or it is one of too many',
    'Split the file, or leave out what no test reads',
  ),
  'json-server.ids': droppedPart(
    'Items with an id that another one has are left out',
    'Give each item an id of its own',
  ),
} as const satisfies Record<string, CodeFacts>;
