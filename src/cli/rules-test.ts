/**
 * `switchyard rules test`: what rules do to a request, by a server's dry run, as lines for a person.
 *
 * It shows which rules act, what they change, and why the nearest others do not.
 */
import { isUtf8 } from 'node:buffer';
import { OperatorError } from '../base/operator-error.ts';
import type { Client, EvaluateInput, Evaluation } from '../client/index.ts';
import { printable } from './print.ts';
import { readInput } from './with-server.ts';

interface TestedRequest {
  readonly url: string;
  /** GET when absent; POST where there is a body. */
  readonly method?: string | undefined;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string | undefined;
  readonly bodyFile?: string | undefined;
  /** A file of rules that are evaluated instead of those that the server has. */
  readonly rulesFile?: string | undefined;
  readonly runCode?: true | undefined;
  /** Answer of the upstream; unknown where all of it is absent. */
  readonly response: {
    readonly body?: string | undefined;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly status?: number | undefined;
  };
}

interface RuleFile {
  readonly rules: readonly unknown[];
  readonly groups: readonly unknown[];
}

interface Tested {
  readonly input: EvaluateInput;
  readonly evaluation: Evaluation;
}

/** @throws OperatorError for a file that cannot be used, SwitchyardError for what the server refuses. */
export async function testRules(client: Client, asked: TestedRequest): Promise<Tested> {
  const { url, headers, rulesFile } = asked;
  const body = bodyOf(asked);
  const method = asked.method ?? (body === undefined ? 'GET' : 'POST');
  const drafts = rulesFile === undefined ? {} : draftsOf(readRuleFile(rulesFile));
  // The server checks the drafts.
  const input = {
    request: { url, method, headers, ...body },
    ...responseOf(asked),
    ...(asked.runCode && { runCode: true }),
    ...drafts,
  } as EvaluateInput;
  return { input, evaluation: await client.rules.evaluate(input) };
}

function responseOf({ response: { body, headers, status = 200 }, response }: TestedRequest): object {
  const isKnown = body !== undefined || headers.length > 0 || response.status !== undefined;
  return isKnown ? { response: { status, headers, body: body ?? '' } } : {};
}

/** Whether a rule did anything. */
export function applies({ evaluation }: Tested): boolean {
  return evaluation.steps.length > 0;
}

/** @param client For the names of stored rules that did not act. */
export async function resultLines({ input, evaluation }: Tested, client: Client): Promise<string[]> {
  const { steps, skipped, skippedCount, console = [] } = evaluation;
  const shown = skipped.slice(0, SKIPPED_SHOWN_MAX);
  const names = input.rules === undefined ? await storedNames(client, shown) : draftNames(input.rules);
  const lines = [`${input.request.method} ${input.request.url} ${outcomeOf(evaluation)}`];
  for (const [index, { name, ruleId, changed }] of steps.entries()) {
    lines.push('', `${index + 1}. ${name} (${ruleId})`, ...changed.flatMap(changeLines));
  }
  if (skippedCount > 0) lines.push('', 'Did not act:');
  for (const each of shown) {
    const name = names.get(each.ruleId);
    lines.push(`- ${name === undefined ? each.ruleId : `${name} (${each.ruleId})`} ${reasonOf(each)}`);
  }
  if (skippedCount > shown.length) lines.push(`and ${skippedCount - shown.length} more that are further from it`);
  if (console.length > 0) lines.push('', 'Console:');
  for (const { ruleId, level, text } of console) lines.push(`- ${level} of ${ruleId}: ${text}`);
  if (steps.length + skippedCount === 0) lines.push('', 'There are no rules.');
  return lines.map(printable);
}

const SKIPPED_SHOWN_MAX = 20;

function outcomeOf({ outcome, location, response, steps, delayMs }: Evaluation): string {
  const after = delayMs > 0 ? `, after ${delayMs} ms` : '';
  switch (outcome) {
    case 'redirect':
      return `is redirected to ${location}${after}`;
    case 'blocked':
      return `is blocked, with status ${response?.status}${after}`;
    case 'served':
      return `is answered by a rule, with status ${response?.status}${after}`;
    case 'forward':
      if (steps.length === 0) return 'would go on unchanged: no rule applies';
      return `would go on${steps.some(({ changed }) => changed.length > 0) ? ', changed' : ''}${after}`;
  }
}

type StepChange = Evaluation['steps'][number]['changed'][number];

function changeLines({ what, before, after }: StepChange): string[] {
  return [`   ${what.padEnd(6)} - ${before ?? '(none)'}`, `          + ${after ?? '(none)'}`];
}

/** The reasons that docs/api.md lists, as they continue "the rule ...". */
const REASONS: Readonly<Record<string, string>> = {
  ruleInactive: 'is inactive',
  groupInactive: 'is in an inactive group',
  source: 'is for other URLs',
  'filter:requestMethod': 'is for other methods',
  'filter:resourceType': 'is for other types of resources',
  'filter:pageDomains': 'is for pages of other domains',
  'filter:pageUrl': 'is for other pages',
  'filter:requestPayload': 'is for other payloads',
  'filter:unknown': 'has a filter that does not exist',
  pattern: 'is off because of its pattern',
  noChange: 'changes nothing',
  noBody: 'has no body to change',
  destinationInvalid: 'does not lead to a valid URL',
  filesOff: 'cannot act: start the server with --rule-files <folder>',
  fileUnreadable: 'serves a file that cannot be read',
  codeOff: 'has code, which is not run: start the server with --rule-code, and test with --run-code',
  codeFailed: 'has code that fails',
  codeTooLong: 'has code that takes too long',
  bodyTooLarge: 'cannot read a body as large as this',
  bodyEncoded: 'cannot read an encoded body',
  endedBefore: 'comes too late, since the request is',
};

/** Reasons that show the actual value alone, since the expected one is obvious; with others, all of it. */
const ACTUAL_ALONE: ReadonlySet<string> = new Set(['pattern', 'endedBefore', 'fileUnreadable', 'codeFailed']);
const WORDS_ALONE: ReadonlySet<string> = new Set(['filesOff', 'codeOff']);

function reasonOf({ reason, expected, actual }: Evaluation['skipped'][number]): string {
  const words = REASONS[reason] ?? `did not act: ${reason}`;
  if (expected === undefined || reason.endsWith('Inactive') || WORDS_ALONE.has(reason)) return words;
  if (ACTUAL_ALONE.has(reason))
    return reason.startsWith('code') || reason.startsWith('file') ? `${words}: ${actual}` : `${words} ${actual}`;
  return `${words}: expected "${expected}", got ${actual === undefined ? 'nothing' : `"${actual}"`}`;
}

/** One request for each, of a few. A rule that was deleted in the meantime has no name. */
async function storedNames(client: Client, skipped: Evaluation['skipped']): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(skipped.map(({ ruleId }) => ruleId))];
  const named = await Promise.all(
    ids.map((id) =>
      client.rules.get(id).then(
        ({ name }) => [[id, name] as const],
        () => [],
      ),
    ),
  );
  return new Map(named.flat());
}

/** A draft without an id is called by its place. */
function draftNames(rules: NonNullable<EvaluateInput['rules']>): ReadonlyMap<string, string> {
  return new Map(rules.map(({ id, name }, index) => [id ?? `/rules/${index}`, name]));
}

function bodyOf({ body, bodyFile }: TestedRequest): { body: string; bodyEncoding?: 'base64' } | undefined {
  if (bodyFile === undefined) return body === undefined ? undefined : { body };
  const bytes = readInput(bodyFile);
  return isUtf8(bytes) ? { body: bytes.toString() } : { body: bytes.toString('base64'), bodyEncoding: 'base64' };
}

/** The members of a group that count here: a group as the API answers it has more. */
function draftsOf({ rules, groups }: RuleFile): object {
  return {
    rules,
    groups: groups.map((group) => {
      const { id, status } = group as { readonly id?: unknown; readonly status?: unknown };
      return { id, status };
    }),
  };
}

/** An exported array has the groups behind the rules. */
function apart(records: readonly unknown[]): RuleFile {
  const isGroup = (each: unknown): boolean => (each as { objectType?: unknown } | null)?.objectType === 'group';
  return { rules: records.filter((each) => !isGroup(each)), groups: records.filter(isGroup) };
}

function readRuleFile(file: string): RuleFile {
  let content: unknown;
  try {
    content = JSON.parse(readInput(file).toString());
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${file} is not JSON: ${(error as Error).message}`);
  }
  const { rules, groups = [] } = (Array.isArray(content) ? apart(content) : (content ?? {})) as Partial<RuleFile>;
  const isObject = (each: unknown): boolean => typeof each === 'object' && each !== null;
  if (!Array.isArray(rules) || !Array.isArray(groups) || ![...rules, ...groups].every(isObject)) {
    throw new OperatorError(`${file} must hold an array of rules, or {"rules": [...], "groups": [...]}`);
  }
  return { rules, groups };
}
