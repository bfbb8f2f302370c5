/** The history API: who changed which records of an owner, for its editors. Queries the owner and writes the answer. */
import { isRefusal, type Refusal } from '../../errors.ts';
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../limits.ts';
import { historyEntrySchema, historyQuerySchema, type HistoryEntry, type HistoryRequest } from '../../model/history.ts';
import { listHistory, readNames } from '../../model/query-history.ts';
import { Type } from '../../model/schema-type.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import type { Endpoint } from '../endpoint.ts';
import { readDeclaredQuery } from './declared-query.ts';
import { operations } from './operation.ts';
import { replyList } from '../page.ts';

const operation = operations('History');

export function historyApi(owners: OwnerDirectory): Endpoint[] {
  return [
    operation('listHistory', 'GET /v1/history', {
      access: 'write',
      summary: 'List who changed what, newest first; for editors',
      query: historyQuerySchema,
      answer: Type.Object({
        data: Type.Array(historyEntrySchema),
        nextBefore: Type.Union([Type.Integer(), Type.Null()], {
          description:
            'Pass it as `before` for the next page; null on the last. A page can be short, or empty with a filter, without being the last.',
        }),
      }),
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
  const given = readDeclaredQuery(query, historyQuerySchema);
  if (isRefusal(given)) return given;
  const { before = Infinity, pageSize = PAGE_RECORDS_DEFAULT, ...filter } = given;
  const isFiltered = Object.keys(filter).length > 0;
  return { before, pageSize: Math.min(pageSize, PAGE_RECORDS_MAX), filter: isFiltered ? filter : undefined };
}
