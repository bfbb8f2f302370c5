/**
 * Files of rules and groups: imported and exported; docs/interchange.md, "Rules". A thread reads what is imported
 * (sandbox/imports.ts), the owner decides (model/decide-import-rules.ts).
 */
import { Slices } from '../../base/slices.ts';
import { isRefusal, refuseLimit, type Refusal } from '../../errors.ts';
import { writeRequestly } from '../../interchange/formats/requestly.ts';
import { writeSwitchyardRules } from '../../interchange/formats/switchyard-rules.ts';
import type { RulesImport } from '../../interchange/import-rules.ts';
import type { ImportProblem } from '../../interchange/reading/open-source.ts';
import { reportOutcomes } from '../../interchange/report/report-outcomes.ts';
import { reportSchema } from '../../interchange/report/report-schema.ts';
import { RULES_FILE_BYTES_MAX, type Limits } from '../../limits.ts';
import {
  IMPORT_RESULTS,
  importRules,
  ON_CONFLICT,
  tryImportRules,
  type RecordOutcome,
  type RulesImportOptions,
} from '../../model/decide-import-rules.ts';
import { exportRules, type ExportedRecords, type ExportFilter } from '../../model/export-rules.ts';
import { Type } from '../../model/schema-type.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import type { Call } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { operations } from './operation.ts';
import { readDeclaredQuery } from './declared-query.ts';
import { FILE_BODY, refuseImport } from './import-body.ts';

const operation = operations('Rules');

/** Has a file read in a thread. undefined: it took too long. */
type ReadRulesFile = (ownerId: string, file: Buffer) => Promise<RulesImport | ImportProblem | undefined | Refusal>;

const importQuery = Type.Object({
  onConflict: Type.Optional(
    Type.Enum([...ON_CONFLICT], {
      description:
        'What to do when an id already exists: add a duplicate, overwrite it, or skip the record. Default: `duplicate`, with `activate` `overwrite`.',
    }),
  ),
  activate: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Keeps the status from the file. Without it, imported rules are inactive.',
    }),
  ),
  atomic: Type.Optional(Type.Boolean({ default: false, description: 'Stores all records, or none.' })),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Dry run: returns what the import would do, and stores nothing.' }),
  ),
});

const RULES_FILE_FORMATS = ['requestly', 'switchyard'] as const;

const ids = (description: string) =>
  Type.Optional(Type.String({ description: `${description}, separated by commas.` }));

const exportQuery = Type.Object({
  ids: ids('Rules'),
  groupIds: ids('Ids of groups to export with their rules; an empty id stands for ungrouped rules'),
  format: Type.Optional(Type.Enum([...RULES_FILE_FORMATS], { default: 'requestly' })),
});

const importedRecord = Type.Object({
  kind: Type.Enum(['rule', 'group']),
  source: Type.Object({
    pointer: Type.String({ description: 'A JSON pointer into the file.' }),
    id: Type.Optional(Type.String({ description: 'Id in the file, with the type that the rule gets here.' })),
  }),
  result: Type.Enum([...IMPORT_RESULTS]),
  id: Type.Optional(
    Type.String({ description: 'Id of the stored record. Absent when refused, and for a new record in a dry run.' }),
  ),
  details: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: 'Why the record is refused, as by POST. Absent when there are too many.',
    }),
  ),
});

const rulesImportSchema = Type.Object({
  records: Type.Array(importedRecord, { description: 'The records of the file, in order.' }),
  report: reportSchema,
});

const SOURCE = { key: 'Url', operator: 'Contains', value: 'api.example.com' };
const EXAMPLES = {
  Requestly: [
    { id: 'Group_1', objectType: 'group', name: 'Checkout' },
    {
      id: 'Cancel_1',
      objectType: 'rule',
      ruleType: 'Cancel',
      name: 'No tracking',
      status: 'Active',
      groupId: 'Group_1',
      pairs: [{ source: SOURCE }],
    },
  ],
  Switchyard: {
    switchyard: 1,
    kind: 'rules',
    rules: [{ name: 'Slow', ruleType: 'Delay', pairs: [{ source: SOURCE, delay: 500 }] }],
  },
};

interface RequestedImport {
  readonly file: RulesImport;
  readonly options: RulesImportOptions & { readonly dryRun: boolean };
}

export function rulesInterchangeApi(owners: OwnerDirectory, limits: Limits, read: ReadRulesFile): Endpoint[] {
  return [
    operation<RequestedImport>('importRules', 'POST /v1/rules/import', {
      summary: 'Import rules and groups from a file, with a report of what is lost',
      query: importQuery,
      data: rulesImportSchema,
      repeatable: true,
      body: {
        ...FILE_BODY,
        examples: EXAMPLES,
        bytesMax: RULES_FILE_BYTES_MAX,
        async read(bytes, call) {
          const options = parseImportQuery(call.head.query);
          if (isRefusal(options)) return options;
          // The bytes are only valid during the call.
          const copy = Buffer.from(bytes);
          call.releaseBody();
          const file = await read(call.caller.ownerId, copy);
          if (isRefusal(file)) return file;
          return file === undefined || 'details' in file ? refuseImport(file) : { file, options };
        },
      },
      handle(call, requested) {
        if (isRefusal(requested)) return call.refuse(requested);
        const { file, options } = requested;
        const input = { ...options, records: file.records };
        const reply = (outcomes: readonly RecordOutcome[] | Refusal): void => {
          if (isRefusal(outcomes)) return call.refuse(outcomes);
          return call.succeed(`"data":${JSON.stringify(answerOf(file, outcomes))}`);
        };
        if (options.dryRun) return owners.query(tryImportRules, { ...input, limits }, call.caller, reply);
        // What is kept for repetitions are the outcomes: the file is read again.
        return owners.command(importRules, input, call.caller, reply, call.repeatable);
      },
    }),
    operation('exportRules', 'GET /v1/rules/export', {
      summary: 'Export rules with their groups as a file',
      query: exportQuery,
      file: '*/*',
      refuses: ['ruleNotFound', 'groupNotFound', 'limitReached'],
      handle(call) {
        const query = readDeclaredQuery(call.head.query, exportQuery);
        if (isRefusal(query)) return call.refuse(query);
        owners.query(exportRules, filterOf(query), call.caller, (records) => {
          if (isRefusal(records)) return call.refuse(records);
          return void call.later(fileOf(records, query.format ?? 'requestly', call.caller.ownerId), (file) =>
            isRefusal(file) ? call.refuse(file) : sendFile(call, file, query.format ?? 'requestly'),
          );
        });
      },
    }),
  ];
}

function parseImportQuery(text: string): RequestedImport['options'] | Refusal {
  const query = readDeclaredQuery(text, importQuery);
  if (isRefusal(query)) return query;
  const { activate = false, atomic = false, dryRun = false } = query;
  // Who activates what an import before has left inactive means those records.
  const { onConflict = activate ? 'overwrite' : 'duplicate' } = query;
  return { onConflict, activate, atomic, dryRun };
}

function answerOf(file: RulesImport, outcomes: readonly RecordOutcome[]): object {
  const records = file.records.map(({ kind, source: { pointer }, fileId }, index) => {
    const { notes: _notes, ...outcome } = outcomes[index] as RecordOutcome;
    return { kind, source: { pointer, ...(fileId === undefined ? {} : { id: fileId }) }, ...outcome };
  });
  return { records, report: reportOutcomes(file, outcomes) };
}

function filterOf({ ids: rules, groupIds }: { ids?: string; groupIds?: string }): ExportFilter {
  return {
    ...(rules === undefined ? {} : { ids: rules.split(',') }),
    ...(groupIds === undefined ? {} : { groupIds: groupIds.split(',') }),
  };
}

/** In slices: five thousand rules take some 50 ms. Refuses a file that could not be imported. */
async function fileOf(
  { rules, groups }: ExportedRecords,
  format: string,
  ownerId: string,
): Promise<readonly string[] | Refusal> {
  const parts = format === 'switchyard' ? writeSwitchyardRules(rules, groups) : writeRequestly(rules, groups, ownerId);
  const texts: string[] = [];
  let bytes = 0;
  const slices = new Slices();
  await slices.begin();
  for (const text of parts) {
    bytes += Buffer.byteLength(text);
    if (bytes > RULES_FILE_BYTES_MAX) {
      return refuseLimit(`${RULES_FILE_BYTES_MAX} bytes per export; name some rules by ids or groupIds`);
    }
    texts.push(text);
    if (slices.due()) await slices.next();
  }
  return texts;
}

function sendFile(call: Call, texts: readonly string[], format: string): void {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const name = `\r\ncontent-disposition: attachment; filename="${format}_rules.json"`;
  call.answer(bytes, () => call.sendTexts(texts, Buffer.allocUnsafeSlow(bytes), name), 1);
}
