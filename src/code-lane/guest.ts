/**
 * Code that runs in each context before the code of a rule: it calls that code, and passes texts to and fro. Nothing of the
 * host is in a context, not one function: arguments go in as JSON, and what comes out is a text that the host does not trust.
 *
 * Code may change what is built in (`JSON`, `Promise`), for its owner alone: what is needed here is taken before.
 */
import { CODE_BODY_BYTES_MAX, CODE_LINE_CHARS_MAX, CODE_LINES_MAX, CODE_STATE_CHARS_MAX } from '../limits.ts';

/** Input of code. */
export interface GuestInput {
  readonly args: object;
  readonly aliases: Readonly<Record<string, string>>;
  readonly parsed: Readonly<Record<string, string>>;
  /** JSON of what is shared between calls; absent where the code does not name it. */
  readonly state?: string;
}

/** The members of `$sharedState` are read and kept only where code names it. */
export const STATE_NAME = '$sharedState';

/** Bounded: the host reads what an owner wrote, outside of the time that the owner's code has. */
const EXPORT = /(^|[\n;])[ \t]{0,80}export[ \t]{1,80}default\s/;

/**
 * The source of a rule as it is read: in parentheses, and with the end of a comment in its last line. A semicolon behind it, and
 * `export default` before it, are left out.
 */
export function expressionOf(source: string): string {
  let end = source.length;
  while (end > 0 && /[\s;]/.test(source[end - 1] as string)) end--;
  return `(${source.slice(0, end).replace(/^\s*export\s+default\s/, newlinesIn)}\n)`;
}

/** Lines keep their numbers, which errors name. */
const newlinesIn = (text: string): string => text.replaceAll(/[^\n]/g, '');

/** The source as statements, such as helpers before the main function, which is exported or has the name of those in files. */
export function statementsOf(source: string): string | undefined {
  if (!EXPORT.test(source) && !/\b(?:modifyResponse|modifyRequestBody)\b/.test(source)) return undefined;
  const main = EXPORT.test(source) ? source.replace(EXPORT, '$1 return ') : `${source}\n;return ${MAIN};`;
  return `(() => {${main}\n})()`;
}

const MAIN =
  "typeof modifyResponse === 'function' ? modifyResponse : typeof modifyRequestBody === 'function' ? modifyRequestBody : undefined";

/**
 * An expression: an object of functions. `compile(source)` answers why the source is not a function, or ''. `call(input)` takes
 * a GuestInput as JSON, and answers a GuestOutput as JSON, or '' while it is not known: `take()` then answers the same when
 * jobs have run.
 */
export const GUEST_SOURCE = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { slice } = String.prototype;
  const { exec } = RegExp.prototype;
  const { then } = Promise.prototype;
  const { defineProperty, keys } = Object;
  const PromiseOf = Promise, TextOf = String, ErrorOf = TypeError, evaluate = eval, world = globalThis;
  let run, lines, answer, named;

  const cut = (text) => (text.length > ${CODE_LINE_CHARS_MAX} ? apply(slice, text, [0, ${CODE_LINE_CHARS_MAX - 1}]) + '…' : text);
  const lineOf = (stack) => {
    const found = typeof stack === 'string' ? apply(exec, /<input>:([0-9]+)/, [stack]) : null;
    return found === null || found[1] === '1' ? '' : ' (line ' + found[1] + ')';
  };
  const describe = (error) => {
    try {
      const isError = typeof error === 'object' && error !== null && 'message' in error;
      if (!isError) return cut(TextOf(error));
      return cut(TextOf(error.name) + ': ' + TextOf(error.message) + lineOf(error.stack));
    } catch {
      return 'an error without a text';
    }
  };
  const shown = (value) => {
    try {
      return typeof value === 'object' && value !== null ? TextOf(stringify(value)) : TextOf(value);
    } catch {
      return 'a value without a text';
    }
  };
  const write = (level) => (...values) => {
    if (lines === undefined || lines.length >= ${CODE_LINES_MAX}) return;
    let text = '';
    for (let index = 0; index < values.length; index++) text += (index === 0 ? '' : ' ') + cut(shown(values[index]));
    defineProperty(lines, lines.length, { value: { level, text: cut(text) }, enumerable: true, configurable: true, writable: true });
  };
  const console = {};
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level] = write(level);
  defineProperty(world, 'console', { value: console, writable: true, configurable: true });

  const bodyOf = (value) => {
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'function' || typeof value === 'symbol') throw new ErrorOf('the result is a ' + typeof value);
    const text = typeof value === 'object' ? stringify(value) : TextOf(value);
    if (typeof text !== 'string') throw new ErrorOf('the result cannot be written as JSON');
    return text;
  };
  const finish = (value) => {
    try {
      const body = bodyOf(value);
      if (body !== undefined && body.length > ${CODE_BODY_BYTES_MAX}) throw new ErrorOf('the result is larger than ${CODE_BODY_BYTES_MAX} bytes');
      const state = named ? stringify(world.${STATE_NAME}) : undefined;
      if (state !== undefined && state.length > ${CODE_STATE_CHARS_MAX}) throw new ErrorOf('${STATE_NAME} is larger than ${CODE_STATE_CHARS_MAX} characters of JSON');
      answer = stringify({ body, state, console: lines });
    } catch (error) {
      fail(error);
    }
  };
  const fail = (error) => {
    answer = stringify({ failure: describe(error), console: lines });
  };
  const parsedOf = (text, isSame) => {
    try {
      return parse(text);
    } catch {
      return isSame ? text : {};
    }
  };

  return {
    compile(source) {
      try {
        run = evaluate(source);
        return typeof run === 'function' ? '' : 'TypeError: the code is not a function';
      } catch (error) {
        return describe(error);
      }
    },
    call(text) {
      lines = [];
      answer = '';
      try {
        const { args, aliases, parsed, state } = parse(text);
        for (const name of keys(aliases)) args[name] = args[aliases[name]];
        for (const name of keys(parsed)) {
          const given = args[parsed[name]];
          if (given === undefined) continue;
          let isRead = false, value;
          defineProperty(args, name, {
            get() {
              if (!isRead) value = parsedOf(given, parsed[name] === name);
              isRead = true;
              return value;
            },
            set(other) {
              isRead = true;
              value = other;
            },
            enumerable: true,
            configurable: true,
          });
        }
        named = state !== undefined;
        if (named) world.${STATE_NAME} = parse(state);
        const result = run(args);
        const isLater = (typeof result === 'object' || typeof result === 'function') && result !== null && typeof result.then === 'function';
        if (isLater) apply(then, new PromiseOf((resolve) => resolve(result)), [finish, fail]);
        else finish(result);
      } catch (error) {
        fail(error);
      }
      return answer;
    },
    take: () => answer,
  };
})()`;
