/** The habits of json-server 0.17. */
import type { Dialect } from './dialect.ts';

export const JSON_SERVER: Dialect = {
  parameters: {
    search: ['q'],
    sort: ['_sort'],
    order: ['_order'],
    page: ['_page'],
    limit: ['_limit'],
    start: ['_start'],
    end: ['_end'],
    embed: ['_embed'],
    expand: ['_expand'],
    dependent: [],
  },
  separators: ['_'],
  operators: { gte: 'gte', lte: 'lte', ne: 'ne', like: 'pattern' },
  pageItems: 10,
  totals: 'paged',
  created: 201,
  statuses: { missing: 404, taken: 500, invalid: 422, full: 507, malformed: 400, unsupported: 415 },
  failure: (kind, message) => (kind === 'missing' ? {} : { message }),
  removed: 'empty',
  cleared: 'value',
  byIndex: false,
  mayRename: false,
  mayRepeat: false,
  changesLists: false,
  takesNoBody: true,
  removesDependents: true,
  filters: { missingDiffers: false, listsAsText: true, isTyped: true, startAlone: false },
};
