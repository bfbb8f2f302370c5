/**
 * A client that writes rules and groups, and knows what the server may hold of them.
 *
 * It changes its own records one request after the other, so that a record's acceptable contents are known at every moment: the
 * acknowledged one, or that of the one request whose answer never came.
 */
import { Choices, type Load } from './load.ts';

type Kind = 'rules' | 'groups';

/** What may be found of a record: its content as one line of text, or that it is gone. */
const GONE = 'gone';

/** With as many records a writer deletes instead of creating: every round of a proof reads all there are. */
const RECORDS_MAX = 50;

interface Tracked {
  readonly kind: Kind;
  readonly id: string;
  /** The body that was acknowledged last. */
  body: Record<string, unknown>;
  /** More than one while the outcome of a request is unknown. */
  acceptable: string[];
}

/** A create without an answer: it may have happened. */
interface PendingCreate {
  readonly kind: Kind;
  readonly body: Record<string, unknown>;
  readonly idempotencyKey: string;
}

export interface Stored {
  readonly id: string;
  readonly name: string;
  readonly groupId?: string;
  readonly [member: string]: unknown;
}

export class RecordWriter {
  readonly owner: string;
  readonly records: Tracked[] = [];
  readonly deleted: string[] = [];
  readonly #load: Load;
  readonly #key: string;
  readonly #name: string;
  readonly #choices: Choices;
  #count = 0;
  #creating: PendingCreate | undefined;
  /** A group whose deletion was asked for, with its rules. */
  #deleting: { readonly groupId: string; readonly memberIds: readonly string[] } | undefined;

  constructor(load: Load, owner: string, key: string, index: number) {
    this.#load = load;
    this.owner = owner;
    this.#key = key;
    this.#name = `${owner}-${index}`;
    this.#choices = new Choices(index * 7_919 + owner.length * 104_729 + 1);
  }

  async step(): Promise<void> {
    const choice = this.#choices.below(10);
    const record = this.records[this.#choices.below(Math.max(1, this.records.length))];
    const creates = choice < 4 && this.records.length < RECORDS_MAX;
    if (record === undefined || creates) return this.#create(choice % 4 === 0 ? 'groups' : 'rules');
    if (choice >= 4 && choice < 8) return this.#update(record);
    return this.#delete(record);
  }

  /** Sends a create whose outcome is unknown, with the key it had: it happens once, whether it had happened or not. */
  async repeatUnanswered(): Promise<void> {
    if (this.#creating === undefined) return;
    const { kind, body, idempotencyKey } = this.#creating;
    const answer = await this.#load.write(this.#key, 'POST', `/v1/${kind}`, body, idempotencyKey);
    this.#creating = undefined;
    const record = answer.json.data as Stored;
    const [told, sent] = [contentOf(kind, record), contentOf(kind, body)];
    this.#load.tally.check('an answer tells what was sent', told === sent, () => `${told} instead of ${sent}`);
    this.records.push({ kind, id: record.id, body, acceptable: [sent] });
  }

  /** Compares with what the server has, which becomes what is known. */
  check(stored: ReadonlyMap<string, Stored>, where: string): void {
    const { tally } = this.#load;
    if (this.#deleting !== undefined) {
      const { groupId, memberIds } = this.#deleting;
      const expected = stored.has(groupId) ? groupId : '';
      const astray = memberIds.find((id) => stored.get(id)?.groupId !== expected);
      tally.check(
        'a group is deleted with all its rules ungrouped, or not at all',
        astray === undefined,
        () => `${astray} is in '${stored.get(astray ?? '')?.groupId}', not '${expected}': ${where}`,
      );
      this.#deleting = undefined;
    }
    for (const record of this.records.splice(0)) {
      const found = stored.get(record.id);
      const content = found === undefined ? GONE : contentOf(record.kind, found);
      tally.check(
        'what was acknowledged is there, what was not is whole or absent',
        record.acceptable.includes(content),
        () => `${record.id} is ${content}, none of ${record.acceptable.join(' ')}: ${where}`,
      );
      if (found === undefined) this.deleted.push(record.id);
      else this.records.push({ ...record, body: JSON.parse(content) as Tracked['body'], acceptable: [content] });
    }
    const risen = this.deleted.find((id) => stored.has(id));
    tally.check('what was deleted stays away', risen === undefined, () => `${risen}: ${where}`);
  }

  async #create(kind: Kind): Promise<void> {
    const body = this.#body(kind);
    this.#creating = { kind, body, idempotencyKey: body.name as string };
    await this.repeatUnanswered();
  }

  async #update(record: Tracked): Promise<void> {
    const body = this.#body(record.kind);
    record.acceptable.push(contentOf(record.kind, body));
    await this.#load.write(this.#key, 'PUT', `/v1/${record.kind}/${record.id}`, body);
    record.body = body;
    record.acceptable = [contentOf(record.kind, body)];
  }

  async #delete(record: Tracked): Promise<void> {
    record.acceptable.push(GONE);
    const members = this.records.filter(({ body }) => record.kind === 'groups' && body.groupId === record.id);
    for (const member of members) member.acceptable.push(contentOf('rules', { ...member.body, groupId: '' }));
    if (members.length > 0) this.#deleting = { groupId: record.id, memberIds: members.map(({ id }) => id) };
    await this.#load.write(this.#key, 'DELETE', `/v1/${record.kind}/${record.id}`);
    this.#deleting = undefined;
    for (const member of members) {
      member.body = { ...member.body, groupId: '' };
      member.acceptable = [contentOf('rules', member.body)];
    }
    this.deleted.push(record.id);
    this.records.splice(this.records.indexOf(record), 1);
  }

  #body(kind: Kind): Record<string, unknown> {
    const name = `${this.#name}-${++this.#count}`;
    if (kind === 'groups') return { name, status: 'Active', isFavourite: this.#choices.below(2) === 0 };
    const groups = this.records.filter((record) => record.kind === 'groups');
    return {
      name,
      description: name.repeat(this.#choices.below(40)),
      ruleType: 'Cancel',
      groupId: groups[this.#choices.below(groups.length + 1)]?.id ?? '',
      pairs: [{ id: 'p', source: { key: 'Url', operator: 'Equals', value: name } }],
    };
  }
}

/** The members that a client decides on. */
function contentOf(kind: Kind, record: Readonly<Record<string, unknown>>): string {
  const { name, description, ruleType, groupId, pairs, status, isFavourite } = record;
  if (kind === 'groups') return JSON.stringify({ name, status, isFavourite });
  return JSON.stringify({ name, description, ruleType, groupId, pairs });
}

/** Every rule and group of an owner, page after page. */
export async function readAll(load: Load, key: string): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>();
  for (const kind of ['rules', 'groups'] as const) {
    for (let offset: number | null = 0; offset !== null;) {
      const path = `/v1/${kind}?pageSize=75&offset=${offset}`;
      const answer = await load.ask('GET', path, { key });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
      const page = answer.json as { data: Stored[]; nextOffset: number | null };
      for (const record of page.data) stored.set(record.id, record);
      offset = page.nextOffset;
    }
  }
  return stored;
}
