/**
 * Reads a file of rules and groups: parses, detects the format, lets it read, accounts for every member, and holds each
 * record against the validators of POST. What an owner has decides about the rest: model/decide-import-rules.ts.
 *
 * Pure, as import-mocks.ts. It compiles patterns, so it runs in a thread that can be ended.
 */
import { isRefusal, refuse, refuseLimit, type Detail, type Refusal } from '../errors.ts';
import { IMPORT_RECORDS_MAX, RULES_FILE_BYTES_MAX, REPORT_BYTES_MAX, type Limits } from '../limits.ts';
import { groupParser, type ParseGroupPayload } from '../model/group-payload.ts';
import type { RecordToImport } from '../model/decide-import-rules.ts';
import { parseBody } from '../model/json-body.ts';
import { heavyPatterns, patternProblem } from '../model/pairs/source-pattern.ts';
import { ruleParser, type ParseRulePayload, type RuleDraft } from '../model/rule-payload.ts';
import { ruleWarnings } from '../rules-table/rule-warnings.ts';
import { MOCK_FORMATS, RULES_FORMATS } from './all-formats.ts';
import { ABLE, type RuleAbilities, type Unable } from '../model/rule-abilities.ts';
import type { Level } from './codes/facts.ts';
import type { ReadRecord } from './format.ts';
import { jsonWithin } from './reading/json-within.ts';
import { linesIn, noteLeftovers, openSource, type ImportProblem, type OtherFormats } from './reading/open-source.ts';
import { CODES, type Code } from './report/codes.ts';
import { ReportWriter, type Report, type SourcePlace } from './report/report.ts';
import { Bundle } from './source/bundle.ts';

const MOCKS: OtherFormats = {
  formats: MOCK_FORMATS,
  advice: 'this is a mock file: import it with `switchyard import`, or POST /v1/mocks/import',
};

/** A record, and its level in the report so far. */
type ImportedRecord = RecordToImport & { readonly source: SourcePlace; readonly level: Level };

export interface RulesImport {
  readonly records: readonly ImportedRecord[];
  /** Report as far as the file alone shows: report-outcomes.ts adds what the owner's records decide. */
  readonly report: Report;
}

/** @returns A refusal when the file has more records than one import may have. */
export function importRules(
  bytes: Buffer,
  limits: Limits,
  abilities: RuleAbilities = ABLE,
): RulesImport | ImportProblem | Refusal {
  const bundle = new Bundle([{ path: '', bytes }]);
  const opened = openSource(bundle, '', RULES_FORMATS, MOCKS);
  if ('details' in opened) return opened;
  const { root, format, detection } = opened;
  const report = new ReportWriter();
  report.item('file', root);
  const read = format.read(root, report);
  if (read.length > IMPORT_RECORDS_MAX) return refuseLimit(`${IMPORT_RECORDS_MAX} rules and groups per import`);
  noteLeftovers(bundle, report);
  const check = recordChecker(limits, abilities);
  const checked = read.map((record) => ({ record, found: check(record) }));
  return {
    records: checked.map(({ record: { item, source }, found }) => {
      return { ...found, source: { pointer: source.pointer }, level: item.level };
    }),
    report: report.finish(detection, linesIn(bundle)),
  };
}

/** Within the bounds of one import: of the bytes of all records, and of the details about those that are refused. */
function recordChecker(limits: Limits, abilities: RuleAbilities): (record: ReadRecord) => RecordToImport {
  const { rule, group } = parsersFor(limits);
  let bytesLeft = RULES_FILE_BYTES_MAX;
  let detailBytesLeft = REPORT_BYTES_MAX;

  return (record) => {
    const { kind, item, id, refusedBy } = record;
    const own = id === undefined ? { kind } : { kind, fileId: id };
    const refused = (refusal: Refusal): RecordToImport => {
      const details = detailsOf(refusal);
      const [first] = details;
      if (refusedBy !== undefined) item.note(refusedBy);
      else {
        const code = refusal.kind === 'limitReached' ? 'rules.limit' : 'rules.refused';
        item.note(code, undefined, first && shownDetail(first));
      }
      detailBytesLeft -= JSON.stringify(details).length;
      return { ...own, refused: { kind: refusal.kind, details: detailBytesLeft < 0 ? [] : details } };
    };
    if (refusedBy !== undefined) {
      return refused(refuse('rulePayloadInvalid', [{ path: '/pairs', message: CODES[refusedBy].text }]));
    }
    const invalid = kind === 'rule' ? 'rulePayloadInvalid' : 'groupPayloadInvalid';
    const json = jsonWithin(record.payload, Math.min(bytesLeft, limits.bodyBytesMax));
    if (!Buffer.isBuffer(json)) {
      if (json === 'notJson') return refused(refuse(invalid, [{ path: '', message: 'a number is infinite or NaN' }]));
      return refused(refuseLimit(`${limits.bodyBytesMax} bytes per record, ${RULES_FILE_BYTES_MAX} per import`));
    }
    bytesLeft -= json.length;
    const body = parseBody(json, invalid);
    if (isRefusal(body)) return refused(body);
    if (kind === 'group') {
      const draft = group(body);
      return isRefusal(draft) ? refused(draft) : { ...own, kind, draft };
    }
    const patterns = new Map(heavyPatterns(body).map((pattern) => [pattern, patternProblem(pattern)]));
    const draft = rule(body, patterns);
    if (isRefusal(draft)) return refused(draft);
    noteWarnings(item, draft, abilities);
    return { ...own, kind, draft };
  };
}

/** Notes why the rule cannot act here, once for each reason. */
function noteWarnings(item: ReadRecord['item'], draft: RuleDraft, abilities: RuleAbilities): void {
  const noted = new Set<Code>();
  for (const { path, warning, code } of ruleWarnings(draft, abilities)) {
    const reason = code === undefined ? 'rules.pattern' : UNABLE_CODES[code];
    if (noted.has(reason)) continue;
    noted.add(reason);
    item.note(reason, undefined, `${path} ${warning}`);
  }
}

const UNABLE_CODES = { codeOff: 'rules.code-off', filesOff: 'rules.files-off' } as const satisfies Record<Unable, Code>;

function detailsOf({ details, message }: Refusal): readonly Detail[] {
  return details ?? [{ path: '', message }];
}

function shownDetail({ path, message }: Detail): string {
  return path === '' ? message : `${path}: ${message}`;
}

interface Parsers {
  readonly rule: ParseRulePayload;
  readonly group: ParseGroupPayload;
}

/** Their schemas take milliseconds to compile. */
const parsers = new WeakMap<Limits, Parsers>();

function parsersFor(limits: Limits): Parsers {
  const known = parsers.get(limits) ?? { rule: ruleParser(limits), group: groupParser(limits) };
  parsers.set(limits, known);
  return known;
}
