/** The name of the file that a mock is exported to. */
import type { ExportOptions, MockRecord } from '../../../client/shapes.ts';

const CHARS_MAX = 60;

/** @returns "payments-v2.json" of "Payments (v2)"; the mock's id when its name has no letter or digit of ASCII. */
export function fileNameOf(
  { id, name }: Pick<MockRecord, 'id' | 'name'>,
  format: NonNullable<ExportOptions['format']>,
): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, CHARS_MAX)
    .replaceAll(/^-+|-+$/g, '');
  return `${words === '' ? id : words}.${format === 'switchyard' ? '' : `${format}.`}json`;
}
