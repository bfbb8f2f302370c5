/** Selected rules as a file. */
import type { RuleRecord, RulesExportOptions } from '../../../client/shapes.ts';
import { api } from '../../state/session.ts';

/**
 * Ids stand in the address of a request, whose head has 4 kB: of more rules several files come, and are joined. The longest id takes 34
 * characters there.
 */
const IDS_MAX = 80;

type Format = NonNullable<RulesExportOptions['format']>;
type Named = { readonly id: string };

/** @returns The text of the file, with the rules in order of creation. */
export async function exportSelected(rules: readonly RuleRecord[], format: Format): Promise<string> {
  const ids = rules.toSorted((one, other) => one.creationDate - other.creationDate).map(({ id }) => id);
  const texts: string[] = [];
  for (let from = 0; from < ids.length; from += IDS_MAX) {
    texts.push(await api().rules.export({ ids: ids.slice(from, from + IDS_MAX), format }));
  }
  const [only] = texts;
  return only !== undefined && texts.length === 1 ? only : joined(texts, format);
}

/** As the server would have written them as one file: each group once, after the rules. Exported for its test. */
export function joined(texts: readonly string[], format: Format): string {
  const files: unknown[] = texts.map((text) => JSON.parse(text));
  if (format === 'requestly') {
    const records = files.flat() as (Named & { readonly objectType: string })[];
    const [rules, groups] = [records.filter(isRule), records.filter((record) => !isRule(record))];
    return JSON.stringify([...rules, ...once(groups)], null, 2);
  }
  const parts = files as { readonly rules: readonly Named[]; readonly groups?: readonly Named[] }[];
  const groups = once(parts.flatMap((part) => part.groups ?? []));
  const whole = { ...parts[0], rules: parts.flatMap(({ rules }) => rules), ...(groups.length > 0 ? { groups } : {}) };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

const isRule = ({ objectType }: { readonly objectType: string }): boolean => objectType === 'rule';

const once = <Item extends Named>(items: readonly Item[]): readonly Item[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];
