/** Data buckets in templates: what no request changes is a variable of the mock. */
import type { Rewording, Use } from '../../templates/reword.ts';
import { called, literalText, type Call } from '../../templates/terms.ts';
import type { Buckets } from './buckets.ts';

export function dataWords(call: Call, use: Use, buckets: Buckets, context: Rewording): string | undefined {
  const [name, path] = call.args.map(literalText);
  const isPlain = call.args.length > 0 && call.args.length <= 2 && (call.args.length === 1) === (path === undefined);
  const bucket = name === undefined ? undefined : buckets.named(name);
  if (!isPlain || bucket === undefined || path?.startsWith('$') === true || path?.includes('\\') === true)
    return undefined;
  if (!buckets.use(bucket)) return undefined;
  const value = (path ?? '')
    .split('.')
    .reduce(
      (inside: unknown, step) =>
        step === ''
          ? inside
          : typeof inside === 'object' && inside !== null
            ? (inside as Record<string, unknown>)[step]
            : undefined,
      bucket.value ?? bucket.text,
    );
  if (use === 'printed' && call.name === 'dataRaw') {
    if (typeof value === 'object' && value !== null)
      context.differs('a list is printed as a,b, and an object as [object Object]');
    if (typeof value === 'string' && /[&<>"'`=]/.test(value)) context.differs('it has HTML escapes');
  }
  return called('variable', `'${bucket.name}${path === undefined || path === '' ? '' : `.${path}`}'`);
}
