/** The rules that a result names by their ids: each is read once. */
import { useEffect, useState } from 'preact/hooks';
import type { RuleRecord } from '../../../client/shapes.ts';
import { api } from '../../state/session.ts';

export type NamedRules = ReadonlyMap<string, RuleRecord>;

/**
 * @param version Of the rules: at another one they are read again.
 * @returns Those that have been read. A rule that is deleted meanwhile stays unknown, and so do all while the server is away.
 */
export function useNamedRules(ids: readonly string[], version: number): NamedRules {
  const [rules, setRules] = useState<NamedRules>(new Map());
  const wanted = [...new Set(ids)].join();
  useEffect(() => {
    let isOld = false;
    const reads = wanted
      .split(',')
      .filter(Boolean)
      .map((id) =>
        api()
          .rules.get(id)
          .then(
            (rule) => [[id, rule] as const],
            () => [],
          ),
      );
    void Promise.all(reads).then((read) => {
      if (!isOld) setRules(new Map(read.flat()));
    });
    return () => void (isOld = true);
  }, [wanted, version]);
  return rules;
}

/** "pair 2", by its place in the rule; undefined where it is the only one, or not known. */
export function pairOf(rule: RuleRecord | undefined, pairId: string | undefined) {
  const index = rule?.pairs.findIndex(({ id }) => id === pairId) ?? -1;
  return index === -1 ? undefined : { number: index + 1, pair: rule?.pairs[index] ?? {} };
}
