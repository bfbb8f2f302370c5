/**
 * A value for a schema: what its author states, where that fits, else the first of its alternatives that works, else one made by its type.
 *
 * A circle ends where a schema would be shown within itself. There the value is cut, and with it all that requires it, up to a property that
 * may be missing, an array that may be empty, or another alternative: what is left fits the schema.
 */
import { SAMPLE_DEPTH_MAX } from '../../limits.ts';
import { fits, fitsOne, isWriteOnly } from './fits.ts';
import type { MergedSchema } from './leaf.ts';
import { merge, typesOf } from './merged.ts';
import { sampleNumber } from './numbers.ts';
import { partsOf, type Parts } from './parts.ts';
import { Cut, isJson, NOTHING_FITS, put, TOO_DEEP, TOO_LARGE, type Json, type SampleRun } from './run.ts';
import { exampleMembers, isGuarded, noteStated, statedValue, takeWhole } from './stated.ts';
import { sampleText } from './texts.ts';

/** The value of a property that says of which schema an object is. */
interface Tag {
  readonly name: string;
  readonly value: string;
}

/** Hints for an object beside its schema. */
interface Hints {
  readonly tag?: Tag | undefined;
  /** Members of examples of schemas that it is made of. */
  readonly members?: Json | undefined;
}

/** @returns A value, or why there is none. */
export function sampleValue(run: SampleRun, schema: unknown): unknown {
  run.leaf = undefined;
  if (!run.step()) return TOO_LARGE;
  return run.inside(schema, () => sampleSchemaParts(run, schema));
}

function sampleSchemaParts(run: SampleRun, schema: unknown): unknown {
  const parts = partsOf(run, schema);
  if (parts instanceof Cut) return parts;
  const stated = statedValue(run, schema, parts);
  if (stated !== undefined) {
    noteStated(run, parts.all, stated);
    return stated;
  }
  const value = sampleParts(run, parts.all, { tag: tagOf(parts), members: exampleMembers(parts) });
  if (!(value instanceof Cut) || value === TOO_LARGE || !allowsNull(parts.all)) return value;
  run.note(value);
  run.leaf = undefined;
  return run.take(4) ? null : TOO_LARGE;
}

function sampleParts(run: SampleRun, parts: readonly Json[], hints: Hints): unknown {
  if (!run.step(parts.length)) return TOO_LARGE;
  for (const [at, part] of parts.entries()) {
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const options = part[keyword];
      if (!Array.isArray(options) || options.length === 0) continue;
      run.namesOf(part);
      if (!run.step(options.length)) return TOO_LARGE;
      const { [keyword]: _, ...bare } = part;
      return sampleChoice(run, [...parts.slice(0, at), bare, ...parts.slice(at + 1)], part, keyword, hints);
    }
  }
  const merged = merge(run, parts);
  if (merged instanceof Cut) return merged;
  if (run.leaves === undefined || !parts.some(isGuarded)) return sampleMerged(run, merged, hints);
  run.choices++;
  const value = sampleMerged(run, merged, hints);
  run.choices--;
  run.leaf = undefined;
  return value;
}

/** null is what is left when there is nothing else. */
function allowsNull(parts: readonly Json[]): boolean {
  return (
    parts.some((part) => typesOf(part)?.includes('null') === true) &&
    parts.every(
      (part) =>
        (typesOf(part)?.includes('null') ?? true) &&
        part.oneOf === undefined &&
        part.anyOf === undefined &&
        (!Array.isArray(part.enum) || part.enum.includes(null)) &&
        !Object.hasOwn(part, 'const'),
    )
  );
}

// ---- Alternatives ----

function sampleChoice(
  run: SampleRun,
  others: readonly Json[],
  part: Json,
  keyword: 'oneOf' | 'anyOf',
  hints: Hints,
): unknown {
  const options = (part[keyword] as readonly unknown[]).toSorted((a, b) => Number(isNull(a)) - Number(isNull(b)));
  const isOne = keyword === 'oneOf';
  const attempt = (option: unknown): unknown => {
    if (isOne) run.choices++;
    const value = inOption(option);
    if (isOne) {
      run.choices--;
      run.leaf = undefined;
    }
    return value;
  };
  const inOption = (option: unknown): unknown =>
    run.inside(option, () => {
      run.leaf = undefined;
      const parts = partsOf(run, option);
      if (parts instanceof Cut) return parts;
      const stated = others.every(isPlain) ? statedValue(run, option, parts) : undefined;
      const tag = tagOf(parts, part) ?? hints.tag;
      return (
        stated ?? sampleParts(run, [...others, ...parts.all], { tag, members: hints.members ?? exampleMembers(parts) })
      );
    });
  const before = run.mark();
  const bareBefore = run.bareDepth;
  let failed: Cut = NOTHING_FITS;
  let first: { readonly option: unknown } | undefined;
  // An object with all of its properties may fit several of the schemas of which it must fit one.
  for (const isBare of keyword === 'oneOf' ? [false, true] : [false]) {
    for (const option of options) {
      if (isBare) run.bareDepth = run.depth;
      const value = attempt(option);
      run.bareDepth = bareBefore;
      if (value instanceof Cut) {
        if (failed.silent) failed = value;
      } else if (keyword === 'anyOf' || fitsOne(run, options, value)) return value;
      else first ??= { option };
      run.giveUp(before);
      if (!run.step()) return TOO_LARGE;
    }
    if (first === undefined) break;
  }
  return first === undefined ? failed : attempt(first.option);
}

function isNull(option: unknown): boolean {
  return (
    isJson(option) &&
    (option.type === 'null' || (Array.isArray(option.enum) && option.enum.every((value) => value === null)))
  );
}

/** Whether a schema says nothing of the value but by its alternatives. */
function isPlain(part: Json): boolean {
  return Object.keys(part).every((name) => PLAIN.has(name));
}

const PLAIN = new Set([
  'title',
  'description',
  'discriminator',
  '$ref',
  'nullable',
  '$schema',
  '$id',
  '$defs',
  'definitions',
]);

/** @param chooser The schema whose alternative this is. */
function tagOf(parts: Parts, chooser?: Json): Tag | undefined {
  const { ref, name: refName } = parts;
  if (ref === undefined || refName === undefined) return undefined;
  for (const { discriminator } of chooser === undefined ? parts.all : [chooser, ...parts.all]) {
    if (typeof discriminator === 'string') return { name: discriminator, value: refName };
    if (!isJson(discriminator) || typeof discriminator.propertyName !== 'string') continue;
    const mapping = isJson(discriminator.mapping) ? Object.entries(discriminator.mapping) : [];
    const [mapped] = mapping.find(([, target]) => target === ref || target === refName) ?? [];
    return { name: discriminator.propertyName, value: mapped ?? refName };
  }
  return undefined;
}

// ---- By type ----

function sampleMerged(run: SampleRun, merged: MergedSchema, hints: Hints): unknown {
  if (merged.values !== undefined) return sampleOfValues(run, merged);
  const { types } = merged;
  const type = types === undefined ? 'any' : (types.find((each) => each !== 'null') ?? 'null');
  switch (type) {
    case 'object':
      return sampleObject(run, merged, hints);
    case 'array':
      return sampleArray(run, merged);
    case 'integer':
    case 'number': {
      const value = sampleNumber(merged, type === 'integer', run.variant);
      if (value === undefined) return new Cut('no known number is within the bounds');
      run.leaf = { merged, type };
      return run.take(4) ? value : TOO_LARGE;
    }
    case 'boolean':
      run.leaf = { merged, type };
      return run.take(4) ? run.variant % 2 === 0 : TOO_LARGE;
    case 'null':
      return run.take(4) ? null : TOO_LARGE;
    case 'any':
      return run.take(2) ? {} : TOO_LARGE;
    // "file" of Swagger 2, and what is not a type.
    default: {
      const text = sampleText(run, merged);
      run.leaf = { merged, type: 'string' };
      return text instanceof Cut || run.take(text.length) ? text : TOO_LARGE;
    }
  }
}

function sampleOfValues(run: SampleRun, merged: MergedSchema): unknown {
  const values = merged.values as readonly unknown[];
  const { types, min, max, isMinOpen, isMaxOpen } = merged;
  const schema = {
    type: types,
    minLength: merged.minLength,
    ...(merged.maxLength < Infinity && { maxLength: merged.maxLength }),
  };
  const fitting = values.filter(
    (value) =>
      fits(run, schema, value) &&
      (typeof value !== 'number' ||
        ((isMinOpen ? value > min : value >= min) && (isMaxOpen ? value < max : value <= max))),
  );
  const shown = fitting.some((value) => value !== null) ? fitting.filter((value) => value !== null) : fitting;
  if (shown.length === 0) return NOTHING_FITS;
  const value = shown[run.variant % shown.length];
  run.leaf = { merged, type: typeof value, values: shown };
  return takeWhole(run, value) ? value : TOO_LARGE;
}

function sampleObject(run: SampleRun, merged: MergedSchema, hints: Hints): unknown {
  if (run.depth >= SAMPLE_DEPTH_MAX) return TOO_DEEP;
  if (!run.take(2)) return TOO_LARGE;
  run.depth++;
  const value = membersOf(run, merged, hints);
  run.leaf = undefined;
  run.depth--;
  return value;
}

function membersOf(run: SampleRun, merged: MergedSchema, hints: Hints): object | Cut {
  const object = {};
  const isBare = run.bareDepth === run.depth - 1;
  let optionalLeft = merged.maxProperties - merged.required.size;
  for (const [name, schema] of merged.properties) {
    const isRequired = merged.required.has(name);
    if (isWriteOnly(run, schema)) continue;
    if (!isRequired) {
      if (isBare || merged.names?.has(name) === false || optionalLeft <= 0) continue;
      if (run.isTight) {
        run.note(TOO_LARGE);
        continue;
      }
    }
    const failed = addMember(run, object, { name, schema, isRequired }, hints);
    if (failed !== undefined) return failed;
    if (!isRequired && Object.hasOwn(object, name)) optionalLeft--;
  }
  for (const name of merged.required) {
    if (merged.properties.has(name)) continue;
    const failed = addMember(run, object, { name, schema: merged.additional ?? ANY, isRequired: true }, hints);
    if (failed !== undefined) return failed;
  }
  return addFurther(run, object, merged);
}

/** Schema of a text, for a value that may be anything. */
const ANY = { type: 'string' };

/** @returns Why the whole object has no value. */
function addMember(
  run: SampleRun,
  object: object,
  { name, schema, isRequired }: { readonly name: string; readonly schema: unknown; readonly isRequired: boolean },
  { tag, members }: Hints,
): Cut | undefined {
  const mark = run.mark();
  const hint = name === tag?.name ? tag.value : members?.[name];
  const isHinted = hint !== undefined && run.variant === 0 && fits(run, schema, hint) && takeWhole(run, hint);
  const value = isHinted ? hint : run.take(name.length + 3, 0) ? sampleValue(run, schema) : TOO_LARGE;
  if (!(value instanceof Cut)) {
    put(object, name, value);
    if (!isHinted) run.keepLeaf(object, name);
    return undefined;
  }
  run.giveUp(mark);
  if (isRequired && !run.lenient) return value;
  if (isRequired) run.problem ??= value.reason;
  else run.note(value);
  return undefined;
}

/** One member of an object that is a map, and as many as there must be. */
function addFurther(run: SampleRun, object: object, merged: MergedSchema): object | Cut {
  const { minProperties, maxProperties, namePatterns, properties } = merged;
  const isMap = properties.size === 0 && (isJson(merged.additional) || namePatterns.length > 0);
  const count = Math.min(Math.max(minProperties, isMap && run.bareDepth !== run.depth - 1 ? 1 : 0), maxProperties);
  const missing = count - Object.keys(object).length;
  if (missing > run.nodesLeft) return run.lenient ? (run.note(TOO_LARGE), object) : TOO_LARGE;
  const variantBefore = run.variant;
  for (let at = 0; at < missing; at++) {
    run.variant = at;
    const [pattern, patternSchema] = namePatterns[0] ?? [];
    const name =
      pattern !== undefined
        ? sampleValue(run, { type: 'string', pattern })
        : merged.propertyNames !== undefined
          ? sampleValue(run, run.both({ type: 'string' }, merged.propertyNames))
          : `property${at + 1}`;
    run.variant = variantBefore;
    const isNew = typeof name === 'string' && !Object.hasOwn(object, name);
    const schema =
      pattern === undefined ? (merged.additional === true ? ANY : (merged.additional ?? ANY)) : patternSchema;
    const failed = isNew
      ? addMember(run, object, { name, schema, isRequired: Object.keys(object).length < minProperties }, {})
      : NO_NAME;
    if (failed === undefined) continue;
    if (Object.keys(object).length < minProperties && !run.lenient) return failed;
    run.note(failed);
    break;
  }
  run.variant = variantBefore;
  return object;
}

const NO_NAME = new Cut('there is no valid name for a further member');

function sampleArray(run: SampleRun, merged: MergedSchema): unknown {
  const { minItems, maxItems, prefix, items, contains } = merged;
  if (!run.take(2)) return TOO_LARGE;
  const isOpen = items !== undefined && items !== false;
  const kinds = run.depth < VARIED_DEPTH && !run.isTight ? kindsOf(run, items) : NO_KINDS;
  const several = Math.max(kinds.length, run.leaves !== undefined && run.depth < VARIED_DEPTH ? VARIED_ITEMS : 1);
  const shown = Math.max(minItems, prefix.length, isOpen ? several : contains !== undefined ? 1 : 0);
  const most = items === false ? Math.min(maxItems, prefix.length) : maxItems;
  const count = run.isTight ? minItems : Math.min(shown, most);
  if (minItems > most) return NOTHING_FITS;
  if (run.depth >= SAMPLE_DEPTH_MAX && count > 0) {
    if (minItems > 0) return TOO_DEEP;
    run.note(TOO_DEEP);
    return [];
  }
  if (count > run.nodesLeft) {
    if (!run.lenient) return TOO_LARGE;
    run.note(TOO_LARGE);
    return [];
  }
  run.depth++;
  const variantBefore = run.variant;
  if (merged.isUnique) run.unique++;
  const value = itemsOf(run, merged, count, kinds);
  if (merged.isUnique) run.unique--;
  run.leaf = undefined;
  run.variant = variantBefore;
  run.depth--;
  return value;
}

/** Items of lists with made-up values, and how deep in the sample there are several. */
const VARIED_ITEMS = 3;
const VARIED_DEPTH = 2;

const NO_KINDS: readonly unknown[] = [];
const KINDS_MAX = 6;

/** @returns Schemas of items that may be one of several things: each prefers another one of them. */
function kindsOf(run: SampleRun, items: unknown): readonly unknown[] {
  const parts = partsOf(run, items);
  if (parts instanceof Cut || parts.all.some(isStated)) return NO_KINDS;
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const part = parts.all.find((each) => Array.isArray(each[keyword]));
    const options = (part?.[keyword] ?? []) as readonly unknown[];
    const shown = options.filter((option) => !isNull(option)).slice(0, KINDS_MAX);
    if (part === undefined || shown.length < 2) continue;
    const others = parts.all.filter((each) => each !== part);
    return shown.map((option) => {
      const preferred = { ...part, [keyword]: [option, ...options.filter((each) => each !== option)] };
      return others.length === 0 ? preferred : { allOf: [preferred, ...others] };
    });
  }
  return NO_KINDS;
}

function isStated({ example, examples, default: standard }: Json): boolean {
  return [example, examples, standard].some((each) => each !== undefined);
}

function itemsOf(run: SampleRun, merged: MergedSchema, countMax: number, kindsMax: readonly unknown[]): unknown {
  let count = countMax;
  let kinds = kindsMax;
  const { prefix, contains, isUnique, minItems } = merged;
  const items = merged.items === undefined || merged.items === true ? ANY : merged.items;
  const array: unknown[] = [];
  const texts = new Set<string>();
  const first = run.variant;
  let tries = 0;
  while (array.length < count) {
    const at = array.length;
    const schema =
      at < prefix.length
        ? prefix[at]
        : contains !== undefined && at === prefix.length
          ? run.both(merged.items, contains)
          : (kinds[at] ?? items);
    if (isUnique) run.variant = first + at + tries;
    // What an author states is that of the first item.
    else if (run.leaves !== undefined) run.variant = first + at;
    const mark = run.mark();
    let value = sampleValue(run, schema);
    if (value instanceof Cut && !isUnique && run.variant > first) {
      run.giveUp(mark);
      run.variant = first;
      value = sampleValue(run, schema);
    }
    const text = isUnique && !(value instanceof Cut) ? JSON.stringify(value) : '';
    if (isUnique && !(value instanceof Cut) && texts.has(text)) {
      run.giveUp(mark);
      if (++tries <= UNIQUE_TRIES_MAX) continue;
      value = NOT_UNIQUE;
    }
    if (value instanceof Cut && kinds[at] !== undefined && count > minItems) {
      run.giveUp(mark);
      kinds = kinds.toSpliced(at, 1);
      count = Math.max(1, minItems, count - 1);
      if (kinds.length > 0) continue;
    }
    if (value instanceof Cut) {
      run.giveUp(mark);
      if (at < minItems && !run.lenient) return value;
      if (at < minItems) run.problem ??= value.reason;
      else run.note(value);
      break;
    }
    texts.add(text);
    run.keepLeaf(array, String(at));
    array.push(value);
  }
  return array;
}

const NOT_UNIQUE = new Cut('the items of an array must be unique, and there are no further values');
const UNIQUE_TRIES_MAX = 10;
