/**
 * One owner's client that knows what the server holds: it sends one random command after the other, and each answer tells the state.
 *
 * The state is kept by the names that the client gives, without what the server adds, so that the state after a command that was never
 * answered is known too. When the server is gone and there again, `check` says whether it holds just what was answered, with or without
 * the one command that was not.
 */
import { draws as drawsOf } from '../../src/base/seeded-draw.ts';

interface Rule {
  id: string;
  group: string;
  description: string;
  status: string;
  /** As it was answered last; undefined once another command has changed it. */
  answered: string | undefined;
}
interface Group {
  id: string;
  status: string;
  isFavourite: boolean;
}
interface Mock {
  id: string;
  state: string;
  version: number;
  staged: string[];
  saved: string[];
}
export interface Known {
  readonly rules: Map<string, Rule>;
  readonly groups: Map<string, Group>;
  readonly mocks: Map<string, Mock>;
}

/** What the server answers in `data`: of any record the id, and all of it as text. */
interface Data {
  readonly id: string;
  readonly name: string;
}

/** One command, and what it does to what is known. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** `data` is undefined when the answer never came. */
  readonly apply: (known: Known, data: Data | undefined) => void;
}

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
  readonly json: any;
}

const DESCRIPTION_CHARS = [0, 20, 300, 3_000, 9_000];
const UNKNOWN_ID = '';

export class OwnerWalk {
  readonly ownerId: string;
  known: Known = { rules: new Map(), groups: new Map(), mocks: new Map() };
  port = 0;
  mockPort = 0;
  /** Commands that were answered 200. */
  acknowledged = 0;
  /** The command that was sent and never answered. */
  pending: Step | undefined;
  /** Whether it was found done. */
  #pendingDone = false;
  #lastRepeatable: { step: Step; id: string } | undefined;
  readonly #key: string;
  #seed = 0;
  #draws = 0;
  #names = 0;

  constructor(ownerId: string, key: string) {
    this.ownerId = ownerId;
    this.#key = key;
  }

  /** A walk of its own from what this one knows. */
  fork(seed: number): OwnerWalk {
    const walk = new OwnerWalk(this.ownerId, this.#key);
    walk.known = structuredClone(this.known);
    walk.#seed = seed;
    return walk;
  }

  /** A group with many rules, whose deletion changes them all. */
  async fill(rulesCount: number): Promise<void> {
    await this.#take(this.#createGroup());
    for (let index = 0; index < rulesCount; index++) await this.#take(this.#createRule());
  }

  /** Sends command after command until the server is gone. @throws Error on any other answer than 200. */
  async run(): Promise<void> {
    while (await this.#take(this.#next()));
  }

  /** Sends so many commands. @throws Error when one is not answered 200. */
  async take(count: number): Promise<void> {
    for (let taken = 0; taken < count; taken++) await this.#take(this.#next());
  }

  /** @returns What is not as it was answered; undefined when all is. What was read is what is known from then on. */
  async check(): Promise<string | undefined> {
    const held = await this.#read();
    const text = textOf(held);
    const before = textOf(this.known);
    if (text !== before) {
      const after = structuredClone(this.known);
      this.pending?.apply(after, undefined);
      if (textOf(after) !== text) return `${this.acknowledged} were answered, and ${difference(before, text)}`;
      this.#pendingDone = true;
      this.known = after;
    }
    const changed = changedAnswer(this.known, held);
    this.known = held;
    return changed;
  }

  /** Repeats the last command that was answered and may be repeated. @returns What went wrong. */
  async repeatAnswered(): Promise<string | undefined> {
    const last = this.#lastRepeatable;
    if (last === undefined) return undefined;
    const before = textOf(this.known);
    const { status, json } = await this.#send(last.step);
    if (status !== 200 || json.data.id !== last.id) return `the retry of ${last.id}: ${status} ${JSON.stringify(json)}`;
    const after = textOf(await this.#read());
    return after === before ? undefined : `the retry of ${last.id}: ${difference(before, after)}`;
  }

  /** Repeats the command that was never answered, after `check`: done or not before, it is done once afterwards. */
  async repeatPending(): Promise<string | undefined> {
    const step = this.pending;
    if (step?.idempotencyKey === undefined) return undefined;
    const expected = structuredClone(this.known);
    const { status, json } = await this.#send(step);
    if (status !== 200) return `the retry of ${step.method} ${step.path}: ${status} ${JSON.stringify(json)}`;
    if (!this.#pendingDone) step.apply(expected, json.data as Data);
    this.known = await this.#read();
    const [wanted, got] = [textOf(expected), textOf(this.known)];
    return got === wanted ? undefined : `after a retry of what was not answered ${difference(wanted, got)}`;
  }

  /** Every running mock serves what was saved. @returns What went wrong. */
  async checkServed(): Promise<string | undefined> {
    for (const [name, { id, state, saved }] of this.known.mocks) {
      const path = saved.at(-1) as string;
      const answer = await fetch(`http://127.0.0.1:${this.mockPort}/__mock/${id}${path}`);
      const body = await answer.text();
      const holds = state === 'running' ? answer.status === 200 && body === path : answer.status === 503;
      if (!holds) return `the mock ${name} is ${state}, and ${path} answers ${answer.status} ${body.slice(0, 100)}`;
    }
    return undefined;
  }

  async #take(step: Step): Promise<boolean> {
    let answer: Answer;
    try {
      answer = await this.#send(step);
    } catch {
      this.pending = step;
      return false;
    }
    const { status, json } = answer;
    if (status !== 200) throw new Error(`${step.method} ${step.path}: ${status} ${JSON.stringify(json)}`);
    this.acknowledged++;
    step.apply(this.known, json.data as Data | undefined);
    if (step.idempotencyKey !== undefined) this.#lastRepeatable = { step, id: json.data.id };
    return true;
  }

  async #send({ method, path, body, idempotencyKey }: Step): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/v1${path}`, {
      method,
      headers: {
        'x-api-key': this.#key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: JSON.parse(await answer.text()) };
  }

  #draw(): number {
    return drawsOf(this.#seed, 0, this.#draws++)();
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#draw() * items.length)];
  }

  #name(kind: string): string {
    return `${kind} ${this.#seed} ${this.#names++}`;
  }

  #next(): Step {
    const dice = this.#draw() * 100;
    const { rules, groups, mocks } = this.known;
    const rule = this.#pick([...rules]);
    const group = this.#pick([...groups]);
    const mock = this.#pick([...mocks]);
    if (dice < 20 && rule !== undefined) return this.#updateRule(...rule);
    if (dice < 30 && rule !== undefined) return deleteRule(...rule);
    if (dice < 38) return this.#createGroup();
    if (dice < 43 && group !== undefined) return this.#updateGroup(...group);
    if (dice < 46 && group !== undefined) return deleteGroup(...group);
    if (dice < 51) return this.#createMock();
    if (dice < 58 && mock !== undefined) return this.#stageRoute(...mock);
    if (dice < 63 && mock !== undefined) return saveMock(...mock);
    if (dice < 66 && mock !== undefined) return switchMock(...mock);
    if (dice < 68 && mock !== undefined) return deleteMock(...mock);
    return this.#createRule();
  }

  #repeatable(): { idempotencyKey?: string } {
    return this.#draw() < 0.5 ? { idempotencyKey: this.#name('retry') } : {};
  }

  #ruleBody(name: string): { body: Record<string, unknown>; rule: Rule } {
    const group = this.#draw() < 0.5 ? this.#pick([...this.known.groups]) : undefined;
    const description = 'd'.repeat(this.#pick(DESCRIPTION_CHARS) as number) + this.#draws;
    const status = this.#draw() < 0.5 ? 'Active' : 'Inactive';
    const pairs = [{ source: { key: 'Url', operator: 'Contains', value: name } }];
    return {
      body: { name, description, status, ruleType: 'Cancel', pairs, groupId: group?.[1].id ?? '' },
      rule: { id: UNKNOWN_ID, group: group?.[0] ?? '', description, status, answered: undefined },
    };
  }

  #createRule(): Step {
    const name = this.#name('rule');
    const { body, rule } = this.#ruleBody(name);
    return { method: 'POST', path: '/rules', body, ...this.#repeatable(), apply: putRule(name, rule) };
  }

  #updateRule(name: string, { id }: Rule): Step {
    const { body, rule } = this.#ruleBody(name);
    return { method: 'PUT', path: `/rules/${id}`, body, apply: putRule(name, { ...rule, id }) };
  }

  #createGroup(): Step {
    const name = this.#name('group');
    const group = { id: UNKNOWN_ID, status: 'Active', isFavourite: this.#draw() < 0.5 };
    const apply: Step['apply'] = ({ groups }, data) => void groups.set(name, { ...group, id: data?.id ?? UNKNOWN_ID });
    const body = { name, isFavourite: group.isFavourite };
    return { method: 'POST', path: '/groups', body, ...this.#repeatable(), apply };
  }

  #updateGroup(name: string, { id, isFavourite }: Group): Step {
    const status = this.#draw() < 0.5 ? 'Active' : 'Inactive';
    const group = { id, status, isFavourite: !isFavourite };
    const body = { name, status, isFavourite: group.isFavourite };
    return { method: 'PUT', path: `/groups/${id}`, body, apply: ({ groups }) => void groups.set(name, group) };
  }

  #createMock(): Step {
    const name = this.#name('mock');
    const path = `/first-of-${name.replaceAll(' ', '-')}`;
    const start = this.#draw() < 0.7;
    const state = start ? 'running' : 'stopped';
    const mock = { id: UNKNOWN_ID, state, version: 1, staged: [path], saved: [path] };
    const apply: Step['apply'] = ({ mocks }, data) => void mocks.set(name, { ...mock, id: data?.id ?? UNKNOWN_ID });
    const body = { name, start, routes: [route(path)] };
    return { method: 'POST', path: '/mocks', body, ...this.#repeatable(), apply };
  }

  #stageRoute(name: string, { id }: Mock): Step {
    const path = `/staged-${this.#names++}`;
    const apply: Step['apply'] = ({ mocks }) => {
      const mock = mocks.get(name) as Mock;
      mocks.set(name, { ...mock, staged: [...mock.staged, path] });
    };
    return { method: 'POST', path: `/mocks/${id}/staged/routes`, body: route(path), apply };
  }

  async #read(): Promise<Known> {
    const known: Known = { rules: new Map(), groups: new Map(), mocks: new Map() };
    const groupNames = new Map<string, string>([['', '']]);
    for (const { id, name, status, isFavourite } of await this.#list('/groups')) {
      groupNames.set(id, name);
      known.groups.set(name, { id, status, isFavourite });
    }
    for (const rule of await this.#list('/rules')) {
      const group = groupNames.get(rule.groupId) ?? `no group has the id ${rule.groupId}`;
      const { id, description, status } = rule;
      known.rules.set(rule.name, { id, group, description, status, answered: storedText(rule) });
    }
    for (const { id, name, state, version } of await this.#list('/mocks')) {
      const staged = paths(await this.#get(`/mocks/${id}/staged`));
      const saved = paths(await this.#get(`/mocks/${id}/versions/${version}`));
      known.mocks.set(name, { id, state, version, staged, saved });
    }
    return known;
  }

  async #list(path: string): Promise<Answer['json'][]> {
    const all: Answer['json'][] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { json } = await this.#send({
        method: 'GET',
        path: `${path}?pageSize=75&offset=${offset}`,
        apply: changesNothing,
      });
      all.push(...json.data);
      offset = json.nextOffset;
    }
    return all;
  }

  async #get(path: string): Promise<Answer['json']> {
    return (await this.#send({ method: 'GET', path, apply: changesNothing })).json.data;
  }
}

function changesNothing(): void {}

function putRule(name: string, rule: Rule): Step['apply'] {
  return ({ rules }, data) => {
    const answered = data === undefined ? undefined : storedText(data);
    rules.set(name, { ...rule, id: data?.id ?? rule.id, answered });
  };
}

/** What an answer shows of a rule alone: the effective status follows its group. */
function storedText(answered: object): string {
  return JSON.stringify({ ...answered, effectiveStatus: undefined });
}

function deleteRule(name: string, { id }: Rule): Step {
  return { method: 'DELETE', path: `/rules/${id}`, apply: ({ rules }) => void rules.delete(name) };
}

function deleteGroup(name: string, { id }: Group): Step {
  return {
    method: 'DELETE',
    path: `/groups/${id}`,
    apply({ rules, groups }) {
      groups.delete(name);
      for (const [ruleName, rule] of rules) {
        if (rule.group === name) rules.set(ruleName, { ...rule, group: '', answered: undefined });
      }
    },
  };
}

function deleteMock(name: string, { id }: Mock): Step {
  return { method: 'DELETE', path: `/mocks/${id}`, apply: ({ mocks }) => void mocks.delete(name) };
}

function saveMock(name: string, { id }: Mock): Step {
  const apply: Step['apply'] = ({ mocks }) => {
    const mock = mocks.get(name) as Mock;
    mocks.set(name, { ...mock, version: mock.version + 1, saved: mock.staged });
  };
  return { method: 'POST', path: `/mocks/${id}/save`, apply };
}

function switchMock(name: string, { id, state }: Mock): Step {
  const next = state === 'running' ? 'stopped' : 'running';
  const apply: Step['apply'] = ({ mocks }) => void mocks.set(name, { ...(mocks.get(name) as Mock), state: next });
  return { method: 'POST', path: `/mocks/${id}/${next === 'running' ? 'start' : 'stop'}`, apply };
}

/** A route that answers with its own path. */
function route(path: string): object {
  return { method: 'GET', path, responses: [{ body: path }] };
}

function paths({ routes }: { routes: { path: string }[] }): string[] {
  return routes.map(({ path }) => path);
}

/** One line per record, without what the server adds. Equal for equal states. */
function textOf({ rules, groups, mocks }: Known): string {
  const lines: string[] = [];
  for (const [name, { group, description, status }] of rules) lines.push(lineOf(name, [group, description, status]));
  for (const [name, { status, isFavourite }] of groups) lines.push(lineOf(name, [status, isFavourite]));
  for (const [name, { state, version, staged, saved }] of mocks)
    lines.push(lineOf(name, [state, version, staged, saved]));
  return lines.toSorted().join('\n');
}

function lineOf(name: string, fields: readonly unknown[]): string {
  return `${name}: ${JSON.stringify(fields)}`;
}

const LINES_SHOWN = 3;
const LINE_CHARS_SHOWN = 100;

/** The first lines that only one of two texts has. */
function difference(expected: string, got: string): string {
  const [wanted, found] = [expected.split('\n'), got.split('\n')];
  const show = (lines: readonly string[]): string =>
    `${lines.length} (${lines
      .slice(0, LINES_SHOWN)
      .map((line) => line.slice(0, LINE_CHARS_SHOWN))
      .join('; ')})`;
  const missing = wanted.filter((line) => !found.includes(line));
  const astray = found.filter((line) => !wanted.includes(line));
  return `of ${wanted.length} records are missing or other ${show(missing)}, and instead there are ${show(astray)}`;
}

/** What of two equal states has another id, or is not the rule that was answered: dates and users too. */
function changedAnswer(known: Known, held: Known): string | undefined {
  for (const kind of ['rules', 'groups', 'mocks'] as const) {
    for (const [name, { id }] of known[kind]) {
      const now = held[kind].get(name)?.id;
      if (id !== UNKNOWN_ID && now !== id) return `${name} had the id ${id}, and has ${now}`;
    }
  }
  for (const [name, { answered }] of known.rules) {
    const now = held.rules.get(name)?.answered;
    if (answered !== undefined && now !== answered) return `${answered} became ${now}`;
  }
  return undefined;
}
