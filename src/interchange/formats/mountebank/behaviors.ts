/** Behaviors of a response: what happens to it before it is sent. Older files have an object of them, newer ones a list. */
import { isObject } from '../../../base/json-object.ts';
import { LATENCY_MS_MAX } from '../../../limits.ts';
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { scalarText, toNumber } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { StubResponse } from '../../stubs/stub.ts';
import { copied } from './copy.ts';

type Value = Readonly<Record<string, unknown>>;

interface Behaved {
  readonly response: StubResponse;
  /** How often it answers before the next one does. */
  readonly repeat: number;
}

const SCRIPTS: ReadonlySet<string> = new Set(['decorate', 'shellTransform']);

/** @returns undefined when one cannot be expressed. */
export function readBehaviors(value: Value, plain: StubResponse, source: Member, item: Item): Behaved | undefined {
  let response = plain;
  let latency: { readonly latency?: number } = {};
  let repeat = toNumber(value.repeat ?? 1);
  for (const [name, given] of behaviorsOf(value)) {
    if (name === 'repeat') repeat = toNumber(given);
    else if (name === 'wait') latency = waited(given, item, source);
    else if (name === 'copy') {
      const made = response.forward === undefined ? copied(response, given) : 'the body comes from another server';
      if (typeof made === 'string') {
        item.note('mountebank.behavior', source, `copy: ${made}`);
        return undefined;
      }
      response = made;
    } else {
      item.note(SCRIPTS.has(name) ? 'mountebank.script' : 'mountebank.behavior', source, name);
      return undefined;
    }
  }
  if (response.templated === true) {
    const texts = [response.body ?? '', ...(response.headers ?? []).map((line) => line.value)];
    const problem = texts.map((text) => templateProblem(text, 'text')).find((each) => each !== undefined);
    if (problem !== undefined) {
      item.note('mountebank.behavior', source, `copy: ${problem}`);
      return undefined;
    }
  }
  return { response: { ...response, ...latency }, repeat: Number.isInteger(repeat) && repeat > 0 ? repeat : 1 };
}

function* behaviorsOf({ behaviors, _behaviors }: Value): Generator<[string, unknown]> {
  for (const each of [_behaviors, behaviors].flat()) {
    if (!isObject(each)) continue;
    for (const [name, value] of Object.entries(each)) {
      if (Array.isArray(value)) for (const one of value) yield [name, one];
      else yield [name, value];
    }
  }
}

function waited(given: unknown, item: Item, source: Member): { readonly latency?: number } {
  const ms = Number.parseInt(scalarText(given) ?? '', 10);
  if (Number.isNaN(ms) || ms > LATENCY_MS_MAX) item.note('mountebank.wait', source);
  return Number.isNaN(ms) || ms <= 0 ? {} : { latency: Math.min(ms, LATENCY_MS_MAX) };
}
