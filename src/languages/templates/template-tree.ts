/** A parsed template: parts of text, values, and blocks of further parts. Made by parse-template.ts; docs/templates.md. */
import { SIGNATURES, type HelperName, type Signature } from './signatures.ts';

export type Part = TextPart | ValuePart | BlockPart;

interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  /** Offset of its first character in the template. */
  readonly at: number;
}

/** `{{expression}}` */
interface ValuePart {
  readonly kind: 'value';
  readonly expression: Expression;
  /** Offset of its tag in the template. */
  readonly at: number;
}

export type BlockPart =
  /** `if`, `else if`, `else`; `unless` is an `if` with its parts in `otherwise`. */
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly parts: readonly Part[];
      readonly otherwise: readonly Part[];
      readonly at: number;
    }
  /** `each list as |item index|`: `slot` is that of the item, see Expression. `otherwise` is for an empty list. */
  | {
      readonly kind: 'each';
      readonly list: Expression;
      readonly slot: number;
      readonly parts: readonly Part[];
      readonly otherwise: readonly Part[];
      readonly at: number;
    }
  /** `with value as |name|`; `otherwise` is for a missing value. */
  | {
      readonly kind: 'with';
      readonly value: Expression;
      readonly slot: number;
      readonly parts: readonly Part[];
      readonly otherwise: readonly Part[];
      readonly at: number;
    }
  /** `repeat times separator`, or `repeat least most separator`: then the number is drawn. */
  | {
      readonly kind: 'repeat';
      readonly times: Expression;
      /** Absent where the number is not drawn. */
      readonly most?: Expression;
      readonly separator: string;
      readonly slot: number;
      readonly parts: readonly Part[];
      readonly at: number;
    }
  /** `switch value`: the parts of the first case with an equal value, else `otherwise`, which `default` gives. */
  | {
      readonly kind: 'switch';
      readonly value: Expression;
      readonly cases: readonly { readonly values: readonly Expression[]; readonly parts: readonly Part[] }[];
      readonly otherwise: readonly Part[];
      readonly at: number;
    }
  /** `assign name`: the text of the parts, kept as a variable of this rendering. Prints nothing. */
  | { readonly kind: 'assign'; readonly name: string; readonly parts: readonly Part[]; readonly at: number };

/**
 * Expression with a value. A slot is a place of a rendering's local values: an `each` in slot n keeps its item there, and its index, its
 * key, whether it is the first or last one, and how many there are, in the five places that follow.
 */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null | undefined }
  /** `request.body.a`, `request.query.x`: `steps` without "request". */
  | { readonly kind: 'request'; readonly steps: readonly string[] }
  /** The answer that a callback follows: `response.body.a`; `steps` without "response". */
  | { readonly kind: 'response'; readonly steps: readonly string[] }
  /** `this`, an item or an index by its name, `@index`, and steps into it. */
  | { readonly kind: 'local'; readonly slot: number; readonly steps: readonly string[] }
  /** A variable that the template itself assigned: `@name`, or the name alone where the template assigns it. */
  | { readonly kind: 'variable'; readonly name: string; readonly steps: readonly string[] }
  | {
      readonly kind: 'call';
      readonly helper: HelperName;
      readonly args: readonly Expression[];
      readonly named: Readonly<Record<string, Expression>>;
      /** Offset of its name in the template. */
      readonly at: number;
    };

/** @returns The variable that a helper keeps its value in, instead of printing it. */
export function assignedBy(expression: Expression): string | undefined {
  if (expression.kind !== 'call') return undefined;
  const { assigns }: Signature = SIGNATURES[expression.helper];
  const name = assigns === undefined ? undefined : expression.args[assigns];
  return name?.kind === 'literal' && typeof name.value === 'string' ? name.value : undefined;
}

/**
 * Whether a request may send the value several times. Where a list is taken, all are read: a single empty one is a list of one item.
 *
 * @param steps Of the request, without "request".
 */
export function mayRepeat([member, name, ...inside]: readonly string[]): boolean {
  return name !== undefined && inside.length === 0 && (member === 'query' || member === 'headers');
}

/** Places that an `each` takes: item, index, key, first, last, total. */
export const SLOTS_OF_EACH = 6;

export interface TemplateProblem {
  /** In terms that a person can act on. */
  readonly problem: string;
  /** Offset in the template; line and column are counted from it. */
  readonly at: number;
}

/** "line 3, column 14: …" @param text Of the template. */
export function placed(text: string, { problem, at }: TemplateProblem): string {
  const before = text.slice(0, at);
  return `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}: ${problem}`;
}
