/** The history API: who changed which records of an owner, for its editors. Queries the owner and writes the answer. */
import { isRefusal, refuse, type Detail, type Refusal } from '../../errors.ts';
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../limits.ts';
import { historyEntrySchema, historyQuerySchema, type HistoryEntry, type HistoryRequest } from '../../model/history.ts';
import { listHistory, readNames } from '../../model/query-history.ts';
import { Type } from '../../model/schema-type.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { endpoint, type Endpoint } from '../endpoint.ts';
import { onlyValue, queryInteger, unknownParameters } from './list-query.ts';
import { replyList } from '../page.ts';

export function historyApi(owners: OwnerDirectory): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/v1/history',
      access: 'write',
      doc: {
        operationId: 'listHistory',
        tag: 'History',
        summary: 'List who changed what, newest first; for editors',
        query: historyQuerySchema,
        answer: Type.Object({
          data: Type.Array(historyEntrySchema),
          nextBefore: Type.Union([Type.Integer(), Type.Null()], {
            description:
              'Pass it as `before` for the next page; null on the last. A page can be short, or empty with a filter, without being the last.',
          }),
        }),
        refusals: ['badRequest'],
      },
      handle(call) {
        const request = parseHistoryQuery(call.head.query);
        if (isRefusal(request)) return call.refuse(request);
        owners.query(listHistory, request, call.caller, (page) => {
          if (isRefusal(page)) return call.refuse(page);
          const { entries, nextBefore } = page;
          const ids = new Set(entries.flatMap(({ recordIds }) => recordIds));
          return owners.query(readNames, ids, call.caller, (names) => {
            if (isRefusal(names)) return call.refuse(names);
            return replyList(
              call,
              entries,
              (entry) => JSON.stringify(represent(entry, names)),
              (count) => `,"nextBefore":${count < entries.length ? entries[count - 1]?.version : nextBefore}`,
            );
          });
        });
      },
    }),
  ];
}

function represent({ userId, version, date, ...rest }: HistoryEntry, known: ReadonlyMap<string, string>): object {
  const names = Object.fromEntries(
    rest.recordIds.flatMap((id) => {
      const name = known.get(id);
      return name === undefined ? [] : [[id, name]];
    }),
  );
  return { version, date, user: userId, ...rest, names };
}

function parseHistoryQuery(query: string): HistoryRequest | Refusal {
  const given = new URLSearchParams(query);
  // A misspelt filter would list everything.
  const details: Detail[] = unknownParameters(given, historyQuerySchema);
  const before = queryInteger(given, 'before', Infinity, 1, details);
  const pageSize = Math.min(queryInteger(given, 'pageSize', PAGE_RECORDS_DEFAULT, 1, details), PAGE_RECORDS_MAX);
  const filter = {
    recordId: onlyValue(given, 'recordId', details),
    user: onlyValue(given, 'user', details),
    command: onlyValue(given, 'command', details),
    since: given.has('since') ? queryInteger(given, 'since', 0, 0, details) : undefined,
  };
  if (details.length > 0) return refuse('badRequest', details);
  const named = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return { before, pageSize, filter: Object.keys(named).length === 0 ? undefined : named };
}
