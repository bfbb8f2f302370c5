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
  'json-server.name': approximated(
    'json-server answers 404 for this resource, since requests have its name percent-encoded; here it answers',
    'Rename the resource in letters of ASCII, or rely on the answers',
  ),
  'json-server.rewrite': dropped(
    'A rule of routes.json is dropped: only those like "/api/*": "/$1" are read',
    'Add a route with this path',
  ),
  'json-server.version-1': approximated(
    'Routes of a json-server 1 file answer like 0.17: `_per_page`, `views:gte=10`, `_where` and `_sort=-views` have no effect, pages are lists, ' +
      '`_expand` embeds parents, `_embed` of an unknown name adds an empty list, `q`, `_limit`, `_start`, `_end`, `_order`, `_like` and `callback` act, ' +
      '`_sort` compares code points, unknown members do not filter, values of a query are texts, POST keeps a given id and replaces an object, items without an id get none, ' +
      '`/posts/1/comments` lists and adds items, DELETE answers `{}` and removes dependent items, a missing item is `{}`, HEAD answers, and a form or a list is a body',
    'Send `_limit`, `views_gte=10`, `_order=desc` and `_expand`, or choose the dialect `rest`, which has `_per_page`, `views:gte=10` and `_sort=-views`',
  ),
} as const satisfies Record<string, CodeFacts>;
