/** The codes of a `db.json` of json-server. */
import { approximated, dropped, droppedPart, type CodeFacts } from './facts.ts';

export const JSON_SERVER_CODES = {
  'json-server.value': dropped(
    'Only lists and objects are resources: this member is dropped',
    'Add a route that answers it',
  ),
  'json-server.store': dropped(
    'Dropped: the resource has too many items or bytes, its name is not valid for a store, or there are too many resources',
    'Split the file, or remove data that no test reads',
  ),
  'json-server.ids': droppedPart('Items with a duplicate id are dropped', 'Give each item a unique id'),
  'json-server.version-1': approximated(
    'Routes of a json-server 1 file answer like 0.17: `_per_page`, `views:gte=10` and `_where` have no effect, pages are lists, `_expand` embeds ' +
      'parents, ids stay as written, DELETE also removes dependent items, and a missing item is `{}`',
    'Send `_limit`, `views_gte=10` and `_expand`, or choose the dialect `rest`, which has `_per_page` and `views:gte=10`',
  ),
} as const satisfies Record<string, CodeFacts>;
