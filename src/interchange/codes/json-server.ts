/** The codes of a `db.json` of json-server. */
import { approximated, dropped, droppedPart, type CodeFacts } from './facts.ts';

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
  'json-server.version-1': approximated(
    'Routes of a file of json-server 1 answer as 0.17: `_per_page`, `views:gte=10` and `_where` have no effect, pages are lists, the item that one ' +
      'belongs to comes with `_expand`, ids stay as they are written, DELETE takes the items along that belong to one, and what is missing is `{}`',
    'Send `_limit`, `views_gte=10` and `_expand`, or choose the dialect `rest`, which has `_per_page` and `views:gte=10`',
  ),
} as const satisfies Record<string, CodeFacts>;
