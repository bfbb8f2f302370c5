/** Data buckets in templates: what no request changes is a variable of the mock. */
import { isObject } from '../../../base/json-object.ts';
import type { Rewording, Use } from '../../templates/reword.ts';
import { called, literalText, quoted, type Call, type Term } from '../../templates/terms.ts';
import type { Buckets } from './buckets.ts';

type Write = (term: Term | undefined) => string | undefined;
type Bucket = NonNullable<ReturnType<Buckets['named']>>;

/** @param of Writes an argument. */
export function dataWords(call: Call, use: Use, buckets: Buckets, context: Rewording, of: Write): string | undefined {
  const [name, path] = call.args.map(literalText);
  const own = bucketOf(call, buckets);
  if (own !== undefined && buckets.isStore(own)) {
    if (use === 'printed' && call.name === 'data' && valueIn(own, path) === null)
      context.differs('while the value is null, it prints `null`');
    return storeWords(call, own, buckets, of);
  }
  const isPlain = call.args.length > 0 && call.args.length <= 2 && (call.args.length === 1) === (path === undefined);
  const bucket = name === undefined ? undefined : buckets.named(name);
  if (!isPlain || bucket === undefined || path?.startsWith('$') === true || path?.includes('\\') === true)
    return undefined;
  if (!buckets.use(bucket)) return undefined;
  const value = valueIn(bucket, path);
  if (use === 'printed' && value === null) return call.name === 'data' ? "'null'" : "''";
  if (use === 'printed' && call.name === 'dataRaw') {
    if (typeof value === 'object' && value !== null)
      context.differs('a list is printed as a,b, and an object as [object Object]');
    if (typeof value === 'string' && /[&<>"'`=]/.test(value)) context.differs('Mockoon escapes HTML in it');
  }
  return called('variable', `'${bucket.name}${path === undefined || path === '' ? '' : `.${path}`}'`);
}

function valueIn({ value, text }: Bucket, path = ''): unknown {
  const steps = path.split('.').filter((step) => step !== '');
  return steps.reduce<unknown>(
    (inside, step) => (isObject(inside) || Array.isArray(inside) ? Reflect.get(inside, step) : undefined),
    value ?? text,
  );
}

function bucketOf({ args, named }: Call, buckets: Buckets, at = 0): Bucket | undefined {
  const name = literalText(args[at]);
  return name === undefined || Object.keys(named).length > 0 ? undefined : buckets.named(name);
}

function storeWords({ args }: Call, bucket: Bucket, buckets: Buckets, of: Write): string | undefined {
  const [, path, ...more] = args;
  const own = of(path);
  if (more.length > 0 || (path !== undefined && own === undefined) || !buckets.useAsStore(bucket)) return undefined;
  return called('store', quoted(bucket.storeName), own);
}

const OPERATIONS: ReadonlySet<string> = new Set(['set', 'merge', 'push', 'del', 'inc', 'dec', 'invert']);

/** `setData operator bucket path value` prints nothing. */
export function setDataWords(call: Call, use: Use, buckets: Buckets, of: Write): string | undefined {
  const [operator, , path, value] = call.args;
  const op = literalText(operator);
  const bucket = bucketOf(call, buckets, 1);
  if (use !== 'printed' || op === undefined || !OPERATIONS.has(op) || bucket === undefined) return undefined;
  const [at, own] = [path === undefined ? "''" : of(path), of(value)];
  if (at === undefined || (value !== undefined && own === undefined) || call.args.length > 4) return undefined;
  return buckets.useAsStore(bucket) ? called('storeSet', quoted(op), quoted(bucket.storeName), at, own) : undefined;
}
