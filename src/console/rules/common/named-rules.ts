/** Loads the rules that a result or a list refers to, each once. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RuleRecord } from '../../../client/shapes.ts';
import { api } from '../../state/session.ts';

type NamedRules = ReadonlyMap<string, RuleRecord>;

/**
 * @param version Of the rules: another version reloads them.
 * @returns The loaded rules: without deleted ones, and none while the server is away.
 */
export function useNamedRules(ids: readonly string[], version: number): NamedRules {
  const [rules, setRules] = useState<NamedRules>(new Map());
  // Including failed ones.
  const asked = useRef({ version, ids: new Set<string>() });
  const wanted = [...new Set(ids)].join();
  useEffect(() => {
    const isOther = asked.current.version !== version;
    if (isOther) asked.current = { version, ids: new Set() };
    const known = asked.current.ids;
    const missing = wanted.split(',').filter((id) => id !== '' && !known.has(id));
    for (const id of missing) known.add(id);
    const read = async (id: string) => [[id, await api().rules.get(id)] as const];
    void Promise.all(missing.map((id) => read(id).catch(() => []))).then((found) => {
      if (asked.current.ids !== known || (found.length === 0 && !isOther)) return;
      setRules((before) => new Map([...(isOther ? [] : before), ...found.flat()]));
    });
  }, [wanted, version]);
  return rules;
}
