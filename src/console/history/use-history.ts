/** The newest entries under filters, older ones on request, and the number of new ones. */
import { useEffect, useState } from 'preact/hooks';
import type { HistoryPage } from '../../client/shapes.ts';
import { onChange } from '../state/changes.ts';
import { failureOf, type Failure } from '../state/failure.ts';
import { useResource, type Resource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { fits, queryOf, type HistoryFilters } from './entry-words.ts';
import { learnNames } from './records.tsx';

/** The API's maximum. */
const PAGE_ENTRIES = 75;

interface HistoryLog {
  /** All loaded entries, newest first. */
  readonly log: Resource<HistoryPage>;
  readonly older: {
    readonly isLoading: boolean;
    readonly failure: Failure | undefined;
    load(): Promise<void>;
  };
  /** Changes by others, not shown yet. */
  readonly newCount: number;
  /** Reloads from the newest. */
  readonly showNew: () => void;
}

export function useHistory(filters: HistoryFilters): HistoryLog {
  const { record, user, command } = filters;
  const inputs = [record, user, command];
  const load = async (before?: number): Promise<HistoryPage> => {
    const from = before === undefined ? {} : { before };
    const page = await api().history.list({ ...queryOf(filters), pageSize: PAGE_ENTRIES, ...from });
    learnNames(page.records);
    return page;
  };
  const log = useResource<HistoryPage>(() => load(), inputs);
  const [newCount, setNewCount] = useState(0);
  const [isLoading, setLoading] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    setNewCount(0);
    setFailure(undefined);
    return onChange((change) => {
      if (change !== undefined && fits(change, filters)) setNewCount((count) => count + 1);
    });
  }, inputs);

  const loadOlder = async (): Promise<void> => {
    const shown = log.state.peek().value;
    if (isLoading || typeof shown?.nextBefore !== 'number') return;
    setLoading(true);
    try {
      const page = await load(shown.nextBefore);
      setFailure(undefined);
      // Unless reloaded in the meantime.
      if (log.state.peek().value === shown) {
        log.replace({ records: [...shown.records, ...page.records], nextBefore: page.nextBefore });
      }
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setLoading(false);
    }
  };
  return {
    log,
    older: { isLoading, failure, load: loadOlder },
    newCount,
    showNew() {
      setNewCount(0);
      void log.reload();
    },
  };
}
