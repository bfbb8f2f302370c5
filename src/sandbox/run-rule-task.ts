/**
 * In the thread: evaluates stored rules, one of them or drafts on an exchange, and writes the answer as the API sends
 * it. Rules are sent and kept as owner-tables.ts says.
 */
import { bufferOf } from '../base/bytes.ts';
import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../base/json-object.ts';
import { readBelow } from '../base/open-file.ts';
import { isRefusal, refuse, type Refusal } from '../errors.ts';
import { EVALUATED_SOURCES_MAX, RULE_FILE_BYTES_MAX, type Limits } from '../limits.ts';
import type { DraftRules } from '../model/evaluated-rules.ts';
import type { SentRuleOverlay } from '../model/gateway/session.ts';
import { parseBody } from '../model/json-body.ts';
import { placedDrafts } from '../model/rule-drafts.ts';
import { ruleParser, type ParseRulePayload } from '../model/rule-payload.ts';
import { asIfActive, compileRule, type RuleToCompile } from '../rules-table/compile-rule.ts';
import { evaluate, type Exchange } from '../rules-table/evaluate.ts';
import type { CodeCall, CodeResult } from '../rules-table/code-call.ts';
import type { ReadRuleFile } from '../rules-table/rule-file.ts';
import type { Evaluation } from '../rules-table/outcome.ts';
import { OwnerTables, type EditAnswer, type TableCommit } from '../rules-table/owner-tables.ts';
import type { KnownRules } from '../rules-table/rule-changes.ts';
import { compileOverlay, overlaid } from '../rules-table/rule-overlay.ts';
import { everyRule, tableOf, type RuleTable } from '../rules-table/rule-table.ts';
import type { Details } from '../rules-table/skipped-rules.ts';
import { fieldsOf, type RefusalFields } from './refusal-fields.ts';
import { tooManySources } from './too-many-rules.ts';

/** Files of this server for rules. */
interface FileSettings {
  /** Folders whose files rules serve, as `realpath` gives them. */
  readonly ruleFiles: readonly string[];
  /** The URL of a mock, with the placeholder `<mock_id>`. */
  readonly mockUrl: string;
}

export interface EvaluateQuestion {
  /** Its bodies are plain byte arrays: a Buffer loses its class between threads. */
  readonly exchange: Exchange;
  readonly settings: { readonly mode: 'redirect' | 'rewrite'; readonly details: Details } & FileSettings;
  /** The owner's version, reported in the answer. */
  readonly version: number;
  /** Results of the calls of code so far, in this order; undefined where code is off. */
  readonly codeResults: readonly CodeResult[] | undefined;
}

export type RuleTask =
  | ({
      readonly kind: 'stored';
      readonly ownerId: string;
      readonly overlay?: SentRuleOverlay | undefined;
    } & EvaluateQuestion)
  | ({ readonly kind: 'alone'; readonly rule: RuleToCompile } & EvaluateQuestion)
  | ({ readonly kind: 'drafts'; readonly drafts: DraftRules; readonly limits: Limits } & EvaluateQuestion)
  /** A part of an owner's rules. The first begins an edit, which a commit ends. */
  | {
      readonly kind: 'put';
      readonly rules: readonly RuleToCompile[];
      readonly isFirst: boolean;
      readonly bytesMax: number;
    }
  | { readonly kind: 'commit'; readonly ownerId: string; readonly commit: TableCommit; readonly bytesMax: number };

export type RuleTaskAnswer =
  /** The whole answer, as UTF-8. */
  | { readonly answer: Uint8Array }
  /** Code that is to be run first. */
  | { readonly call: CodeCall }
  | { readonly refused: RefusalFields }
  /** The rules of this version are not here: what is, or undefined. */
  | { readonly known: KnownRules | undefined }
  /** Bytes of a part, and of a commit. */
  | { readonly edit: EditAnswer };

const tables = new OwnerTables();

export function runRuleTask(task: RuleTask): RuleTaskAnswer | Promise<RuleTaskAnswer> {
  switch (task.kind) {
    case 'put':
      if (task.isFirst) tables.beginEdit();
      return { edit: tables.put(task.rules, task.bytesMax) };
    case 'commit':
      return { edit: tables.commit(task.ownerId, task.commit, task.bytesMax) };
    case 'stored': {
      const found = tables.get(task.ownerId);
      if (found?.version !== task.version) {
        return { known: found && { version: found.version, count: found.table.rules.length } };
      }
      if (found.sources > EVALUATED_SOURCES_MAX) return { refused: fieldsOf(tooManySources()) };
      return answerTo(task, found.table, task.overlay);
    }
    case 'alone':
      return answerTo(task, tableOf([asIfActive(compileRule(task.rule))]));
    case 'drafts': {
      const table = draftTable(task.drafts, task.limits);
      return isRefusal(table) ? { refused: fieldsOf(table) } : answerTo(task, table);
    }
  }
}

let parseRule: ParseRulePayload | undefined;

function draftTable({ json, checked, groups }: DraftRules, limits: Limits): RuleTable | Refusal {
  // The same for all tasks: they come from one process.
  parseRule ??= ruleParser(limits);
  const body = parseBody(bufferOf(json), 'rulePayloadInvalid');
  if (isRefusal(body)) return body;
  const given = body.rules as readonly JsonObject[];
  const drafts = placedDrafts(given, parseRule, checked);
  if (isRefusal(drafts)) return drafts;
  const ungrouped = drafts.findIndex(({ groupId }) => groupId !== '' && !groups.has(groupId));
  if (ungrouped !== -1) {
    return wrongMember(`/rules/${ungrouped}/groupId`, 'names no group: neither of `groups`, nor a stored one');
  }
  const rules = drafts.map((draft, index) => compileRule({ ...draft, createdVersion: index }));
  const inactive = [...groups].flatMap(([id, status]) => (status === 'Inactive' ? [id] : []));
  return tableOf(rules, new Set(inactive));
}

function wrongMember(path: string, message: string): Refusal {
  return refuse('rulePayloadInvalid', [{ path, message }]);
}

/** Thrown through an evaluation, which is begun anew when the code has been run. */
class CodeNeeded extends Error {
  readonly call: CodeCall;

  constructor(call: CodeCall) {
    super('code is to be run');
    this.call = call;
  }
}

async function answerTo(
  question: EvaluateQuestion,
  rules: RuleTable,
  overlay?: SentRuleOverlay,
): Promise<RuleTaskAnswer> {
  const { exchange, version, codeResults } = question;
  const { ruleFiles, ...settings } = question.settings;
  const { table, find } = overlaid(rules, everyRule, overlay && compileOverlay(overlay));
  let calls = 0;
  const runCode =
    codeResults &&
    (async (call: CodeCall): Promise<CodeResult> => {
      const known = codeResults[calls++];
      if (known === undefined) throw new CodeNeeded(call);
      return known;
    });
  const readFile = readerBelow(ruleFiles);
  try {
    return answerOf(await evaluate(table, withBuffers(exchange), { ...settings, find, runCode, readFile }), version);
  } catch (error) {
    if (error instanceof CodeNeeded) return { call: error.call };
    throw error;
  }
}

function readerBelow(folders: readonly string[]): ReadRuleFile | undefined {
  return folders.length === 0 ? undefined : (path) => readBelow(folders, path, RULE_FILE_BYTES_MAX);
}

function answerOf(found: Evaluation | string, version: number): RuleTaskAnswer {
  if (typeof found === 'string') return { refused: fieldsOf(wrongMember('', found)) };
  const { request, response } = found;
  const data = {
    ...found,
    request: { ...request, ...bodyMembers(request.body) },
    response: response && { ...response, ...bodyMembers(response.body) },
    version,
  };
  return { answer: new TextEncoder().encode(`{"success":true,"data":${JSON.stringify(data)}}`) };
}

/** JSON leaves out what is undefined. */
function bodyMembers(body: Buffer | undefined): { body: string | undefined; bodyEncoding?: 'base64' } {
  if (body === undefined) return { body: undefined };
  return isUtf8(body) ? { body: body.toString('utf8') } : { body: body.toString('base64'), bodyEncoding: 'base64' };
}

function withBuffers({ request, response }: Exchange): Exchange {
  return {
    request: withBuffer(request),
    response: response === undefined || 'failed' in response ? response : withBuffer(response),
  };
}

function withBuffer<Message extends { readonly body: Buffer | undefined }>(message: Message): Message {
  return { ...message, body: message.body && bufferOf(message.body) };
}
