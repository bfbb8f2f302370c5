/** Clients that work on the same few records at once, and write down what they asked and were told. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Draws } from '../simulation/draws.ts';
import type { MockCall, ShownMock } from './mock-model.ts';
import type { Kind, OwnerCall, Refused, Shown } from './owner-model.ts';
import { History, type Answered, type Servers } from './recorder.ts';

const RULES_ABOUT = 6;
const GROUPS_ABOUT = 3;

/** What went wrong beside the order of things: an answer that no request should get. */
export type OnUnexpected = (what: string) => void;

interface Record {
  readonly id: string;
  readonly name: string;
  readonly groupId?: string;
}

/** All that the clients of one owner share: what they have heard of, and the history they make. */
export class OwnerWork {
  readonly history = new History<OwnerCall>();
  readonly #recorder: Servers;
  readonly #draws: Draws;
  readonly #key: string;
  readonly #onUnexpected: OnUnexpected;
  readonly #known: { readonly [kind in Kind]: string[] } = { rules: [], groups: [] };
  readonly #tags = new Map<string, string[]>();
  #names = 0;

  constructor(recorder: Servers, draws: Draws, key: string, onUnexpected: OnUnexpected) {
    this.#recorder = recorder;
    this.#draws = draws;
    this.#key = key;
    this.#onUnexpected = onUnexpected;
  }

  /** One client: one request after the other until the end. */
  async client(): Promise<void> {
    while (!this.#recorder.over) await this.#step();
  }

  /** What is there when all is quiet. */
  async readAll(): Promise<void> {
    for (const of of ['rules', 'groups'] as const) await this.#list(of, undefined);
  }

  /** When all is quiet: each history has an update that a read has seen, however little a slow machine did before. */
  async updateAlone(): Promise<void> {
    await this.#create('rules', this.#body('rules', ''));
    const id = this.#known.rules.at(-1) as string;
    await this.#update('rules', id, this.#body('rules', ''));
    await this.#read('rules', id);
  }

  async #step(): Promise<void> {
    const draws = this.#draws;
    const of: Kind = draws.percent(65) ? 'rules' : 'groups';
    const choice = draws.below(100);
    const count = this.#known[of].length;
    const about = of === 'rules' ? RULES_ABOUT : GROUPS_ABOUT;
    // Records that are gone stay known for a while.
    if (count > 2 * about) this.#known[of].splice(0, count - about);
    if (count === 0 || choice < (count < about ? 30 : 6)) return this.#create(of);
    if (choice < 50) return this.#update(of);
    if (choice < 60) return this.#delete(of);
    if (choice < 80) return this.#read(of);
    return this.#list(of, of === 'rules' && draws.percent(40) ? this.#group() : undefined);
  }

  async #create(of: Kind, body = this.#body(of)): Promise<void> {
    const keyed = this.#draws.percent(50);
    const headers: { [name: string]: string } = keyed ? { 'idempotency-key': body.name } : {};
    let { process, invoked } = await this.#recorder.begin();
    const first = invoked;
    for (;;) {
      const answer = await this.#recorder.ask('POST', `/${of}`, this.#key, bodyOf(of, body), headers);
      if (answer !== undefined && answer.status !== 500) {
        if (answer.status === 503 && !keyed) return undefined;
        if (answer.status !== 503) return this.#created(of, body, answer, first);
      } else if (!keyed) {
        return this.#recorder.unanswered(this.history, { kind: 'create', of, id: '', ...body }, invoked, process);
      }
      // Repeated with its key it is one operation, from its first request to its answer.
      await sleep(5);
      ({ process, invoked } = await this.#recorder.begin());
    }
  }

  #created(of: Kind, body: Omit<Record, 'id'>, answer: Answered, invoked: number): void {
    const outcome = this.#outcome(of, answer);
    if (outcome === undefined) return;
    const id = typeof outcome === 'string' ? '' : outcome.id;
    this.#recorder.answered(this.history, { kind: 'create', of, id, ...body, answer: outcome }, invoked);
  }

  async #update(of: Kind, id = this.#knownId(of), body = this.#body(of), ifMatch = this.#ifMatch(id)): Promise<void> {
    const call: OwnerCall = { kind: 'update', of, id, ...body, ifMatch };
    await this.#write('PUT', `/${of}/${id}`, bodyOf(of, body), ifMatch, call, (answer) => {
      const outcome = this.#outcome(of, answer);
      return outcome && { ...call, answer: outcome };
    });
  }

  async #delete(of: Kind): Promise<void> {
    const id = this.#knownId(of);
    const ifMatch = this.#ifMatch(id);
    const call: OwnerCall = { kind: 'delete', of, id, ifMatch };
    await this.#write('DELETE', `/${of}/${id}`, undefined, ifMatch, call, (answer) => {
      if (answer.status === 200) return { ...call, answer: 'deleted' };
      const outcome = this.#outcome(of, answer);
      return typeof outcome === 'string' ? { ...call, answer: outcome } : undefined;
    });
  }

  async #read(of: Kind, id = this.#knownId(of)): Promise<void> {
    const { invoked } = await this.#recorder.begin();
    const answer = await this.#recorder.ask('GET', `/${of}/${id}`, this.#key, undefined, {});
    const outcome = answer && this.#outcome(of, answer);
    if (outcome === undefined || outcome === 'groupNotFound' || outcome === 'preconditionFailed') return;
    this.#recorder.answered(this.history, { kind: 'read', of, id, answer: outcome }, invoked);
  }

  async #list(of: Kind, groupId: string | undefined): Promise<void> {
    const { invoked } = await this.#recorder.begin();
    const filter = groupId === undefined ? '' : `&groupId=${groupId}`;
    const answer = await this.#recorder.ask('GET', `/${of}?pageSize=75${filter}`, this.#key, undefined, {});
    if (answer === undefined || answer.status === 503) return;
    if (answer.status !== 200 || answer.json.nextOffset !== null) return this.#unexpected(answer);
    const shown = (answer.json.data as Record[]).map(({ id, name, groupId: in_ = '' }) => {
      this.#learn(of, id, undefined);
      return { id, name, groupId: in_ };
    });
    this.#recorder.answered(this.history, { kind: 'list', of, groupId, answer: shown }, invoked);
  }

  async #write(
    method: string,
    path: string,
    body: object | undefined,
    ifMatch: string | undefined,
    asked: OwnerCall,
    told: (answer: Answered) => OwnerCall | undefined,
  ): Promise<void> {
    const headers: { [name: string]: string } = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const { process, invoked } = await this.#recorder.begin();
    const answer = await this.#recorder.ask(method, path, this.#key, body, headers);
    if (answer === undefined || answer.status === 500) {
      return this.#recorder.unanswered(this.history, asked, invoked, process);
    }
    const call = told(answer);
    if (call !== undefined) this.#recorder.answered(this.history, call, invoked);
  }

  /** What an answer says; undefined for what had no effect and says nothing, and for what should not be. */
  #outcome(of: Kind, answer: Answered): Shown | Refused | undefined {
    const { status, json, etag } = answer;
    if (status === 200 && json.data !== undefined) {
      const { id, name, groupId = '' } = json.data as Record;
      this.#learn(of, id, etag);
      return { id, name, groupId, ...(etag === undefined ? {} : { etag }) };
    }
    if (status === 412) return 'preconditionFailed';
    if (status === 404) return of === 'rules' && json.message === 'Group not found' ? 'groupNotFound' : 'notFound';
    if (status !== 503) this.#unexpected(answer);
    return undefined;
  }

  #unexpected({ status, json }: Answered): void {
    this.#onUnexpected(`${status} ${JSON.stringify(json)}`);
  }

  #learn(of: Kind, id: string, etag: string | undefined): void {
    if (!this.#known[of].includes(id)) this.#known[of].push(id);
    if (etag === undefined) return;
    const tags = this.#tags.get(id) ?? [];
    if (tags.at(-1) !== etag) this.#tags.set(id, [...tags.slice(-2), etag]);
  }

  #ifMatch(id: string): string | undefined {
    return this.#draws.percent(40) ? this.#draws.of(this.#tags.get(id) ?? []) : undefined;
  }

  #knownId(of: Kind): string {
    return this.#draws.of(this.#known[of]) as string;
  }

  #group(): string {
    return this.#draws.percent(40) ? '' : (this.#draws.of(this.#known.groups.slice(-GROUPS_ABOUT)) ?? '');
  }

  #body(of: Kind, groupId = of === 'rules' ? this.#group() : undefined): Omit<Record, 'id'> {
    const name = `n${++this.#names}`;
    return groupId === undefined ? { name } : { name, groupId };
  }
}

function bodyOf(of: Kind, body: Omit<Record, 'id'>): object {
  const pairs = [{ id: 'p', source: { key: 'Url', operator: 'Contains', value: body.name } }];
  return of === 'rules' ? { ...body, ruleType: 'Cancel', pairs } : body;
}

/** All that the clients of one mock share. */
export class MockWork {
  readonly history = new History<MockCall>();
  readonly id: string;
  readonly #recorder: Servers;
  readonly #draws: Draws;
  readonly #key: string;
  readonly #onUnexpected: OnUnexpected;
  #nameTags: string[] = [];
  #stagedTags: string[] = [];
  #version = 1;
  #names = 0;

  constructor(recorder: Servers, draws: Draws, key: string, id: string, onUnexpected: OnUnexpected) {
    this.#recorder = recorder;
    this.#draws = draws;
    this.#key = key;
    this.id = id;
    this.#onUnexpected = onUnexpected;
  }

  async client(): Promise<void> {
    while (!this.#recorder.over) await this.#step();
  }

  /** What is there when all is quiet. */
  async readAll(): Promise<void> {
    await this.#readRecord();
    await this.#readStaged();
  }

  #step(): Promise<void> {
    const choice = this.#draws.below(100);
    const value = `v${++this.#names}`;
    if (choice < 15) return this.#write({ kind: 'rename', name: value, ifMatch: this.#ifMatch(this.#nameTags) });
    if (choice < 40) return this.#write({ kind: 'stage', value, ifMatch: this.#ifMatch(this.#stagedTags) });
    if (choice < 55) return this.#write({ kind: 'save', ifMatch: this.#ifMatch(this.#stagedTags) });
    if (choice < 75) return this.#readRecord();
    if (choice < 90) return this.#readStaged();
    return this.#readVersion();
  }

  async #write(call: MockCall & { kind: 'rename' | 'stage' | 'save' }): Promise<void> {
    const { ifMatch } = call;
    const headers: { [name: string]: string } = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const { process, invoked } = await this.#recorder.begin();
    const answer = await this.#ask(call, headers);
    if (answer === undefined || answer.status === 500) {
      return this.#recorder.unanswered(this.history, call, invoked, process);
    }
    if (answer.status === 412) {
      return this.#recorder.answered(this.history, { ...call, answer: 'preconditionFailed' }, invoked);
    }
    if (answer.status !== 200) return this.#unexpected(answer);
    const told =
      call.kind === 'stage' ? { ...call, answer: this.#staged(answer) } : { ...call, answer: this.#record(answer) };
    return this.#recorder.answered(this.history, told, invoked);
  }

  #ask(call: MockCall, headers: Readonly<{ [name: string]: string }>): Promise<Answered | undefined> {
    const path = `/mocks/${this.id}`;
    switch (call.kind) {
      case 'rename':
        return this.#recorder.ask('PUT', path, this.#key, { name: call.name }, headers);
      case 'stage': {
        const routes = [{ method: 'GET', path: '/', responses: [{ body: call.value }] }];
        return this.#recorder.ask('PUT', `${path}/staged`, this.#key, { routes }, headers);
      }
      default:
        return this.#recorder.ask('POST', `${path}/save`, this.#key, undefined, headers);
    }
  }

  async #readRecord(): Promise<void> {
    await this.#read('', (answer) => ({ kind: 'read', answer: this.#record(answer) }));
  }

  async #readStaged(): Promise<void> {
    await this.#read('/staged', (answer) => ({ kind: 'readStaged', answer: this.#staged(answer) }));
  }

  async #readVersion(): Promise<void> {
    const version = this.#version + this.#draws.below(2);
    await this.#read(`/versions/${version}`, (answer) => ({
      kind: 'readVersion',
      version,
      value: answer.status === 404 ? undefined : bodyIn(answer),
    }));
  }

  async #read(path: string, told: (answer: Answered) => MockCall): Promise<void> {
    const { invoked } = await this.#recorder.begin();
    const answer = await this.#recorder.ask('GET', `/mocks/${this.id}${path}`, this.#key, undefined, {});
    if (answer === undefined) return undefined;
    const isMissing = answer.status === 404 && path.startsWith('/versions');
    if (answer.status !== 200 && !isMissing) return this.#unexpected(answer);
    return this.#recorder.answered(this.history, told(answer), invoked);
  }

  #record({ json, etag }: Answered): ShownMock {
    const { name, version, hasStagedChanges } = json.data as ShownMock;
    this.#nameTags = [...this.#nameTags.slice(-1), etag as string];
    this.#version = Math.max(this.#version, version);
    return { name, version, hasStagedChanges, etag };
  }

  #staged(answer: Answered): { value: string; etag: string } {
    const etag = answer.etag as string;
    this.#stagedTags = [...this.#stagedTags.slice(-1), etag];
    return { value: bodyIn(answer), etag };
  }

  #ifMatch(tags: readonly string[]): string | undefined {
    return this.#draws.percent(40) ? this.#draws.of(tags) : undefined;
  }

  #unexpected({ status, json }: Answered): void {
    if (status !== 503) this.#onUnexpected(`${status} ${JSON.stringify(json)}`);
  }
}

function bodyIn({ json }: Answered): string {
  return (json.data as { routes: { responses: { body: string }[] }[] }).routes[0]?.responses[0]?.body ?? '';
}
