/**
 * Requestly's file of rules: an array of rules and groups, in any order; or an object of them by id, as the extension
 * stores them.
 *
 * Pairs are kept as they are, with members that nobody knows; three older forms become what today's clients send:
 * headers of version 1, one filter object instead of a list, a redirect without the type of its destination. A Script rule, and a
 * Response rule that serves a file, become rules of another type.
 */
import { isObject } from '../../base/json-object.ts';
import type { Group } from '../../model/group.ts';
import type { Rule } from '../../model/rule.ts';
import type { Detection, NearMiss, ReadRecord, RulesFormat } from '../format.ts';
import { jsonList } from '../reading/json-list.ts';
import { countMembers, given, printed, textIn, typed, type Members } from '../reading/members.ts';
import { functionsIn, unknownFunctions } from '../../rules-table/expand-groups.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { scriptRules } from './requestly-scripts.ts';

export const requestlyFormat: RulesFormat = { name: 'requestly', detect, read };

function detect(content: unknown): Detection | NearMiss | undefined {
  if (Array.isArray(content)) {
    if (content.length === 0) return { format: 'requestly', detectedBy: 'an empty array' };
    if (content.some(isRecord)) return { format: 'requestly', detectedBy: 'an array with `objectType`' };
    return content.every(isObject)
      ? {
          format: 'requestly',
          missing:
            'no element has the `objectType` "rule" or "group"; rules of the API: `{"switchyard": 1, "kind": "rules", "rules": […]}`',
        }
      : undefined;
  }
  if (!isObject(content)) return undefined;
  if (isRecord(content)) return { format: 'requestly', missing: 'a single record: put it into an array' };
  return Object.values(content).some(isRecord)
    ? { format: 'requestly', detectedBy: 'an object of members with `objectType`' }
    : undefined;
}

function isRecord(value: unknown): boolean {
  return isObject(value) && (value.objectType === 'rule' || value.objectType === 'group');
}

function read(root: Member, report: ReportWriter): ReadRecord[] {
  return (root.isArray ? root.items() : root.members()).flatMap((source) => {
    const kind = isObject(source.value) ? source.value.objectType : undefined;
    if (kind === 'rule' || kind === 'group') {
      source.get('objectType');
      const id = textIn(source, 'id') ?? (root.isArray ? undefined : source.name);
      const record = { source, item: report.item(kind, source), ...(id === undefined ? {} : { id }) };
      return kind === 'rule' ? readRule(record, report) : [readGroup(record, report)];
    }
    source.whole();
    report.itemOf(source).note('requestly.record', source);
    return [];
  });
}

type Begun = Pick<ReadRecord, 'source' | 'item' | 'id'>;

/** Members of both kinds of records that say nothing about requests. */
const BOOKKEEPING: Members = {
  creationDate: ['number'],
  modificationDate: ['number'],
  lastModified: ['number'],
  createdBy: ['text'],
  lastModifiedBy: ['text'],
  currentOwner: ['text'],
  currentOwnerId: ['text'],
  createdAt: ['number'],
  updatedAt: ['number'],
  updatedBy: ['text'],
  isSample: ['flag'],
  isReadOnly: ['flag'],
  schemaVersion: ['number', 'text'],
  sessionId: ['number', 'text'],
  createdFromSession: ['flag'],
  etag: ['text'],
};
const OF_RULES: Members = {
  ...BOOKKEEPING,
  isFavourite: ['flag'],
  isModHeaderImport: ['flag'],
  isCharlesImport: ['flag'],
  version: ['number'],
  effectiveStatus: ['text'],
  warnings: ['array'],
  // What the extension makes of the pairs for its browser.
  extensionRules: ['array'],
};
const OF_GROUPS: Members = {
  ...BOOKKEEPING,
  description: ['text'],
  ruleCount: ['number'],
  activeRuleCount: ['number'],
};

const RULE_MEMBERS = ['name', 'description', 'ruleType', 'status', 'groupId'] as const;
const GROUP_MEMBERS = ['name', 'status', 'isFavourite'] as const;

function readRule(begun: Begun, report: ReportWriter): ReadRecord[] {
  const { source, item } = begun;
  const payload = given(source, RULE_MEMBERS);
  if (typeof payload['name'] === 'string') item.name = payload['name'];
  countMembers(source, OF_RULES, { code: 'rules.bookkeeping' }, report);
  const cookies = flagIn(source, 'preserveCookie');
  if (cookies?.value === true) item.note('requestly.cookies', cookies);
  else if (cookies !== undefined) report.count('rules.bookkeeping');
  const policy = flagIn(source, 'removeCSPHeader');
  if (policy !== undefined) report.count('rules.bookkeeping');
  const pairs = source.get('pairs');
  const found = pairs?.whole();
  if (payload['ruleType'] === 'Script') return readScripts(begun, payload, found, policy?.value === true);
  if (found !== undefined) {
    payload['pairs'] = Array.isArray(found) ? found.map((pair) => pairOf(pair, payload['ruleType'])) : found;
  }
  if (payload['ruleType'] === 'Response' && isOfFiles(payload['pairs'])) {
    item.note('requestly.local-file', pairs);
    return [
      { kind: 'rule', ...begun, ...retyped(begun, 'Redirect'), payload: { ...payload, ...ofFiles(payload['pairs']) } },
    ];
  }
  noteFunctions(begun, payload);
  return [{ kind: 'rule', ...begun, payload }];
}

/** Its clients write null for no flag. */
function flagIn(source: Member, name: string): Member | undefined {
  return source.at(`/${name}`)?.value === null ? source.get(name) : typed(source, name, 'flag');
}

/** The id of a rule that becomes one of another type: `Script_a` becomes `Response_a`. */
function retyped({ id }: Begun, ruleType: string): { readonly id?: string } {
  return id === undefined ? {} : { id: id.replace(/^[A-Za-z]+_/, `${ruleType}_`) };
}

function readScripts(begun: Begun, rule: Payload, pairs: unknown, removesPolicy: boolean): ReadRecord[] {
  const rules = scriptRules(rule, pairs, removesPolicy);
  if (rules === undefined) return [{ kind: 'rule', ...begun, payload: rule, refusedBy: 'requestly.no-scripts' }];
  begun.item.note('requestly.script');
  return rules.map((payload) => ({ kind: 'rule', ...begun, ...retyped(begun, String(payload['ruleType'])), payload }));
}

type Payload = Readonly<Record<string, unknown>>;

/** Whether every pair is one of the desktop client that serves a file: its `value` is the path. */
function isOfFiles(pairs: unknown): pairs is readonly FilePair[] {
  return (
    Array.isArray(pairs) &&
    pairs.length > 0 &&
    pairs.every(
      (pair) =>
        isObject(pair) &&
        isObject(pair['response']) &&
        pair['response']['type'] === 'local_file' &&
        typeof pair['response']['value'] === 'string',
    )
  );
}

interface FilePair {
  readonly response: { readonly value: string };
}

function ofFiles(pairs: readonly FilePair[]): object {
  return {
    ruleType: 'Redirect',
    pairs: pairs.map(({ response: { value }, ...pair }) => ({
      ...pair,
      destinationType: 'map_local',
      // A path, where a destination is a URL.
      destination: value.startsWith('/') ? `file://${encodeURI(value).replaceAll(/[?#]/g, encodeURIComponent)}` : value,
    })),
  };
}

/** Names functions that stay text here: those that do not exist, and any where none is called. */
function noteFunctions({ item, source }: Begun, { ruleType, pairs }: Payload): void {
  if (!Array.isArray(pairs)) return;
  const texts = (name: string): string[] => pairs.flatMap((pair) => textsIn(isObject(pair) ? pair[name] : undefined));
  const isCalling = ruleType === 'Redirect' || ruleType === 'Headers' || ruleType === 'QueryParam';
  const unknown = isCalling
    ? [...texts('destination'), ...texts('modifications')].flatMap(unknownFunctions)
    : [...texts('to'), ...texts('userAgent')].flatMap(functionsIn);
  for (const name of new Set(unknown)) item.note('requestly.function', source.get('pairs'), name);
}

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function readGroup(begun: Begun, report: ReportWriter): ReadRecord {
  const { source, item } = begun;
  countMembers(source, OF_GROUPS, { code: 'rules.bookkeeping' }, report);
  // A member within it is reported: rules name their group, not the other way round.
  if (typed(source, 'children', 'array') !== undefined) report.count('rules.bookkeeping');
  const payload = Object.entries(given(source, GROUP_MEMBERS)).filter(([, value]) => value !== null);
  const [, name] = payload.find(([member]) => member === 'name') ?? [];
  if (typeof name === 'string') item.name = name;
  return { kind: 'group', ...begun, payload: Object.fromEntries(payload) };
}

function pairOf(pair: unknown, ruleType: unknown): unknown {
  if (!isObject(pair)) return pair;
  const own: Record<string, unknown> = { ...pair, ...sourceOf(pair) };
  if (ruleType === 'Headers' && isFirstVersion(own)) return secondVersion(own);
  if (ruleType !== 'Redirect' || (own.destinationType ?? null) !== null) return own;
  return { ...own, destinationType: /^file:/i.test(printed(own.destination)) ? 'map_local' : 'url' };
}

function sourceOf({ source }: Readonly<Record<string, unknown>>): { source?: object } {
  return isObject(source) && isObject(source.filters) ? { source: { ...source, filters: [source.filters] } } : {};
}

/** In version 1 a pair is one modification, of the headers that `target` says. */
function isFirstVersion(pair: Readonly<Record<string, unknown>>): boolean {
  return !Object.hasOwn(pair, 'modifications') && (pair.target === 'Request' || pair.target === 'Response');
}

function secondVersion(pair: Readonly<Record<string, unknown>>): object {
  const { header, type, value, target, ...rest } = pair;
  // A member that the pair does not have is undefined here, and is not stored.
  return { ...rest, modifications: { [target as string]: [{ header, type, value }] } };
}

/** @returns The parts of the file's text, one for each record, as Requestly writes it: without a newline at its end. */
export function* writeRequestly(rules: readonly Rule[], groups: readonly Group[], ownerId: string): Generator<string> {
  const records = [...rules, ...groups];
  yield* jsonList(records, (record) => ('pairs' in record ? ruleOf(record, ownerId) : groupOf(record, ownerId)), 0);
}

function ruleOf(rule: Rule, ownerId: string): object {
  const { id, name, description, ruleType, status, groupId } = rule;
  const { creationDate, modificationDate, createdBy, lastModifiedBy } = rule;
  return {
    id,
    name,
    description,
    objectType: 'rule',
    ruleType,
    status,
    pairs: (JSON.parse(rule.pairs) as Record<string, unknown>[]).map((pair) => ({ ...pair, ...sourceOf(pair) })),
    groupId,
    creationDate,
    modificationDate,
    createdBy,
    lastModifiedBy,
    currentOwner: ownerId,
    isSample: false,
  };
}

function groupOf(group: Group, ownerId: string): object {
  const { id, name, status, isFavourite, creationDate, modificationDate, createdBy, lastModifiedBy } = group;
  return {
    id,
    name,
    objectType: 'group',
    status,
    isFavourite,
    children: [],
    creationDate,
    modificationDate,
    createdBy,
    lastModifiedBy,
    currentOwner: ownerId,
  };
}
